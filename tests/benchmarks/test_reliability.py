"""The machinery of the reliability figures; the figures themselves are the benchmark's."""

from pathlib import Path

import pytest

from benchmarks import reliability
from benchmarks.reliability import Statements, deciles


def test_deciles_hold_every_case_and_its_share() -> None:
    rows = deciles([(0.05, False), (0.08, True), (0.95, True), (1.0, True)])
    assert [(row.low, row.count) for row in rows] == [(0.0, 2), (0.9, 2)]
    assert rows[0].stated == pytest.approx(0.065)
    assert rows[0].true == 0.5
    assert rows[1].true == 1.0


def test_a_decile_that_is_off_is_marked_only_with_enough_cases() -> None:
    off = [(0.55, False)] * reliability.ENOUGH
    assert "more than 5 points off" in reliability.table(Statements(far=off))
    assert "more than 5 points off" not in reliability.table(Statements(far=off[1:]))
    right = [(0.55, k < 550) for k in range(reliability.ENOUGH)]
    assert "more than 5 points off" not in reliability.table(Statements(far=right))


@pytest.mark.parametrize("kind", ["exact", "flip:0.2", "logistic:0.1"])
def test_a_person_is_asked_and_the_statements_are_written_down(kind: str) -> None:
    said = reliability.one_person(0, kind)
    assert len(said.best) == len(reliability.MOMENTS)
    assert len(said.far) == reliability.PAIRS * len(said.best)
    assert len(said.near) == reliability.NEAR * len(said.best)
    assert all(0 <= stated <= 1 for stated, _ in (*said.far, *said.near, *said.best))
    assert {true for _, true in said.far} == {False, True}


def test_a_sure_statement_is_mostly_true_and_a_doubtful_one_mostly_not() -> None:
    said = reliability.one_person(1, "exact")
    sure = [true for stated, true in said.far if stated > 0.9]
    doubtful = [true for stated, true in said.far if stated < 0.1]
    assert sum(sure) > 0.7 * len(sure)
    assert sum(doubtful) < 0.3 * len(doubtful)


def test_the_command_prints_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "reliability.png"
    kinds = ["--kinds", "exact", "flip:0.1", "logistic:0.05"]
    assert reliability.main(["--people", "1", "--jobs", "1", *kinds, "--plot", str(picture)]) == 0
    printed = capsys.readouterr().out
    assert "1 people who never err" in printed
    assert "1 people who err in 10% of their answers" in printed
    assert "1 people with noise of 5% of the range" in printed
    assert printed.count("the recommendation is the best seen") == 3
    assert picture.stat().st_size > 5000


def test_what_cannot_be_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in (["--people", "0"], ["--kinds", "grumpy"]):
        assert reliability.main(wrong) == 2
        assert capsys.readouterr().err.startswith("error: ")
