"""The pair that tells most, and whom it is shown to."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import LinearConstraint
from scipy.stats import norm

import prefero as pf
from prefero.models.posterior import Utilities
from prefero.proposers import knowledge_gradient, slips
from prefero.proposers.exclusions import taken
from prefero.proposers.posterior import RESERVED_QUESTIONS
from prefero.proposers.search import Taken
from tests.answered import history_of
from tests.strategies import session_of


@pytest.mark.parametrize("seed", range(5))
def test_the_answer_to_the_chosen_pair_lifts_the_best_mean_most(seed, monkeypatch):
    """Against all pairs, one by one, of a space so small that every candidate is looked at."""
    monkeypatch.setattr(knowledge_gradient, "MOST_FAVOURITES", 100)
    catalogue = pf.Catalogue([{"x": x} for x in np.linspace(0, 1, 9)])
    points, noise = catalogue.points(), 0.4
    U = np.random.default_rng(seed).normal(size=(9, 40)) + np.linspace(0, 1, 9)[:, None]

    def at(x):
        return int(np.flatnonzero((points == x).all(axis=1))[0])

    utilities = SimpleNamespace(draws=lambda Z, rng, count: U[[at(z) for z in Z]])

    def lifted(i, j):
        wins = norm.cdf((U[i] - U[j]) / (np.sqrt(2) * noise))
        after = [(U * weight).sum(axis=1) / weight.sum() for weight in (wins, 1 - wins)]
        return sum(weight.mean() * mean.max() for weight, mean in zip((wins, 1 - wins), after, strict=True))

    known = Taken(points[:1], np.full(1, 1e-9))
    pair = knowledge_gradient.telling_pair(utilities, noise, points[0], catalogue, known, np.random.default_rng(0))
    favourites = {0, *U.argmax(axis=0).tolist()}
    most = max(lifted(i, j) for i, j in itertools.combinations(sorted(favourites), 2))
    assert lifted(*map(at, pair)) == pytest.approx(most)


def noisy_study(space, answers=12, comparisons=30, seed=0, **options):
    """A study of somebody who sees every candidate through noise, and a proposer who knows it."""
    rng = np.random.default_rng(seed)
    proposer = pf.Posterior(noise=0.3, initial_samples=4)
    study = pf.Study(space, comparisons=comparisons, seed=seed, proposer=proposer, sides="incumbent first", **options)
    for _ in range(answers):
        question = study.ask()
        seen = [sum(c.values()) + rng.normal(0, 0.3) for c in (question.a, question.b)]
        study.tell(question, "a" if seen[0] < seen[1] else "b")
    return study


def utilities_of(study) -> Utilities:
    return study.proposer.advance(None, study.history, session_of(study).task, np.random.default_rng(0)).utilities


def test_both_candidates_are_new_feasible_and_off_what_is_taken():
    simplex = pf.Space.box([0, 0, 0], [1, 1, 1], constraints=[LinearConstraint(np.ones((1, 3)), -np.inf, 1)])
    study = noisy_study(simplex)
    near_all = Taken(study.history.points, np.full(len(study.history.points), 0.05))
    best = study.history.points[0]
    for seed in range(5):
        given = utilities_of(study), 0.3, best, simplex, near_all, np.random.default_rng(seed)
        pair = np.array(knowledge_gradient.telling_pair(*given))
        assert simplex.feasible(pair).all()
        assert all((x == best).all() or not near_all.hides(x) for x in pair)


def test_where_every_candidate_was_seen_there_is_no_pair():
    study = noisy_study(pf.Catalogue([{"x": x, "y": x**2} for x in (0.0, 0.2, 0.4, 0.7, 0.8, 1.0)]), answers=5)
    best, seen = study.history.points[0], taken(study.history)
    pair = knowledge_gradient.telling_pair(utilities_of(study), 0.3, best, study.space, seen, np.random.default_rng(0))
    assert len(study.history.points) == 6
    assert pair is None
    assert study.ask().note.startswith("every candidate has been seen")


def test_a_noisy_person_is_asked_for_what_tells_most_and_last_about_the_best():
    study = noisy_study(pf.Space.box([0, 0], [1, 1]), answers=4, comparisons=20)
    with_the_best = []
    while len(study.history) < 20:
        best, question = study.best, study.ask()
        with_the_best.append(best in (question.a, question.b))
        study.tell(question, "a" if sum(question.a.values()) < sum(question.b.values()) else "b")
    assert not all(with_the_best[:-RESERVED_QUESTIONS])
    assert all(with_the_best[-RESERVED_QUESTIONS:])


A, B = (0, 1, -1), (0, 1, 1)
OTHER = [((2, 3, -1), (2, 3, 1), (2, 3, 1)), ((4, 5, 1), (5, 4, 1), (4, 5, -1)), ((5, 6, 1), (5, 6, -1), (5, 6, -1))]


@pytest.mark.parametrize(
    ("said", "wavering"),
    [
        ((A, A), False),
        ((A, B), False),  # not settled yet
        ((A, B, B), False),  # a slip
        ((A, B, A), True),
        ((A, A, B), False),  # confirmed before
        ((A, B, A, *itertools.chain(*OTHER)), True),
        ((A, B, A, *itertools.chain(*OTHER), (6, 7, 1), (6, 7, -1), (6, 7, -1)), False),  # mostly slips
    ],
)
def test_who_returns_to_the_first_answer_wavers_unless_most_are_taken_back_for_good(said, wavering):
    assert slips.wavers(history_of(*said)) is wavering
    mirrored = [(j, i, -outcome) for i, j, outcome in said]
    assert slips.wavers(history_of(*mirrored)) is wavering


def test_who_wavers_is_noisy_unless_told_otherwise():
    history = history_of((0, 1, -1), (1, 2, 1), A, B, A)
    task = session_of(pf.Study(([-1.0], [1.0]), comparisons=20, seed=0)).task

    def noise(proposer, history):
        return proposer.advance(None, history, task, np.random.default_rng(0)).noise

    assert noise(pf.Posterior(), history_of((0, 1, -1), (1, 2, 1))) == slips.CONSISTENT_NOISE
    assert noise(pf.Posterior(), history_of((2, 3, -1), A, B, A)) == slips.WAVERING_NOISE
    assert noise(pf.Posterior(noise=0.005), history_of((2, 3, -1), A, B, A)) == 0.005
    assert (
        noise(pf.Posterior(), history) == slips.CONSISTENT_NOISE
    )  # said three times in four that 0 is better: no wavering


@pytest.mark.parametrize("answers", [14, 23])
def test_a_noisy_study_resumes_with_the_same_question(answers):
    study = noisy_study(pf.Space.box([0, 0], [1, 1]), answers=answers)
    again = pf.Study.from_json(study.to_json())
    assert (again.ask().a, again.ask().b) == (study.ask().a, study.ask().b)
