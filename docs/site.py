"""Build the documentation site: `make docs`, or `python docs/site.py OUT`.

The pages are docs/*.md and the Markdown files of the repository's root, as they are. Three kinds are made here: the four parts and
their contents, the API from the docstrings, and the gallery, whose examples are run. Sphinx turns them into HTML; a warning is an
error.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import prefero

ROOT = Path(__file__).resolve().parents[1]
DOCS, EXAMPLES = ROOT / "docs", ROOT / "examples"

PARTS = {
    "Start": ["start", "guide"],
    "How to": [
        "notebook", "answers", "ratings", "hints", "studies", "serving", "containers", "controller", "program-judge",
        "agents", "pictures", "products", "pareto-front", "panel", "unknown-constraints", "warm-start", "batches",
        "second-thoughts", "tables", "from-glis", "from-optuna", "from-botorch",
    ],
    "Understand": ["method", "paper", "notation", "benchmarks", "how-to-beat-this", "scale", "promises", "architecture"],
    "Reference": [
        "api", "command-line", "page", "service", "files", "configuration", "security", "contributing", "changelog",
    ],
}  # fmt: skip
"""The pages of each part; a page that is missing here fails a test."""
LEADS = {
    "Start": "Install prefero and find a first setting in five minutes, in Python, in a terminal, on the page or in a notebook.",
    "How to": "One task each, from beginning to end.",
    "Understand": "How the method works, what was measured, where it falls short, and how the code is arranged.",
    "Reference": "Every name, command, address and setting.",
}
OF_THE_ROOT = {"SECURITY.md": "security", "CONTRIBUTING.md": "contributing", "CHANGELOG.md": "changelog"}
API = {
    "prefero": "Studies, spaces, proposers",
    "prefero.exchange": "Tables, pairs, archives",
    "prefero.exchange.fronts": "Pareto fronts",
    "prefero.insight": "Findings",
    "prefero.insight.plots": "Figures",
    "prefero.insight.report": "The report",
    "prefero.answers": "Answers and the history",
    "prefero.errors": "Errors",
    "prefero.storage.events": "Events",
    "prefero.web.settings": "Limits of a service",
    "prefero.compat.glis": "Instead of glis",
    "prefero.compat.sklearn": "For scikit-learn",
    "prefero.compat.optuna": "For Optuna Dashboard",
}
"""The modules of the API and their titles."""
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_NAME = r"\*{0,2}[A-Za-z_][\w.]*(?:\([^)]*\))?"
ARGUMENT = re.compile(rf"^({_NAME}(?:, {_NAME})*): (.*)$")
FOREIGN = re.compile(r"<(?:script|img|iframe|source|link)\b[^>]*?(?:src|href)=\"(?:https?:)?//[^\"]*\"[^>]*>")


# Pages that exist ------------------------------------------------------------------------------------------------------


def staged(path: Path) -> str:
    """Return a Markdown file of the repository as a page of the site: its links lead to pages."""
    text = path.read_text(encoding="utf-8").replace("```mermaid", "```text")
    return LINK.sub(lambda found: _link(path, *found.groups()), text)


def _link(path: Path, bang: str, label: str, target: str) -> str:
    """Return a link to a page; only its label if it leads to a file that is no page."""
    if re.match(r"[a-z]+:|#", target):
        return f"{bang}[{label}]({target})"
    name, _, anchor = target.partition("#")
    file = (path.parent / name).resolve()
    page = page_of(file)
    if page is None:
        return label if not bang else ""
    return f"{bang}[{label}]({page}{'#' + anchor if anchor else ''})"


def page_of(file: Path) -> str | None:
    """Return the page or picture that a file of the repository becomes; None if it becomes none."""
    if file.parent == DOCS and file.suffix == ".md":
        return file.name
    if file.parent == ROOT and file.name in OF_THE_ROOT:
        return f"{OF_THE_ROOT[file.name]}.md"
    if file in (ROOT / "README.md", DOCS):
        return "index.md"
    if file == EXAMPLES:
        return "gallery.md"
    if file.parent == EXAMPLES and file.suffix == ".py":
        return f"gallery-{file.stem}.md"
    if file.is_relative_to(DOCS / "images"):
        return str(file.relative_to(DOCS))
    return None


# The four parts --------------------------------------------------------------------------------------------------------


def index_page() -> str:
    """Return the first page: the README's beginning, and the contents."""
    beginning = staged(ROOT / "README.md").split("\n## ")[0].strip()
    parts = [f"## {part}\n\n{LEADS[part]}\n\n{_toctree(pages, part)}" for part, pages in PARTS.items()]
    gallery = f"## Gallery\n\nWorked examples with pictures.\n\n{_toctree(['gallery'], 'Gallery')}"
    return "\n\n".join([beginning, *parts, gallery]) + "\n"


def _toctree(pages: Iterable[str], caption: str) -> str:
    return "```{toctree}\n:maxdepth: 1\n:caption: " + caption + "\n\n" + "\n".join(pages) + "\n```"


# The API ---------------------------------------------------------------------------------------------------------------


def api_pages() -> Iterator[tuple[str, str]]:
    """Yield a page for each module of the API, and their list."""
    names = [f"api-{module.replace('.', '-')}" for module in API]
    yield "api", "# API\n\nFrom the docstrings.\n\n" + _toctree(names, "API")
    for (module, title), name in zip(API.items(), names, strict=True):
        yield name, api_page(module, title)


def api_page(module: str, title: str) -> str:
    """Return the page of a module: its docstring and its public names."""
    found = import_module(module)
    listed = getattr(found, "__all__", None) or [
        name for name, value in vars(found).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module and callable(value)
    ]  # fmt: skip
    parts = [f"# {title}", f"`{module}`", markdown(inspect.getdoc(found) or "")]
    for name in listed:
        value = getattr(found, name)
        if not name.startswith("_") and (inspect.isclass(value) or inspect.isfunction(value)):
            entry = _described(f"{module}.{name}", value)
            if (
                module != "prefero" and getattr(prefero, name, None) is value
            ):  # links lead to the name that users import
                entry = re.sub(r"^(`{3,4}\{py:\w+\} .*)$", r"\1\n:no-index:", entry, flags=re.MULTILINE)
            parts.append(entry)
    return "\n\n".join(parts) + "\n"


def _described(name: str, value: Any) -> str:
    """Return the entry of a class or a function."""
    if inspect.isfunction(value):
        return _entry("py:function", name, _signature(value), inspect.getdoc(value), "```")
    members = []
    for member, raw in vars(value).items():
        method = raw.__func__ if isinstance(raw, classmethod | staticmethod) else raw
        method = inspect.unwrap(method) if callable(method) else method
        if member.startswith("_") or not getattr(method, "__doc__", None):
            continue
        if isinstance(raw, property):
            members.append(_entry("py:property", f"{name}.{member}", "", raw.__doc__, "```"))
        elif inspect.isfunction(method):
            bound = (
                str(inspect.signature(method)).replace("(self, ", "(").replace("(cls, ", "(").replace("(self)", "()")
            )
            members.append(_entry("py:method", f"{name}.{member}", bound, inspect.getdoc(method), "```"))
    kind = "py:exception" if issubclass(value, BaseException) else "py:class"
    body = "\n\n".join([markdown(inspect.getdoc(value) or ""), *members])
    return f"````{{{kind}}} {name}{_signature(value)}\n\n{body}\n````"


class _Annotation(str):
    """An annotation that is shown without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _signature(value: Any, bound: bool = False) -> str:
    """Return the arguments of a function; of a method without the object it is bound to."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    listed = [p.replace(annotation=_shown(p.annotation)) for p in signature.parameters.values()]
    changed = signature.replace(parameters=listed[bound:], return_annotation=_shown(signature.return_annotation))
    return re.sub(r" at 0x[0-9a-f]+", "", str(changed))


def _shown(annotation: Any) -> Any:
    return _Annotation(annotation) if isinstance(annotation, str) else annotation


def _entry(kind: str, name: str, signature: str, text: str | None, fence: str) -> str:
    body = markdown(inspect.cleandoc(text or "")).replace("```", "~~~")
    return f"{fence}{{{kind}}} {name}{signature}\n\n{body}\n{fence}"


def markdown(docstring: str) -> str:
    """Return a docstring as Markdown: its arguments become a list, its examples code."""
    lines: list[str] = []
    for k, block in enumerate(re.split(r"\n\s*\n", docstring)):
        block = re.sub(r"^(\w+)\n-{3,}$", r"**\1**\n", block, flags=re.MULTILINE)
        if block.startswith(">>> "):
            lines.append(f"```pycon\n{block}\n```")
        elif k and any(ARGUMENT.match(line) for line in block.splitlines()):
            lines.append(_arguments(block))
        elif re.search(r"^ *[├└│]|^\w+Error$", block, flags=re.MULTILINE):
            lines.append(f"```text\n{block}\n```")
        else:
            lines.append(block)
    return "\n\n".join(lines)


def _arguments(block: str) -> str:
    """Return lines such as "seed: makes it repeatable" as a list."""
    listed: list[str] = []
    for line in block.splitlines():
        found = ARGUMENT.match(line)
        if found:
            listed.append(f"- `{found[1]}`: {found[2]}")
        elif listed and listed[-1].startswith("- ") and line.strip():
            listed[-1] += " " + line.strip()
        else:
            listed.append(line)
    text = "\n".join(listed)
    return re.sub(r"^(?!- )(.+)\n(?=- )", r"\1\n\n", text, flags=re.MULTILINE)


# The gallery -----------------------------------------------------------------------------------------------------------


def gallery_pages(target: Path) -> Iterator[tuple[str, str]]:
    """Yield a page for each example, which is run, and the page with all their pictures."""
    files = sorted(EXAMPLES.glob("*.py"))
    with ThreadPoolExecutor(2) as pool:
        printed = dict(zip(files, pool.map(lambda file: run_example(file, target / file.stem), files), strict=True))
    tiles = []
    for file in files:
        title, text = described(file)
        pictures = sorted((target / file.stem).glob("*.png"))
        first = f"gallery/{file.stem}/{pictures[0].name}"
        tiles.append(
            f"## [{title}](gallery-{file.stem}.md)\n\n[![{title}]({first}){{.tile}}](gallery-{file.stem}.md)\n"
        )
        shown = "\n\n".join(f"![{title}](gallery/{file.stem}/{picture.name})" for picture in pictures)
        code = file.read_text(encoding="utf-8").split('"""', 2)[2].strip()
        parts = [f"# {title}", text, shown, "It prints:", f"```text\n{printed[file].strip()}\n```"]
        parts += [f"The file is `examples/{file.name}`:", f"```python\n{code}\n```"]
        yield f"gallery-{file.stem}", "---\norphan: true\n---\n\n" + "\n\n".join(parts) + "\n"
    lead = "Each example is a file that runs in under a minute, with a simulated person."
    yield "gallery", f"# Gallery\n\n{lead}\n\n" + "\n".join(tiles)


def described(file: Path) -> tuple[str, str]:
    """Return the title and the text of an example's docstring."""
    title, _, text = (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or file.stem).partition("\n")
    return title.rstrip("."), text.strip()


def run_example(file: Path, target: Path) -> str:
    """Run an example whose pictures go to a folder, unless they are there already; return what it prints."""
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    stamp, printed = target / "digest", target / "printed.txt"
    if not (stamp.exists() and stamp.read_text() == digest):
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        where = ["--figure", f"{file.stem}.png"] if '"--figure"' in file.read_text(encoding="utf-8") else ["--out", "."]
        env = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "agg"}
        run = subprocess.run(
            [sys.executable, "-W", "error", str(file), *where], cwd=target, env=env, capture_output=True, text=True
        )
        if run.returncode:
            raise SystemExit(f"{file.name} failed:\n{run.stderr}")
        printed.write_text(run.stdout, encoding="utf-8")
        stamp.write_text(digest)
    return "\n".join(
        line for line in printed.read_text(encoding="utf-8").splitlines() if not line.startswith("figure: ")
    )


# The build -------------------------------------------------------------------------------------------------------------


def stage(source: Path) -> None:
    """Write the source of the site; pictures of examples that did not change stay."""
    for old in [*source.glob("*.md"), source / "images"]:
        shutil.rmtree(old) if old.is_dir() else old.unlink(missing_ok=True)
    source.mkdir(parents=True, exist_ok=True)
    shutil.copytree(DOCS / "images", source / "images")
    shutil.copytree(DOCS / "_static", source / "_static", dirs_exist_ok=True)
    shutil.copy(DOCS / "conf.py", source / "conf.py")
    pages = {path.stem: staged(path) for path in sorted(DOCS.glob("*.md"))}
    pages |= {page: staged(ROOT / name) for name, page in OF_THE_ROOT.items()}
    pages |= {"index": index_page(), **dict(api_pages()), **dict(gallery_pages(source / "gallery"))}
    for name, text in pages.items():
        (source / f"{name}.md").write_text(text, encoding="utf-8")


def foreign_requests(site: Path) -> list[str]:
    """Return what the pages would fetch from other hosts; links for people to follow are none."""
    found = []
    for page in site.rglob("*.html"):
        tags = FOREIGN.findall(page.read_text(encoding="utf-8"))
        found += [f"{page.name}: {tag}" for tag in tags if 'rel="canonical"' not in tag]
    return found


def main() -> None:
    """Build the site into the folder that is given."""
    site = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "out" / "site").resolve()
    source = site.parent / f"{site.name}-source"
    stage(source)
    build = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", "-b", "html"]
    subprocess.run([*build, str(source), str(site)], check=True)
    foreign = foreign_requests(site)
    if foreign:
        raise SystemExit("the site would fetch from other hosts:\n" + "\n".join(foreign))
    sys.stdout.write(f"{len(list(site.rglob('*.html')))} pages: {site / 'index.html'}\n")


if __name__ == "__main__":
    main()
