"""Every code block of the documentation and every example runs, and every figure shows something."""

import ast
import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "docs" / "benchmarks.md"  # written by `make paper`; it shows results, not code
DOCUMENTS = [ROOT / "README.md", *sorted(set((ROOT / "docs").glob("*.md")) - {REPORT})]
FENCED = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)

FIGURES = {
    "first_run": {"first_run.png"},
    "mixed_variables": {"mixed_variables.png"},
    "one_dimension": {"one_dimension_surrogate.png", "one_dimension_acquisition.png"},
    "pareto": {"pareto_weights.png", "pareto_front.png"},
    "sasena": {"sasena_samples.png", "sasena_progress.png", "sasena_surfaces.png"},
    "smoothing": {"smoothing.png"},
}
GALLERY = {
    "earlier_studies", "equaliser", "failing_candidates", "filter_by_ear", "panel_of_judges", "plot_style", "program_judge",
    "strengths", "thresholds", "wine",
}  # fmt: skip
"""Examples that `make docs` runs."""


def code_blocks(text: str) -> list[str]:
    """The python blocks, each behind as many empty lines as precede it, so that a traceback names the right line."""
    return ["\n" * text.count("\n", 0, found.start(1)) + found[1] for found in FENCED.finditer(text)]


def shows_something(path: Path) -> bool:
    pixels = imread(path)[..., :3]
    return len(np.unique(pixels.reshape(-1, 3), axis=0)) > 20 and float(pixels.std()) > 0.02


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_code_blocks_of_a_document_run_one_after_the_other(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": document.stem}
    blocks = code_blocks(document.read_text(encoding="utf-8"))
    assert blocks
    for block in blocks:
        exec(compile(block, str(document), "exec"), namespace)


def test_no_example_is_forgotten():
    assert {path.stem for path in (ROOT / "examples").glob("*.py")} == set(FIGURES) | GALLERY


@pytest.mark.parametrize("name", sorted(GALLERY))
def test_an_example_of_the_gallery_compiles_and_says_what_it_is(name):
    text = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")
    compile(text, f"{name}.py", "exec")
    title, _, more = ast.get_docstring(ast.parse(text)).partition("\n\n")
    assert title.endswith(".")
    assert more
    assert {"--seed", "--out", f"{name}.png"} <= set(re.findall(r"[\w.-]+", text))


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_an_example_says_what_it_found_and_draws_it(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [f"{name}.py"])
    runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
    said = capsys.readouterr().out
    drawn = {Path(path) for path in re.findall(r"^figure: (.+)$", said, re.MULTILINE)}
    assert drawn == {Path("out") / figure for figure in FIGURES[name]}
    assert all(shows_something(path) for path in drawn)
    assert len(said.splitlines()) > len(drawn)


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_an_example_explains_itself(name, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [f"{name}.py", "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
    assert ended.value.code == 0
    assert "--seed" in capsys.readouterr().out
