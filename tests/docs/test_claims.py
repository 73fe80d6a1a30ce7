"""Every test that a document names as its evidence exists."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`((?:\w+/)*test_\w+\.py)::(\w+)`")


@cache
def names_in(file: str) -> set[str]:
    """The names of the tests in a file; the file is given as it lies in tests/."""
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def rows(document: str) -> list[str]:
    """The lines of a document's tables, without their heads."""
    lines = (ROOT / document).read_text(encoding="utf-8").splitlines()
    ends = {k for k, line in enumerate(lines) if re.fullmatch(r"\|[-:|]+\|", line)}
    return [line for k, line in enumerate(lines) if line.startswith("| ") and k + 1 not in ends]


@pytest.mark.parametrize(("document", "least"), [("SECURITY.md", 70), ("docs/promises.md", 40)])
def test_every_test_that_is_named_exists(document, least):
    named = NAMED.findall((ROOT / document).read_text(encoding="utf-8"))
    assert len(named) >= least
    assert [f"{file}::{test}" for file, test in named if test not in names_in(file)] == []


def test_every_line_of_the_threat_model_names_a_test():
    claims = rows("SECURITY.md")
    assert len(claims) > 40
    assert [line for line in claims if not NAMED.search(line)] == []


def test_every_promise_of_ours_names_a_test():
    lines = rows("docs/promises.md")
    ours = [line for line in lines if line.startswith(("| prefero |", "| | "))]
    assert len(ours) > 20
    assert [line for line in ours if not NAMED.search(line)] == []
    assert not any(NAMED.search(line) for line in lines if line not in ours)
