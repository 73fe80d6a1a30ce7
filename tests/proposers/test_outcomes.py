"""Learning from what candidates lead to."""

import numpy as np
import pytest

import prefero as pf
from prefero.errors import InputError
from prefero.models.emulator import Emulator
from tests.complaints import complaint
from tests.strategies import session_of

SPACE = pf.Space({"a": pf.Real(0, 1), "b": pf.Real(0, 1)})
TURN = np.array([[8.0, 8.0], [1.0, -1.0]])  # candidates to outcomes: a sum counts eight times as much as a difference
WANTED = TURN @ [0.3, 0.6]


def sheared(candidate):
    return TURN @ np.asarray(candidate)


def prefer(a, b):
    return pf.preference(lambda c: float(np.abs(sheared(c) - WANTED).sum()))(a, b)


def shown(study):
    """The outcomes of all samples, in the order in which they were shown."""
    return [study.proposer.outcome(study.space.decode(x)) for x in study.history.points]


def test_an_emulator_goes_through_what_is_known_and_guesses_the_rest():
    rng = np.random.default_rng(0)
    X, Z = rng.uniform(-1, 1, (60, 2)), rng.uniform(-0.9, 0.9, (200, 2))

    def truth(X):
        return np.column_stack([np.sin(2 * X[:, 0]) * X[:, 1], 100 + X.sum(axis=1) ** 2, np.full(len(X), 5.0)])

    guess = Emulator.of(X, truth(X), (slice(0, 1), slice(1, 2)))
    assert guess(X) == pytest.approx(truth(X), abs=0.005)
    assert guess(Z) == pytest.approx(truth(Z), abs=0.03)


def test_an_emulator_of_one_outcome_says_it_everywhere():
    guess = Emulator.of(np.zeros((1, 2)), np.array([[3.0, 4.0]]), (slice(0, 1), slice(1, 2)))
    assert guess(np.array([[0.5, -1.0]])) == pytest.approx(np.array([[3.0, 4.0]]))


def polar(candidate):
    a, b = np.asarray(candidate)
    return [np.hypot(a, b), np.arctan2(a, b)]


def ended(proposer, seed):
    def liked(candidate):  # a valley along a circle
        radius, angle = polar(candidate)
        return float(20 * (radius - 1.2) ** 2 + (angle + 1) ** 2)

    found = pf.optimize(
        pf.preference(liked), pf.Space.box([-2, -2], [2, 2]), comparisons=20, seed=seed, proposer=proposer
    )
    return liked(found.best)


def test_it_learns_faster_from_what_the_person_judges():
    plain = [ended("posterior", seed) for seed in range(4)]
    told = [ended(pf.Outcomes(polar), seed) for seed in range(4)]
    assert np.median(told) < 0.2 * np.median(plain)


@pytest.mark.parametrize("proposer", [pf.Posterior(), pf.Glisp(), pf.Pbo()], ids=["posterior", "glisp", "pbo"])
def test_every_proposer_can_learn_from_outcomes(proposer):
    found = pf.optimize(prefer, SPACE, comparisons=14, seed=1, proposer=pf.Outcomes(sheared, proposer, front=20))
    assert found.success
    assert np.abs(sheared(found.best) - WANTED).sum() < 1.5  # at random 4


def test_nobody_is_shown_an_outcome_twice_while_there_are_others():
    def corner(candidate):  # as linear programs do: many candidates, few outcomes
        return np.round(4 * np.asarray(candidate))

    found = pf.optimize(prefer, SPACE, comparisons=15, seed=0, proposer=pf.Outcomes(corner))
    outcomes = [tuple(F) for F in shown(found.study)]
    assert len(outcomes) == 16
    assert len(set(outcomes)) == 16  # of 25
    assert corner(found.best) == pytest.approx(corner((0.3, 0.6)), abs=1)


@pytest.mark.parametrize("guess", [True, False])
@pytest.mark.parametrize("failure", ["raises", "nan", "nothing"])
def test_what_leads_to_nothing_is_hardly_ever_shown(failure, guess):
    def some(candidate):
        if candidate["a"] > 0.5:
            if failure == "raises":
                raise ArithmeticError("no solution")
            return [np.nan, 1.0] if failure == "nan" else []
        return sheared(candidate)

    found = pf.optimize(prefer, SPACE, comparisons=16, seed=0, proposer=pf.Outcomes(some, guess=guess))
    assert found.success
    beyond = sum(study_point[0] > 0 for study_point in found.study.history.points)
    assert beyond <= 1  # a half of the first design would be
    assert np.abs(sheared(found.best) - WANTED).sum() < 2.0  # at random 4


def test_where_only_the_first_designs_lead_to_an_outcome_those_are_shown():
    few = []

    def some(candidate):
        few.append(sheared(candidate))
        return few[-1] if len(few) <= 64 else None

    study = pf.Study(SPACE, comparisons=12, seed=0, proposer=pf.Outcomes(some, guess=False))
    for _ in range(12):
        question = study.ask()
        study.tell(question, {-1: "a", 0: "same", 1: "b"}[prefer(question.a, question.b)])
    lead_to_something = [study.proposer._outcome(x, study.space) is not None for x in study.history.points]
    assert all(lead_to_something[4:])  # the opening is not asked whether it does


def test_what_is_not_guessed_is_computed():
    asked = []

    def counted(candidate):
        asked.append(candidate)
        return sheared(candidate)

    found = pf.optimize(prefer, SPACE, comparisons=12, seed=2, proposer=pf.Outcomes(counted, guess=False))
    assert len(asked) > 1000
    assert np.abs(sheared(found.best) - WANTED).sum() < 1.5  # at random 4


def test_without_any_outcome_the_study_goes_on_and_says_so():
    study = pf.Study(SPACE, comparisons=10, seed=0, proposer=pf.Outcomes(lambda c: [np.nan]))
    study.tell(study.ask(), "a")
    question = study.ask()
    assert "none of 64 candidates leads to an outcome" in question.note
    study.tell(question, "b")
    assert study.best is not None


def test_a_study_resumes_with_the_same_question():
    study = pf.Study(SPACE, comparisons=20, seed=3, proposer=pf.Outcomes(sheared))
    for _ in range(12):
        question = study.ask()
        study.tell(question, {-1: "a", 0: "same", 1: "b"}[prefer(question.a, question.b)])
    again = pf.Study.from_json(study.to_json(), proposer=pf.Outcomes(sheared))
    assert (again.ask().a, again.best) == (study.ask().a, study.best)
    assert again.ask().b == study.ask().b
    with complaint(pf.errors.FormatError, "sheared", "proposer="):
        pf.Study.from_json(study.to_json())


def test_outcomes_are_computed_for_the_front_and_for_what_is_shown():
    asked = []

    def counted(candidate):
        asked.append(candidate)
        return sheared(candidate)

    found = pf.optimize(prefer, SPACE, comparisons=12, seed=0, proposer=pf.Outcomes(counted, front=10))
    assert len(asked) == len(set(asked)) == 10 + len(found.study.history.points)


@pytest.mark.parametrize(
    "space",
    [
        pf.Catalogue([{"a": a / 7, "b": b / 7} for a in range(8) for b in range(8)]),
        pf.Space({"a": pf.Real(0, 1), "b": pf.Real(0, 1), "bean": pf.Choice(["robusta", "arabica"]), "cups": pf.Integer(1, 3)}),
    ],
    ids=["catalogue", "mixed"],
)  # fmt: skip
def test_any_space_will_do(space):
    def cup(candidate):
        return [
            *(TURN @ [candidate["a"], candidate["b"]]),
            candidate.get("bean") == "robusta",
            candidate.get("cups", 1),
        ]

    liking = pf.preference(lambda c: float(np.abs(np.array(cup(c)) - [*WANTED, 0, 2]).sum()))
    found = pf.optimize(liking, space, comparisons=20, seed=0, proposer=pf.Outcomes(cup, front=24))
    assert found.success
    assert abs(cup(found.best)[0] - WANTED[0]) < 1.5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"outcome": 3}, ("outcome", "3", "a function of a candidate")),
        ({"proposer": "posterior"}, ("proposer", "'posterior'", "Posterior(...)")),
        ({"front": 1}, ("front", "1", "from 2 up")),
        ({"front": True}, ("front", "True", "from 2 up")),
        ({"guess": 1}, ("guess", "1", "True or False")),
    ],
)
def test_wrong_arguments_are_refused(arguments, words):
    with complaint(InputError, *words):
        pf.Outcomes(**({"outcome": sheared} | arguments))


def test_outcomes_of_other_lengths_are_refused():
    study = pf.Study(SPACE, comparisons=10, seed=0, proposer=pf.Outcomes(lambda c: [1.0] * (1 + (c["a"] > 0.5))))
    study.tell(study.ask(), "a")
    with complaint(InputError, "outcome", "as before"):
        study.ask()


def test_other_bounds_mean_other_outcomes_at_the_same_place_in_the_box():
    study = pf.Study(SPACE, comparisons=20, seed=0, proposer=pf.Outcomes(sheared))
    for _ in range(7):
        question = study.ask()
        study.tell(question, prefer(question.a, question.b))
    study.change_space(pf.Space({"a": pf.Real(0, 2), "b": pf.Real(-1, 3)}))
    for _ in range(7):
        question = study.ask()
        assert not question.note
        study.tell(question, prefer(question.a, question.b))
    known = study.proposer._known_of(study.history, session_of(study).task)
    assert len(known.X) == 64 + len(study.history.points)
    expected = np.array([sheared(study.space.decode(x)) for x in known.X])
    assert np.abs(known.F - expected).max() < 1e-9


@pytest.mark.parametrize("inner", [pf.Posterior(), pf.Glisp()])
def test_what_is_said_of_samples_is_by_their_own_outcomes(inner):
    """Whatever the outcomes of others are guessed to be: two that lead to the same are as good as each other."""
    proposer = pf.Outcomes(lambda c: [round(5 * c["a"])], inner)
    study = pf.Study(SPACE, comparisons=12, seed=0, proposer=proposer, start=[{"a": 0.5, "b": 0.1}])
    prefer = pf.preference(lambda c: abs(round(5 * c["a"]) - 2))
    for _ in range(6):
        question = study.ask()
        study.tell(question, prefer(question.a, question.b))
    alike = {"a": 0.5, "b": 0.1}
    learned = proposer.learned(study.history.prefix(6), session_of(study).task, np.random.default_rng(0))
    assert learned.judged_as(learned.X) == pytest.approx(learned.posterior.X)
    assert study.learned.probability(study.best, alike) == pytest.approx(0.5, abs=0.02)
    means, spreads = study.learned.utilities(study.candidates)
    assert means.argmax() in [k for k, c in enumerate(study.candidates) if round(5 * c["a"]) == 2]
    assert np.isfinite(spreads).all()


def test_where_outcomes_are_computed_what_is_said_is_by_those():
    """An outcome that nobody could guess from a few."""
    rough = pf.preference(lambda c: np.sin(40 * c["a"]) + c["b"])
    proposer = pf.Outcomes(lambda c: [np.sin(40 * c["a"]), c["b"]], pf.Posterior(linear=True), guess=False)
    study = pf.optimize(rough, SPACE, comparisons=20, seed=0, proposer=proposer).study
    remembered = len(proposer._known)
    rng = np.random.default_rng(1)
    pairs = [[SPACE.decode(x) for x in rng.uniform(-1, 1, (2, 2))] for _ in range(60)]
    right = [(study.learned.probability(a, b) > 0.5) == (rough(a, b) == -1) for a, b in pairs]
    assert np.mean(right) > 0.75
    assert len(proposer._known) == remembered  # a result that is looked at often does not fill the memory


@pytest.mark.parametrize("inner", [pf.Posterior(), pf.Posterior(linear=True)])
def test_a_sample_without_an_outcome_is_guessed_anew_and_the_prior_with_it(inner):
    def half(candidate):
        if candidate["a"] < 0.35:
            raise ValueError("nothing comes of it")
        return [np.sin(9 * candidate["a"]) + candidate["b"], np.cos(7 * candidate["b"]) * candidate["a"]]

    liking = pf.preference(lambda c: abs(c["a"] - 0.6) + abs(c["b"] - 0.4))
    proposer = pf.Outcomes(half, inner)
    study = pf.Study(SPACE, comparisons=15, seed=0, proposer=proposer, start=[[0.1, 0.9], [0.2, 0.2]])
    for _ in range(10):
        question = study.ask()
        assert "failed" not in question.note
        study.tell(question, liking(question.a, question.b))
        utilities = session_of(study).state(study.history).utilities
        assert np.allclose(utilities.prior(utilities.X, utilities.X), utilities.K, atol=1e-9)


@pytest.mark.parametrize("outcome", [lambda c: [np.nan], lambda c: [1e308 * (2 * c["a"] - 1)]])
def test_where_nothing_leads_to_an_outcome_what_is_said_is_of_the_candidates(outcome):
    study = pf.Study(SPACE, comparisons=10, seed=0, proposer=pf.Outcomes(outcome))
    liking = pf.preference(lambda c: abs(c["a"] - 0.6))
    for _ in range(4):
        question = study.ask()
        study.tell(question, liking(question.a, question.b))
    assert study.learned.probability(study.best, [0.0, 0.5]) > 0.5
    assert study.learned.advice().expected_gain > 0


def test_asking_alone_changes_nothing_that_is_said():
    study = pf.Study(SPACE, comparisons=20, seed=0)
    liking = pf.preference(lambda c: abs(c["a"] - 0.6))
    for _ in range(8):
        question = study.ask()
        study.tell(question, liking(question.a, question.b))
    told = study.learned.probability(question.a, question.b), study.learned.advice(), study.learned.importance()
    study.ask()
    assert (
        study.learned.probability(question.a, question.b),
        study.learned.advice(),
        study.learned.importance(),
    ) == told


@pytest.mark.parametrize("inner", [pf.Posterior(), pf.Posterior(linear=True), pf.Glisp()])
@pytest.mark.parametrize("space", [pf.Space({"a": pf.Integer(0, 5)}), pf.Catalogue([{"a": k} for k in (2, 0, 1)])])
def test_a_finite_space_comes_to_its_end_and_no_candidate_meets_itself(inner, space):
    liking = pf.preference(lambda c: c["a"])

    def both(a, b):
        assert a != b
        return liking(a, b)

    found = pf.optimize(both, space, comparisons=30, seed=0, proposer=pf.Outcomes(lambda c: [c["a"]], inner))
    assert found.status.name == "EXHAUSTED"
    assert found.best["a"] == 0
    advice = found.study.learned.advice()
    assert advice.stop
    assert "every candidate" in advice.reason


def test_an_outcome_that_is_always_the_same_leaves_candidates_to_show():
    liking = pf.preference(lambda c: abs(c["a"] - 0.3))
    with pytest.warns(RuntimeWarning, match="space-filling"):
        found = pf.optimize(liking, SPACE, comparisons=8, seed=0, proposer=pf.Outcomes(lambda c: [1.0]))
    assert found.n_comparisons == 8


@pytest.mark.parametrize(
    "wrong", [lambda c: [c["q"]], lambda: [1], lambda c: {"over": 1.0}], ids=["key", "none", "dict"]
)
def test_an_outcome_that_raises_whatever_it_is_given_is_a_mistake_that_is_told(wrong):
    with complaint(InputError, "outcome", "raised", "returns numbers") as caught:
        pf.optimize(prefer, SPACE, comparisons=8, seed=0, proposer=pf.Outcomes(wrong))
    assert caught.value.result.n_comparisons == 1  # nothing is lost
