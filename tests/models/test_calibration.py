"""Self-calibration against a cross-validation by brute force, and the number of programs it may solve."""

import numpy as np
import pytest

from prefero.answers import Comparison, History, incumbent
from prefero.models import calibration, rbf
from prefero.models.programs import Program, solve

SHAPES = [0.1, 0.4, 1.0, 2.5, 6.3]


def history_of(seed: int, answers: int = 9, noise: float = 0.25, ties: float = 0.15) -> History:
    """A run of algorithm 1 with some wrong answers."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (answers + 1, 2))
    f = (X[:, 0] - 0.2) ** 2 + 0.5 * np.sin(3 * X[:, 1])
    best, comparisons = 0, []
    for k in range(1, answers + 1):
        outcome = 1 if f[k] < f[best] else -1
        outcome = 0 if rng.random() < ties else -outcome if rng.random() < noise else outcome
        comparisons.append(Comparison(best, k, outcome))
        best = k if outcome == 1 else best
    return History(X, np.ones(len(X), dtype=bool), tuple(comparisons))


def settings_of(shape: float = 1.0, **options) -> rbf.Settings:
    return rbf.Settings(**({"shape": shape, "margin": 0.1, "regularization": 1e-3} | options))


def by_hand(history: History, best: int | None, settings: rbf.Settings, folds: list[list[int]]) -> tuple[int, int]:
    """Right predictions, every fold solved from scratch: the least and the largest number, rounding at the margin apart."""
    Psi = rbf.matrix(rbf.Distances.of(history.points).D2, settings)
    c = rbf.slack_weights(history.pairs, history.preferences, best, settings)
    least = largest = 0
    for fold in folds:
        kept = np.setdiff1d(np.arange(len(history)), fold)
        program, _ = rbf.conditions(Psi, history.pairs[kept], history.preferences[kept], c[kept], settings)
        if settings.normalize and best is not None:
            program = rbf.projected(program, Psi[best])
        f = Psi @ solve(program).beta
        for h in fold:
            i, j = history.pairs[h]
            difference, said = f[i] - f[j], history.preferences[h]
            agreement = settings.margin - abs(difference) if said == 0 else said * difference - settings.margin
            least += agreement > 1e-5 * settings.margin
            largest += agreement > -1e-5 * settings.margin
    return least, largest


def left_out(history: History, best: int | None) -> list[int]:
    return [h for h, c in enumerate(history.comparisons) if best not in (c.i, c.j)]


@pytest.mark.parametrize("options", [{}, {"basis": "gaussian"}, {"normalize": True}, {"regularization": 1.0}])
@pytest.mark.parametrize("seed", range(1, 6))
def test_leave_one_out_equals_brute_force(seed, options):
    history = history_of(seed)
    best, D2 = incumbent(history), rbf.Distances.of(history.points).D2
    folds = [[h] for h in left_out(history, best)]
    for shape in SHAPES:
        settings = settings_of(shape, **options)
        least, largest = by_hand(history, best, settings, folds)
        fast = calibration.score(history, D2, best, settings, [np.array(fold) for fold in folds])
        assert least <= fast <= largest


@pytest.mark.parametrize("options", [{}, {"basis": "gaussian"}, {"normalize": True}])
def test_the_quick_estimate_is_near_to_brute_force_and_solves_one_program(options, monkeypatch):
    solved = []
    whole = calibration.dual
    monkeypatch.setattr(calibration, "dual", lambda *given: solved.append(len(given)) or whole(*given))
    off = []
    for seed in range(12):
        history = history_of(seed, answers=25, noise=0.1)
        best, D2 = incumbent(history), rbf.Distances.of(history.points).D2
        folds = [np.array([h]) for h in left_out(history, best)]
        for shape in SHAPES:
            settings = settings_of(shape, **options)
            exact = calibration.score(history, D2, best, settings, folds)
            solved.clear()
            off.append(abs(calibration.score(history, D2, best, settings, folds, quick=True) - exact) / len(folds))
            assert len(solved) == 1
    assert np.mean(off) < 0.02


@pytest.mark.parametrize("folds", [2, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_k_folds_equal_brute_force(seed, folds):
    history = history_of(seed, answers=12)
    best, D2 = incumbent(history), rbf.Distances.of(history.points).D2
    tested = calibration._folds(history, best, folds)
    assert sorted(h for fold in tested for h in fold.tolist()) == left_out(history, best)
    assert max(map(len, tested)) - min(map(len, tested)) <= 1
    assert len(tested) == folds
    for shape in SHAPES:
        least, largest = by_hand(history, best, settings_of(shape), [fold.tolist() for fold in tested])
        assert least <= calibration.score(history, D2, best, settings_of(shape), tested) <= largest


@pytest.mark.parametrize("seed", range(1, 7))
def test_the_shape_that_predicts_most_is_chosen(seed):
    history = history_of(seed)
    best, D2 = incumbent(history), rbf.Distances.of(history.points).D2
    folds = [[h] for h in left_out(history, best)]
    scores = {shape: by_hand(history, best, settings_of(shape), folds) for shape in SHAPES}
    assert all(least == largest for least, largest in scores.values())
    most = max(least for least, _ in scores.values())
    winners = [shape for shape in SHAPES if scores[shape][0] == most]
    chosen = calibration.calibrate(history, D2, best, settings_of(0.9), SHAPES)
    assert chosen == min(winners, key=lambda shape: abs(np.log(shape / 0.9)))


def test_these_histories_do_tell_shapes_apart():
    chosen = set()
    for seed in range(1, 7):
        history = history_of(seed)
        D2 = rbf.Distances.of(history.points).D2
        chosen.add(calibration.calibrate(history, D2, incumbent(history), settings_of(0.9), SHAPES))
    assert len(chosen) > 1


@pytest.mark.parametrize("seed", range(4))
def test_no_more_programs_are_solved_than_the_multipliers_demand(seed, monkeypatch):
    history = history_of(seed, answers=14, noise=0.1, ties=0.0)
    best, D2 = incumbent(history), rbf.Distances.of(history.points).D2
    allowed = 0
    for shape in SHAPES:
        settings = settings_of(shape)
        Psi = rbf.matrix(D2, settings)
        c = rbf.slack_weights(history.pairs, history.preferences, best, settings)
        alpha = solve(rbf.conditions(Psi, history.pairs, history.preferences, c, settings)[0]).multipliers
        allowed += 1 + sum(alpha[h] > 1e-9 * alpha.max() for h in left_out(history, best))
    solved = []
    counted = calibration.dual
    monkeypatch.setattr(calibration, "dual", lambda *given: solved.append(1) or counted(*given))
    calibration.calibrate(history, D2, best, settings_of(), SHAPES)
    assert len(SHAPES) <= len(solved) <= allowed
    assert allowed < len(SHAPES) * (1 + len(left_out(history, best)))


@pytest.mark.parametrize("swap", [False, True])
def test_comparisons_with_the_best_are_never_tested_whichever_side_it_is_on(swap):
    history = history_of(1)
    comparisons = tuple(Comparison(c.j, c.i, -c.preference) if swap else c for c in history.comparisons)
    history = History(history.points.copy(), history.feasible.copy(), comparisons)
    best = incumbent(history)
    for folds in (None, 3):
        tested = [h for fold in calibration._folds(history, best, folds) for h in fold]
        assert sorted(tested) == left_out(history, best)
        assert 0 < len(tested) < len(history)


@pytest.mark.parametrize("folds", [None, 2])
def test_nothing_to_test_keeps_the_shape(folds):
    history = history_of(0, ties=0.0, noise=0.0)
    with_best = tuple(Comparison(0, k, -1) for k in range(1, len(history.points)))
    history = History(history.points.copy(), history.feasible.copy(), with_best)
    D2 = rbf.Distances.of(history.points).D2
    assert calibration.calibrate(history, D2, 0, settings_of(0.77), SHAPES, folds) == 0.77
    empty = History.empty(2)
    assert calibration.calibrate(empty, np.zeros((0, 0)), None, settings_of(0.77), SHAPES, folds) == 0.77


@pytest.mark.parametrize(("current", "nearest"), [(0.01, 0.1), (0.19, 0.1), (0.21, 0.4), (1.2, 1.0), (99.0, 6.3)])
def test_equal_scores_keep_the_shape_nearest_to_the_current_one(current, nearest, monkeypatch):
    monkeypatch.setattr(calibration, "score", lambda *_: 3)
    history = history_of(1)
    D2 = rbf.Distances.of(history.points).D2
    assert calibration.calibrate(history, D2, incumbent(history), settings_of(current), SHAPES) == nearest


def test_a_tie_is_predicted_within_the_margin():
    difference, outcomes = np.array([0.1, -0.1, 0.11, -0.11, 0.1, 0.11, -0.5]), np.array([0, 0, 0, 0, 1, 1, -1.0])
    assert calibration._predicted_right(difference, outcomes, 0.1).tolist() == [
        True, True, False, False, False, True, False,
    ]  # fmt: skip


def test_by_sign_a_difference_below_the_margin_predicts_a_strict_answer_and_no_tie():
    difference, said = np.array([0.05, -0.05, 0.05, 0.0]), np.array([1.0, 1.0, 0.0, 0.0])
    assert calibration._predicted_right(difference, said, 0.1).tolist() == [False, False, True, True]
    assert calibration._predicted_right(difference, said, 0.0).tolist() == [True, False, False, True]


def test_both_rules_are_offered_and_choose_differently():
    chosen = []
    for seed in range(12):
        history = history_of(seed, answers=20)
        best, D2 = incumbent(history), rbf.Distances.of(history.points).D2
        of_rule = {
            rule: calibration.calibrate(history, D2, best, settings_of(0.9), calibration.GRID, rule=rule)
            for rule in calibration.RULES
        }
        assert calibration.calibrate(history, D2, best, settings_of(0.9), calibration.GRID) == of_rule["margin"]
        chosen.append(of_rule["margin"] != of_rule["sign"])
    assert any(chosen)


def test_the_grid_is_the_papers():
    assert list(calibration.GRID) == pytest.approx([10 ** (-1 + (k - 1) / 5) for k in range(1, 11)])


def test_leaving_out_everything_leaves_nothing_to_predict_from():
    program = Program(np.eye(2), np.ones(2), np.ones(2), 1e-2)
    assert calibration._leave_out_qp(program, quick=False)([0, 1]).tolist() == [0, 0]


@pytest.mark.parametrize("seed", range(1, 5))
def test_without_regularization_what_is_left_is_fitted_as_well_as_it_can_be(seed):
    """A linear program has many solutions; the one without a fold has the least slack of those without it."""
    history = history_of(seed, noise=0.4)
    settings = settings_of(0.4, regularization=0.0)
    Psi = rbf.matrix(rbf.Distances.of(history.points).D2, settings)
    program, of = rbf.conditions(Psi, history.pairs, history.preferences, np.ones(len(history)), settings)
    predict = calibration._leave_out_lp(program)
    for h in range(len(history)):
        kept = of != h
        least = solve(Program(program.G[kept], program.r[kept], program.c[kept], 0.0)).slack.sum()
        slack = np.maximum(program.r - predict(np.flatnonzero(~kept).tolist()), 0)[kept]
        assert slack.sum() == pytest.approx(least, abs=1e-6)
