"""Scripts written for glis run with another import."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

import prefero as pf
from prefero.compat import glis
from prefero.compat.glis import GLISp
from prefero.errors import InputError

lb, ub = np.array([-2.0, -1.0]), np.array([2.0, 1.0])


def camel(x):
    return (4.0 - 2.1 * x[0] ** 2 + x[0] ** 4 / 3.0) * x[0] ** 2 + x[0] * x[1] + (4.0 * x[1] ** 2 - 4.0) * x[1] ** 2


def pref_fun(x1, x2, fun=camel):
    """The README's synthetic preference."""
    tol = 1.0e-4
    f1, f2 = fun(x1), fun(x2)
    return -1 if f1 <= f2 - tol else 1 if f1 >= f2 + tol else 0


def test_the_readme_example_finds_a_minimum_and_goes_on():
    prob = GLISp(bounds=(lb, ub), n_initial_random=10, seed=0)
    xopt = prob.solve(pref_fun, 40)
    assert camel(xopt) < -1.0
    assert np.array_equal(xopt, prob.xbest)
    assert np.array(prob.X).shape == (41, 2)
    assert len(prob.I) + len(prob.Ieq) == prob.iter == 40
    assert all(camel(prob.X[i]) < camel(prob.X[j]) for i, j in prob.I)
    assert prob.ibest_seq[-1] == prob.ibest
    assert np.array_equal(prob.X[prob.ibest], xopt)

    x, xbest = prob.xnext, prob.xbest  # the README: "if additional preference queries can be done"
    x = prob.update(pref_fun(x, xbest))
    assert len(prob.X) == 43
    assert np.array_equal(x, prob.xnext)
    assert camel(prob.xbest) <= camel(xbest)
    assert prob.rbf_recalibrate() in prob.study.proposer.calibration_grid


def test_step_by_step_is_the_same_as_solve():
    solved = GLISp(bounds=(lb, ub), n_initial_random=6, expected_max_evals=13, seed=3)
    xopt = solved.solve(pref_fun, 12)
    prob = GLISp(bounds=(lb, ub), n_initial_random=6, expected_max_evals=13, seed=3)
    xbest, x = prob.initialize()
    for _ in range(12):
        x = prob.update(pref_fun(x, xbest))
        xbest = prob.xbest
    assert np.array_equal(xbest, xopt)
    assert (prob.I, prob.Ieq) == (solved.I, solved.Ieq)


def test_known_constraints_hold_and_an_equal_pair_is_a_tie():
    A, b = (
        np.array([[1.6295, 1], [-1, 4.4553], [-4.3023, -1], [-5.6905, -12.1374], [17.6198, 1]]),
        np.array([3.0786, 2.7417, -1.4909, 1, 32.5198]),
    )
    prob = GLISp(
        bounds=(lb, ub), A=A, b=b, g=lambda x: np.array([x[0] ** 2 + (x[1] + 0.1) ** 2 - 0.5]), seed=1, delta=1.0
    )
    prob.solve(lambda x, y: 0, 8)
    assert len(prob.Ieq) == 8
    X = np.array(prob.X)
    assert (b + 1e-6 >= X @ A.T).all()
    assert (X[:, 0] ** 2 + (X[:, 1] + 0.1) ** 2 <= 0.5 + 1e-6).all()


def works(x):
    return x[0] < 0.8


def test_unknown_constraints_fail_candidates_and_dissatisfaction_rejects_them():
    def prefer(x1, x2):
        return pref_fun(x1, x2, lambda x: camel(x) + 10 * (not works(x)))

    prob = GLISp(
        bounds=(lb, ub), n_initial_random=8, has_unknown_constraints=True, has_satisfaction_fun=True, seed=2, display=0
    )
    xopt = prob.solve(prefer, 25, unknown_constraint_fun=works, satisfactory_fun=lambda x: camel(x) < 0)
    assert works(xopt)
    assert len(prob.X) == len(prob.UnknownFeasible) == len(prob.UnknownSatisfactory)
    assert [works(x) for x in prob.X] == prob.UnknownFeasible
    assert not all(prob.UnknownFeasible)
    assert prob.study.history.failed
    assert any("unacceptable" in entry.answer for entry in prob.study.answers)


def test_the_first_sample_may_fail_too():
    prob = GLISp(bounds=(lb, ub), n_initial_random=8, seed=2)
    xbest, x = prob.initialize()
    prob.eval_feas_sat(xbest, unknown_constraint_fun=lambda x: False)
    first = xbest
    for _ in range(10):
        pref = pref_fun(x, xbest)
        prob.eval_feas_sat(x, unknown_constraint_fun=works)
        x = prob.update(pref)
        xbest = prob.xbest
    assert works(xbest)
    assert not np.array_equal(xbest, first)


def test_options_become_those_of_the_paper(capsys):
    prob = GLISp(
        (lb, ub), rbf=glis.gaussian, rbf_epsil=3.0, sepvalue=0.1, thetas=np.array([0.5, 1.0]), scale_delta=True,
        RBFcalibrationSteps=np.array([5]), acquisition_method="prob_improvement", PSOiters=10, display=1, seed=0,
    )  # fmt: skip
    asks = prob.proposer
    assert (asks.basis, asks.shape, asks.margin, asks.acquisition) == ("gaussian", 3.0, 0.1, "improvement")
    assert (asks.calibration_steps, asks.calibration_grid, asks.final_exploration) == ((5,), (0.5, 1.0), 0.0)
    assert GLISp((lb, ub), RBFcalibrate=False).proposer.calibration_steps == ()
    prob.initialize()
    prob.update(-1)
    assert re.match(r"query   1: improved; best so far \[", capsys.readouterr().out)
    other = GLISp((lb, ub), proposer="posterior", seed=0)
    assert camel(other.solve(pref_fun, 12)) < 0


@pytest.mark.parametrize("name", list(glis._BASES))
def test_the_bases_are_those_of_the_surrogate(name):
    x = np.array([[0.0, 0.0], [1.0, 0.5]])
    values = getattr(glis, name)(x, np.zeros(2), 0.7)
    d = np.sqrt(1.25)
    expected = {
        "inverse_quadratic": 1 / (1 + (0.7 * d) ** 2),
        "gaussian": np.exp(-((0.7 * d) ** 2)),
        "multiquadric": np.sqrt(1 + (0.7 * d) ** 2),
        "thin_plate_spline": (0.7 * d) ** 2 * np.log(0.7 * d),
        "linear": 0.7 * d,
        "inverse_multi_quadric": 1 / np.sqrt(1 + (0.7 * d) ** 2),
    }
    assert values.shape == (2,)
    assert values[1] == pytest.approx(expected[name])
    assert np.isfinite(values[0])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"bounds": [lb, ub]}, "bounds"),
        ({"acquisition_method": "ei"}, "acquisition_method"),
        ({"rbf": "IDW"}, "rbf"),
        ({"A": np.eye(2)}, "A, b"),
        ({"swarm": 3}, "swarm is not an argument"),
    ],
)
def test_what_cannot_be_is_refused(arguments, said):
    with pytest.raises(InputError, match=said):
        GLISp(**({"bounds": (lb, ub)} | arguments))


def test_update_before_initialize_is_refused():
    with pytest.raises(InputError, match="initialize"):
        GLISp((lb, ub)).update(1)
    with pytest.raises(InputError, match="rbf_recalibrate"):
        GLISp((lb, ub)).rbf_recalibrate()


def test_the_answers_of_a_solver_are_imported():
    prob = GLISp(bounds=(lb, ub), n_initial_random=4, seed=0)
    prob.solve(lambda x, y: pref_fun(x, y, lambda x: round(camel(x), 0)), 10)
    assert prob.Ieq
    study = pf.Study(pf.Space.box(lb, ub), seed=0)
    glis.import_solver(study, prob)
    assert len(study.history) == 10
    assert sum(c.preference == 0 for c in study.history.comparisons) == len(prob.Ieq)
    with pytest.raises(InputError, match="it has no I"):
        glis.import_solver(study, SimpleNamespace(X=[], Ieq=[]))


@pytest.mark.filterwarnings("default")
def test_the_answers_of_the_real_package_are_imported():
    solvers = pytest.importorskip("glis.solvers")
    prob = solvers.GLISp(bounds=(lb, ub), n_initial_random=10, display=0)
    xbest, x = prob.initialize()
    for _ in range(8):  # in the opening: what follows fails in glis 2.0.2 with the newest NumPy
        x = prob.update(pref_fun(x, xbest))
        xbest = prob.xbest
    study = pf.Study(pf.Space.box(lb, ub), seed=0)
    glis.import_solver(study, prob)
    assert len(study.history) == 8
    assert camel(np.asarray(study.best)) == min(map(camel, prob.X[:9]))
