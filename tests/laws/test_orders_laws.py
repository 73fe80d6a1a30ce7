"""Questions about more than two candidates: in both models, in studies and their logs, and in the loop."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import log_ndtr, logsumexp

import prefero as pf
from prefero.answers import Comparison, History, as_kind, better_pairs, contradictions, incumbent, narrowed
from prefero.answers.orders import KINDS
from prefero.errors import AnswerError, InputError, JudgeError, QuestionError
from prefero.models import laplace, rbf
from prefero.models.person import Person, believed
from prefero.models.posterior import posterior
from prefero.models.prior import prior
from prefero.models.statements import Statements

SPACE = pf.Space.box([0, 0], [1, 1])
SEVERAL = sorted(set(KINDS) - {"pair"})
FOUR = ["best of 4", "worst of 4", "best and worst of 4", "rank 4", "insert among 3"]
kinds = st.sampled_from(FOUR)
RANKED = as_kind("rank 4")
MARGIN = rbf.Settings().margin


def value(candidate) -> float:
    return float(np.sum((np.asarray(candidate) - [0.3, 0.6]) ** 2))


def answer(question):
    """Return what somebody says who likes low values, in the form that the question takes."""
    ranking = sorted(question.sides, key=lambda side: value(question.sides[side]))
    return ranking[0] if question.kind == "pair" else narrowed(ranking, as_kind(question.kind))


def answered(kind: str, answers: int = 6, **more) -> pf.Study:
    study = pf.Study(SPACE, comparisons=10, seed=3, kind=kind, **more)
    for _ in range(answers):
        study.tell(study.ask(), answer(study.ask()))
    return study


# The models ------------------------------------------------------------------------------------------------------------


def rows(order: str, first: int, step: int) -> list[Comparison]:
    """Return the comparisons of an order, its sides being the samples from `first` on."""
    pairs = [(first + ord(a) - ord("a"), first + ord(b) - ord("a")) for a, b in better_pairs(order, RANKED)]
    return [Comparison(a, b, -1, step, part=k) for k, (a, b) in enumerate(pairs)]


def history(orders: list[str], seed: int = 0) -> History:
    """Return random samples, four for each order, of which the first three are shared with the order before."""
    X = np.random.default_rng(seed).uniform(-1, 1, (len(orders) + 3, 2))
    said = [row for k, order in enumerate(orders) for row in rows(order, k, k)]
    return History(X, np.ones(len(X), dtype=bool), tuple(said))


def means(known: History, noise: float = 0.1) -> np.ndarray:
    groups = (slice(0, 1), slice(1, 2))
    return believed(known, lambda linear: prior(groups, linear, -1.0, 0.5), Person(noise, 0.1, 0.15)).sample_means


def fitted(known: History) -> np.ndarray:
    return rbf.fit_history(known, rbf.Distances.of(known.points), None, rbf.Settings()).values


orders = st.lists(st.tuples(kinds, st.permutations("abcd")), min_size=1, max_size=4).map(
    lambda drawn: [narrowed(ranking, as_kind(kind)) for kind, ranking in drawn]
)


@given(orders, st.integers(0, 99), st.randoms(use_true_random=False))
def test_the_order_of_the_comparisons_and_the_sides_do_not_matter(said, seed, random):
    known = history(said, seed)
    shuffled = [Comparison(c.j, c.i, 1, c.step) if random.random() < 0.5 else c for c in known.comparisons]
    random.shuffle(shuffled)
    other = History(known.points.copy(), known.feasible.copy(), tuple(shuffled))
    np.testing.assert_allclose(means(known), means(other), atol=2e-3)
    np.testing.assert_allclose(fitted(known), fitted(other), atol=1e-3)


@given(orders, kinds, st.permutations("abcd"), st.integers(0, 99))
def test_an_answer_never_lowers_its_winners(said, kind, ranking, seed):
    order = narrowed(ranking, as_kind(kind))
    before = history([*said, "a>bcd"], seed)
    last = len(said)
    known = [c for c in before.comparisons if c.step < last]
    without = History(before.points.copy(), before.feasible.copy(), tuple(known))
    told = History(before.points.copy(), before.feasible.copy(), (*known, *rows(order, last, last)))

    def lead(u: np.ndarray) -> float:
        """Return by how much the winners of the order lead over the losers, summed over its comparisons."""
        return sum(float(u[c.i] - u[c.j]) for c in rows(order, last, last))

    # Expectation propagation stops within a tolerance.
    assert lead(means(told)) >= lead(means(without)) - 5e-3

    def shortfall(f: np.ndarray) -> float:
        """Return by how much the surrogate misses the margin, summed over the comparisons of the order; lower f̂ is better."""
        return sum(max(0.0, MARGIN - float(f[c.j] - f[c.i])) for c in rows(order, last, last))

    assert shortfall(fitted(told)) <= shortfall(fitted(without)) + 1e-4


@given(orders, st.integers(0, 99))
def test_an_order_of_two_counts_as_the_plain_answer(said, seed):
    known = history(said, seed)
    plain = [Comparison(c.i, c.j, -1, k) for k, c in enumerate(known.comparisons)]
    other = History(known.points.copy(), known.feasible.copy(), tuple(plain))
    np.testing.assert_array_equal(means(known), means(other))
    assert known.answered == len(said)
    assert other.answered == len(plain)


@given(st.permutations("abcd"))
def test_the_models_order_the_samples_as_they_were_ranked(ranking):
    corners = np.array([[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])
    known = History(corners, np.ones(4, dtype=bool), tuple(rows(narrowed(ranking, as_kind("rank 4")), 0, 0)))
    for u in (means(known, noise=1e-3), -fitted(known)):
        assert ["abcd"[k] for k in np.argsort(-u)] == list(ranking)


# The incumbent ---------------------------------------------------------------------------------------------------------


def told(*orders_: tuple[str, list[int]], infeasible=()) -> History:
    """Return the history of orders about samples, which stand for the sides a, b, …"""
    said = []
    for step, (order, samples) in enumerate(orders_):
        pairs = [(samples[ord(a) - 97], samples[ord(b) - 97]) for a, b in better_pairs(order, RANKED)]
        said += [Comparison(a, b, -1, step, part=k) for k, (a, b) in enumerate(pairs)]
    feasible = np.ones(9, dtype=bool)
    feasible[list(infeasible)] = False
    return History(np.linspace(-1, 1, 9)[:, None], feasible, tuple(said))


@pytest.mark.parametrize(
    ("said", "best"),
    [
        ([("c>abd", [0, 1, 2, 3])], 2),
        ([("b>a>d>c", [0, 1, 2, 3])], 1),
        ([("c>abd", [0, 1, 2, 3]), ("a>bcd", [2, 4, 5, 6])], 2),
        ([("c>abd", [0, 1, 2, 3]), ("d>c>b>a", [2, 4, 5, 6])], 6),
        (
            [("c>abd", [0, 1, 2, 3]), ("bcd>a", [2, 4, 5, 6])],
            None,
        ),  # three beat the best, and none of them is known to be best
        ([("c>abd", [0, 1, 2, 3]), ("abc>d", [2, 4, 5, 6])], 2),
        ([("c>abd", [0, 1, 2, 3]), ("abc>d", [4, 5, 6, 7])], None),  # the best was not among them
        ([("c>abd", [0, 1, 2, 3]), ("ab>d>c", [2, 0, 1, 4])], 2),
    ],
)
def test_the_incumbent_follows_answers_about_several(said, best):
    assert incumbent(told(*said)) == best


def test_an_infeasible_sample_is_never_the_incumbent():
    assert incumbent(told(("c>abd", [0, 1, 2, 3]), infeasible=[2])) == 0  # nobody said which of the others is best
    assert incumbent(told(("b>a>d>c", [0, 1, 2, 3]), infeasible=[1])) == 0
    assert incumbent(told(("b>a>d>c", [0, 1, 2, 3]), infeasible=[0])) == 1


def test_an_answer_that_contradicts_others_counts_once():
    known = told(("a>b>c>d", [0, 1, 2, 3]), ("d>c>b>a", [0, 1, 2, 3]))
    assert contradictions(known.comparisons) == 2


# Studies ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("proposer", ["posterior", "glisp"])
@pytest.mark.parametrize("kind", FOUR)
def test_a_study_replays_undoes_corrects_removes_restores_and_goes_on(kind, proposer):
    study = answered(kind, proposer=proposer)
    assert study.history.answered == len(study.answers) == 6
    assert len(study.history) > 12
    assert all(entry.kind == kind for entry in study.answers[1:])
    again = pf.Study.from_json(study.to_json())
    assert again.history.comparisons == study.history.comparisons
    question = study.ask()
    assert again.ask() == question
    assert len(set(map(str, question.sides.values()))) == 4

    step, before = study.answers[-1].step, study.history.comparisons
    study.undo()
    assert study.history.answered == 5
    assert all(c.step != step for c in study.history.comparisons)
    study.tell(step, answer(study.ask()))
    assert study.history.comparisons == before
    old = study.answers[1].answer
    other = next(o for o in (narrowed(r, as_kind(kind)) for r in ("abcd", "dcba")) if o != old)
    study.log.correct(1, other)
    assert study.answers[1].answer != old
    assert study.answers[1].corrected
    study.log.correct(1, old)
    study.log.remove(1)
    assert study.history.answered == 5
    study.log.restore(1)
    assert [(c.i, c.j, c.preference) for c in study.history.comparisons] == [(c.i, c.j, c.preference) for c in before]
    again = pf.Study.from_json(study.to_json())
    assert again.history.comparisons == study.history.comparisons
    assert again.ask() == study.ask()
    assert 0 <= study.learned.probability(study.candidates[0], study.candidates[1]) <= 1


@pytest.mark.parametrize("kind", SEVERAL)
def test_every_kind_shows_what_it_says(kind):
    study = answered(kind, 2)
    question = study.ask()
    assert question.kind == kind
    assert len(question.sides) == as_kind(kind).size
    assert [*question.sides] == list(as_kind(kind).sides)
    assert value(study.best) == min(value(c) for c in study.candidates) or "worst of" in kind
    assert study.best in question.sides.values() or "worst of" in kind


def test_the_sides_are_drawn_and_the_incumbent_comes_first_in_optimize():
    places = set()
    study = pf.Study(SPACE, comparisons=12, seed=3, kind="best of 4")
    for _ in range(10):
        question = study.ask()
        if study.best is not None:
            places.add([*question.sides.values()].index(study.best))
        study.tell(question, answer(question))
    assert len(places) > 1
    first = []

    def prefer(*shown):
        first.append(shown[0])
        return pf.preference(value)(*shown)

    result = pf.optimize(prefer, SPACE, comparisons=6, seed=1, kind="best of 4", proposer="glisp")
    assert first[-1] in result.incumbents


BAD = {
    "best of 4": ["e", "same", "much a", "b,a,d,c", "worst a", -1, 0, ["a"], "a>b", None, "place 1"],
    "rank 4": [
        [2, 1, 3, 4],
        np.array(["a", "b", "c"]),
        "a",
        "a,b,c",
        "a,b,c,c",
        "a,b,c,e",
        ["a", "b", "c"],
        "a>bcd",
        1,
        "much b",
        "same",
    ],
    "worst of 4": ["a", "b", "best a", "bcd>e", 2],
    "best and worst of 4": ["a", "best a", "best a worst a", "a>b>cd"],
    "insert among 3": ["a", "place 5", "place 0", "a,b,c,d", "b>d>ac", 1],
}


@pytest.mark.parametrize("kind", sorted(BAD))
def test_a_wrong_answer_stores_nothing(kind):
    study = answered(kind, 1)
    question = study.ask()
    before = study.to_json()
    for said in BAD[kind]:
        with pytest.raises(AnswerError, match="answer"):
            study.tell(question, said)
        with pytest.raises(AnswerError, match="answer"):
            study.tell(question, said, answer_id="again")
    with pytest.raises(InputError, match="side"):
        study.fail(question, "e")
    with pytest.raises(AnswerError):
        study.tell(question, "e unacceptable")
    with pytest.raises(AnswerError):
        study.log.correct(0, "same")
    assert study.to_json() == before
    pair = pf.Study(SPACE, comparisons=5, seed=1)
    for said in ("c", "best a", "a>b", "a,b", ["a", "b"]):
        with pytest.raises(AnswerError):
            pair.tell(pair.ask(), said)
    assert pair.history.answered == 0


@pytest.mark.parametrize("change", ["answer", "order", "kind", "more"])
def test_a_log_that_does_not_fit_together_does_not_open(change):
    from dataclasses import replace

    from prefero.study.state import State

    study = answered("rank 4", 1)
    records = list(study.log.records)
    k = 2 if change == "answer" else 1
    wrong = {"answer": "a", "order": [0, 1, 2, 2], "kind": "rank 3", "more": []}[change]
    records[k] = replace(records[k], event=replace(records[k].event, **{change: wrong}))
    with pytest.raises(InputError):
        State.of(records)


def test_what_failed_or_is_not_acceptable_is_ruled_out():
    study = answered("best of 4", 3)
    question = study.ask()
    study.tell(question, "d unacceptable")
    gone = question.sides["d"]
    assert study.candidates.index(gone) in study.history.failed
    assert [c.winner for c in study.history.comparisons[-3:]] != [study.candidates.index(gone)] * 3
    assert {c.loser for c in study.history.comparisons[-3:]} == {study.candidates.index(gone)}
    question = study.ask()
    assert gone not in question.sides.values()
    study.fail(question, "c")
    question = study.ask()
    study.tell(question, "neither")
    assert len(study.history.failed) == 6
    assert study.history.answered == 4
    study.skip(study.ask())
    question = study.ask()
    assert not {study.candidates.index(c) for c in question.sides.values() if c in study.candidates} & {
        *study.history.failed
    }
    study.undo()
    assert pf.Study.from_json(study.to_json()).history.failed == study.history.failed


def test_pairs_of_ones_own_probes_and_batches():
    study = answered("rank 4", 3)
    own = study.enqueue({"x1": 0.9, "x2": 0.9})
    assert own.kind == "pair"
    study.tell(own, "a")
    study.tell((study.candidates[0], study.candidates[1]), "b")
    probe = study.probe(1)
    assert probe.kind == "rank 4"
    assert [*probe.sides.values()] == [*study.log.question(1).sides.values()][::-1]
    study.tell(probe, answer(probe))
    inserted = answered("insert among 3", 3)
    assert [*inserted.probe(2).sides.values()] == [*inserted.log.question(2).sides.values()]
    several = study.ask(count=3)
    new = [c for q in several for c in q.sides.values() if c not in study.candidates]
    assert len(new) == len({str(c) for c in new}) >= 6
    for question in reversed(several):
        study.tell(question, answer(question))
    assert study.history.answered == 8
    assert pf.Study.from_json(study.to_json()).history.comparisons == study.history.comparisons


@pytest.mark.parametrize("kind", ["best of 4", "rank 6", "insert among 3"])
def test_a_small_space_ends_with_smaller_questions(kind):
    catalogue = pf.Catalogue([{"x": k, "y": k % 3} for k in range(7)])
    study, seen = pf.Study(catalogue, comparisons=8, seed=1, kind=kind), []

    def taste(question):
        ranking = sorted(question.sides, key=lambda side: abs(question.sides[side]["x"] - 4.2))
        return ranking[0] if question.kind == "pair" else narrowed(ranking, as_kind(question.kind))

    for _ in range(12):
        try:
            question = study.ask()
        except pf.errors.ExhaustedError:
            break
        seen.append(question.kind)
        study.tell(question, taste(question))
    assert study.best["x"] == 4
    assert kind in seen


def test_judges_and_a_limited_step():
    study = pf.Study(SPACE, comparisons=10, seed=1, kind="best of 3", max_step={"x1": 0.2, "x2": 0.2})
    for k in range(6):
        question = study.ask(judge="AB"[k % 2])
        if study.best is not None:
            for shown in question.sides.values():
                assert np.abs(np.asarray(shown) - np.asarray(study.best)).max() <= 0.2 + 1e-9
        study.tell(question, answer(question), judge="AB"[k % 2])
    assert set(study.waiting) == set()
    assert study.history.judges == ("A", "B")


def test_the_database_keeps_it(tmp_path):
    url = f"sqlite:///{tmp_path}/x.db"
    with pf.Study.create(SPACE, name="four", storage=url, comparisons=10, seed=3, kind="rank 4") as study:
        for _ in range(3):
            question = study.ask(judge="Ada")
            assert (
                study.log.storage.settle("four", "Ada", question.step, study.log.records[-1], counts=True, most=99)
                is None
            )
            study.tell(question, answer(question))
        waiting = study.ask(judge="Ada")
    with pf.Study.open("four", url) as again:
        assert again.settings.kind == "rank 4"
        assert again.waiting["Ada"] == waiting
        assert again.history.comparisons == study.history.comparisons
        with pytest.raises(AnswerError):
            again.tell(waiting, "a")
        again.tell(waiting, answer(waiting))
        with pytest.raises(QuestionError):
            again.tell(waiting, answer(waiting))
    assert pf.studies(url)[0].answers == 4


# Several kinds ---------------------------------------------------------------------------------------------------------

OFFERED = ["pair", "best of 4", "insert among 3", "rank 4"]


@pytest.mark.parametrize("proposer", ["posterior", "glisp"])
def test_a_study_that_offers_several_kinds_replays_and_goes_on(proposer):
    study = answered(OFFERED, 8, proposer=proposer)
    assert {entry.kind for entry in study.answers} <= {*OFFERED, "rank 3"}
    assert study.settings.offered == OFFERED
    for answers in range(9):
        again = pf.Study.from_json(study.to_json())
        assert again.history.comparisons == study.history.comparisons
        assert again.ask() == study.ask()
        if answers < 8:
            study.undo()
    assert study.history.answered == 0


@pytest.mark.parametrize("proposer", ["posterior", "glisp"])
def test_the_kind_with_most_comparisons_a_second_is_asked(proposer):
    for kinds, chosen in (
        (["pair", "best of 4", "rank 4"], "best of 4"),
        ({"pair": None, "best of 4": 30, "rank 4": None}, "rank 4"),
        ({"pair": 1, "best of 4": None}, "pair"),
    ):
        study = answered(kinds, 2, proposer=proposer)
        assert {entry.kind for entry in study.answers} == {chosen}


def test_effort_decides_what_is_asked():
    cheap = answered({"pair": None, "rank 4": 0.1}, 5)
    assert {entry.kind for entry in cheap.answers} == {"rank 4"}
    dear = answered({"pair": None, "rank 4": 3600}, 5)
    assert {entry.kind for entry in dear.answers} == {"pair"}
    assert pf.Study.from_json(dear.to_json()).settings.efforts == {"rank 4": 3600.0}


def test_one_kind_in_a_list_is_that_kind():
    alone, listed = answered("best of 4", 3), answered(["best of 4"], 3)
    assert listed.settings == alone.settings
    assert listed.ask() == alone.ask()


def test_kinds_that_cannot_be_offered_are_refused():
    for wrong in ([], ["pair", "pair"], ["rank 9"], {"pair": 0}, {"pair": "4"}, {}, 4):
        with pytest.raises(InputError, match="kind"):
            pf.Study(SPACE, kind=wrong)
    from dataclasses import replace

    from prefero.study.state import State

    [created] = pf.Study(SPACE, kind=OFFERED).log.records
    for change in ({"kinds": ["pair", "rank 9"]}, {"efforts": {"rank 5": 3.0}}, {"efforts": {"pair": -1.0}}):
        with pytest.raises(InputError):
            State.of([replace(created, event=replace(created.event, **change))])


def test_judges_and_batches_of_a_study_that_offers_several_kinds():
    study = pf.Study(SPACE, comparisons=10, seed=3, kind=OFFERED)
    for k in range(5):
        question = study.ask(judge="AB"[k % 2])
        study.tell(question, answer(question), judge="AB"[k % 2])
    several = study.ask(count=3)
    assert len({str(sorted(map(str, question.sides.values()))) for question in several}) == 3
    for question in several:
        study.tell(question, answer(question))
    assert study.history.answered == 8


# The set ---------------------------------------------------------------------------------------------------------------


@given(orders, st.integers(0, 99))
def test_what_is_foreseen_changes_no_mean_and_takes_from_the_variance(said, seed):
    known = history(said, seed)
    groups = (slice(0, 1), slice(1, 2))
    linear_prior = prior(groups, 0.15, -1.0, 0.5)
    u = believed(known, lambda linear: linear_prior, Person(0.1, 0.1, 0.15))
    new = np.vstack([known.points, [[0.5, -0.5]]])
    told = u.as_foreseen(new, [(0, len(new) - 1), (0, 1)])
    Z = np.random.default_rng(seed).uniform(-1, 1, (20, 2))
    np.testing.assert_allclose(told.utilities(Z)[0], u.utilities(Z)[0], atol=1e-9)
    assert (told.utilities(Z)[1] <= u.utilities(Z)[1] + 1e-9).all()
    before, after = (each.differences(new[-1:], new[0][None])[1][0] for each in (u, told))
    noise = np.sqrt(2) * 0.1
    assert after <= before * noise / np.hypot(before, noise) + 1e-6


def test_the_candidates_of_a_question_for_one_of_several_judges_differ():
    study = pf.Study(SPACE, comparisons=12, seed=1, kind="best of 4")
    for k in range(10):
        question = study.ask(judge="AB"[k % 2])
        X = np.array([list(each.values()) for each in question.sides.values()])
        assert np.abs(X[:, None] - X[None]).max(axis=2)[np.triu_indices(4, 1)].min() > 1e-3
        study.tell(question, answer(question), judge="AB"[k % 2])


# The loop --------------------------------------------------------------------------------------------------------------


@settings(max_examples=5)
@given(st.sampled_from(FOUR), st.integers(0, 9))
def test_optimize_takes_rankings_for_every_kind(kind, seed):
    result = pf.optimize(pf.preference(value), SPACE, comparisons=12, seed=seed, kind=kind)
    assert result.study.history.answered == 12
    assert value(result.best) < 0.02


def test_what_the_function_returns_is_checked():
    with pytest.raises(JudgeError, match="c is missing"):
        pf.optimize(lambda *shown: ["a", "b", "d"], SPACE, comparisons=3, seed=1, kind="rank 4")
    with pytest.raises(JudgeError, match="prefer raised"):
        pf.optimize(lambda a, b: "a", SPACE, comparisons=3, seed=1, kind="best of 3")
    with pytest.raises(InputError, match="kind"):
        pf.optimize(lambda a, b: "a", SPACE, comparisons=3, seed=1, kind="best of 9")
    with pytest.raises(JudgeError, match="prefer: answer"):
        pf.optimize(lambda *shown: np.array([2, 0, 1, 3]), SPACE, comparisons=3, seed=1, kind="rank 4")
    taken = pf.optimize(lambda *shown: np.array(list("badc")), SPACE, comparisons=2, seed=1, kind="rank 4")
    assert [entry.answer for entry in taken.study.answers] == ["b>a>d>c"] * 2
    said = iter(["skip", "d failed", "c unacceptable", "best a", "b", "neither", "c>abd"])
    result = pf.optimize(lambda *shown: next(said), ([0, 0], [1, 1]), comparisons=4, seed=1, kind="best of 4")
    assert (result.skipped, result.failed, result.study.history.answered) == (1, 1, 4)


# References ------------------------------------------------------------------------------------------------------------


@given(orders, st.integers(0, 99))
def test_the_mode_is_that_of_the_likelihood_maximised_directly(said, seed):
    known = history(said, seed)
    smooth = prior((slice(0, 1), slice(1, 2)), 0.15, -1.0, 0.5)
    fit = posterior(smooth, known.points, Statements.of(known, 0.0), 0.2, laplace.sites)
    K = smooth(known.points, known.points)
    P, pairs = np.linalg.inv(K + 1e-10 * np.eye(len(K))), np.array([(c.winner, c.loser) for c in known.comparisons])

    def cost(u: np.ndarray) -> float:
        return float(0.5 * u @ P @ u - log_ndtr((u[pairs[:, 0]] - u[pairs[:, 1]]) / (np.sqrt(2) * 0.2)).sum())

    direct = minimize(cost, np.zeros(len(K)), options={"gtol": 1e-7})
    np.testing.assert_allclose(fit.sample_means, direct.x, atol=2e-3)


CHOIX = [-0.698559, 0.051209, 0.363558, 1.311786, -1.027994]
"""What opt_rankings(5, ranked) of choix 0.4.1 estimates from the rankings below, the model of Plackett and Luce."""


def test_of_many_rankings_the_utilities_are_those_of_plackett_and_luce():
    # With a wide prior: the comparisons of a ranking are a composite likelihood of it, so both estimate the same order and,
    # up to the unit of the noise, the same distances.
    true, rng = np.array([0.0, 0.6, 1.0, 1.8, -0.7]), np.random.default_rng(4)
    felt = true[:, None] + rng.gumbel(size=(5, 80))
    ranked = [[k for k in np.argsort(-column).tolist() if k != left % 5] for left, column in enumerate(felt.T)]
    said = [Comparison(a, b, -1, step) for step, r in enumerate(ranked) for a, b in combinations(r, 2)]
    known = History(np.linspace(-1, 1, 5)[:, None], np.ones(5, dtype=bool), tuple(said))
    statements = Statements.of(known, 0.0)
    K = 30.0**2 * np.eye(5)
    ours = K @ statements.matrix(5).T @ laplace.mode(statements.covariance(K), statements, 1.0).alpha

    def cost(u: np.ndarray) -> float:
        return -float(sum(u[r[k]] - logsumexp(u[r[k:]]) for r in ranked for k in range(len(r) - 1)))

    theirs = minimize(cost, np.zeros(5)).x
    np.testing.assert_allclose(theirs - theirs.mean(), CHOIX, atol=1e-3)
    slope, intercept = np.polyfit(theirs, ours, 1)
    assert slope > 0
    assert np.abs(ours - slope * theirs - intercept).max() < 0.1 * np.ptp(ours)
    assert np.corrcoef(ours, theirs)[0, 1] > 0.99
