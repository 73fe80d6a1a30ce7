"""Slips are found, a changed taste is found, and a model without either is the usual one."""

import numpy as np
import pytest

import prefero as pf
from prefero.answers import Comparison, History
from prefero.models.expectation import left_out, propagate, tilted
from prefero.models.posterior import fading, posterior
from prefero.models.prior import prior
from prefero.models.slips import MOST_ANSWERS, drift, slips
from prefero.models.statements import Statements


def history_of(values_at, count, seed=0, flipped=(), judge=""):
    """Pairs of 12 random samples, answered by a utility that may depend on the answer's number."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (12, 2))
    comparisons = []
    for k in range(count):
        i, j = rng.choice(len(X), 2, replace=False).tolist()
        u = values_at(X, k / count)
        better = -1 if (u[i] > u[j]) != (k in flipped) else 1
        comparisons.append(Comparison(i, j, better, k, judge))
    return History(X, np.ones(len(X), dtype=bool), tuple(comparisons))


def steady(X, _):
    return X[:, 0] - (X[:, 1] - 0.2) ** 2


def turning(X, t):
    return (1 if t < 0.5 else -1) * X[:, 0]


@pytest.fixture
def priors():
    space = pf.Space.box([-1, -1], [1, 1])
    return [prior(space.groups, linear, -1.0, 0.5) for linear in (0.15, 0.95)]


def test_flipped_answers_are_among_the_likeliest_slips(priors):
    flipped = {5, 17}
    history = history_of(steady, 30, flipped=flipped)
    found = slips(priors, history.points, history, 0.03)
    assert flipped <= set(np.argsort(-found)[:4].tolist())
    assert found.min() >= 0
    assert found.max() <= 1


def test_consistent_answers_are_hardly_doubted(priors):
    history = history_of(steady, 30)
    assert slips(priors, history.points, history, 0.03).mean() < 0.05


def test_which_side_a_candidate_was_on_does_not_matter(priors):
    history = history_of(steady, 20, flipped={3})
    turned = tuple(Comparison(c.j, c.i, -c.preference, c.step, c.judge) for c in history.comparisons)
    other = History(history.points.copy(), history.feasible.copy(), turned)
    np.testing.assert_allclose(*(slips(priors, h.points, h, 0.03) for h in (history, other)), rtol=1e-6)


def test_a_tie_is_no_slip(priors):
    history = history_of(steady, 20)
    tie = Comparison(0, 1, 0, 20)
    found = slips(priors, history.points, history.with_comparison(tie), 0.1)
    assert found[-1] == 0 < found[:-1].min()


def test_very_old_answers_are_not_looked_at(priors):
    history = history_of(steady, MOST_ANSWERS + 3)
    found = slips(priors[:1], history.points, history, 0.03)
    assert (found[:3] == 0).all()
    assert (found[3:] > 0).all()


def test_the_derivatives_with_slips_are_those_of_the_probability():
    statements = Statements(
        *(np.array([k, k, k]) for k in (0, 1)), np.array([0.1, -0.2, 0.1]), np.array([np.inf, 0.2, 9.0])
    )
    m, v, h = np.array([-1.0, 0.3, 2.0]), np.array([0.5, 1.0, 2.0]), 1e-4
    log_p, d1, d2 = tilted(m, v, statements, 0.1)
    up, down = (tilted(m + s, v, statements, 0.1)[0] for s in (h, -h))
    np.testing.assert_allclose(d1, (up - down) / (2 * h), rtol=1e-5)
    np.testing.assert_allclose(d2, (up - 2 * log_p + down) / h**2, rtol=1e-4)
    plain = np.exp(tilted(m, v, statements)[0])
    np.testing.assert_allclose(np.exp(log_p), 0.1 + 0.8 * plain)


def test_what_is_left_out_does_not_depend_on_the_answer_itself(priors):
    history = history_of(steady, 12)
    statements = Statements.of(history, 0.03)
    C = statements.covariance(priors[0](history.points, history.points))
    mean, _ = left_out(C, statements, propagate(C, statements, 0.1))
    # the last answer predicted from the eleven others
    others = Statements(*(each[:-1] for each in (statements.first, statements.second, statements.low, statements.high)))
    sites = propagate(C[:-1, :-1], others, 0.1)
    assert mean[-1] == pytest.approx(float(C[-1, :-1] @ sites.alpha), abs=0.02)


def test_a_taste_that_turns_around_is_found_and_a_steady_one_is_not(priors):
    moved, stayed = history_of(turning, 50), history_of(steady, 50)
    assert drift(priors, moved.points, moved, 0.03)[0] > 0.95
    assert drift(priors, stayed.points, stayed, 0.03)[0] < 0.5


def test_with_a_half_life_the_last_answers_count_most(priors):
    history = history_of(turning, 50)
    statements = Statements.of(history, 0.03)
    tell = [posterior(priors[1], history.points, statements, 0.1, propagate, half_life=life) for life in (None, 8.0)]
    late = turning(history.points, 1.0)
    agree = [np.corrcoef(late, each.sample_means)[0, 1] for each in tell]
    assert agree[1] > 0.9 > agree[0]


def test_a_very_long_half_life_changes_nothing(priors):
    history = history_of(steady, 20)
    statements = Statements.of(history, 0.03)
    usual, long = (
        posterior(priors[0], history.points, statements, 0.1, propagate, half_life=life) for life in (None, 1e9)
    )
    np.testing.assert_allclose(usual.utilities(history.points), long.utilities(history.points), atol=1e-6)
    between, now = fading(statements, 4.0)
    assert between[0, 4] == now[-5] == 0.5
