"""Random histories at full size: what a proposer is given, and that a fault of it is told."""

import numpy as np
import pytest

from benchmarks import histories
from prefero.proposers.protocol import Proposal


class Broken:
    """A proposer with one fault."""

    def __init__(self, fault: str) -> None:
        self.fault = fault

    def advance(self, *_: object) -> None:
        if self.fault == "warns":
            np.log(np.zeros(1))

    def propose(self, _state: object, history: histories.History, *_: object) -> Proposal:
        first = history.points[0]
        others = {"outside": first + 5, "nowhere": first * np.nan, "itself": first, "warns": history.points[1]}
        return Proposal(first, others[self.fault])


@pytest.mark.parametrize("proposer", ["posterior", "glisp"])
def test_random_histories_give_finite_proposals_and_no_warning(proposer: str) -> None:
    assert histories.chunk(0, 15, proposer) == []


@pytest.mark.parametrize(
    ("fault", "told"),
    [("outside", "outside of the space"), ("nowhere", "not finite"), ("itself", "itself"), ("warns", "RuntimeWarning")],
)
def test_a_fault_is_told_with_its_seed(fault: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(histories, "as_proposer", lambda _: Broken(fault))
    (found,) = histories.chunk(3, 1, "posterior")
    assert found.seed == 3
    assert told in found.how


def test_histories_hold_ties_wrong_answers_and_pairs_asked_again() -> None:
    seen = [histories.random_history(seed)[1] for seed in range(60)]
    assert any((history.preferences == 0).any() for history in seen)
    pairs = [[frozenset((c.i, c.j)) for c in history.comparisons] for history in seen]
    assert any(len(set(asked)) < len(asked) for asked in pairs)
    assert {history.points.shape[1] for history in seen} >= {1, 2, 5}


def test_one_in_a_thousand_is_as_long_as_promised() -> None:
    task, history = histories.random_history(999)
    assert len(task.groups) == 20
    assert len(history) > 450


def test_five_hundred_contradictory_answers_in_twenty_variables_give_a_proposal() -> None:
    assert histories.what_is_wrong(999, "posterior") is None


def test_the_command_counts_and_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    assert histories.main(["--count", "3", "--jobs", "1"]) == 0
    assert "3 random histories, 0 went wrong" in capsys.readouterr().out
    assert histories.main(["--count", "0"]) == 2
    assert "--count" in capsys.readouterr().err
