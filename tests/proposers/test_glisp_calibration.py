"""When ε is calibrated: the paper's I_sc, then every ⌈N_max/6⌉, and never twice."""

from math import ceil

import numpy as np
import pytest

import prefero as pf
from prefero.models import calibration, rbf
from prefero.study.session import Session
from tests.strategies import answered, distance_to


def calibrated_at(comparisons: int, answers: int, monkeypatch, **knobs) -> list[int]:
    """The numbers N of samples at which a study that is never reloaded calibrates."""
    seen = []

    def spy(history, D2, best, settings, shapes, folds, quick, *more):
        seen.append(len(history) + 1)
        return settings.shape

    monkeypatch.setattr(calibration, "calibrate", spy)
    study = pf.Study(([0.0], [1.0]), comparisons=comparisons, seed=0, proposer=pf.Glisp(**knobs))
    new = []
    for _ in range(answers):
        answered(study, distance_to([0.3]), 1)
        seen.clear()
        study.ask()
        new += seen[-1:] if seen and seen[-1] == len(study.history) + 1 else []
    return new


def paper(N_max: int, N_init: int) -> list[int]:
    rest = N_max - N_init
    return [N_init, N_init + ceil(rest / 4), N_init + ceil(rest / 2), N_init + ceil(3 * rest / 4)]


@pytest.mark.parametrize("comparisons", [9, 14, 24, 49])
def test_calibration_is_at_the_papers_steps(comparisons, monkeypatch):
    N_max = comparisons + 1
    expected = sorted(set(paper(N_max, ceil(N_max / 3))))
    assert calibrated_at(comparisons, comparisons - 1, monkeypatch) == expected


def test_the_sasena_example_calibrates_where_the_paper_says(monkeypatch):
    """N_max = 25, N_init = 8: the paper's rule gives 8, 13, 17, 21 (it prints 12 for 13)."""
    assert calibrated_at(24, 23, monkeypatch, initial_samples=8) == [8, 13, 17, 21]


@pytest.mark.parametrize("comparisons", [9, 14])
def test_beyond_n_max_calibration_goes_on_every_sixth_of_it(comparisons, monkeypatch):
    N_max = comparisons + 1
    done = calibrated_at(comparisons, 2 * N_max, monkeypatch)
    later = [step for step in done if step >= N_max]
    assert later == list(range(N_max, 2 * N_max + 2, ceil(N_max / 6)))


def test_own_steps_are_the_only_ones(monkeypatch):
    assert calibrated_at(9, 15, monkeypatch, calibration_steps=[5, 7, 12]) == [5, 7, 12]
    assert calibrated_at(9, 15, monkeypatch, calibration_steps=[]) == []


@pytest.mark.parametrize("step", [16, 17, 18, 33])
def test_no_step_is_lost_where_the_state_is_built_anew(step, monkeypatch):
    assert calibrated_at(40, 34, monkeypatch, calibration_steps=[step]) == [step]


def test_the_calibrated_shape_is_used(monkeypatch):
    used = []
    monkeypatch.setattr(
        calibration, "calibrate", lambda history, D2, best, settings, shapes, folds, quick, *more: shapes[-1]
    )
    study = answered(pf.Study(([0.0], [1.0]), comparisons=9, seed=0, proposer="glisp"), distance_to([0.3]), 6)
    plain = rbf.fit_history

    def spy(history, distances, best, settings):
        used.append(settings.shape)
        return plain(history, distances, best, settings)

    monkeypatch.setattr(rbf, "fit_history", spy)
    study.ask()
    assert used == [pytest.approx(calibration.GRID[-1])]


def imported(answers: int, comparisons: int, **knobs) -> pf.Study:
    """A study with many imported answers about one variable."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 1, (60, 1))
    pairs = [rng.choice(60, 2, replace=False).tolist() for _ in range(answers)]
    study = pf.Study(([0.0], [1.0]), comparisons=comparisons, seed=0, proposer=pf.Glisp(**knobs))
    study.import_comparisons(X, [(i, j, "a" if abs(X[i, 0] - 0.3) < abs(X[j, 0] - 0.3) else "b") for i, j in pairs])
    return study


@pytest.mark.parametrize(
    ("answers", "comparisons", "exact"), [(120, 30, True), (130, 30, False), (130, 130, True), (250, 240, False)]
)
def test_very_many_answers_are_calibrated_once_and_quickly(answers, comparisons, exact, monkeypatch):
    seen = []

    def spy(history, D2, best, settings, shapes, folds, quick, *more):
        seen.append((quick, settings.shape))
        return 2 * settings.shape

    monkeypatch.setattr(calibration, "calibrate", spy)
    imported(answers, comparisons).ask()
    if exact:
        assert len(seen) > 1
        assert not any(quick for quick, _ in seen)
    else:
        assert seen == [(True, 1.0)]  # nothing depends on earlier calibrations


@pytest.mark.parametrize("of", ["first", "current"])
def test_with_very_many_answers_a_state_from_scratch_is_the_state_carried_along(of):
    proposer = pf.Glisp(calibration_of=of, calibration_steps=[30, 123, 130])
    study = imported(130, 30)
    task = Session.of(study.log.state).task
    state, rng = None, np.random.default_rng(0)
    for k in range(110, 131):
        state = proposer.advance(state, study.history.prefix(k), task, rng)
    assert proposer.advance(None, study.history, task, rng).shape == state.shape


def test_a_linear_program_is_calibrated_by_few_folds_of_the_last_answers(monkeypatch):
    seen = []

    def spy(history, D2, best, settings, shapes, folds, quick, *more):
        seen.append((len(history), folds))
        return settings.shape

    monkeypatch.setattr(calibration, "calibrate", spy)
    imported(140, 30, regularization=0).ask()
    assert seen == [(120, 5)]
