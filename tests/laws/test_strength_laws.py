"""Strengths: "much better" is a comparison with a larger margin, in both models, in the log and in files."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import prefero as pf
from prefero.answers import Comparison, History
from prefero.answers.rating import Rating
from prefero.errors import AnswerError, InputError
from prefero.models import panel, rbf, statements
from prefero.models.expectation import left_out
from prefero.models.person import Person, believed
from prefero.models.prior import prior
from prefero.models.statements import BLUR, Statements

SPACE = pf.Space.box([0, 0], [1, 1])


def history(levels: list[int], seed: int = 0) -> History:
    """Return a history of random samples: sample k + 1 compared with the one before, at these levels."""
    X = np.random.default_rng(seed).uniform(-1, 1, (len(levels) + 1, 2))
    said = tuple(Comparison.of_level(k, k + 1, level, k) for k, level in enumerate(levels))
    return History(X, np.ones(len(X), dtype=bool), said)


def means(known: History, much: float = 0.5) -> np.ndarray:
    """Return the posterior means at fixed hyperparameters."""
    person = Person(0.1, 0.1, 0.15, much=much)
    groups = (slice(0, 1), slice(1, 2))
    return believed(known, lambda linear: prior(groups, linear, -1.0, 0.5), person).sample_means


def surrogate(known: History) -> np.ndarray:
    """Return f̂ at the samples; lower is better."""
    return rbf.fit_history(known, rbf.Distances.of(known.points), None, rbf.Settings()).values


levels = st.lists(st.sampled_from([-2, -1, 0, 1, 2]), min_size=1, max_size=7)


@given(levels, st.integers(0, 99))
def test_a_strength_of_one_is_the_plain_answer(said, seed):
    plain = [int(np.sign(level)) for level in said]
    np.testing.assert_allclose(means(history(said, seed), much=0.0), means(history(plain, seed)), atol=1e-6)
    fits = [
        rbf.fit_history(known, rbf.Distances.of(known.points), None, rbf.Settings(much=1.0)).values
        for known in (history(said, seed), history(plain, seed))
    ]
    np.testing.assert_allclose(*fits, atol=1e-6)
    assert history(plain, seed).strengths.tolist() == [1] * len(said)


@given(levels, st.integers(0, 99), st.data())
def test_a_stronger_answer_never_lowers_the_lead_of_its_winner(said, seed, data):
    k = data.draw(st.integers(0, len(said) - 1))
    # The last answer is a strong one in both: the first "much" bounds the plain answers.
    weak = [*said[:k], -1, *said[k + 1 :], 2]
    strong = [*said[:k], -2, *said[k + 1 :], 2]
    # Expectation propagation stops within a tolerance.
    lead = [u[k] - u[k + 1] for u in (means(history(weak, seed)), means(history(strong, seed)))]
    assert lead[1] >= lead[0] - 1e-3
    lead = [f[k + 1] - f[k] for f in (surrogate(history(weak, seed)), surrogate(history(strong, seed)))]
    assert lead[1] >= lead[0] - 1e-4


@given(levels, st.integers(0, 99))
def test_sides_do_not_matter(said, seed):
    known = history(said, seed)
    turned = History(
        known.points.copy(),
        known.feasible.copy(),
        tuple(Comparison.of_level(c.j, c.i, -c.level, c.step) for c in known.comparisons),
    )
    np.testing.assert_allclose(means(known), means(turned), atol=1e-3)
    fits = [rbf.fit_history(h, rbf.Distances.of(h.points), None, rbf.Settings()).values for h in (known, turned)]
    np.testing.assert_allclose(*fits, atol=1e-4)


@given(levels, st.integers(0, 99), st.randoms(use_true_random=False))
def test_the_order_of_the_answers_does_not_matter(said, seed, random):
    known = history(said, seed)
    shuffled = tuple(random.sample(known.comparisons, len(said)))
    other = History(known.points.copy(), known.feasible.copy(), shuffled)
    np.testing.assert_allclose(means(known), means(other), atol=2e-3)
    fits = [rbf.fit_history(h, rbf.Distances.of(h.points), None, rbf.Settings()).values for h in (known, other)]
    np.testing.assert_allclose(*fits, atol=1e-3)


def test_the_paper_s_surrogate_separates_what_is_much_better_by_more():
    X, pairs = [[0.0], [1.0], [2.0], [3.0]], [(0, 1), (2, 3)]
    values = pf.fit(X, pairs, margin=0.1, margins=[1, 4]).values
    assert values[1] - values[0] == pytest.approx(0.1, abs=1e-3)
    assert values[3] - values[2] == pytest.approx(0.4, abs=1e-3)
    with pytest.raises(InputError, match="margins"):
        pf.fit(X, pairs, margins=[1, 0])
    with pytest.raises(InputError, match="margins"):
        pf.fit(X, pairs, margins=[1, 2, 3])
    with pytest.raises(InputError, match="much"):
        pf.Glisp(much=0.5)


@pytest.mark.parametrize("proposer", ["posterior", "glisp", "pbo"])
def test_a_study_of_strengths_replays_undoes_corrects_and_goes_on(proposer):
    study = pf.Study(SPACE, comparisons=8, seed=2, proposer=proposer)
    for said in ("much a", -2, pf.much("b"), "same", 2, "a"):
        study.tell(study.ask(), said)
    assert [entry.answer for entry in study.answers] == ["much a", "much a", "much b", "same", "much b", "a"]
    again = pf.Study.from_json(study.to_json(), proposer=None)
    assert again.history.comparisons == study.history.comparisons
    assert again.ask() == study.ask()
    study.log.correct(0, "b")
    assert study.answers[0].answer == "b"
    study.log.correct(0, "much b")
    assert study.history.comparisons[0].strength == 2
    before = study.history.comparisons
    study.log.remove(0)
    assert study.history.answered == 5
    study.log.restore(0)
    assert study.history.comparisons == before
    study.undo()
    assert study.history.answered == 5
    study.tell((study.candidates[0], study.candidates[1]), "much a", judge="Ada")
    assert study.history.comparisons[-1].level == -2
    assert 0 <= study.learned.probability(study.candidates[0], study.candidates[1]) <= 1


def test_a_wrong_strength_stores_nothing():
    study = pf.Study(SPACE, comparisons=8, seed=2)
    question = study.ask()
    before = study.to_json()
    for said in ("much", "much same", 3, -2.5):
        with pytest.raises(AnswerError):
            study.tell(question, said)
    assert study.to_json() == before


@pytest.mark.parametrize("proposer", ["posterior", "glisp"])
def test_optimize_takes_strengths_and_ties_do_not_freeze_it(proposer):
    def prefer(a, b):
        lead = float(np.sum((b - 0.3) ** 2) - np.sum((a - 0.3) ** 2))
        if abs(lead) < 0.01:
            return "same"
        side = "a" if lead > 0 else "b"
        return pf.much(side) if abs(lead) > 0.2 else side

    result = pf.optimize(prefer, ([0, 0], [1, 1]), comparisons=18, seed=1, proposer=proposer)
    assert np.linalg.norm(result.x - 0.3) < 0.2
    seen = {tuple(np.round(np.asarray(c), 6)) for c in result.study.candidates}
    assert len(seen) >= 12


def test_how_much_is_a_noisier_statement_that_follows_its_comparison():
    X = np.random.default_rng(0).uniform(-1, 1, (5, 2))
    compared = tuple(Comparison.of_level(k, k + 1, level, k) for k, level in enumerate([-2, 0, 1]))
    known = History(X, np.ones(5, dtype=bool), compared, ratings=(Rating(4, 2, 5, after=1),))
    said = Statements.of(known, tie=0.1, much=0.4)
    assert said.amount.tolist() == [False, True, False, False, False, True]  # a tie and a rating are of no strength
    assert said.answer.tolist() == [0, 0, 1, 2, 3, 3]
    assert (said.first[0], said.second[0]) == (said.first[1], said.second[1]) == (0, 1)
    assert said.judge.tolist() == [-1, -1, 0, -1, -1, -1]
    much, less = said.low[1], said.high[5]
    assert (much, said.high[1], said.low[5], less) == (pytest.approx(0.5), np.inf, -np.inf, pytest.approx(0.5))
    np.testing.assert_allclose(said.extra[[1, 5]], (BLUR * 0.5) ** 2)
    assert Statements.of(known, tie=0.1, much=0.0).amount is None
    person = Person(0.1, 0.1, 0.15, much=0.4, half_life=2.0)
    groups = (slice(0, 1), slice(1, 2))
    assert np.isfinite(believed(known, lambda linear: prior(groups, linear, -1.0, 0.5), person).sample_means).all()


def test_a_wrong_strength_misleads_less_because_it_is_blurred(monkeypatch):
    steps = [-1, -1, -1, -2]  # the first is best by far, and somebody said once that it is not
    chain = tuple(Comparison.of_level(k, k + 1, level, k) for k, level in enumerate(steps))
    said = (*chain, Comparison.of_level(0, 4, -2, 4), Comparison.of_level(0, 4, -1, 5))
    known = History(np.linspace(-1, 1, 5)[:, None] * [1, 0], np.ones(5, dtype=bool), said)
    leads = []
    for blur in (BLUR, 0.1):
        monkeypatch.setattr(statements, "BLUR", blur)
        values = means(known)
        leads.append(values[0] - values[4])
    assert leads[0] > 1.1 * leads[1]


def test_a_judge_s_answers_are_predicted_without_what_they_say_of_strength():
    X = np.random.default_rng(1).uniform(-1, 1, (8, 2))
    said = tuple(
        Comparison.of_level(k, k + 1, level, k, judge=name)
        for name in ("ann", "bob")
        for k, level in enumerate([-2, 1, -1, 2, 0, -1, 1])
    )
    known = History(X, np.ones(8, dtype=bool), said)
    believing = panel.believed(
        known,
        lambda linear, scale: prior((slice(0, 1), slice(1, 2)), linear, scale, 0.5),
        panel.Panel(("ann", "bob"), (0.2, 0.2), 0.5, 0.1, 0.15, -1.0, 5.0, much=0.4),
    )
    assert believing.asked.sum() == 14
    assert len(believing.statements) == 14 + 12
    # Leaving an answer out takes away both of its statements: it is as if it had never been given.
    k = int(np.flatnonzero(believing.statements.answer == 5)[0])
    fewer = History(X, np.ones(8, dtype=bool), said[:5] + said[6:])
    alone = panel.believed(fewer, lambda *_: believing.prior, believing.panel)
    mean, variance = (each[k] for each in left_out(believing.C, believing.statements, believing.sites))
    i, j = believing.statements.first[k], believing.statements.second[k]
    expected, sd = alone.of("ann").differences(X[[i]], X[[j]])
    assert mean == pytest.approx(expected[0], abs=0.05)
    assert np.sqrt(variance) == pytest.approx(sd[0], abs=0.05)
