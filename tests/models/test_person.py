"""What is learned of a person besides their taste, and the average over what is not known of it."""

import numpy as np
import pytest

from prefero.answers import Comparison, History
from prefero.models.person import Averaged, Grid, Person, averaged, believed, chosen
from prefero.models.prior import prior

GROUPS = (slice(0, 1), slice(1, 2))
NOISES, TIES, LINEARS = (1e-3, 0.03, 0.1, 0.3, 1.0), (0.01, 0.03, 0.1, 0.3), (0.0, 0.95)


def prior_of(linear):
    return prior(GROUPS, linear, -1.0, 0.5)


def answered(u, noise=0.0, ties=0.0, answers=60, seed=0):
    """Random pairs, answered by a utility through noise; differences below `ties` are called the same."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (2 * answers, 2))
    said = u(X) + noise * rng.standard_normal(len(X))
    pairs = np.arange(2 * answers).reshape(-1, 2)
    told = [
        Comparison(int(i), int(j), 0 if abs(said[i] - said[j]) < ties else -1 if said[i] > said[j] else 1)
        for i, j in pairs
    ]
    return History(X, np.ones(len(X), bool), tuple(told))


def bowl(X):
    return -2 * ((X - 0.2) ** 2).sum(axis=1)


def slope(X):
    return X @ [1.5, -0.8]


def fit(history, grid=None):
    return chosen(history, prior_of, grid or Grid(NOISES, TIES, LINEARS), Person(0.1, 0.03, 0.0))


@pytest.mark.parametrize("seed", range(3))
def test_noise_and_linearity_show_in_the_answers(seed):
    quiet, loud = (fit(answered(slope, noise, seed=seed)) for noise in (0.0, 1.0))
    assert quiet.noise < 0.3 <= loud.noise
    assert quiet.linear == 0.95
    assert fit(answered(bowl, seed=seed)).linear == 0.0
    assert quiet.answered == 60


def test_the_tie_threshold_follows_how_often_somebody_sees_no_difference():
    found = [fit(answered(slope, ties=ties)).tie for ties in (0.02, 0.8)]
    assert found[0] < found[1]


def test_what_is_given_is_kept():
    person = fit(answered(bowl, 0.5, ties=0.1), Grid((0.07,), (0.02,), (0.5,)))
    assert (person.noise, person.tie, person.linear) == (0.07, 0.02, 0.5)


def test_prior_odds_decide_where_the_answers_do_not():
    few = answered(slope, answers=2)
    for odds in ((0.0, 3.0), (3.0, 0.0)):
        assert fit(few, Grid(NOISES, TIES, LINEARS, odds)).linear == LINEARS[int(np.argmax(odds))]


def test_the_average_is_that_of_its_parts():
    history = answered(bowl, 0.3)
    mixture = averaged(history, prior_of, Grid((0.03, 0.3), TIES, (0.0, 0.5)), 0.03)
    assert mixture.weights.sum() == pytest.approx(1)
    assert len(mixture.parts) == len(mixture.weights) > 1
    Y, Z = np.random.default_rng(1).uniform(-1, 1, (2, 6, 2))
    mean, sd = mixture.utilities(Z)
    draws = mixture.draws(Z, np.random.default_rng(2), 20_000)
    assert draws.shape == (6, 20_000)
    assert draws.mean(axis=1) == pytest.approx(mean, abs=0.05)
    assert draws.std(axis=1) == pytest.approx(sd, abs=0.05)
    both = mixture.draws(np.vstack([Y, Z]), np.random.default_rng(2), 20_000)
    assert mixture.probabilities(Y, Z) == pytest.approx((both[:6] > both[6:]).mean(axis=1), abs=0.02)
    lead = mixture.draws(np.vstack([Y, mixture.X[:1]]), np.random.default_rng(2), 20_000)
    assert mixture.improvements(Y, 0) == pytest.approx(np.maximum(lead[:6] - lead[6], 0).mean(axis=1), abs=0.05)


def test_what_a_person_will_say_is_less_sure_than_what_they_like():
    mixture = averaged(answered(slope, 1.0), prior_of, Grid((0.3, 1.0), TIES, LINEARS), 0.03)
    Y, Z = np.array([[1.0, -1.0]]), np.array([[-1.0, 1.0]])
    likes, says = mixture.probabilities(Y, Z)[0], mixture.probabilities(Y, Z, said=True)[0]
    assert likes > says > 0.6


def test_only_the_last_answers_choose_and_all_of_them_teach():
    history = answered(slope, answers=200)
    mixture = averaged(history, prior_of, Grid((0.1,), TIES, (0.95,)), 0.03)
    whole = believed(history, prior_of, Person(0.1, 0.03, 0.95))
    assert isinstance(mixture, Averaged)
    Z = np.random.default_rng(1).uniform(-1, 1, (6, 2))
    assert mixture.utilities(Z)[0] == pytest.approx(whole.utilities(Z)[0], abs=1e-2)
