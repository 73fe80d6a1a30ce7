"""What a study does, in its own words."""

import copy
import pickle
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import prefero as pf
from prefero.answers import contradictions
from prefero.storage.events import Answered, Asked, Created, Skipped, Undone
from tests.strategies import answered, distance_to, session_of

SPACE = pf.Space({"gain": pf.Real(0.1, 10, log=True), "taps": pf.Integer(1, 8), "window": pf.Choice(["hann", "flat"])})


def test_ask_tell_skip_undo_are_events():
    study = pf.Study(SPACE, comparisons=6, seed=0)
    study.tell(study.ask(), "a")
    study.skip(study.ask())
    study.tell(study.ask(), 1)
    study.undo()
    kinds = [type(event) for event in study.log.events]
    assert kinds == [Created, Asked, Answered, Asked, Skipped, Asked, Answered, Undone]
    assert study.waiting.get("") == study.ask()
    assert len(study.history) == 1


@pytest.mark.parametrize(("said", "word"), [("a", "a"), (-1, "a"), ("b", "b"), (1, "b"), ("same", "same"), (0, "same")])
def test_an_answer_is_about_the_sides_shown(said, word):
    for seed in range(4):
        study = pf.Study(SPACE, seed=seed)
        question = study.ask()
        study.tell(question, said)
        assert study.log.events[-1] == Answered(0, word)
        winner = {"a": question.a, "b": question.b}.get(word)
        assert study.best == winner or (winner is None and study.best in (question.a, question.b))


def test_a_question_may_be_answered_by_its_number():
    study = pf.Study(SPACE, seed=0)
    study.tell(study.ask().step, "a")
    study.skip(study.ask().step)
    assert len(study.history) == 1


def test_a_question_is_about_two_candidates_of_the_space():
    question = pf.Study(SPACE, seed=0).ask()
    assert question.step == 0
    assert question.note == ""
    for candidate in (question.a, question.b):
        assert SPACE.candidate(candidate) == candidate
    assert question.a != question.b


def test_nothing_is_known_before_the_first_answer():
    study = pf.Study(SPACE, seed=0)
    assert study.best is None
    study.skip(study.ask())
    assert study.best is None
    assert study.best is None
    assert study.waiting.get("") is None
    assert "0 of about 30 answers" in repr(study)


def test_a_skip_is_not_a_tie_and_asks_something_else():
    study = answered(pf.Study(pf.Space.box([0, 0], [1, 1]), comparisons=6, seed=0), distance_to([0.2, 0.2]), 4)
    best = study.best
    skipped = study.ask()
    study.skip(skipped)
    assert len(study.history) == 4
    pair = tuple(study.history.index(study.space.encode(side)) for side in (skipped.a, skipped.b))
    assert study.history.skipped in ((pair,), (pair[::-1],))
    again = study.ask()
    assert again.step == skipped.step + 1
    assert {again.a, again.b} != {skipped.a, skipped.b}
    new, old = ({q.a, q.b} - {best} for q in (again, skipped))
    assert np.abs(np.asarray(next(iter(new))) - np.asarray(next(iter(old)))).max() > 0.02


def test_the_incumbent_is_asked_about_until_it_loses():
    study = pf.Study(pf.Space.box([0, 0], [1, 1]), comparisons=9, seed=0, sides="incumbent first", proposer="glisp")
    best = None
    for said in ("a", "b", "same", "a", "b", "b", "a"):
        question = study.ask()
        assert best is None or question.a == best
        study.tell(question, said)
        best = question.b if said == "b" else question.a
        assert study.best == best


def test_more_comparisons_than_expected_may_be_made():
    study = answered(pf.Study(pf.Space.box([0], [1]), comparisons=4, seed=0), distance_to([0.3]), 12)
    assert len(study.history) == 12
    assert study.settings.comparisons == 4
    assert abs(study.best["x1"] - 0.3) < 0.1
    assert session_of(study).task.samples == 5


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_start_is_asked_about_first_and_exactly_as_given(count):
    start = [[0.1, 0.7], {"x2": 0.9, "x1": 0.3}, np.array([0.6, 1 / 3]), (1e-9, 1.0), [0.123456789, 0.2]][:count]
    given = [
        dict(zip(("x1", "x2"), values, strict=True))
        for values in ([0.1, 0.7], [0.3, 0.9], [0.6, 1 / 3], [1e-9, 1.0], [0.123456789, 0.2])
    ]
    study = pf.Study(pf.Space.box([0, 0], [1, 1]), comparisons=5, seed=0, start=start, sides="incumbent first")
    shown = []
    for _ in range(max(count - 1, 1)):
        question = study.ask()
        shown += [question.a, question.b]
        study.tell(question, "b")
    assert [candidate for k, candidate in enumerate(shown) if candidate not in shown[:k]][:count] == given[:count]


def test_contradictions_are_counted_and_nothing_is_refused():
    catalogue = pf.Catalogue([[0.0], [1.0], [2.0]])
    study = pf.Study(catalogue, comparisons=9, seed=0, proposer=cycle(), start=[0, 1], sides="incumbent first")
    for said in ("a", "a", "b"):
        study.tell(study.ask(), said)
    assert contradictions(study.history.comparisons) == 3
    assert study.best in catalogue.rows


def cycle():
    pairs = [(0, 1), (1, 2), (0, 2), (0, 1)]

    def proposer(history):
        i, j = pairs[len(history)]
        points = np.array([[-1.0], [0.0], [1.0]])
        return points[i], points[j]

    return proposer


def test_the_seed_is_part_of_the_study():
    assert pf.Study(SPACE, seed=np.int64(7)).settings.seed == 7
    assert pf.Study(SPACE, seed=2**70).ask() == pf.Study(SPACE, seed=2**70).ask()


def test_bounds_of_scipy_are_a_space():
    from scipy.optimize import Bounds

    assert pf.Study(Bounds([0, 1], [2, 3])).space.bounds == {"x1": (0, 2), "x2": (1, 3)}


class Slow:
    """A proposer that lets something happen while it computes, once, and counts how often it is asked."""

    def __init__(self, happens=lambda: None):
        self.inner, self.happens, self.proposals = pf.Glisp(), happens, 0

    rebuild = 0

    def winner(self, history):
        return self.inner.winner(history)

    def advance(self, *arguments):
        return self.inner.advance(*arguments)

    def propose(self, *arguments):
        self.proposals += 1
        happens, self.happens = self.happens, lambda: None
        happens()
        return self.inner.propose(*arguments)

    def recommend(self, *arguments):
        return self.inner.recommend(*arguments)

    def to_dict(self):
        return {"name": "slow"}


def test_requests_for_one_judge_at_once_are_one_proposal():
    proposer = Slow(lambda: time.sleep(0.05))
    study = pf.Study(SPACE, seed=0, proposer=proposer)
    with ThreadPoolExecutor(4) as pool:
        questions = list(pool.map(lambda _: study.ask(), range(4)))
    assert len(set(questions)) == 1
    assert proposer.proposals == 1


def test_a_proposal_for_another_space_is_not_used():
    proposer = Slow()
    study = pf.Study(pf.Space({"x": pf.Real(0, 1)}), seed=0, proposer=proposer)
    for said in ("a", "b", "a"):
        study.tell(study.ask(), said)
    proposer.happens = lambda: study.change_space(pf.Space({"x": pf.Real(0, 10), "y": pf.Real(0, 1)}), {"y": 0.5})
    question = study.ask()
    assert study.best in (question.a, question.b)
    assert set(question.a) == {"x", "y"}


def test_what_was_learned_follows_the_proposer():
    study = answered(pf.Study(([0, 0], [1, 1]), seed=0, proposer=pf.Posterior(noise=0.001)), distance_to([0.3, 0.3]), 6)
    before = study.learned
    assert study.learned is before
    study.change_proposer(pf.Posterior(noise=0.5))
    assert study.learned is not before


def test_a_study_can_be_copied_and_sent_to_another_process():
    study = answered(pf.Study(([0, 0], [1, 1]), seed=0), distance_to([0.3, 0.3]), 4)
    for again in (copy.deepcopy(study), pickle.loads(pickle.dumps(study))):
        assert again.ask() == study.ask()
        assert again.best == study.best
