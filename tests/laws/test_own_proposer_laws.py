"""Any object with the methods of a proposer will do: live, on replay, computed ahead."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings

import prefero as pf
from prefero.answers import incumbent
from prefero.errors import FormatError, InputError
from prefero.proposers.protocol import Proposal, Proposer
from prefero.storage.memory import Memory
from prefero.study.lookahead import FORESEEN, Lookahead
from tests.strategies import happenings, play, seeds, session_of

SPACE = pf.Space({"x": pf.Real(0, 1), "c": pf.Choice(["p", "q", "r"])})


@dataclass(frozen=True)
class Wandering:
    """Moves on by a random step after each answer, so its state depends on where it began: a rebuilt one is elsewhere."""

    rebuild: int = 4

    def advance(self, state, history, task, rng):
        before = np.zeros(task.space.dimension) if state is None else state
        return before + rng.normal(scale=0.1, size=before.size)

    def propose(self, state, history, task, rng):
        best = self.recommend(state, history, task)
        first = task.opening(2)[0] if best is None else history.points[best]
        drawn = task.space.snap(np.clip(state + rng.normal(size=(99, state.size)), -1, 1))
        return Proposal(first, drawn[~history.holds(drawn) & (np.abs(drawn - first).max(axis=1) > 1e-6)][0])

    def winner(self, history):
        return incumbent(history)

    def recommend(self, state, history, task):
        best, seen = incumbent(history), history.compared
        return int(seen[0]) if best is None and seen.size else best

    def to_dict(self):
        return {"name": "wandering", "rebuild": self.rebuild}


METHODS = ("advance", "propose", "rebuild", "recommend", "to_dict", "winner")


def begun(seed: int = 4, rebuild: int = 4) -> pf.Study:
    return pf.Study(SPACE, comparisons=12, seed=seed, proposer=Wandering(rebuild))


def again(study: pf.Study) -> pf.Study:
    return pf.Study.from_json(study.to_json(), proposer=study.proposer)


@settings(max_examples=15)
@given(script=happenings, more=happenings, seed=seeds)
def test_replay_equals_live(script, more, seed):
    live = play(begun(seed), script)
    resumed = again(live)
    assert resumed.best == live.best
    assert play(resumed, more).log.events == play(live, more).log.events
    assert resumed.ask() == live.ask()
    assert not live.ask().note  # nothing had to stand in for it


def states(study: pf.Study) -> list:
    """The proposer's state, carried along with the answers, and that of the resumed study."""
    return [session_of(each).state(each.history) for each in (study, again(study))]


@pytest.mark.parametrize("answers", [3, 4, 5, 8, 9, 11])
def test_replay_equals_live_around_the_answers_where_the_state_is_rebuilt(answers):
    live = play(begun(), (["a", "b", "a", "same"] * 3)[:answers])
    for _ in range(3):  # after the answers, and after taking back one and two of them
        assert again(live).ask() == live.ask()
        assert np.array_equal(*states(live))
        live.undo()


def test_a_state_that_depends_on_its_path_has_to_be_rebuilt():
    """Otherwise a resumed study would ask something else, so the law above is about something."""
    assert not np.array_equal(*states(play(begun(rebuild=0), ["a", "b", "a"])))


def test_computing_ahead_asks_the_same():
    plain, quick = begun(), begun()
    plain.ask(), quick.ask()
    for said in ("a", "skipped", "b", "same", "b", "a"):
        foreseen = {each: Lookahead.of(quick).after(each) for each in FORESEEN}
        for study in (plain, quick):
            question = study.waiting[""]
            study.skip(question) if said == "skipped" else study.tell(question, said)
        assert plain.ask() == quick.ask(ahead=foreseen[said])


def test_it_has_to_be_passed_again():
    storage = Memory()
    study = pf.Study.create(SPACE, name="own", storage=storage, comparisons=12, proposer=Wandering())
    question = study.ask()
    assert pf.Study.open("own", storage, proposer=Wandering()).ask() == question
    for reopened in (lambda: pf.Study.open("own", storage), lambda: pf.Study.from_json(study.to_json())):
        with pytest.raises(FormatError, match="code of your own, which JSON does not hold: pass proposer="):
            reopened()


def test_an_object_without_a_method_is_refused_and_the_method_is_named():
    assert isinstance(Wandering(), Proposer)
    for missing in set(METHODS) - {"propose"}:
        members = {name: getattr(Wandering(), name) for name in METHODS if name != missing}
        with pytest.raises(InputError, match=f"proposer: Half has no {missing}; see prefero.proposers.protocol"):
            pf.Study(SPACE, proposer=type("Half", (), members)())
    with pytest.raises(InputError, match="an object such as Glisp"):
        pf.Study(SPACE, proposer=object())
