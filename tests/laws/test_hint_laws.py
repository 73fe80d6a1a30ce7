"""Hints: what a direction says in both models, whatever else was said, and that a hint changes no earlier question."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prefero as pf
from prefero.answers import Comparison, History, Leaning, Rating
from prefero.errors import ExhaustedError, InputError
from prefero.models import laplace, rbf
from prefero.models.person import Person, believed
from prefero.models.posterior import posterior
from prefero.models.prior import prior
from prefero.models.rbf import Distances
from prefero.models.statements import Statements
from tests.strategies import begun, for_each_proposer, replayed, seeds, spaces

GROUPS = (slice(0, 1), slice(1, 2))
LINEAR = prior(GROUPS, 0.15, -1.0, 0.5)
PERSON = Person(0.1, 0.03, 0.15)


def drawn(seed, leanings=2, comparisons=4):
    """A history of comparisons and directions that may contradict each other, and one more direction."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (5, 2))
    said = tuple(Comparison(*rng.choice(5, 2, replace=False).tolist(), -1, k) for k in range(comparisons))
    found = [
        Leaning(
            tuple(rng.uniform(-1, 1, 2).tolist()), int(rng.integers(2)), int(rng.choice([-1, 1])), 100 + k, "", after
        )
        for k, after in enumerate(sorted(rng.integers(0, comparisons + 1, leanings + 1).tolist()))
    ]
    more = replace(found.pop(), after=comparisons)
    return History(X, np.ones(5, dtype=bool), said, leanings=tuple(found)), more


def rises(history, leaning, approximation="propagate"):
    """The chance that the better end of a direction is better, before its own noise."""
    better, worse = (end[None] for end in leaning.ends)
    if approximation == "propagate":
        return believed(history, lambda _: LINEAR, PERSON).probabilities(better, worse)[0]
    statements = Statements.of(history, PERSON.tie)
    return posterior(LINEAR, history.spoken_of, statements, PERSON.noise, laplace.sites).probabilities(better, worse)[0]


@given(seeds)
def test_a_direction_never_makes_its_slope_less_likely(seed):
    history, more = drawn(seed)
    said = replace(
        history, points=history.points.copy(), feasible=history.feasible.copy(), leanings=(*history.leanings, more)
    )
    # Expectation propagation stops when no mean moves by more than its tolerance.
    assert rises(said, more) >= rises(history, more) - 1e-3
    opposite = replace(more, sign=-more.sign)
    assert rises(said, opposite) <= rises(history, opposite) + 1e-3


@given(seeds)
def test_opposite_directions_mirror_each_other(seed):
    history, more = drawn(seed, leanings=0, comparisons=0)
    given = [
        replace(history, points=history.points.copy(), feasible=history.feasible.copy(), leanings=(one,))
        for one in (more, replace(more, sign=-more.sign))
    ]
    assert rises(given[0], more) == pytest.approx(1 - rises(given[1], more), abs=1e-6)


@pytest.mark.parametrize("approximation", ["propagate", "laplace"])
@settings(max_examples=25)
@given(seed=seeds)
def test_the_order_of_answers_and_directions_does_not_matter(approximation, seed):
    history, more = drawn(seed, leanings=3)
    rng = np.random.default_rng(seed)
    shuffled = History(
        history.points.copy(),
        history.feasible.copy(),
        tuple(history.comparisons[k] for k in rng.permutation(len(history.comparisons))),
        leanings=tuple(
            replace(history.leanings[k], after=int(rng.integers(0, 5))) for k in rng.permutation(len(history.leanings))
        ),
    )
    assert rises(shuffled, more, approximation) == pytest.approx(rises(history, more, approximation), abs=2e-3)
    if approximation == "laplace":  # once is enough
        fits = [rbf.fit_history(h, Distances.of(h.points), None, rbf.Settings()).values for h in (history, shuffled)]
        np.testing.assert_allclose(*fits, atol=1e-3)


@given(seeds)
def test_a_surrogate_leans_as_it_is_told(seed):
    history, more = drawn(seed, leanings=0)
    rated = replace(
        history,
        points=history.points.copy(),
        feasible=history.feasible.copy(),
        leanings=(more,),
        ratings=(Rating(0, 4, 5, 50), Rating(1, 2, 5, 51)),
    )
    settings = rbf.Settings(margin=0.1)

    def falls(given):
        """By how much f̂, lower is better, falls from the worse end to the better one."""
        surrogate = rbf.fit_history(given, Distances.of(given.points), None, settings)
        better, worse = surrogate.predict(np.array(more.ends))
        return worse - better

    for told in (replace(rated, points=rated.points.copy(), feasible=rated.feasible.copy(), ratings=()), rated):
        silent = replace(told, points=told.points.copy(), feasible=told.feasible.copy(), leanings=())
        assert falls(told) >= falls(silent) - 1e-5


@given(seeds)
def test_without_directions_nothing_changes(seed):
    history, _ = drawn(seed, leanings=0)
    assert history.spoken_of is history.points
    assert history.in_order is history.comparisons
    assert Statements.of(history, 0.03).judge is None


def hinted(study, rng, hints):
    """Answer, and give hints now and then; an exhausted space ends it."""
    names = list(study.space.names)
    for kind in hints:
        try:
            question = study.ask()
        except ExhaustedError:
            return
        study.tell(question, "ab"[int(rng.integers(2))])
        try:
            if kind in ("more", "less", "fix"):
                study.hint(kind, names[int(rng.integers(len(names)))])
            elif kind == "undo":
                study.undo()
            else:
                study.hint(kind)
        except InputError:
            pass  # nothing to let go of, or a choice has no direction


@for_each_proposer(
    8,
    ("posterior", "glisp", "function"),
    space=spaces,
    seed=seeds,
    hints=st.lists(st.sampled_from(["more", "less", "near", "fix", "free", "undo"]), min_size=1, max_size=7),
)
def test_a_replayed_study_asks_the_same(proposer, space, seed, hints):
    study = begun(proposer, space, seed=seed % 100)
    hinted(study, np.random.default_rng(seed), hints)
    again = replayed(study)
    assert again.history.leanings == study.history.leanings
    assert again.history.limits == study.history.limits
    assert again.best == study.best
    try:
        question = study.ask()
    except ExhaustedError:
        return
    assert again.ask() == question


@settings(max_examples=5)
@given(seeds)
def test_removed_hints_leave_no_trace(seed):
    plain, study = (pf.Study(([0, 0], [1, 1]), comparisons=9, seed=seed % 50) for _ in range(2))
    for k in range(5):
        said = "ab"[(seed >> k) & 1]
        plain.tell(plain.ask(), said)
        study.tell(study.ask(), said)
    study.hint("more", "x1")
    study.hint("fix", "x2")
    study.undo()
    study.log.remove(-1)
    assert study.ask() == plain.ask()
    assert study.best == plain.best
