"""The methods that can be compared, by name: one entry each in `METHODS`."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchmarks.named import FileError

FILE_DRIVER = "benchmarks.peers.file_driver"


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


def _glis(acquisition: str, **options: Any) -> Method:
    return Method("benchmarks.peers.glis_driver", "glis", {"acquisition": acquisition, **options}, constraints=True)


def _botorch(acquisition: str) -> Method:
    return Method("benchmarks.peers.botorch_driver", "botorch", {"acquisition": acquisition})


def _with(**settings: Any) -> Method:
    """The default proposer with other settings, or other values of its policy's constants."""
    return _ours(posterior=settings)


ABLATIONS: dict[str, Method] = {
    "opening of a third": _with(policy={"opening": 3}),
    "opening of a sixth": _with(policy={"opening": 6}),
    "without the tournament": _with(tournament=False),
    "hope 1": _with(policy={"hope": 1.0}),
    "hope 3": _with(policy={"hope": 3.0}),
    "without confirmations": _with(policy={"confirmations": 0}),
    "six confirmations": _with(policy={"confirmations": 6}),
    "one value of the noise": _with(policy={"noises": [1e-3]}),
    "more noise at least": _with(policy={"noises": [0.01, 0.03, 0.1, 0.3]}),
    "no linear part": _with(policy={"linears": [0.0]}),
    "half linear": _with(policy={"linears": [0.5]}),
    "without doubt": _with(policy={"doubt": 0}),
    "shorter scales": _with(policy={"scale": -1.5}),
    "longer scales": _with(policy={"scale": -0.5}),
    "less additive": _with(policy={"additive": 0.2}),
    "more additive": _with(policy={"additive": 0.8}),
    "half the search": _with(policy={"spread": 96, "near": 96, "jumps": 64, "kept": 2}),
}
"""`posterior` with another value of one constant each, to measure what the value buys."""

METHODS: dict[str, Method] = {
    "glisp": _ours(proposer="glisp"),
    "glisp-pi": _ours(settings={"acquisition": "improvement"}),
    "glisp-paper": _ours(paper=True),  # N_init, δ and σ as the paper chose for the problem, and its search, a swarm
    "posterior": _ours(proposer="posterior"),
    "posterior-noise": _with(noise=0.3),  # told how noisy the person is
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
    "glis-unshrunk": _glis("surrogate", shrink_range=False),  # shrinking tightens nonlinear boxes wrongly
    "glis-pi-unshrunk": _glis("prob_improvement", shrink_range=False),
    "believer": Method("benchmarks.peers.believer_driver"),  # Takeno et al. (2023)
    "thompson": Method("benchmarks.peers.believer_driver", options={"thompson": True}),  # Benavoli et al. (2021)
    "optuna": Method("benchmarks.peers.optuna_driver", "optuna"),
    "botorch-lognei": _botorch("lognei"),
    "botorch-eubo": _botorch("eubo"),
    "botorch-eubo-pairs": _botorch("eubo-pairs"),  # two new samples a question, as in BoTorch's tutorial
    "optuna-gp": Method("benchmarks.peers.optuna_numbers_driver", "optuna", {"numbers": True}),
    "botorch-logei": Method("benchmarks.peers.botorch_numbers_driver", "botorch", {"numbers": True}),
    **ABLATIONS,
}


def in_file(file: Path) -> Method:
    """The method in a file: its `solve`, in the environment that `ENVIRONMENT` names, told numbers if `NUMBERS` is true.

    The file is read, not run: it may need another environment.
    """
    if not file.is_file():
        raise FileError(f"{file}: no such file")
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except SyntaxError as error:
        raise FileError(f"{file}: {error}") from None
    if not any(isinstance(node, ast.FunctionDef) and node.name == "solve" for node in tree.body):
        raise FileError(f"{file}: it must define solve(start, judge)")
    said = {
        node.targets[0].id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    options = {"file": str(file.resolve()), "numbers": bool(said.get("NUMBERS"))}
    environment = said.get("ENVIRONMENT")
    return Method(
        FILE_DRIVER, None if environment is None else str(environment), options, bool(said.get("CONSTRAINTS"))
    )
