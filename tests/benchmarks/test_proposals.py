"""The time per proposal: what counts, and one clear line for what cannot be."""

import pytest

from benchmarks import proposals


def test_random_search_is_measured_and_compared_with_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert proposals.main(["random", "random", "--seeds", "1", "--long"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert all("mean" in line and "p95" in line for line in lines)
    assert "answers 60 to 79, 8 variables" in lines[0]
    assert "answers 281 to 300, 10 variables" in lines[-1]


@pytest.mark.parametrize("case", [proposals.USUAL, proposals.LONG])
def test_what_counts_lies_within_the_run(case: proposals.Case) -> None:
    assert 0 < case.first < case.last < case.problem.samples
    assert case.problem(case.problem.minimizer) == pytest.approx(case.problem.minimum)


@pytest.mark.parametrize("given", [["nobody"], ["random", "--seeds", "0"]])
def test_what_cannot_be_is_one_line(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert proposals.main(given) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1
