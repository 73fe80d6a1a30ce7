"""Unknown constraints, against glis's C-GLISp: `python -m benchmarks.failures --seeds 10`.

Each method may try the same number of candidates. It prints the failed ones, and the regret of the recommendation, which always
works; a run without any candidate that works has an infinite regret. `--methods posterior` alone needs no peer.
"""

import argparse
import json
import os
import subprocess
from typing import Any, Literal

import numpy as np

import prefero as pf
from benchmarks.environments import ROOT, python_of
from benchmarks.unknown import PROBLEMS, Unknown

METHODS = ("posterior", "glisp", "glis")


def conversation(
    problem: Unknown, proposer: Literal["posterior", "glisp"], seed: int, answers: int | None = None
) -> tuple[int, float]:
    """The failed candidates and the regret of a study of `samples` candidates; of so many answers, if they are given."""
    names = [f"x{k}" for k in range(len(problem.lower))]
    bounds = zip(problem.lower, problem.upper, strict=True)
    space = pf.Space({name: pf.Real(*each) for name, each in zip(names, bounds, strict=True)})
    study = pf.Study(space, comparisons=answers or problem.samples - 1, seed=seed, proposer=proposer)
    while len(study.history) < study.settings.comparisons:
        if answers is None and len(study.candidates) >= problem.samples:
            break
        question = study.ask()
        a, b = list(question.a.values()), list(question.b.values())
        if not problem.works(a) or not problem.works(b):
            study.fail(question, "b" if problem.works(a) else "a")
        else:
            study.tell(question, "a" if problem.value(a) < problem.value(b) else "b")
    best = study.best
    regret = np.inf if best is None else problem.value(list(best.values())) - problem.least
    return len(set(study.history.failed)), regret


def peer(problem: Unknown, seed: int) -> tuple[int, float]:
    """The same of glis, in its own environment."""
    command = [str(python_of("glis")), "-m", "benchmarks.peers.glis_failures_driver", problem.name, str(seed)]
    threads = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=threads)
    said: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return said["failed"], np.inf if said["value"] is None else said["value"] - problem.least


def main(arguments: list[str] | None = None) -> None:
    """Print one line for each problem and method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS, default=["square", "sasena", "bird", "camel-disc"])
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the first seed; 0 to 9 were looked at while tuning")
    parser.add_argument("--answers", type=int, help="stop after so many answers, however many candidates failed")
    given = parser.parse_args(arguments)
    print("problem     method     failed: median  max   regret: median       max")
    for name in given.problems:
        problem = PROBLEMS[name]
        for method in given.methods:
            runs = [
                peer(problem, seed) if method == "glis" else conversation(problem, method, seed, given.answers)
                for seed in range(given.first, given.first + given.seeds)
            ]
            failed, regret = np.array(runs).T
            numbers = f"{np.median(failed):14.1f} {failed.max():4.0f} {np.median(regret):16.5f} {regret.max():9.4f}"
            print(f"{name:11} {method:10} {numbers}", flush=True)


if __name__ == "__main__":
    main()
