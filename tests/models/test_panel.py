"""Several judges: one alone is as before, utilities of each, coins found out."""

from functools import partial

import numpy as np
import pytest

from prefero.answers import Comparison, History
from prefero.models import panel, person
from prefero.models.person import Grid, Person
from prefero.models.prior import prior

GRID = Grid((1e-3, 0.03, 0.1, 0.3), (0.01, 0.03, 0.1, 0.3), (0.15, 0.95))
USUAL = Person(0.1, 0.03, 0.15)


def prior_of(linear, scale=-1.0):
    return prior((slice(0, 1), slice(1, 2)), linear, scale, 0.5)


def answers(tastes, count, seed=0):
    """Return a history in which judges take turns; one without a taste tosses a coin."""
    rng = np.random.default_rng(seed)
    X, said = rng.uniform(-1, 1, (count // 2, 2)), []
    for h in range(count):
        name = list(tastes)[h % len(tastes)]
        i, j = (int(k) for k in rng.choice(len(X), 2, replace=False))
        lead = rng.standard_normal()
        if tastes[name] is not None:
            lead = np.linalg.norm(X[j] - tastes[name]) - np.linalg.norm(X[i] - tastes[name])
        said.append(Comparison(i, j, -1 if lead > 0 else 1, h, name))
    return History(X, np.ones(len(X), dtype=bool), tuple(said))


def test_one_judge_alone_is_a_person():
    history = answers({"anna": (0.2, -0.3)}, 20)
    known = panel.first_panel(history, USUAL, coin=3.0, scale=-1.0)
    alone = person.believed(history, prior_of, USUAL)
    joined = panel.believed(history, prior_of, known).of("anna")
    Z = np.random.default_rng(1).uniform(-1, 1, (9, 2))
    np.testing.assert_allclose(joined.utilities(Z), alone.utilities(Z), rtol=1e-9, atol=1e-9)


def test_judges_who_have_nothing_in_common_learn_nothing_from_each_other():
    both = answers({"anna": (0.2, -0.3), "bert": (-0.6, 0.5)}, 30)
    known = panel.first_panel(both, USUAL, 3.0, -1.0)
    apart = panel.believed(both, prior_of, panel.replace(known, alike=0.0)).of("anna")
    alone = person.believed(both.of_judge("anna"), prior_of, USUAL)
    Z = np.random.default_rng(1).uniform(-1, 1, (9, 2))
    np.testing.assert_allclose(apart.utilities(Z), alone.utilities(Z), atol=1e-3)


def test_the_mean_is_the_mean_of_all():
    history = answers({"anna": (0.2, -0.3), "bert": (-0.6, 0.5)}, 30)
    joined = panel.believed(history, prior_of, panel.first_panel(history, USUAL, 3.0, -1.0))
    Z = np.random.default_rng(1).uniform(-1, 1, (9, 2))
    each = [joined.of(name).utilities(Z)[0] for name in ("anna", "bert")]
    mean, sd = joined.mean(np.array([0.25, 0.75])).utilities(Z)
    np.testing.assert_allclose(mean, 0.25 * each[0] + 0.75 * each[1], atol=1e-10)
    drawn = np.tensordot([0.25, 0.75], joined.draws(Z, np.random.default_rng(2), 20_000), 1)
    np.testing.assert_allclose(drawn.std(axis=1), sd, rtol=0.05)


def test_a_judge_who_tosses_a_coin_is_found_out_and_has_no_weight():
    tastes = dict.fromkeys(("anna", "bert", "carl", "dora"), (0.2, -0.3)) | {"emil": None}
    history = answers(tastes, 120)
    chosen = partial(panel.chosen, history, prior_of, GRID, (-1.0, 0.7))
    known = chosen(panel.first_panel(history, USUAL, 3.0, 0.7))
    assert known.found_out == (False, False, False, False, True)
    assert known.weights().tolist() == [0.25, 0.25, 0.25, 0.25, 0.0]
    assert known.reliabilities[4] < 0.65 < 0.85 < known.reliabilities[:4].min()


def test_judges_with_one_taste_are_found_to_be_alike_and_others_not():
    same = answers(dict.fromkeys("abc", (0.2, -0.3)), 60)
    camps = answers({"a": (-0.6, -0.4), "b": (-0.6, -0.4), "c": (0.6, 0.4)}, 60)
    alike = [
        panel.chosen(h, prior_of, GRID, (-1.0, 0.7), panel.first_panel(h, USUAL, 3.0, 0.7)).alike for h in (same, camps)
    ]
    assert alike[0] == pytest.approx(0.95)
    assert alike[1] < 0.95
