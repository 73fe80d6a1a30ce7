"""The documentation site: every page has its place, and what is made for it is right. `make docs` builds it."""

import importlib.util
import inspect
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


def loaded(name: str):
    spec = importlib.util.spec_from_file_location(f"docs_{name}", ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


site = loaded("site")


def test_every_document_is_in_one_part_of_the_site():
    listed = [page for pages in site.PARTS.values() for page in pages]
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} | set(site.OF_THE_ROOT.values()) | {"api"}
    assert len(listed) == len(set(listed))
    assert set(listed) == pages
    assert list(site.PARTS) == list(site.LEADS) == ["Start", "How to", "Understand", "Reference"]


def test_the_links_of_the_site_lead_to_pages():
    text = site.staged(ROOT / "README.md")
    assert "](guide.md)" in text
    assert "](security.md)" in text
    assert "](docs/" not in text
    assert "](../" not in "".join(site.staged(path) for path in (ROOT / "docs").glob("*.md"))
    assert site.page_of(ROOT / "examples" / "wine.py") == "gallery-wine.md"
    assert site.page_of(ROOT / "pyproject.toml") is None


def test_the_site_shows_a_docstring_as_a_list_of_arguments():
    text = site.markdown(
        "Return x.\n\nParameters\n----------\nseed, n: makes it\n    repeatable.\nrest: b.\n\n>>> f(1)\n2"
    )
    assert text == (
        "Return x.\n\n**Parameters**\n\n- `seed, n`: makes it repeatable.\n- `rest`: b.\n\n```pycon\n>>> f(1)\n2\n```"
    )


@pytest.mark.parametrize("module", [name for name in site.API if "optuna" not in name and "sklearn" not in name])
def test_the_site_has_every_public_name_of_a_module(module):
    page = site.api_page(module, "Title")
    listed = getattr(__import__(module, fromlist=["x"]), "__all__", [])
    values = {name: getattr(sys.modules[module], name) for name in listed if name[0] != "_"}
    shown = [name for name, value in values.items() if inspect.isclass(value) or inspect.isfunction(value)]
    assert [name for name in shown if f"}} {module}.{name}" not in page] == []
    assert page.count("```") % 2 == 0


def test_the_site_of_a_reader_fetches_nothing_from_other_hosts(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="https://x.org">x</a><img src="a.png"><link rel="canonical" href="https://y">'
    )
    assert site.foreign_requests(tmp_path) == []
    (tmp_path / "b.html").write_text('<script src="https://cdn.example/x.js"></script>')
    assert len(site.foreign_requests(tmp_path)) == 1


def test_the_recipe_for_hosting_builds_and_publishes_what_make_writes():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "docs.yml").read_text(encoding="utf-8"))["jobs"]
    steps = jobs["build"]["steps"]
    assert {"run": "make docs"} in steps
    assert steps[-1]["with"]["path"] == "out/site"
    assert "docs/site.py out/site" in (ROOT / "Makefile").read_text(encoding="utf-8")
    assert jobs["publish"]["needs"] == "build"
