"""Proposals avoid what is likely to fail, and nothing changes for those who never fail."""

import numpy as np
import pytest

import prefero as pf
from prefero.answers import Comparison, History
from prefero.proposers import avoidance
from prefero.space.arrays import squared_distances

SPACE = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)})


def works(candidate):
    return candidate["x"] + candidate["y"] < 1.2


def cost(candidate):
    return (candidate["x"] - 0.8) ** 2 + (candidate["y"] - 0.7) ** 2


def session(proposer, answers, fails=True, seed=0):
    """Return a study in which what does not work fails, and the pairs that were shown."""
    study, shown = pf.Study(SPACE, comparisons=answers, seed=seed, proposer=proposer), []
    while len(study.history) < answers:
        question = study.ask()
        failed = {study.candidates[k] for k in study.history.failed}
        assert not {question.a, question.b} & failed
        shown.append((question.a, question.b))
        bad = [side for side in ("a", "b") if fails and not works(getattr(question, side))]
        if bad:
            study.fail(question, bad[0])
        else:
            study.tell(question, "a" if cost(question.a) < cost(question.b) else "b")
        assert study.best is None or not fails or works(study.best)
    return study, shown


@pytest.mark.parametrize("seed", range(3))
def test_at_most_eight_of_thirty_questions_fail_and_no_failure_comes_back(seed):
    study, _ = session("posterior", 30, seed=seed)
    assert len(study.history.failed) <= 8
    assert cost(study.best) < 0.045 + 0.05


def test_glisp_avoids_failures_too():
    study, _ = session("glisp", 20)
    assert len(study.history.failed) <= 12


@pytest.mark.parametrize("proposer", ["posterior", "glisp", "pbo"])
def test_without_a_failure_nothing_is_learned_about_failures(proposer, monkeypatch):
    def refuse(*_):
        raise AssertionError("used without a failure")

    _, before = session(proposer, 12, fails=False)
    monkeypatch.setattr(avoidance, "tried", refuse)
    monkeypatch.setattr(avoidance, "feasibility", refuse)
    _, after = session(proposer, 12, fails=False)
    assert after == before
    history, a = History.empty(2), len
    assert avoidance.avoiding(a, history, None) is avoidance.avoiding_by_distance(a, history, 2.0) is a


def test_a_failed_question_uses_up_no_answer_and_its_other_candidate_is_shown_again():
    study = pf.Study(SPACE, comparisons=20, seed=1)
    question = study.ask()
    study.fail(question, "a")
    assert len(study.history) == 0
    again = study.ask()
    assert question.b in (again.a, again.b)
    assert question.a not in (again.a, again.b)


def test_the_penalty_of_glisp_is_that_of_its_equation():
    X = np.array([[-1.0, 0.0], [-0.9, 0.1], [1.0, 0.0], [0.9, -0.1]])
    history = History(X, np.ones(4, bool), (Comparison(0, 1, -1),), (), (2, 3))
    Z, s = np.array([[0.5, 0.0], [-0.5, 0.2]]), np.array([1.0, 1.0, 0.0, 0.0])
    errors = []
    for k in range(4):
        rest = np.arange(4) != k
        w = 1 / squared_distances(X[k : k + 1], X[rest])[0]
        errors.append(w @ s[rest] / w.sum() - s[k])
    delta = 2.0 * (1 - np.sqrt(np.mean(np.square(errors))))
    w = 1 / squared_distances(Z, X)
    penalised = avoidance.avoiding_by_distance(lambda Z: np.zeros(len(Z)), history, 2.0)
    assert penalised(Z) == pytest.approx(delta * (1 - w @ s / w.sum(axis=1)))
