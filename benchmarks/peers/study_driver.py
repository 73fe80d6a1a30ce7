"""Our own proposers through public names only: a study asks, is told, and recommends.

`prefero_driver` also sets constants and times parts of the default proposer, so it depends on how that is built. This one
measures whatever the default is.
"""

from collections.abc import Callable
from typing import Any, Literal

import prefero as pf
from benchmarks.peers.wire import Judge, Start, serve

PROPOSERS: dict[str, Callable[..., Any]] = {
    "posterior": pf.Posterior,
    "glisp": pf.Glisp,
    "pbo": pf.Pbo,
}
ANSWERS: dict[int, Literal["a", "same", "b"]] = {-1: "a", 0: "same", 1: "b"}


def proposer_of(options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of the study that choose its proposer: none for the default, a name, or an object with settings."""
    name, settings = options.get("proposer"), options.get("settings")
    if name is None:
        return {}
    return {"proposer": PROPOSERS[name](**(settings or {}))}


def vector(candidate: pf.Candidate) -> list[float]:
    """A candidate's values in the order of the variables."""
    return [float(value) for value in candidate.values()]


def solve(start: Start, judge: Judge) -> None:
    """Ask and tell; after each answer, recommend the study's best."""
    space = pf.Space.box(start.lower, start.upper)
    study = pf.Study(space, comparisons=start.comparisons, seed=start.seed, **proposer_of(start.options))
    judge.start_clock()
    for _ in range(start.comparisons):
        question = study.ask()
        a, b = vector(question.a), vector(question.b)
        study.tell(question, ANSWERS[judge.prefer(a, b)])
        best = study.best
        judge.recommend(a if best is None else vector(best))


if __name__ == "__main__":
    serve(solve, ["prefero", "numpy", "scipy"])
