"""The surrogate: what leaves it as it is, to the solver's tolerance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prefero as pf
from prefero.answers import Comparison, History
from prefero.models import rbf


@st.composite
def problems(draw):
    """Samples, comparisons of them (contradicting ones too), and settings of a quadratic program."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    N, n = draw(st.integers(3, 9)), draw(st.integers(1, 3))
    X = rng.uniform(-1, 1, (N, n))
    pairs = np.array([rng.choice(N, 2, replace=False) for _ in range(draw(st.integers(1, 14)))])
    consistent = draw(st.booleans())
    latent = X @ rng.normal(size=n)
    preferences = np.sign(latent[pairs[:, 0]] - latent[pairs[:, 1]]) if consistent else rng.integers(-1, 2, len(pairs))
    settings = rbf.Settings(
        basis=draw(st.sampled_from(list(rbf.BASES))),
        shape=draw(st.sampled_from([0.3, 1.0, 3.0])),
        margin=draw(st.sampled_from([0.05, 1.0])),
        regularization=draw(st.sampled_from([1e-3, 1e-1])),
        weights=(1.0, 0.5, 2.0) if draw(st.booleans()) else (1.0, 1.0, 1.0),
    )
    return X, pairs, preferences.astype(int), settings


def fitted(X, pairs, preferences, settings, best=None) -> rbf.Surrogate:
    comparisons = tuple(Comparison(int(i), int(j), int(b)) for (i, j), b in zip(pairs, preferences, strict=True))
    history = History(X.copy(), np.ones(len(X), dtype=bool), comparisons)
    return rbf.fit_history(history, rbf.Distances.of(history.points), best, settings)


def same(one: rbf.Surrogate, two: rbf.Surrogate, rows=slice(None)) -> None:
    """Equal to the solver's tolerance, in units of the margin or of the largest value."""
    scale = max(one.settings.margin, np.abs(one.values).max())
    assert two.values[rows] == pytest.approx(one.values, abs=1e-4 * scale)
    Z = np.random.default_rng(0).uniform(-1, 1, (5, one.X.shape[1]))
    assert two.predict(Z) == pytest.approx(one.predict(Z), abs=1e-4 * scale)


@settings(max_examples=60)
@given(problems(), st.randoms(use_true_random=False))
def test_the_order_of_the_answers_does_not_matter(problem, random):
    X, pairs, preferences, options = problem
    order = list(range(len(pairs)))
    random.shuffle(order)
    same(fitted(X, pairs, preferences, options, best=0), fitted(X, pairs[order], preferences[order], options, best=0))


@settings(max_examples=60)
@given(problems(), st.integers(0, 2**14 - 1))
def test_swapping_a_pair_and_its_answer_changes_nothing(problem, which):
    X, pairs, preferences, options = problem
    options = rbf.Settings(options.basis, options.shape, options.margin, options.regularization, (1.0, 0.5, 1.0))
    swap = np.array([which >> k & 1 for k in range(len(pairs))], dtype=bool)
    swapped = np.where(swap[:, None], pairs[:, ::-1], pairs)
    same(fitted(X, pairs, preferences, options), fitted(X, swapped, np.where(swap, -preferences, preferences), options))


@settings(max_examples=40)
@given(problems(), st.randoms(use_true_random=False))
def test_the_numbers_of_the_samples_do_not_matter(problem, random):
    X, pairs, preferences, options = problem
    place = list(range(len(X)))
    random.shuffle(place)
    moved = np.empty_like(X)
    moved[place] = X
    same(fitted(X, pairs, preferences, options), fitted(moved, np.array(place)[pairs], preferences, options), place)


@settings(max_examples=40)
@given(problems())
def test_a_comparison_made_twice_is_one_of_twice_the_weight(problem):
    X, pairs, preferences, options = problem
    program, _ = rbf.conditions(psi(X, options), pairs, preferences, np.full(len(pairs), 2.0), options)
    twice = np.concatenate([np.arange(len(pairs))] * 2)
    doubled, _ = rbf.conditions(psi(X, options), pairs[twice], preferences[twice], np.ones(len(twice)), options)
    values, again = (psi(X, options) @ rbf.solve(p).beta for p in (program, doubled))
    assert again == pytest.approx(values, abs=1e-4 * max(options.margin, np.abs(values).max()))


def psi(X, options):
    return rbf.matrix(rbf.Distances.of(X).D2, options)


@settings(max_examples=40)
@given(problems(), st.sampled_from([0.1, 7.0]))
def test_margin_and_regularization_scale_the_surrogate(problem, factor):
    """σ → kσ with λ → λ/k makes f̂ → k f̂: only their product shapes it."""
    X, pairs, preferences, options = problem
    other = rbf.Settings(
        options.basis, options.shape, options.margin * factor, options.regularization / factor, options.weights
    )
    one, two = fitted(X, pairs, preferences, options), fitted(X, pairs, preferences, other)
    assert two.values / factor == pytest.approx(one.values, abs=1e-4 * max(options.margin, np.abs(one.values).max()))


@settings(max_examples=40)
@given(problems())
def test_the_fit_honours_every_preference_that_needs_no_slack(problem):
    X, pairs, preferences, options = problem
    surrogate = fitted(X, pairs, preferences, options)
    _, of = rbf.conditions(psi(X, options), pairs, preferences, np.ones(len(pairs)), options)
    exact = surrogate.solution.slack <= 1e-6 * options.margin
    difference = surrogate.values[pairs[:, 0]] - surrogate.values[pairs[:, 1]]
    for h in of[exact]:
        tolerance = 1e-5 * max(options.margin, np.abs(surrogate.values).max())
        if preferences[h] == 0 and (exact[of == h]).all():
            assert abs(difference[h]) <= options.margin + tolerance
        elif preferences[h] != 0:
            assert preferences[h] * difference[h] >= options.margin - tolerance


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(0, 8), st.integers(0, 8), st.integers(1, 4))
def test_growing_the_distances_equals_computing_them_anew(seed, known, more, n):
    X = np.random.default_rng(seed).uniform(-1, 1, (known + more, n))
    grown = rbf.Distances.of(X[:known]).grown(X)
    assert np.array_equal(grown.D2, rbf.Distances.of(X).D2)
    assert np.array_equal(grown.D2, grown.D2.T)
    assert np.allclose(grown.D2, ((X[:, None] - X) ** 2).sum(axis=2), rtol=0, atol=1e-12)


def test_distances_of_other_samples_are_not_reused():
    X, Y = np.random.default_rng(0).uniform(-1, 1, (2, 5, 2))
    assert np.array_equal(rbf.Distances.of(X).grown(Y).D2, rbf.Distances.of(Y).D2)
    assert np.array_equal(rbf.Distances.of(X).grown(X[:3]).D2, rbf.Distances.of(X[:3]).D2)


@settings(max_examples=20)
@given(problems())
def test_fit_is_the_surrogate_of_a_history_that_weighs_all_alike(problem):
    X, pairs, preferences, options = problem
    winners = np.where(preferences[:, None] == 1, pairs[:, ::-1], pairs)
    options = rbf.Settings(options.basis, options.shape, options.margin, options.regularization)
    alone = pf.fit(
        X, winners[preferences != 0].tolist(), ties=winners[preferences == 0].tolist(), basis=options.basis,
        shape=options.shape, margin=options.margin, regularization=options.regularization,
    )  # fmt: skip
    same(fitted(X, pairs, preferences, options), alone)
