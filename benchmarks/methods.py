"""The methods that can be compared, by name: one entry each in `METHODS`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Method:
    """A driver module, the environment it runs in (None: our own) and what its start line carries besides."""

    driver: str
    environment: str | None = None
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    constraints: bool = False  # whether it takes known nonlinear constraints

    @property
    def is_peer(self) -> bool:
        """Whether it is somebody else's, in an environment of its own."""
        return self.environment is not None


def _ours(**options: Any) -> Method:
    return Method("benchmarks.peers.prefero_driver", options=options, constraints=True)


def _glis(acquisition: str) -> Method:
    return Method("benchmarks.peers.glis_driver", "glis", {"acquisition": acquisition}, constraints=True)


def _botorch(acquisition: str) -> Method:
    return Method("benchmarks.peers.botorch_driver", "botorch", {"acquisition": acquisition})


METHODS: dict[str, Method] = {
    "glisp": _ours(proposer="glisp"),
    "glisp-pi": _ours(settings={"acquisition": "improvement"}),
    "glisp-paper": _ours(paper=True),  # N_init, δ and σ as the paper chose for the problem, and its search, a swarm
    "posterior": _ours(proposer="posterior"),
    "pbo": _ours(proposer="pbo"),
    "random": Method("benchmarks.peers.random_driver", constraints=True),
    "glis": _glis("surrogate"),
    "glis-pi": _glis("prob_improvement"),
    "optuna": Method("benchmarks.peers.optuna_driver", "optuna"),
    "botorch-lognei": _botorch("lognei"),
    "botorch-eubo": _botorch("eubo"),
}
