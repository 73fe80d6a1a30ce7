"""Formulas of well-known test functions, each over the last axis of an array, lower is better.

A function maps an array of shape (..., n) to shape (...), so that one point and many points are the same call.
Minima are those of the whole space unless `problems` says otherwise.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]


def total(terms: Array) -> Array:
    """The sum over the last axis."""
    return np.asarray(np.sum(terms, axis=-1))


def brochu(x: Array) -> Array:
    """Minus the sum of sin t + t/3 + sin 12t, the test function of Brochu, de Freitas and Ghosh (2008)."""
    return -total(np.sin(x) + x / 3 + np.sin(12 * x))


def brochu_2d(x: Array) -> Array:
    """The Brochu function cut off at 1, so that it is flat over most of the square."""
    return np.minimum(brochu(x) + 1, 0)


def adjiman(x: Array) -> Array:
    """Adjiman's function of two variables; its minimum lies on the border of the usual box."""
    return np.cos(x[..., 0]) * np.sin(x[..., 1]) - x[..., 0] / (x[..., 1] ** 2 + 1)


def ackley(x: Array) -> Array:
    """Ackley's function: a funnel under many small dimples, 0 at the origin."""
    n = x.shape[-1]
    bowl = -20 * np.exp(-0.2 * np.sqrt(total(x**2) / n))
    dimples = np.exp(total(np.cos(2 * np.pi * x)) / n)
    return np.asarray(bowl - dimples + 20 + np.e)


_HARTMAN_WEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
_HARTMAN_3_SCALES = np.array([[3.0, 10, 30], [0.1, 10, 35], [3.0, 10, 30], [0.1, 10, 35]])
_HARTMAN_3_CENTRES = 1e-4 * np.array([[3689.0, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]])
_HARTMAN_6_SCALES = np.array(
    [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
)
_HARTMAN_6_CENTRES = 1e-4 * np.array(
    [
        [1312.0, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def _hartman(x: Array, scales: Array, centres: Array) -> Array:
    exponents = total(scales * (x[..., None, :] - centres) ** 2)
    return -total(_HARTMAN_WEIGHTS * np.exp(-exponents))


def hartman3(x: Array) -> Array:
    """Hartman's function of three variables: four Gaussian wells."""
    return _hartman(x, _HARTMAN_3_SCALES, _HARTMAN_3_CENTRES)


def hartman6(x: Array) -> Array:
    """Hartman's function of six variables: four Gaussian wells."""
    return _hartman(x, _HARTMAN_6_SCALES, _HARTMAN_6_CENTRES)


def rosenbrock(x: Array) -> Array:
    """Rosenbrock's curved valley, 0 at (1, ..., 1)."""
    head, tail = x[..., :-1], x[..., 1:]
    return total(100 * (tail - head**2) ** 2 + (head - 1) ** 2)


def step2(x: Array) -> Array:
    """The second step function: squares of the nearest integers, 0 on a unit cube around the origin."""
    return total(np.floor(x + 0.5) ** 2)


def camel6(x: Array) -> Array:
    """The six-hump camel back: six local minima, two of them global."""
    a, b = x[..., 0], x[..., 1]
    return (4 - 2.1 * a**2 + a**4 / 3) * a**2 + a * b + (4 * b**2 - 4) * b**2


def sasena(x: Array) -> Array:
    """The function of Sasena et al. (2002), eq:sasena of the paper; its constraint is in `constraints`."""
    a, b = x[..., 0], x[..., 1]
    bowl = 2 + 0.01 * (b - a**2) ** 2 + (1 - a) ** 2 + 2 * (2 - b) ** 2
    return np.asarray(bowl + 7 * np.sin(0.5 * a) * np.sin(0.7 * a * b))


def branin(x: Array) -> Array:
    """Branin's function of two variables, three equal minima."""
    a, b = x[..., 0], x[..., 1]
    valley = b - 5.1 / (4 * np.pi**2) * a**2 + 5 / np.pi * a - 6
    return valley**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(a) + 10


def log_goldstein_price(x: Array) -> Array:
    """The logarithm of the Goldstein-Price function, whose own values span six decades."""
    a, b = x[..., 0], x[..., 1]
    first = 1 + (a + b + 1) ** 2 * (19 - 14 * a + 3 * a**2 - 14 * b + 6 * a * b + 3 * b**2)
    second = 30 + (2 * a - 3 * b) ** 2 * (18 - 32 * a + 12 * a**2 + 48 * b - 36 * a * b + 27 * b**2)
    return np.log(first) + np.log(second)


def levy(x: Array) -> Array:
    """Levy's function, 0 at (1, ..., 1)."""
    w = 1 + (x - 1) / 4
    inner, last = w[..., :-1], w[..., -1]
    ripples = total((inner - 1) ** 2 * (1 + 10 * np.sin(np.pi * inner + 1) ** 2))
    end = (last - 1) ** 2 * (1 + np.sin(2 * np.pi * last) ** 2)
    return np.asarray(np.sin(np.pi * w[..., 0]) ** 2 + ripples + end)


def michalewicz(x: Array) -> Array:
    """Michalewicz's function with exponent 20: narrow valleys in a plain."""
    order = np.arange(1, x.shape[-1] + 1)
    return -total(np.sin(x) * np.sin(order * x**2 / np.pi) ** 20)


def griewank(x: Array) -> Array:
    """Griewank's function: a wide bowl with a product of cosines, 0 at the origin."""
    roots = np.sqrt(np.arange(1, x.shape[-1] + 1))
    return np.asarray(1 + total(x**2) / 4000 - np.prod(np.cos(x / roots), axis=-1))


def schwefel(x: Array) -> Array:
    """Schwefel's function on [-500, 500]: the best two valleys lie far apart."""
    return -total(x * np.sin(np.sqrt(np.abs(x))))


def bohachevsky(x: Array) -> Array:
    """Bohachevsky's first function of two variables, 0 at the origin."""
    a, b = x[..., 0], x[..., 1]
    return a**2 + 2 * b**2 - 0.3 * np.cos(3 * np.pi * a) - 0.4 * np.cos(4 * np.pi * b) + 0.7


_SHEKEL_CENTRES = np.array(
    [
        [4.0, 4, 4, 4],
        [1, 1, 1, 1],
        [8, 8, 8, 8],
        [6, 6, 6, 6],
        [3, 7, 3, 7],
        [2, 9, 2, 9],
        [5, 5, 3, 3],
        [8, 1, 8, 1],
        [6, 2, 6, 2],
        [7, 3.6, 7, 3.6],
    ]
)
_SHEKEL_WIDTHS = 0.1 * np.array([1.0, 2, 2, 4, 4, 6, 3, 7, 5, 5])


def shekel10(x: Array) -> Array:
    """Shekel's function with ten foxholes in four variables."""
    distances = total((x[..., None, :] - _SHEKEL_CENTRES) ** 2)
    return -total(1 / (distances + _SHEKEL_WIDTHS))


def dixon_price(x: Array) -> Array:
    """The Dixon-Price valley, 0 at x_i = 2^(2^(1-i) - 1)."""
    order = np.arange(2, x.shape[-1] + 1)
    chain = total(order * (2 * x[..., 1:] ** 2 - x[..., :-1]) ** 2)
    return (x[..., 0] - 1) ** 2 + chain


def styblinski_tang(x: Array) -> Array:
    """The Styblinski-Tang function: 2^n local minima, the best where every variable is -2.9035."""
    return total(x**4 - 16 * x**2 + 5 * x) / 2


def zakharov(x: Array) -> Array:
    """Zakharov's function: a bowl whose sides steepen along one diagonal, 0 at the origin."""
    slope = total(0.5 * np.arange(1, x.shape[-1] + 1) * x)
    return total(x**2) + slope**2 + slope**4


def rastrigin(x: Array) -> Array:
    """Rastrigin's function with ripples of height 2 x 3 instead of 2 x 10, 0 at the origin."""
    return total(x**2 + 3 * (1 - np.cos(2 * np.pi * x)))


def ellipsoid(x: Array) -> Array:
    """A quadratic bowl of condition number 1000, 0 at the origin."""
    return total(np.logspace(0, 3, x.shape[-1]) * x**2)
