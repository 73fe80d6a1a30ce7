"""A helper that is told of a study piece by piece computes what the study itself would, whatever it was asked before."""

import json

import numpy as np
import pytest
from hypothesis import strategies as st

import prefero as pf
from prefero.errors import ExhaustedError
from prefero.insight.agreement import standing
from prefero.study.lookahead import FORESEEN, response
from prefero.study.session import Session
from prefero.study.state import State
from prefero.web import proposing
from prefero.web.proposing import Desk, row_of
from tests.strategies import begun, for_each_proposer, happened, happenings, seeds, spaces

SPACE = pf.Space({"x": pf.Real(0, 1), "kind": pf.Choice(["u", "v", "w"])})


def asked(desk, state, first, **wanted):
    """What the helper says about a state if it is sent the records from that number on; both ways as JSON."""
    rows = [row_of(record) for record in state.records[first:]]
    request = {"study": "s", "first": first, "records": rows, "do": "propose", "judge": "", "then": []} | wanted
    return json.loads(json.dumps(desk.handle(json.loads(json.dumps(request)))))


def alone(state, judge=""):
    """What a study computes that was opened just now."""
    state = State.of(state.records)
    try:
        _, proposal = Session.of(state).ask(state, judge)
    except ExhaustedError as error:
        return {"error": "ExhaustedError", "message": str(error)}
    points = [point.tolist() for point in proposal.points]
    return {"points": points, "note": proposal.note, "kind": str(proposal.kind)}


@for_each_proposer(
    8, ("glisp", "posterior", "pbo"), space=spaces, script=happenings, seed=seeds, ahead=st.sampled_from(FORESEEN)
)
def test_proposals_are_those_of_the_study(proposer, space, script, seed, ahead):
    study, desk, sent = begun(proposer, space, seed=seed), Desk(), 1
    for _ in happened(study, script):
        state = study.log.state
        known, sent = sent, len(state.records)
        if state.waiting:  # after an undo
            foreseen = response(state, "", ahead)
            assert asked(desk, state, known - 1, then=[row_of(foreseen)]) == alone(state.after(foreseen))
        else:
            assert asked(desk, state, known - 1) == alone(state)


def answered(n, **more):
    study = pf.Study(SPACE, seed=1, comparisons=20, **more)
    for k in range(n):
        study.tell(study.ask(), "a" if k % 3 else "b")
    return study


def test_a_helper_that_lacks_records_says_so():
    state = answered(4).log.state
    desk = Desk()
    assert asked(desk, state, 3) == {"lacking": True}
    assert asked(desk, State.of(state.records[:5]), 0) == alone(State.of(state.records[:5]))
    assert asked(desk, state, 5) == {"lacking": True}
    assert asked(desk, state, 4) == alone(state)


def test_another_study_of_the_same_key_is_not_mistaken():
    state = answered(4).log.state
    other = answered(4).log.state
    other = State.of([state.records[0], *other.records[1:]])
    desk = Desk()
    asked(desk, state, 0)
    assert asked(desk, other, 3) == {"lacking": True} or other.records[3] == state.records[3]
    assert asked(desk, other, 0) == alone(other)


def test_an_earlier_state_can_be_asked_about_later():
    study = answered(6)
    state, earlier = study.log.state, State.of(study.log.records[:7])
    desk = Desk()
    asked(desk, state, 0)
    assert asked(desk, earlier, 6) == alone(earlier)
    assert asked(desk, state, len(state.records) - 1) == alone(state)


def test_a_space_with_functions_in_between_does_no_harm():
    study = answered(3)
    desk = Desk()
    asked(desk, study.log.state, 0)
    known = len(study.log.records)
    study.change_space(pf.Space(SPACE.variables, [lambda candidate: candidate["x"] - 0.9]))
    study.change_space(SPACE)
    assert asked(desk, study.log.state, known - 1) == alone(study.log.state)


def test_what_was_foreseen_is_not_computed_again(monkeypatch):
    study = answered(9)
    study.ask()
    desk, state = Desk(), study.log.state
    ahead = asked(desk, state, 0, then=[row_of(response(state, "", "b"))])
    study.tell(study.waiting[""], "b")
    monkeypatch.setattr(pf.Posterior, "advance", None)  # it would have to be called
    assert asked(desk, study.log.state, len(state.records) - 1) == ahead


def test_only_so_many_studies_and_records_are_kept(monkeypatch):
    states = [answered(k, proposer="glisp").log.state for k in (1, 2, 3)]
    rows = [[row_of(record) for record in state.records] for state in states]

    def knows(desk, k):
        request = {"study": str(k), "first": 1, "records": rows[k][1:], "do": "best", "judge": None}
        return "best" in desk.handle(request)

    for limit, value in (("MOST_STUDIES", 2), ("MOST_RECORDS", len(states[1].records) + len(states[2].records))):
        desk = Desk()
        with monkeypatch.context() as patched:
            patched.setattr(proposing, limit, value)
            for k in range(3):
                desk.handle({"study": str(k), "first": 0, "records": rows[k], "do": "best", "judge": None})
            assert [knows(desk, k) for k in range(3)] == [False, True, True]
            assert set(desk._sessions._kept) == {"1", "2"}


@pytest.mark.parametrize("proposer", ["glisp", "posterior"])
def test_the_recommendation_is_the_studys_and_that_of_each_judge(proposer):
    study = pf.Study(SPACE, seed=1, comparisons=20, proposer=proposer)
    for k in range(8):
        judge = ("ann", "bob")[k % 2]
        study.tell(study.ask(judge), "a" if k % 3 else "b")
    state = study.log.state
    shown = state.samples.shown
    assert shown[asked(Desk(), state, 0, do="best", judge=None)["best"]] == study.best
    for judge in ("ann", "bob"):
        best = asked(Desk(), state, 0, do="best", judge=judge)["best"]
        assert shown[best] == standing(study, judge).best


@pytest.mark.parametrize("step", [None, {"x": 0.05}])
def test_a_stand_in_asks_no_proposer_and_keeps_the_limits(step, monkeypatch):
    study = answered(8, max_step=step)
    state = study.log.state
    for method in ("advance", "propose"):
        monkeypatch.setattr(pf.Posterior, method, None)
    made = asked(Desk(), state, 0, do="stand in", since="it took too long")
    assert made["note"] == "a space-filling candidate, since it took too long"
    first, second = np.array(made["points"])
    assert state.history.index(first) is not None
    assert state.history.index(second) is None
    if step:
        assert abs(SPACE.decode(first)["x"] - SPACE.decode(second)["x"]) <= 0.05 + 1e-9
