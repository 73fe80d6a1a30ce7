"""Ratings: one candidate on an ordered scale, an ordinal probit in the posterior and bands in the paper's surrogate."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import ndtr

import prefero as pf
from prefero.answers import Comparison, History, Rating
from prefero.errors import AnswerError, InputError, QuestionError
from prefero.exchange import tables
from prefero.models import laplace, rbf, statements
from prefero.models.expectation import propagate
from prefero.models.person import Person, believed
from prefero.models.posterior import posterior
from prefero.models.prior import prior
from prefero.models.statements import Statements

SPACE = pf.Space.box([0, 0], [1, 1])
GROUPS = (slice(0, 1), slice(1, 2))
LINEAR = prior(GROUPS, 0.15, -1.0, 0.5)


def history(levels: list[int], seed: int = 0, said: tuple[int, ...] = (-1, 1)) -> History:
    """Return rated random samples, and comparisons of the first of them with those after it."""
    X = np.random.default_rng(seed).uniform(-1, 1, (max(len(levels), len(said) + 1), 2))
    comparisons = tuple(Comparison(0, k + 1, each, k) for k, each in enumerate(said))
    ratings = tuple(Rating(k, level, 5, k, after=min(k, len(said))) for k, level in enumerate(levels))
    return History(X, np.ones(len(X), dtype=bool), comparisons, ratings=ratings)


def means(known: History) -> np.ndarray:
    """Return the posterior means at fixed hyperparameters."""
    return believed(known, lambda _: LINEAR, Person(0.1, 0.1, 0.15)).sample_means


levels = st.lists(st.integers(1, 5), min_size=1, max_size=6)


@given(levels, st.integers(0, 99), st.data())
def test_a_better_rating_never_lowers_its_candidate(given_levels, seed, data):
    k = data.draw(st.integers(0, len(given_levels) - 1))
    low, high = sorted(data.draw(st.tuples(st.integers(1, 5), st.integers(1, 5))))
    worse, better = ([*given_levels[:k], level, *given_levels[k + 1 :]] for level in (low, high))
    # Expectation propagation stops within a tolerance.
    assert means(history(better, seed))[k] >= means(history(worse, seed))[k] - 1e-3


@given(levels, st.integers(0, 99), st.data())
def test_a_better_rating_never_lowers_its_candidate_in_the_paper_s_surrogate(given_levels, seed, data):
    k = data.draw(st.integers(0, len(given_levels) - 1))
    low, high = sorted(data.draw(st.tuples(st.integers(1, 5), st.integers(1, 5))))
    behind = []
    for level in (low, high):
        known = history([*given_levels[:k], level, *given_levels[k + 1 :]], seed)
        f = rbf.fit_history(known, rbf.Distances.of(known.points), None, rbf.Settings()).values
        behind.append(f[k] - np.delete(f, k).mean())  # lower is better
    assert behind[1] <= behind[0] + 1e-4


@given(levels, st.integers(0, 99), st.randoms(use_true_random=False))
def test_the_order_of_the_answers_does_not_matter(given_levels, seed, random):
    known = history(given_levels, seed)
    shuffled = random.sample(known.ratings, len(known.ratings))
    turned = replace(
        known,
        points=known.points.copy(),
        feasible=known.feasible.copy(),
        comparisons=known.comparisons[::-1],
        ratings=tuple(replace(each, after=random.randint(0, 2)) for each in shuffled),
    )
    np.testing.assert_allclose(means(known), means(turned), atol=2e-3)
    fits = [rbf.fit_history(h, rbf.Distances.of(h.points), None, rbf.Settings()).values for h in (known, turned)]
    np.testing.assert_allclose(*fits, atol=1e-3)


@given(levels, st.integers(0, 99))
def test_the_mode_is_that_of_the_likelihood_maximised_directly(given_levels, seed):
    known = history(given_levels, seed)
    fit = posterior(LINEAR, known.points, Statements.of(known, 0.0, spacing=0.5), 0.2, laplace.sites)
    K, N = LINEAR(known.points, known.points), len(known.points)
    P = np.linalg.inv(K + 1e-10 * np.eye(N))

    def cost(z: np.ndarray) -> float:
        u, c = z[:N], z[N]
        sd = np.sqrt(2 * 0.2**2 + (statements.BLUR * 0.5) ** 2)
        log = 0.0
        for r in known.ratings:
            top = np.inf if r.level == 5 else 0.5 * (r.level - 2.5)
            bottom = -np.inf if r.level == 1 else 0.5 * (r.level - 3.5)
            log += np.log(ndtr((top - u[r.sample] + c) / sd) - ndtr((bottom - u[r.sample] + c) / sd))
        for pair in known.comparisons:
            log += np.log(ndtr((u[pair.winner] - u[pair.loser]) / (np.sqrt(2) * 0.2)))
        return 0.5 * u @ P @ u + 0.5 * c**2 / statements.CENTRE**2 - log

    direct = minimize(cost, np.zeros(N + 1), options={"gtol": 1e-7})
    np.testing.assert_allclose(fit.sample_means, direct.x[:N], atol=2e-3)


STATSMODELS = 1.860758, 1.007998 + 0.452436
"""The slope and the distance of the thresholds that OrderedModel(y, x, distr="probit") of statsmodels 0.15.0 estimates below."""


def test_with_a_wide_prior_it_is_the_ordinal_probit_of_statistics(monkeypatch):
    monkeypatch.setattr(statements, "CENTRE", 30.0)
    monkeypatch.setattr(statements, "BLUR", 0.0)
    rng = np.random.default_rng(3)
    x = rng.uniform(-1, 1, 60)
    y = 1 + np.searchsorted([-0.5, 0.5], 1.2 * x - 0.3 + rng.standard_normal(60))
    X = np.column_stack([x, np.zeros(60)])
    rated = tuple(Rating(k, int(level), 3) for k, level in enumerate(y))
    known = History(X, np.ones(60, dtype=bool), ratings=rated)

    def slope(spacing: float) -> float:
        said = Statements.of(known, 0.0, spacing=spacing)
        K = 30.0**2 * np.outer(x, x)
        fit = laplace.mode(said.covariance(K), said, 1.0)
        return float(30.0**2 * x @ said.matrix(60).T @ fit.alpha)

    def cost(z: np.ndarray) -> float:
        edges = np.array([-np.inf, -0.5, 0.5, np.inf]) + z[1]
        return -float(np.log(ndtr(edges[y] - z[0] * x) - ndtr(edges[y - 1] - z[0] * x)).sum())

    assert slope(1.0) == pytest.approx(minimize(cost, [0.0, 0.0]).x[0], abs=0.01)
    theirs, spacing = STATSMODELS
    assert slope(spacing) == pytest.approx(theirs, abs=0.01)


def test_each_judge_has_a_scale_of_their_own():
    X = np.array([[-0.5, 0.0], [0.5, 0.0]])
    mild = tuple(Rating(k, level, 5, k, "mild") for k, level in enumerate((4, 5)))
    strict = tuple(Rating(k, level, 5, k, "strict") for k, level in enumerate((1, 2)))
    known = History(X, np.ones(2, dtype=bool), ratings=(*mild, *strict))
    C = Statements.of(known, 0.0).covariance(np.zeros((2, 2)))
    np.testing.assert_array_equal(C, np.kron(np.eye(2), np.ones((2, 2))) * statements.CENTRE**2)
    for own in (mild, strict):
        values = means(History(X.copy(), np.ones(2, dtype=bool), ratings=own))
        assert values[1] > values[0]


def test_bands_separate_levels_in_the_paper_s_surrogate():
    X = np.array([[-0.9], [-0.3], [0.2], [0.6], [0.95]])
    ratings = tuple(Rating(k, level, 5) for k, level in enumerate((5, 3, 3, 1, 4)))
    known = History(X, np.ones(5, dtype=bool), ratings=ratings)
    for normalize in (False, True):
        settings = rbf.Settings(margin=0.1, regularization=1e-4, normalize=normalize)
        values = rbf.fit_history(known, rbf.Distances.of(X), 0, settings).values
        for a, b in ((0, 4), (4, 1), (4, 2), (1, 3), (2, 3), (0, 3)):
            apart = ratings[a].level - ratings[b].level
            assert values[b] - values[a] >= 0.1 * apart - 1e-3
        assert not normalize or abs(values[0]) < 1e-6


def test_two_levels_are_enough_for_a_scale():
    X = np.array([[-0.5], [0.5]])
    known = History(X, np.ones(2, dtype=bool), ratings=(Rating(0, 2, 2), Rating(1, 1, 2)))
    values = rbf.fit_history(known, rbf.Distances.of(X), None, rbf.Settings(margin=0.1)).values
    assert values[1] - values[0] >= 0.1 - 1e-3
    assert propagate(Statements.of(known, 0.0).covariance(np.eye(2)), Statements.of(known, 0.0), 0.1).alpha[0] > 0


@pytest.mark.parametrize("proposer", ["posterior", "glisp", "pbo", pf.Posterior(half_life=5, unsure=0.3)])
def test_a_study_of_ratings_replays_undoes_corrects_and_goes_on(proposer):
    study = pf.Study(SPACE, comparisons=8, seed=2, proposer=proposer)
    study.rate([0.5, 0.5], 2)
    assert study.best == SPACE.candidate([0.5, 0.5])
    for k in range(6):
        question = study.ask()
        study.tell(question, "a")
        study.rate(question.a, "good", sure=k % 2 == 0)
        study.rate(question.b, 2, note="pale")
    study.rate([0.77, 0.33], 2)
    ratings = study.history.ratings
    again = pf.Study.from_json(study.to_json())
    assert again.history.ratings == ratings
    assert (again.ask(), again.best) == (study.ask(), study.best)
    last = study.answers[-1].step
    study.log.correct(last, 5)
    assert study.history.ratings[-1].level == 5
    assert study.answers[-1].corrected
    study.log.remove(last)
    assert study.history.ratings == ratings[:-1]
    study.log.restore(last)
    assert [rating.level for rating in study.history.ratings[-1:]] == [5]
    study.undo(step=last)
    assert study.history.ratings == ratings[:-1]
    assert pf.Study.from_json(study.to_json()).ask() == study.ask()
    assert study.history.answered == 6
    assert 0 <= study.learned.probability(study.candidates[0], study.candidates[1]) <= 1
    assert study.learned.advice().reason
    assert len(study.learned.slips()) == 6


def test_a_new_rating_replaces_the_old_one_until_it_is_undone():
    study = pf.Study(SPACE, comparisons=8, seed=2)
    study.rate([0.5, 0.5], 2)
    study.rate([0.2, 0.2], 4)
    study.rate([0.5, 0.5], 5)
    study.rate([0.5, 0.5], 1, judge="Ada")
    said = [(r.sample, r.level, r.judge) for r in study.history.ratings]
    assert said == [(1, 4, ""), (0, 5, ""), (0, 1, "Ada")]
    study.undo("")
    assert [(r.sample, r.level) for r in study.history.ratings] == [(0, 2), (1, 4), (0, 1)]


def test_several_judges_rate_and_compare():
    study = pf.Study(SPACE, comparisons=10, seed=2)
    for judge in ("Ada", "Bob"):
        for _ in range(3):
            question = study.ask(judge)
            study.tell(question, pf.rated("a", 4, 2), judge=judge)
    study.rate(study.candidates[0], 5, judge="Cy")
    assert study.history.judges == ("Ada", "Bob", "Cy")
    again = pf.Study.from_json(study.to_json())
    assert again.ask("Ada") == study.ask("Ada")
    assert set(study.learned.weights) == {"Ada", "Bob", "Cy"}
    assert len(study.learned.slips()) == 6
    assert pf.Study(SPACE, seed=1, prior=[study]).ask()


def test_the_best_rated_candidate_is_recommended_before_any_comparison():
    for proposer in ("posterior", "glisp", "pbo"):
        study = pf.Study(SPACE, comparisons=10, seed=2, proposer=proposer)
        for x, level in (([0.1, 0.1], 2), ([0.5, 0.5], 5), ([0.9, 0.9], 1)):
            study.rate(x, level)
        assert study.best == SPACE.candidate([0.5, 0.5])
        assert study.ask()


def test_ratings_go_with_an_answer_or_not_at_all():
    study = pf.Study(SPACE, comparisons=8, seed=2)
    question, before = study.ask(), study.to_json()
    with pytest.raises(AnswerError, match="level"):
        study.tell(question, pf.rated("a", b=6))
    assert study.to_json() == before
    study.tell(question, pf.rated("much a", b=2), answer_id="one")
    study.tell(question, pf.rated("much a", b=2), answer_id="one")
    assert [entry.answer for entry in study.answers] == ["much a", "rated 2"]
    study.tell(([0.1, 0.1], [0.2, 0.2]), pf.rated("b", 1, 3), judge="Ada")
    assert [(r.level, r.judge) for r in study.history.ratings] == [(2, ""), (1, "Ada"), (3, "Ada")]


def test_every_candidate_of_a_question_can_be_rated_beside_its_answer():
    study = pf.Study(SPACE, comparisons=8, seed=2, kind="best of 4")
    question = study.ask()
    study.tell(question, pf.rated("best c", a=2, d=5), answer_id="one")
    rated = {study.candidates[r.sample]: r.level for r in study.history.ratings}
    assert rated == {question.a: 2, question.more[1]: 5}
    pair = study.enqueue([0.5, 0.5])
    before = study.to_json()
    for wrong in (pf.rated("a", c=3), pf.rated("a", b=3, f=1)):
        with pytest.raises(AnswerError, match="ratings"):
            study.tell(pair, wrong)
        with pytest.raises(AnswerError, match="ratings"):
            study.tell(([0.1, 0.1], [0.2, 0.2]), wrong)
    with pytest.raises(InputError, match="answer_id"):
        study.tell(pair, pf.rated("a", b=3), answer_id="x" * 195)  # the ratings have longer ones
    for wrong in (pf.because("a", 7), pf.because(pf.rated("a", 3), None)):
        with pytest.raises(InputError, match="note"):
            study.tell(pair, wrong)
    with pytest.raises(AnswerError, match="level"):
        study.rate([0.1, 0.1], pf.rated(3, a=2))
    for wrong in (pf.rated("a", 3), pf.because("a", "sweet")):
        with pytest.raises(InputError, match="comparisons"):
            study.import_comparisons([[0.1, 0.1], [0.2, 0.2]], [(0, 1, wrong)])
    assert study.to_json() == before


@pytest.mark.parametrize(
    ("candidate", "level", "more"),
    [
        ([0.5, 0.5], 0, {}),
        ([0.5, 0.5], 6, {}),
        ([0.5, 0.5], "splendid", {}),
        ([0.5, 0.5], True, {}),
        ([0.5, 2.0], 3, {}),
        ({"x1": 0.5}, 3, {}),
        (None, 3, {}),
        ([0.5, 0.5], 3, {"judge": "a/b"}),
        ([0.5, 0.5], 3, {"sure": "no"}),
        ([0.5, 0.5], 3, {"seconds": -1}),
        ([0.5, 0.5], float("nan"), {}),
        ([0.5, 0.5], 10**400, {}),
        ([0.5, 0.5], [], {}),
        ([0.5, 0.5], "５", {}),
        ([0.5, 0.5], 3, {"seconds": np.array([1.0, 2.0])}),
    ],
)
def test_a_wrong_rating_stores_nothing(candidate, level, more):
    study = pf.Study(SPACE, comparisons=8, seed=2)
    before = study.to_json()
    with pytest.raises((AnswerError, InputError)):
        study.rate(candidate, level, **more)
    assert study.to_json() == before


def test_amendments_that_do_not_fit_a_rating_are_refused():
    study = pf.Study(SPACE, comparisons=8, seed=2)
    study.tell(study.ask(), "a")
    step = -1
    study.rate([0.5, 0.5], 3, answer_id="r")
    assert study.rate([0.5, 0.5], 3, answer_id="r") == study.log.records[-1]
    before = study.to_json()
    for wrong in ("a", 7, "same"):
        with pytest.raises(AnswerError, match="level"):
            study.log.correct(step, wrong)
    with pytest.raises(AnswerError):
        study.log.correct(0, "rated 3")
    with pytest.raises(QuestionError, match="rating"):
        study.probe(step)
    with pytest.raises(QuestionError, match="answer_id"):
        study.tell((study.candidates[0], [0.1, 0.1]), "a", answer_id="r")
    assert study.to_json() == before


def test_the_owner_chooses_the_words():
    study = pf.Study.create(SPACE, name="words", scale=("weak", "fine", "strong"))
    study.rate([0.5, 0.5], "strong")
    assert study.history.ratings[0].levels == 3
    with pytest.raises(AnswerError, match="strong"):
        study.rate([0.5, 0.5], 4)
    for wrong in ("weak", ["one"], ["a", "a"], [1, 2], list("abcdefghijk"), None):
        with pytest.raises(InputError, match="scale"):
            pf.Study.create(SPACE, name="wrong", scale=wrong)


def test_a_word_is_no_number_of_another_level():
    for wrong in (["0", "1", "2"], ["-1", "0", "+1"], ["3", "2", "1"], {"weak", "strong"}, {"weak": 1, "strong": 2}):
        with pytest.raises(InputError, match="scale"):
            pf.Study.create(SPACE, name="wrong", scale=wrong)
    study = pf.Study.create(SPACE, name="numbers", scale=["1", "2", "3 or more"])
    assert study.rate([0.5, 0.5], "2").event.level == study.rate([0.5, 0.5], 2).event.level == 2


def test_tables_hold_ratings_and_an_import_leaves_them_out():
    study = pf.Study(SPACE, comparisons=8, seed=2)
    study.tell(study.ask(), "a")
    study.rate(study.candidates[1], 4, note="warm")
    rows = tables.answer_rows(study)
    assert (rows[1]["answer"], rows[1]["note"], rows[1]["step"]) == ("rated 4", "warm", -1)
    assert "b x1" not in rows[1]
    assert tables.candidate_rows(study)[1]["rating"] == 4
    copy = pf.Study(SPACE, comparisons=8, seed=2)
    tables.import_csv(copy, tables.answers_csv(study))
    assert len(copy.history.comparisons) == 1
    assert copy.history.ratings == ()


def test_ratings_survive_a_change_of_bounds():
    study = pf.Study(SPACE, comparisons=8, seed=2)
    study.rate([0.9, 0.9], 4)
    study.tell(study.ask(), "a")
    study.change_space(pf.Space.box([0, 0], [0.8, 0.8]))
    assert study.history.ratings[0].level == 4
    assert study.best is not None
    assert pf.Study.from_json(study.to_json()).ask() == study.ask()


@pytest.mark.parametrize("proposer", ["posterior", "glisp"])
def test_optimize_takes_ratings(proposer):
    def prefer(a, b):
        values = [float(np.sum((x - 0.3) ** 2)) for x in (a, b)]
        grades = [5 - int(np.searchsorted([0.02, 0.08, 0.2, 0.4], value)) for value in values]
        return pf.rated("a" if values[0] < values[1] else "b", *grades)

    result = pf.optimize(prefer, ([0, 0], [1, 1]), comparisons=18, seed=1, proposer=proposer)
    assert np.linalg.norm(result.x - 0.3) < 0.1
