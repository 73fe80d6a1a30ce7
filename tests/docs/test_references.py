"""The documentation and the code speak of the same things."""

import importlib
import re
from dataclasses import fields
from functools import reduce
from pathlib import Path

import pytest

import prefero as pf
from prefero import errors
from prefero.models.rbf import BASES
from prefero.storage.events import KINDS

ROOT = Path(__file__).parents[2]
DOCUMENTS = {path.name: path for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]}
NOTATION = DOCUMENTS["notation.md"].read_text(encoding="utf-8")
GUIDE = DOCUMENTS["guide.md"].read_text(encoding="utf-8")
KNOBS = [knob.name for knob in fields(pf.Glisp)]
BEHIND = {
    "Comparison",
    "History",
    "Question",
    "Result",
    "Surrogate",
    "Candidate",
    "Variable",
}  # what functions take or return: no entry of its own


def resolve(dotted: str) -> object:
    """The module, function, class or attribute that a dotted name means."""
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        try:
            module = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        return reduce(getattr, parts[length:], module)
    raise ModuleNotFoundError(dotted)


def test_every_equation_that_the_code_cites_is_spelled_out():
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    cited = set(re.findall(r"Eq\. \(([^)]+)\)", sources))
    assert cited
    assert {label for label in cited if f"**({label})**" not in NOTATION} == set()


def test_the_walk_through_the_paper_passes_every_equation_and_every_slip():
    walk = DOCUMENTS["paper.md"].read_text(encoding="utf-8")
    labels = re.findall(r"^\*\*\(([^)]+)\)\*\*", NOTATION, re.MULTILINE)
    slips = NOTATION.split("## The paper's slips")[1].split("##")[0]
    printed = [row for row in re.findall(r"^\| ([^|]+) \|", slips, re.MULTILINE) if row != "label"]
    assert len(labels) > 20
    assert len(printed) > 12
    assert [label for label in labels if f"({label})" not in walk] == []
    assert [row for row in printed if not mentioned(row, walk)] == []


def mentioned(slip: str, walk: str) -> bool:
    """Whether the walk speaks of a slip: by its equation, or in the section that it is in."""
    if slip.startswith("section "):
        return f"\n### {slip.removeprefix('section ').split(',')[0]} " in walk
    first = slip.split(",")[0]
    return f"({first})" in walk or first.lower() in walk.lower()


@pytest.mark.parametrize("document", sorted(DOCUMENTS))
def test_every_name_that_a_document_gives_exists(document):
    text = DOCUMENTS[document].read_text(encoding="utf-8")
    for name in re.findall(r"`((?:prefero|benchmarks)(?:\.\w+)+)`", text):
        resolve(name)
    for script in re.findall(r"`(examples/\w+\.py)`", text):
        assert (ROOT / script).exists(), script
    for knob in re.findall(r"`Glisp\.(\w+)`", text):
        assert knob in KNOBS
    for name in re.findall(r"\bpf\.(\w+)", text):
        assert hasattr(pf, name), name


@pytest.mark.parametrize("document", sorted(DOCUMENTS))
def test_every_link_within_the_repository_leads_somewhere(document):
    path = DOCUMENTS[document]
    for target in re.findall(r"\]\(([^)#][^)]*)\)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            file, _, anchor = target.partition("#")
            assert (path.parent / file).exists(), target
            assert not anchor or anchor in headings(path.parent / file), target


def headings(path: Path) -> set[str]:
    """The anchors that a page's headings have."""
    titles = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_guide_tells_about_every_knob_error_and_public_name():
    table = set(re.findall(r"^\| `(\w+)` \|", GUIDE, re.MULTILINE))
    assert set(KNOBS) <= table
    assert {name for name in vars(errors) if name.endswith("Error") and name != "PreferoError"} <= table
    told = {name for name in pf.__all__ if f"pf.{name}" in GUIDE}
    assert set(pf.__all__) - told - BEHIND == {"__version__"}


def test_the_notation_tells_about_every_basis():
    assert all(f"| {basis} |" in NOTATION for basis in BASES)


def test_pictures_are_small():
    pictures = list((ROOT / "docs" / "images").glob("*.png"))
    assert pictures
    assert all(path.stat().st_size <= 150_000 for path in pictures)


def test_the_files_page_lists_every_event_and_its_fields():
    rows = re.findall(
        r"^\| `([^`]+)` \| [^|]+ \| ([^|]+) \|$", DOCUMENTS["files.md"].read_text(encoding="utf-8"), re.MULTILINE
    )
    listed = {event: re.findall(r"`(\w+)`", named) for event, named in rows if event in KINDS}
    assert listed == {event: [field.name for field in fields(kind)] for event, kind in KINDS.items()}


def test_the_configuration_page_lists_every_variable_that_is_read():
    read = {
        name
        for path in (ROOT / "src").rglob("*.py")
        for name in re.findall(r"\"(PREFERO_[A-Z]+)\"", path.read_text(encoding="utf-8"))
    }
    listed = re.findall(r"^\| `(PREFERO_\w+)`", DOCUMENTS["configuration.md"].read_text(encoding="utf-8"), re.MULTILINE)
    assert read == set(listed)
