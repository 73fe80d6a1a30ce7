"""What answers say, made of arrays alone."""

import numpy as np
import pytest

import prefero as pf
from prefero.errors import InputError

RNG = np.random.default_rng(0)
X = RNG.uniform([0, 10], [1, 30], (12, 2))
F = (X[:, 0] - 0.4) ** 2 + ((X[:, 1] - 18) / 20) ** 2
PAIRS = [(i, j) if F[i] < F[j] else (j, i) for i, j in RNG.permuted(np.tile(np.arange(12), (20, 1)), axis=1)[:, :2]]


def test_arrays_give_what_a_study_gives():
    space = pf.Space.box([0, 10], [1, 30])
    study = pf.Study(space, comparisons=len(PAIRS), seed=0)
    study.import_comparisons(X, [(i, j, "a") for i, j in PAIRS])
    learned = pf.learn(X, PAIRS, space=space, seed=0)
    assert isinstance(learned, pf.Learned)
    for a, b in ((0, 1), (2, 3), (4, 5)):
        assert learned.probability(X[a], X[b]) == pytest.approx(study.learned.probability(X[a], X[b]), abs=0.1)


def test_it_predicts_what_was_said_and_finds_the_best():
    learned = pf.learn(X, PAIRS, seed=1)
    said = [learned.probability(X[i], X[j]) for i, j in PAIRS]
    assert np.mean(np.array(said) > 0.5) > 0.9
    means, spreads = learned.utilities(X)
    assert means[learned.best] == means.max()
    assert (spreads > 0).all()
    assert sum(learned.importance().values()) == pytest.approx(1)
    assert isinstance(learned.advice(), pf.Advice)


def test_ties_are_taken_and_draws_repeat():
    one, two = (pf.learn(X, PAIRS[:6], ties=[(0, 1), (2, 3)], seed=3) for _ in range(2))
    assert one.probability(X[4], X[5]) == two.probability(X[4], X[5])
    assert len(one.history) == 8


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((X[0], PAIRS), "X"),
        ((X, [(0, 12)]), "pairs"),
        ((X, []), "comparison"),
        ((X, PAIRS, "box"), "space"),
        ((X, PAIRS, pf.Catalogue([{"a": 1}, {"a": 2}])), "space"),
    ],
)
def test_what_cannot_be_learned_from_is_named(arguments, words):
    X, pairs, *space = arguments
    with pytest.raises(InputError, match=words):
        pf.learn(X, pairs, **({"space": space[0]} if space else {}))


def test_candidates_outside_the_bounds_have_no_utility_unless_they_were_shown():
    study = pf.optimize(pf.preference(lambda x: x[0]), ([0, 0], [1, 1]), comparisons=6, seed=0).study
    for ask in (
        lambda: study.learned.utilities([[0.5, 0.5], [5, 5]]),
        lambda: study.learned.probability([5, 5], [0.5, 0.5]),
        lambda: study.learned.predict([0.5, 0.5], [0.5, -1]),
    ):
        with pytest.raises(InputError, match="within the bounds"):
            ask()
    study.change_space(([0, 0], [0.2, 0.2]))
    assert len(study.learned.utilities(study.candidates)[0]) == len(study.candidates)
