"""Thompson sampling for histories that are too large for the other proposers."""

import numpy as np
import pytest

import prefero as pf
from prefero.errors import ExhaustedError
from prefero.proposers import thompson
from prefero.proposers.thompson import NOTE, Thompson, for_size
from prefero.study.session import Session

SPACES = {
    "catalogue": pf.Catalogue([{"x": x / 7, "k": k, "c": c} for x in range(8) for k in (1, 2) for c in "uv"]),
    "box": pf.Space.box([0, 0], [1, 1]),
    "mixed": pf.Space({"x": pf.Real(0, 1), "k": pf.Integer(1, 5), "c": pf.Choice(["u", "v", "w"])}),
}


@pytest.fixture
def small(monkeypatch):
    """Let a handful of answers be very many."""
    monkeypatch.setattr(thompson, "LARGEST", dict.fromkeys(thompson.LARGEST, 11))


def cost(candidate: pf.Candidate) -> float:
    values = list(candidate.values())
    return sum((v - 0.4) ** 2 for v in values if isinstance(v, float)) + ("v" in values) * 0.3


def imported(space, answers: int = 40, proposer="posterior", **options) -> pf.Study:
    """A study with answers about random candidates, imported at once."""
    rng = np.random.default_rng(5)
    study = pf.Study(space, seed=3, proposer=proposer, **options)
    points = space.points()
    X = rng.uniform(-1, 1, (20, space.dimension)) if points is None else points
    shown = list(dict.fromkeys(space.decode(x) for x in space.snap(X)))
    pairs = [rng.choice(len(shown), 2, replace=False).tolist() for _ in range(answers)]
    prefer = pf.preference(cost)
    study.import_comparisons(shown, [(i, j, prefer(shown[i], shown[j])) for i, j in pairs])
    return study


def several(study: pf.Study, count: int, pending=(), **options):
    state = study.log.state
    return Session.of(state).propose_several(state.history, list(pending), len(state.asked), count, **options)


def pairs_of(proposals):
    return {frozenset((p.first.tobytes(), p.second.tobytes())) for p in proposals}


@pytest.mark.parametrize("proposer", ["posterior", "glisp", "pbo"])
def test_a_large_history_is_asked_about_by_another_model_that_says_so(small, proposer):
    study = imported(SPACES["box"], proposer=proposer)
    question = study.ask()
    assert question.note == NOTE
    assert cost(study.best) <= np.quantile([cost(c) for c in study.candidates], 0.2)
    assert study.learned.probability([0.4, 0.4], [1.0, 1.0]) > 0.9
    assert set(study.learned.importance()) == {"x1", "x2"}
    assert isinstance(study.learned.advice(), pf.Advice)


def test_a_proposer_of_ones_own_is_never_replaced(small):
    study = imported(SPACES["box"], proposer=lambda history, rng: rng.uniform(-1, 1, 2))
    assert study.ask().note == ""
    assert for_size(study.proposer, study.history) is study.proposer


def test_an_ordinary_history_keeps_its_proposer(small):
    study = imported(SPACES["catalogue"], 1)
    assert isinstance(for_size(study.proposer, study.history.prefix(0)), pf.Posterior)
    assert isinstance(for_size(study.proposer, study.history), Thompson)  # it has too many samples


@pytest.mark.parametrize("name", SPACES)
def test_a_batch_has_different_feasible_pairs(small, name):
    study = imported(SPACES[name])
    proposals = several(study, 24)
    assert len(pairs_of(proposals)) == len(proposals) == 24
    X = np.array([x for p in proposals for x in (p.first, p.second)])
    assert pytest.approx(X) == study.space.snap(X)
    costs = [cost(study.space.decode(x)) for x in X]
    assert np.mean(costs) < np.mean([cost(c) for c in study.candidates])  # the promising ones


@pytest.mark.parametrize("name", SPACES)
def test_a_batch_begins_with_a_smaller_one(small, name):
    study = imported(SPACES[name])
    one, five = several(study, 1), several(study, 5)
    assert np.array_equal(one[0].first, five[0].first)
    assert np.array_equal(one[0].second, five[0].second)
    question, state = study.ask(), study.log.state
    assert {question.a, question.b} == {state.space.decode(x) for x in (one[0].first, one[0].second)}


def test_waiting_and_skipped_pairs_are_not_proposed_again(small):
    study = imported(SPACES["catalogue"])
    first = several(study, 30)
    again = several(study, 30, [(p.second, p.first) for p in first])
    assert not pairs_of(first) & pairs_of(again)
    question = study.ask()
    study.skip(question)
    shown = {frozenset((study.space.decode(p.first), study.space.decode(p.second))) for p in several(study, 60)}
    assert frozenset((question.a, question.b)) not in shown


def test_a_failed_candidate_is_neither_shown_nor_recommended(small):
    study = imported(SPACES["catalogue"])
    question, best = study.ask(), study.best
    while best not in (question.a, question.b):
        study.skip(question)
        question = study.ask()
    study.fail(question, "a" if question.a == best else "b")
    assert study.best != best
    assert all(best not in map(study.space.decode, (p.first, p.second)) for p in several(study, 40))


def test_candidates_without_answers_are_asked_about(small):
    study = imported(SPACES["box"], 0)
    question = study.ask()
    assert study.best is None
    assert question.a in study.candidates or question.b in study.candidates


def test_all_pairs_of_a_small_catalogue_can_be_used_up(small):
    study = imported(pf.Catalogue([{"x": 0.1}, {"x": 0.2}, {"x": 0.9}]))
    proposals = several(study, 10)
    assert len(pairs_of(proposals)) == len(proposals) == 3
    with pytest.raises(ExhaustedError):
        several(study, 1, [(p.first, p.second) for p in proposals])


def test_a_largest_step_holds(small):
    study = imported(SPACES["box"], max_step={"x1": 0.1})
    best = study.best
    for proposal in several(study, 20):
        for x in (proposal.first, proposal.second):
            assert abs(study.space.decode(x)["x1"] - best["x1"]) <= 0.1 + 1e-9


def test_resuming_and_undoing_across_the_limit_ask_the_same(small):
    study, questions = pf.Study(SPACES["box"], seed=4), []
    for _ in range(16):
        questions.append(study.ask())
        study.tell(questions[-1], pf.preference(cost)(questions[-1].a, questions[-1].b))
    assert questions[0].note == ""
    assert questions[-1].note == NOTE
    assert pf.Study.from_json(study.to_json()).ask() == study.ask()
    for question in questions[:6:-1]:  # back to where the default asks
        assert study.undo() == question
    assert pf.Study.from_json(study.to_json()).best == study.best


def test_a_small_history_is_asked_about_one_by_one():
    study = pf.Study(SPACES["box"], seed=2)
    for _ in range(10):
        question = study.ask()
        study.tell(question, pf.preference(cost)(question.a, question.b))
    proposals = several(study, 3)
    assert len(pairs_of(proposals)) == 3
    # The same as if the judges asked one after the other, but for the rounding of another order of sums.
    for k, proposal in enumerate(proposals):
        question = study.ask(f"judge {k}")
        asked = sorted(tuple(side.values()) for side in (question.a, question.b))
        planned = sorted(tuple(study.space.decode(x).values()) for x in (proposal.first, proposal.second))
        np.testing.assert_allclose(asked, planned, rtol=1e-9)


def test_the_time_for_several_is_bounded_but_there_is_one():
    study = pf.Study(SPACES["box"], seed=2)
    assert len(several(study, 3, seconds=0)) == 1
    tiny = pf.Study(pf.Catalogue([{"x": 0.1}, {"x": 0.2}]), seed=2)
    assert len(several(tiny, 3)) == 1
