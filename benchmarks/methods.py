"""The methods that can be compared, by name: one entry each in `METHODS`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Method:
    """A driver module, its environment (None: our own) and the extra fields of its start line."""

    driver: str
    environment: str | None = None
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    constraints: bool = False  # whether it takes known nonlinear constraints

    @property
    def is_peer(self) -> bool:
        """Whether it is another library's method, in its own environment."""
        return self.environment is not None

    @property
    def is_told_numbers(self) -> bool:
        """Whether it learns numbers instead of preferences, as an upper bound."""
        return bool(self.options.get("numbers"))


def _ours(**options: Any) -> Method:
    return Method("benchmarks.peers.prefero_driver", options=options, constraints=True)


def _glis(acquisition: str) -> Method:
    return Method("benchmarks.peers.glis_driver", "glis", {"acquisition": acquisition}, constraints=True)


def _botorch(acquisition: str) -> Method:
    return Method("benchmarks.peers.botorch_driver", "botorch", {"acquisition": acquisition})


def _without(knobs: dict[str, Any] | None = None, first: str = "", **constants: float) -> Method:
    """The default proposer without one of its ingredients: other knobs, another first design, other constants."""
    return _ours(ablation={"knobs": knobs or {}, "first": first, "constants": constants})


ABLATIONS: dict[str, Method] = {
    "without exploit": _without({"turns": ("global", "explore")}),
    "without explore": _without({"turns": ("global", "exploit")}),
    "without either": _without({"turns": ("global",)}),
    "without hope": _without({"hope": 0.0}),
    "without the finish": _without(FINISH=0.0),
    "the paper's first design": _without(first="paper"),
    "without the tournament": _without({"tournament": False}),
    "without the additive kernel": _without(ADDITIVE_MEAN=-4.0, ADDITIVE_SPREAD=0.01),
    "without fitted scales": _without(FIT_ITERATIONS=0),
    "without slips": _without(TRUSTED=0),
    "without asking again": _without(SUSPICIOUS=2.0),
    "without telling pairs": _without(NOISY=1e9),
    "without noticing who wavers": _without(LASTING_PER_RETURN=-1),
}
"""`posterior` without one ingredient each, to measure what the ingredient contributes."""

METHODS: dict[str, Method] = {
    "glisp": _ours(proposer="glisp"),
    "glisp-pi": _ours(settings={"acquisition": "improvement"}),
    "glisp-paper": _ours(paper=True),  # N_init, δ and σ as the paper chose for the problem, and its search, a swarm
    "posterior": _ours(proposer="posterior"),
    "posterior-noise": _without({"noise": 0.3}),  # told how noisy the person is
    "pbo": _ours(proposer="pbo"),
    "posterior-objectives": _ours(proposer="posterior", objectives=True),  # for weights: of what they lead to
    "glisp-objectives": _ours(proposer="glisp", objectives=True),
    "posterior-mistakes": _ours(mistakes=True),  # for weights of classes: of the mistakes they lead to
    "numbers": Method(
        "benchmarks.peers.numbers_driver", options={"numbers": True}, constraints=True
    ),  # what could be had
    "random": Method("benchmarks.peers.random_driver", constraints=True),
    "glis": _glis("surrogate"),
    "glis-pi": _glis("prob_improvement"),
    "optuna": Method("benchmarks.peers.optuna_driver", "optuna"),
    "botorch-lognei": _botorch("lognei"),
    "botorch-eubo": _botorch("eubo"),
    **ABLATIONS,
}
