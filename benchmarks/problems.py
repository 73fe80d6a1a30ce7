"""The benchmark's problems: a function of a vector, its box, its known minimum and a budget of samples.

`SETS` names the collections. "ten" are the functions of section 7.2 of the paper with its budgets, "sasena" its
constrained example. Several of the ten are separable or have their minimum in the middle of the box, which flatters
some methods: "others" are well-known functions nobody tuned to, "turned" are our own, where no variable acts alone.
"budgets" are some of the ten with 200 samples, "answers" is one with 501, "dimensions" two turned functions of 1 to 20 variables.
"multiobjective" and "classifier" are those of sections 7.3 and 7.4, functions of weights that sum to one, the last one eliminated.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeAlias

import numpy as np

from benchmarks import functions, pareto, surfaces
from benchmarks.cifar import costs
from benchmarks.constraints import CONSTRAINTS
from benchmarks.functions import Array

Function: TypeAlias = Callable[[Array], Array]

RANGE_POINTS = 10_000
FLOOR = 1e-3  # regrets below this part of the range count as this part: nobody sees a smaller difference
DIGITS = 1e-6  # the same for figures and tables of digits


@dataclass(frozen=True, eq=False)
class Problem:
    """A latent function in its box; `samples` is N_max, so that a run asks `samples - 1` comparisons."""

    name: str
    function: Function  # over the last axis, so that it takes one point or many
    lower: Array
    upper: Array
    minimum: float
    samples: int
    source: str
    minimizer: Array | None = None
    constraint: str | None = None  # a name in `constraints.CONSTRAINTS`
    initial_samples: int | None = None  # where the paper does not take a third of the samples
    delta: float = 2.0  # the paper's weight of exploration
    separation: float | None = None  # where the paper's sigma is not 1 / samples
    known_range: float | None = None  # where `range_of` need not estimate it

    def __call__(self, x: Array) -> float:
        """The latent value at one point, as a float."""
        return float(self.function(np.asarray(x, dtype=float)))

    @property
    def dimension(self) -> int:
        """The number of variables."""
        return len(self.lower)

    @property
    def initial(self) -> int:
        """The number of initial samples in the paper's settings: a third of all, rounded up."""
        return self.initial_samples or -(-self.samples // 3)

    @property
    def sigma(self) -> float:
        """The separation of preferred samples in the paper's settings."""
        return 1 / self.samples if self.separation is None else self.separation


@cache
def range_of(problem: Problem) -> float:
    """How far a typical point is above the minimum: the median over 10,000 uniform (feasible) points minus it."""
    if problem.known_range is not None:
        return problem.known_range
    points = np.random.default_rng(0).uniform(problem.lower, problem.upper, (RANGE_POINTS, problem.dimension))
    if problem.constraint is not None:
        g = CONSTRAINTS[problem.constraint]
        points = points[[g(point.tolist()) <= 0 for point in points]]
    return float(np.median(problem.function(points))) - problem.minimum


def floor_of(problem: Problem, part: float = FLOOR) -> float:
    """The regret below which two methods count as equal: a part of the range, by default a thousandth."""
    return part * range_of(problem)


def _box(bounds: Iterable[tuple[float, float]]) -> tuple[Array, Array]:
    lower, upper = np.array(list(bounds), dtype=float).T
    lower.setflags(write=False)
    upper.setflags(write=False)
    return lower, upper


def _problem(
    name: str,
    function: Function,
    bounds: Iterable[tuple[float, float]],
    minimum: float,
    samples: int,
    source: str,
    minimizer: Iterable[float],
) -> Problem:
    lower, upper = _box(bounds)
    return Problem(name, function, lower, upper, minimum, samples, source, np.array(list(minimizer), dtype=float))


_BROCHU_1D = 1.8313198779869726  # the maximum of sin t + t/3 + sin 12t on [0, 1], at t = 0.66230093
_BROCHU_AT = 0.66230093
_STYBLINSKI_1D = -39.166165703771426
_STYBLINSKI_AT = -2.90353402
_BDG = "Brochu, de Freitas and Ghosh (2008)"
_JY = "Jamil and Yang (2013)"
_DS = "Dixon and Szegö (1978)"
_SB = "Surjanovic and Bingham, Virtual Library of Simulation Experiments"
_OWN = "prefero"

TEN = (
    _problem("brochu-2d", functions.brochu_2d, [(0, 1)] * 2, 1 - 2 * _BROCHU_1D, 50, _BDG, minimizer=[_BROCHU_AT] * 2),
    _problem("adjiman", functions.adjiman, [(-1, 2), (-1, 1)], -2.021806783359787, 25, _JY, minimizer=[2, 0.10578346]),
    _problem("brochu-4d", functions.brochu, [(0, 1)] * 4, -4 * _BROCHU_1D, 75, _BDG, minimizer=[_BROCHU_AT] * 4),
    _problem("ackley", functions.ackley, [(-5, 5)] * 2, 0.0, 75, _JY, minimizer=[0] * 2),
    _problem("brochu-6d", functions.brochu, [(0, 1)] * 6, -6 * _BROCHU_1D, 75, _BDG, minimizer=[_BROCHU_AT] * 6),
    _problem(
        "hartman3",
        functions.hartman3,
        [(0, 1)] * 3,
        -3.862779787332663,
        60,
        _DS,
        minimizer=[0.11458889, 0.55564889, 0.85254698],
    ),
    _problem(
        "hartman6",
        functions.hartman6,
        [(0, 1)] * 6,
        -3.3223680114155147,
        80,
        _DS,
        minimizer=[0.20168951, 0.15001069, 0.47687398, 0.27533243, 0.31165161, 0.65730054],
    ),
    _problem("rosenbrock8", functions.rosenbrock, [(-30, 30)] * 8, 0.0, 80, _JY, minimizer=[1] * 8),
    _problem("stepfunction2", functions.step2, [(-100, 100)] * 4, 0.0, 40, _JY, minimizer=[0] * 4),
    _problem(
        "camelsixhumps",
        functions.camel6,
        [(-2, 2), (-1, 1)],
        -1.0316284534898774,
        30,
        _JY,
        minimizer=[0.08984202, -0.7126564],
    ),
)

SASENA = (
    replace(
        _problem(
            "sasena",
            functions.sasena,
            [(0, 5)] * 2,
            -1.1742743288664306,
            25,
            "Sasena, Papalambros and Goovaerts (2002)",
            minimizer=[2.74495104, 2.35225196],
        ),
        constraint="sasena",
        initial_samples=8,
        delta=1.0,
        separation=1.0,
    ),
)

# Boxes of functions whose minimum lies in the middle of the usual box are moved off it.
OTHERS = (
    _problem("branin", functions.branin, [(-5, 10), (0, 15)], 0.39788735772973816, 30, _DS, minimizer=[np.pi, 2.275]),
    _problem(
        "log-goldstein-price", functions.log_goldstein_price, [(-2, 2)] * 2, np.log(3), 40, _DS, minimizer=[0, -1]
    ),
    _problem("levy4", functions.levy, [(-10, 10)] * 4, 0.0, 70, _SB, minimizer=[1] * 4),
    _problem(
        "michalewicz5",
        functions.michalewicz,
        [(0, np.pi)] * 5,
        -4.687658179088149,
        80,
        _SB,
        minimizer=[2.20290552, 1.57079633, 1.28499157, 1.92305847, 1.72046977],
    ),
    _problem("griewank3", functions.griewank, [(-40, 60)] * 3, 0.0, 60, _SB, minimizer=[0] * 3),
    _problem(
        "schwefel2", functions.schwefel, [(-500, 500)] * 2, 2 * -418.9828872724338, 50, _SB, minimizer=[420.9687465] * 2
    ),
    _problem("bohachevsky", functions.bohachevsky, [(-50, 100)] * 2, 0.0, 40, _SB, minimizer=[0] * 2),
    _problem(
        "shekel10",
        functions.shekel10,
        [(0, 10)] * 4,
        -10.536409816692046,
        80,
        _DS,
        minimizer=[4.00074653, 4.00059294, 3.9996634, 3.9995098],
    ),
    _problem(
        "dixon-price6",
        functions.dixon_price,
        [(-10, 10)] * 6,
        0.0,
        80,
        _SB,
        minimizer=[2.0 ** (2.0 ** (1 - i) - 1) for i in range(1, 7)],
    ),
    _problem(
        "styblinski-tang5",
        functions.styblinski_tang,
        [(-5, 5)] * 5,
        5 * _STYBLINSKI_1D,
        75,
        _SB,
        minimizer=[_STYBLINSKI_AT] * 5,
    ),
    _problem("zakharov5", functions.zakharov, [(-5, 10)] * 5, 0.0, 75, _SB, minimizer=[0] * 5),
)


def _turned(
    name: str,
    function: Function,
    at: float,
    half_width: float,
    minimum: float,
    shift: list[float],
    samples: int,
    key: int,
) -> Problem:
    """A known function, turned about its minimizer (at, ..., at), which moves to `shift` in a box around the origin."""
    target = np.array(shift)
    return _problem(
        name,
        surfaces.turned(function, np.full(len(shift), at), target, key),
        [(-half_width, half_width)] * len(shift),
        minimum,
        samples,
        _OWN,
        minimizer=target,
    )


def _surface(name: str, function: Function, minimum: float, minimizer: list[float], samples: int) -> Problem:
    return _problem(name, function, [(-1, 1)] * len(minimizer), minimum, samples, _OWN, minimizer=minimizer)


TURNED = (
    _turned("turned-ackley3", functions.ackley, 0.0, 5.0, 0.0, [1.7, -2.3, 0.9], 60, 101),
    _turned("turned-rastrigin2", functions.rastrigin, 0.0, 3.0, 0.0, [-1.3, 0.7], 60, 102),
    _turned("turned-rosenbrock4", functions.rosenbrock, 1.0, 2.0, 0.0, [0.6, -0.4, -0.9, 0.3], 75, 103),
    _turned("turned-levy4", functions.levy, 1.0, 8.0, 0.0, [-3.1, 2.2, 4.0, -1.2], 75, 104),
    _turned("turned-ellipsoid6", functions.ellipsoid, 0.0, 1.0, 0.0, [0.3, -0.5, 0.1, 0.6, -0.2, -0.4], 75, 105),
    _turned(
        "turned-styblinski3",
        functions.styblinski_tang,
        _STYBLINSKI_AT,
        5.0,
        3 * _STYBLINSKI_1D,
        [-2.0, 1.1, 2.6],
        60,
        106,
    ),
    _turned("turned-griewank2", functions.griewank, 0.0, 12.0, 0.0, [4.1, -5.3], 50, 107),
    _turned(
        "turned-rosenbrock8", functions.rosenbrock, 1.0, 2.0, 0.0, [0.5, -0.7, 0.2, 0.9, -0.3, 0.1, -0.8, 0.4], 80, 108
    ),
    _surface("bumps-2", surfaces.bumps(2, 1), -2.9995773486915978, [0.61626902, 0.42642901], 40),
    _surface("bumps-3", surfaces.bumps(3, 2), -2.2071421845240153, [-0.70788292, -0.7562652, -0.61157838], 50),
    _surface(
        "bumps-4", surfaces.bumps(4, 3), -1.1850874543800178, [-0.75918364, -0.34315133, -0.59647668, 0.24496539], 70
    ),
    _surface(
        "bumps-6",
        surfaces.bumps(6, 4),
        -1.280196754266226,
        [-0.00665124, 0.3756461, 0.19147445, 0.63215839, 0.60055471, -0.52347064],
        80,
    ),
    _surface("waves-2", surfaces.waves(2, 11, 0.5), -2.168853497577418, [-0.19235072, 1.0], 40),
    _surface("waves-3", surfaces.waves(3, 12, 0.7), -2.864500400704563, [1.0, 0.98459742, -1.0], 60),
    _surface("waves-4", surfaces.waves(4, 13, 0.9), -1.9293079764802863, [0.72689472, -1.0, 0.50439887, 1.0], 75),
)


def _longer(problem: Problem, samples: int) -> Problem:
    """The same problem with another budget, which is part of its name."""
    return replace(problem, name=f"{problem.name}@{samples}", samples=samples)


def _growing(name: str, function: Function, at: float, half_width: float, minimum: float, key: int) -> list[Problem]:
    """A function of 1, 2, 5, 10 and 20 variables, turned, its minimizer anywhere in the middle half of the box."""
    family = []
    for n in (1, 2, 5, 10, 20):
        shift = np.random.default_rng([key, n]).uniform(-half_width / 2, half_width / 2, n)
        family.append(_turned(f"{name}-{n}d", function, at, half_width, n * minimum, shift.tolist(), 20 + 6 * n, key))
    return family


BUDGETS = tuple(_longer(p, 200) for p in TEN if p.name in ("ackley", "hartman6", "rosenbrock8"))
ANSWERS = tuple(_longer(p, 501) for p in TEN if p.name == "rosenbrock8")
DIMENSIONS = (
    *_growing("levy", functions.levy, 1.0, 8.0, 0.0, 201),
    *_growing("styblinski", functions.styblinski_tang, _STYBLINSKI_AT, 5.0, _STYBLINSKI_1D, 202),
)

MULTIOBJECTIVE = (
    replace(
        _problem(
            "multiobjective",
            pareto.latent,
            [(0, 1)] * 2,
            0.0,
            40,  # the paper gives none
            "Bemporad and Piga (2021)",
            minimizer=[0.28606602764566724, 0.19592541817308742],
        ),
        constraint="simplex",
    ),
)
CLASSIFIER = (
    replace(
        _problem(
            "classifier",
            costs.cost,
            [(0, 1)] * 3,
            costs.LEAST,
            40,
            "Bemporad and Piga (2021), with our net",
            minimizer=costs.BEST[:3],
        ),
        constraint="simplex",
        initial_samples=10,
    ),
)
NETS = {
    0: (2099.0, (0.4765218018342705, 0.14843875080844715, 0.026676456254725534)),
    1: (2022.0, (0.6031793960928951, 0.03862095872302984, 0.03959291435225326)),
    2: (1908.0, (0.4184018852487782, 0.1250709695117891, 0.0625949928538555)),
}
"""The least cost found for nets trained as the paper says, by seed, and the weights: python -m benchmarks.cifar optimum --seed."""
CLASSIFIERS = tuple(
    replace(
        _problem(
            f"classifier-{seed}",
            costs.net_of(seed).cost,
            [(0, 1)] * 3,
            least,
            40,
            "Bemporad and Piga (2021), net trained as it says",
            minimizer=best,
        ),
        constraint="simplex",
        initial_samples=10,
    )
    for seed, (least, best) in NETS.items()
)
MULTIOBJECTIVE_80 = tuple(_longer(p, 80) for p in MULTIOBJECTIVE)

SETS: dict[str, tuple[Problem, ...]] = {
    "ten": TEN,
    "turned": TURNED,
    "others": OTHERS,
    "sasena": SASENA,
    "budgets": BUDGETS,
    "answers": ANSWERS,
    "dimensions": DIMENSIONS,
    "multiobjective": MULTIOBJECTIVE,
    "classifier": CLASSIFIER,
    "classifiers": CLASSIFIERS,
    "multiobjective-80": MULTIOBJECTIVE_80,
}
PROBLEMS: dict[str, Problem] = {problem.name: problem for group in SETS.values() for problem in group}
