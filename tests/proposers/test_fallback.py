"""When nothing was learned or a proposer fails, the study goes on with a space-filling candidate, and says so."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint

import prefero as pf
from prefero.answers import Comparison, History
from prefero.errors import ExhaustedError, InputError, SolverError
from prefero.models import calibration, programs
from prefero.proposers import exclusions
from tests.complaints import complaint
from tests.strategies import answered, distance_to, session_of

SPACE = pf.Space.box([0, 0], [1, 1])


@pytest.mark.parametrize(
    "knobs",
    [{}, {"acquisition": "improvement"}, {"regularization": 0.0}, {"normalize": True}, {"basis": "linear"}],
    ids=repr,
)
def test_only_ties_leave_nothing_learned_and_a_candidate_that_fills_the_space(knobs):
    study = pf.Study(
        SPACE, comparisons=6, seed=0, proposer=pf.Glisp(initial_samples=3, **knobs), sides="incumbent first"
    )
    for k in range(6):
        question = study.ask()
        if k >= 2:
            assert "do not tell candidates apart" in question.note
            assert "space-filling" in question.note
            challenger = study.space.encode(question.b)
            nearest = np.abs(study.history.points - challenger).max(axis=1).min()
            assert nearest > 0.3
        else:
            assert question.note == ""
        study.tell(question, "same")
    study.tell(study.ask(), "b")
    assert study.ask().note == ""


def test_answers_that_cancel_each_other_leave_nothing_learned():
    def twice(history):
        return history.points[0], history.points[1]

    study = pf.Study(SPACE, comparisons=6, seed=0, proposer=twice)
    for _ in range(2):
        question = study.ask()
        study.tell(question, "a" if dict(question.a) == study.log.events[1].first else "b")
    history = study.history
    assert history.preferences.tolist() == [-1, -1]
    contradicted = type(history)(
        history.points.copy(),
        history.feasible.copy(),
        tuple(type(c)(c.i, c.j, o) for c, o in zip(history.comparisons, (-1, 1), strict=True)),
    )
    proposer = pf.Glisp(initial_samples=2)
    state = proposer.advance(None, contradicted, session_of(study).task, np.random.default_rng(0))
    assert "do not tell" in proposer.propose(state, contradicted, session_of(study).task, np.random.default_rng(0)).note


def broken(history):
    raise ZeroDivisionError("no model today")


def test_a_proposer_that_raises_does_not_lose_the_study():
    study = answered(pf.Study(SPACE, comparisons=6, seed=0, proposer=broken), distance_to([0.3, 0.3]), 1)
    for step in range(1, 4):
        question = study.ask()
        assert question.step == step
        assert "a space-filling candidate, since the proposer failed" in question.note
        assert "ZeroDivisionError: no model today" in question.note
        study.tell(question, pf.preference(distance_to([0.3, 0.3]))(question.a, question.b))
    assert len(study.history) == 4
    again = pf.Study.from_json(study.to_json(), proposer=broken)
    assert again.ask() == study.ask()


def test_a_program_that_is_not_solved_does_not_lose_the_study(monkeypatch):
    study = answered(pf.Study(SPACE, comparisons=9, seed=0, proposer="glisp"), distance_to([0.3, 0.3]), 4)
    best = study.best

    def fails(program):
        raise SolverError("solved to a residual of 1; allowed: 1e-06")

    monkeypatch.setattr(programs, "_solve_qp", fails)
    question = study.ask()
    assert "since the proposer failed: solved to a residual of 1" in question.note
    assert best in (question.a, question.b)


def test_a_proposer_that_repeats_the_incumbent_is_replaced():
    study = pf.Study(SPACE, comparisons=6, seed=0, proposer=lambda history: history.points[history.pairs[-1][0]])
    study.tell(study.ask(), "a")
    for _ in range(3):
        question = study.ask()
        assert question.a != question.b
        study.tell(question, "a" if question.a == study.best else "b")
    assert "compared with" in study.ask().note or len(study.history.points) > 2


@pytest.mark.parametrize("returned", [None, "abc", [0.1], [0.1, np.nan], [[0.1, 0.2], [0.3]], {"x1": 0.5}, 0.3])
def test_a_proposer_that_returns_nonsense_is_named(returned):
    study = pf.Study(SPACE, seed=0, proposer=lambda history: returned)
    study.tell(study.ask(), "a")
    with complaint(InputError, "candidate", repr(returned)[:5], unchanged=study):
        study.ask()


def test_a_proposer_of_ones_own_may_return_points_candidates_or_pairs():
    returned = [
        np.array([0.5, -0.5]),
        {"x1": 0.2, "x2": 0.9},
        (np.array([0.1, 0.1]), {"x1": 0.0, "x2": 0.0}),
        (0.3, 0.3),
    ]
    study = pf.Study(SPACE, seed=0, proposer=lambda history, rng: returned[len(history) - 1], sides="incumbent first")
    study.tell(study.ask(), "a")
    best = study.best
    for expected in ([0.75, 0.25], [0.2, 0.9]):
        question = study.ask()
        assert question.a == best
        assert np.asarray(question.b) == pytest.approx(expected)
        study.tell(question, "a")
    question = study.ask()
    assert np.asarray(question.a) == pytest.approx([0.55, 0.55])
    assert np.asarray(question.b) == pytest.approx([0, 0])
    study.tell(question, "b")
    assert np.asarray(study.ask().b) == pytest.approx([0.65, 0.65])


def test_a_proposer_of_ones_own_may_draw_from_the_seed():
    def random(history, rng):
        return rng.uniform(-1, 1, 2)

    runs = [
        answered(pf.Study(SPACE, seed=seed, proposer=random), distance_to([0.3, 0.3]), 5).log.events
        for seed in (0, 0, 1)
    ]
    assert runs[0] == runs[1] != runs[2]


def test_skipping_the_first_question_of_ones_own_proposer_goes_on():
    study = pf.Study(SPACE, seed=0, proposer=lambda history: [0.1 * len(history.points), 0.0])
    study.skip(study.ask())
    question = study.ask()
    assert question.a != question.b
    study.tell(question, "a")
    assert study.best == question.a


def test_a_finite_space_without_candidates_left_says_so_whatever_the_proposer():
    study = pf.Study(pf.Space({"k": pf.Integer(0, 1)}), seed=0, proposer="glisp")
    study.tell(study.ask(), "a")
    with complaint(ExhaustedError, "nothing left to ask", unchanged=study):
        study.ask()


def test_a_proposer_of_ones_own_outside_the_bounds_is_not_moved_inside_silently():
    study = pf.Study(pf.Space({"x": pf.Real(0, 1)}), seed=0, proposer=lambda history: {"x": 3.0})
    study.tell(study.ask(), "a")
    with pytest.raises(InputError, match="within the bounds"):
        study.ask()


def test_a_state_that_cannot_be_advanced_still_leaves_a_recommendation(monkeypatch):
    study = answered(pf.Study(([0.0], [1.0]), comparisons=9, seed=0, proposer="posterior"), distance_to([0.3]), 3)

    def fail(*_):
        raise SolverError("outside tolerance")

    monkeypatch.setattr(pf.Posterior, "advance", fail)
    question = study.ask()
    study.tell(question, "a" if distance_to([0.3])(question.a) < distance_to([0.3])(question.b) else "b")
    assert study.best in (question.a, question.b)
    assert "outside tolerance" in study.ask().note


def test_a_shape_whose_programs_are_not_solved_is_not_chosen(monkeypatch):
    plain = calibration.score

    def fails_above_one(history, D2, best, settings, folds, quick, *more):
        if settings.shape > 1:
            raise SolverError("outside tolerance")
        return plain(history, D2, best, settings, folds, quick, *more)

    monkeypatch.setattr(calibration, "score", fails_above_one)
    study = answered(pf.Study(([0.0], [1.0]), comparisons=9, seed=0, proposer="glisp"), distance_to([0.3]), 8)
    study.ask()
    assert session_of(study).state(study.history).shape <= 1


def test_a_function_that_returns_one_candidate_twice_is_stood_in_for():
    study = pf.Study(SPACE, seed=0, proposer=lambda history: (history.points[0], history.points[0]))
    study.tell(study.ask(), "a")
    question = study.ask()
    assert question.a != question.b
    assert "return another one" in question.note


def test_a_point_that_the_constraints_forbid_is_refused_like_a_candidate():
    space = pf.Space.box([0, 0], [1, 1], LinearConstraint([[1, 1]], ub=[0.5]))
    study = pf.Study(space, seed=0, proposer=lambda history: np.array([0.9, 0.9]))
    study.tell(study.ask(), "a")
    with complaint(InputError, "the proposer's candidate", "constraints"):
        study.ask()
    assert len(study.history) == 1


def test_bounds_that_do_not_tell_two_candidates_apart_leave_no_comparison_of_one_with_itself():
    study = pf.Study(pf.Space.box([0], [1]), seed=0)
    for _ in range(3):
        study.tell(study.ask(), "a")
    study.change_space(pf.Space.box([0], [1e14]))
    assert all(c.i != c.j for c in study.history.comparisons)
    assert study.ask().a != study.ask().b


def test_proposals_keep_more_room_from_samples_that_tied_were_skipped_or_failed():
    points = np.array([[-0.9], [-0.4], [0.1], [0.6], [0.9]])
    told = (Comparison(0, 1, -1), Comparison(0, 2, 0))
    history = History(points, np.ones(5, dtype=bool), told, skipped=((0, 3),), failed=(4,))
    room = exclusions.taken(history)
    assert room.radius.tolist() == [0.01, 1e-4, 0.01, 0.05, 0.02]
    for k, radius in enumerate(room.radius):
        assert room.hidden(points[[k]] + 0.9 * radius).all()
        assert not room.hidden(points[[k]] + 1.1 * radius).any()
