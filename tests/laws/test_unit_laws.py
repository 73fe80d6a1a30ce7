"""Rescaling the units of variables leaves the proposals where they are in the box."""

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint

import prefero as pf
from tests.strategies import begun, each_proposer, for_each_proposer, pairs_shown


def latent(x: np.ndarray) -> float:
    """Somebody's taste, in the box."""
    return float((x[0] - 0.3) ** 2 + 2 * abs(x[1] + 0.2) + 0.3 * np.sin(5 * x[0] * x[1]))


def run(space: pf.Space, proposer: str, answers: int = 9) -> list:
    study = begun(proposer, space, answers, seed=3)
    for _ in range(answers):
        question = study.ask()
        f_a, f_b = (latent(space.encode(candidate)) for candidate in (question.a, question.b))
        study.tell(question, "a" if f_a < f_b else "b")
    study.ask()
    return pairs_shown(study)


@for_each_proposer(6, powers=st.tuples(st.integers(-20, 20), st.integers(-20, 20)))
def test_units_by_powers_of_two_change_nothing_to_the_last_bit(proposer, powers):
    a, b = 2.0 ** powers[0], 2.0 ** powers[1]
    plain = run(pf.Space({"x": pf.Real(-3, 5), "y": pf.Real(1, 2)}), proposer)
    scaled = run(pf.Space({"x": pf.Real(-3 * a, 5 * a), "y": pf.Real(b, 2 * b)}), proposer)
    assert np.array_equal(plain, scaled)


@for_each_proposer(6, factor=st.floats(0.01, 100), shift=st.floats(-100, 100), factors=st.floats(0.01, 100))
def test_other_units_change_nothing_but_rounding(proposer, factor, shift, factors):
    plain = run(pf.Space({"x": pf.Real(-3, 5), "y": pf.Real(1, 20, log=True)}), proposer)
    other = {"x": pf.Real(-3 * factor + shift, 5 * factor + shift), "y": pf.Real(factors, 20 * factors, log=True)}
    assert run(pf.Space(other), proposer) == pytest.approx(np.array(plain), abs=1e-5)


@for_each_proposer(5, power=st.integers(-20, 20))
def test_units_of_constrained_variables_change_nothing(proposer, power):
    u = 2.0**power
    plain = pf.Space({"x": pf.Real(0, 4), "y": pf.Real(0, 4)}, LinearConstraint([[1, 2]], -np.inf, 5))
    scaled = pf.Space({"x": pf.Real(0, 4 * u), "y": pf.Real(0, 4)}, LinearConstraint([[1 / u, 2]], -np.inf, 5))
    assert run(plain, proposer) == pytest.approx(np.array(run(scaled, proposer)), abs=1e-6)


@each_proposer
def test_names_change_nothing(proposer):
    one = run(pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)}), proposer)
    two = run(pf.Space({"zeta": pf.Real(0, 1), "alpha": pf.Real(0, 1)}), proposer)
    assert np.array_equal(one, two)
