"""Every knob of Glisp and every argument of fit refuses what it cannot use, by name."""

import math

import numpy as np
import pytest

import prefero as pf
from prefero.errors import InputError
from tests.complaints import complaint


@pytest.mark.parametrize(
    ("knob", "given", "allowed"),
    [
        ("initial_samples", 1, "a whole number from 2 up"),
        ("initial_samples", 2.5, "a whole number from 2 up"),
        ("initial_samples", "8", "a whole number from 2 up"),
        ("exploration", -1, "a number from 0 up"),
        ("exploration", math.inf, "a number from 0 up"),
        ("exploration", math.nan, "a number from 0 up"),
        ("exploration", "high", "a number"),
        ("final_exploration", -0.1, "a number from 0 up"),
        ("margin", 0, "a positive number"),
        ("margin", math.nan, "a positive number"),
        ("margin", "wide", "a number"),
        ("exploration", "0.5", "a number"),
        ("exploration", True, "a number"),
        ("shape", 0, "a positive number"),
        ("shape", -1, "a positive number"),
        ("shape", math.inf, "a positive number"),
        ("regularization", -1e-9, "a number from 0 up"),
        ("regularization", math.inf, "a number from 0 up"),
        ("weights", (1, 1), "three positive numbers"),
        ("weights", (1, 0, 1), "three positive numbers"),
        ("weights", (1, math.nan, 1), "three positive numbers"),
        ("weights", 1.0, "a list of numbers"),
        ("best_weight", 0, "a positive number"),
        ("basis", "cubic", "inverse quadratic, gaussian"),
        ("basis", ["gaussian"], "inverse quadratic, gaussian"),
        ("normalize", "yes", "False or True"),
        ("acquisition", "ei", "idw or improvement"),
        ("calibration_steps", 5, "a list of numbers"),
        ("calibration_steps", [2.5], "whole numbers of samples"),
        ("calibration_steps", [0], "whole numbers of samples"),
        ("calibration_steps", "abc", "a list of numbers"),
        ("calibration_grid", [], "one or more positive factors"),
        ("calibration_grid", [1.0, -1.0], "one or more positive factors"),
        ("calibration_grid", 2.0, "a list of numbers"),
        ("calibration_of", "last", "first or current"),
        ("calibration_rule", "signs", "margin or sign"),
        ("calibration_folds", 1, "a whole number from 2 up"),
        ("calibration_folds", 2.5, "a whole number from 2 up"),
        ("compare_infeasible", 3, "False or True"),
        ("search", "newton", "multistart or swarm or direct"),
    ],
)
def test_a_wrong_knob_is_refused_by_name(knob, given, allowed):
    with complaint(InputError, f"{knob}: got", allowed):
        pf.Glisp(**{knob: given})


def test_the_probability_of_improvement_needs_regularization():
    with complaint(InputError, "regularization", "0", "λ > 0"):
        pf.Glisp(acquisition="improvement", regularization=0)
    assert pf.Glisp(acquisition="improvement", regularization=1e-6).acquisition == "improvement"


@pytest.mark.parametrize("steps", [[3, 5], (3, 5), {3, 5}, range(3, 7, 2), np.array([3, 5])])
def test_lists_of_any_kind_are_kept_and_written(steps):
    knobs = pf.Glisp(calibration_steps=steps, calibration_grid=np.array([0.5, 2.0]), weights=[1, 2, 3])
    assert knobs.calibration_steps == (3, 5)
    assert knobs.calibration_grid == (0.5, 2.0)
    study = pf.Study(([0.0], [1.0]), seed=0, proposer=knobs)
    assert pf.Study.from_json(study.to_json()).proposer == knobs


def test_all_knobs_survive_json():
    knobs = pf.Glisp(
        initial_samples=4, exploration=1.5, final_exploration=0.25, margin=0.1, shape=0.7, regularization=0.01,
        weights=(1.0, 2.0, 3.0), best_weight=5.0, basis="gaussian", normalize=True, acquisition="improvement",
        calibration_steps=(4, 6), calibration_grid=(0.5, 2.0), calibration_of="current", calibration_folds=3,
        compare_infeasible=True, search="swarm", much=5.0, unsure=0.5, calibration_rule="sign",
    )  # fmt: skip
    assert pf.Study.from_json(pf.Study(([0.0], [1.0]), proposer=knobs).to_json()).proposer == knobs
    assert all(value != getattr(pf.Glisp(), name) for name, value in vars(knobs).items())


X = [[0.0], [0.5], [1.0]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"X": [0.0, 1.0]}, ("X", "one row per sample")),
        ({"X": [[0.0]]}, ("X", "at least two rows")),
        ({"X": [[0.0], [math.nan]]}, ("X", "finite")),
        ({"X": [[0.0], [0.0, 1.0]]}, ("X", "a matrix")),
        ({"X": "abc"}, ("X", "'abc'", "a matrix")),
        ({"pairs": [(0, 3)]}, ("pairs", "(0, 3)", "0 to 2")),
        ({"pairs": [(-1, 0)]}, ("pairs", "(-1, 0)", "0 to 2")),
        ({"pairs": [(1, 1)]}, ("pairs", "(1, 1)", "different row numbers")),
        ({"pairs": [(0.0, 1.0)]}, ("pairs", "row numbers")),
        ({"pairs": [(0, 1), (2,)]}, ("pairs", "row numbers")),
        ({"pairs": [0, 1]}, ("pairs", "[0, 1]", "row numbers")),
        ({"ties": [(0, 0)]}, ("ties", "(0, 0)", "different row numbers")),
        ({"bounds": (0, 0)}, ("bounds", "(0, 0)", "lower below upper")),
        ({"bounds": ([0, 0], [1, 1])}, ("bounds", "1 finite numbers each")),
        ({"bounds": 3}, ("bounds", "3", "(lower, upper)")),
        ({"bounds": (0, math.inf)}, ("bounds", "inf", "finite")),
        ({"basis": "cubic"}, ("basis", "'cubic'", "gaussian")),
        ({"shape": 0}, ("shape", "0", "a positive number")),
        ({"margin": -1}, ("margin", "-1", "a positive number")),
        ({"regularization": -1}, ("regularization", "-1", "a number from 0 up")),
        ({"weights": 0}, ("weights", "0", "positive numbers")),
        ({"weights": [1.0, 2.0, 3.0]}, ("weights", "one for each of the 2")),
        ({"weights": "heavy"}, ("weights", "'heavy'", "positive numbers")),
        ({"zero_at": 3}, ("zero_at", "3", "0 to 2")),
        ({"zero_at": "best"}, ("zero_at", "'best'", "0 to 2")),
    ],
)
def test_a_wrong_argument_of_fit_is_refused_by_name(arguments, words):
    with complaint(InputError, *words):
        pf.fit(**({"X": X, "pairs": [(0, 1), (1, 2)]} | arguments))
