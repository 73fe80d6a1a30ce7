"""The time per proposal: what counts, and one clear line for what cannot be."""

import pytest

from benchmarks import proposals
from prefero.proposers.posterior import Policy


def test_random_search_is_measured_and_compared_with_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert proposals.main(["random", "numbers", "--seeds", "1", "--long"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6
    assert all("mean" in line and "p95" in line for line in lines)
    assert lines[0].startswith("random, answers 60 to 79, 8 variables")
    assert lines[1].endswith("times random")
    assert lines[3].startswith("numbers, answers 41 to 80, 8 variables")
    assert lines[-1].startswith("numbers, answers 281 to 300, 10 variables")


@pytest.mark.parametrize("case", [proposals.USUAL, proposals.WHOLE, proposals.LONG])
def test_what_counts_lies_within_the_run(case: proposals.Case) -> None:
    assert 0 < case.first < case.last < case.problem.samples - 1  # question `last` is asked after so many answers
    assert len(case.of([[0.002] * (case.problem.samples - 1)])) == case.last - case.first + 1
    assert case.problem(case.problem.minimizer) == pytest.approx(case.problem.minimum)


def test_one_case_holds_a_new_beginning_of_the_default_proposer() -> None:
    begins = {
        case: sum(k % Policy.rebuild == 0 for k in range(case.first, case.last + 1))
        for case in (proposals.USUAL, proposals.WHOLE)
    }
    assert list(begins.values()) == [0, 1]
    assert proposals.WHOLE.last - proposals.WHOLE.first + 1 == Policy.rebuild


@pytest.mark.parametrize("given", [["nobody"], ["random", "--seeds", "0"]])
def test_what_cannot_be_is_one_line(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert proposals.main(given) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1
