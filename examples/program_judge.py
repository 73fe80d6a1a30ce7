"""Let a language model, or any other program, be the judge, and ask it in both orders.

A model often prefers what it reads first. So each pair is shown in both orders. If the two answers agree, that is the answer;
if not, the pair counts as about the same, and the disagreements are counted: a judge who disagrees with itself half of the time
only tells which side it likes.

The judge is a command. It gets JSON on standard input, {"question": ..., "a": ..., "b": ...}, and prints a, b or same. The
default is a simulated model, examples/clients/simulated_model.py. With a model of your own:

    python examples/program_judge.py --command "python ask_my_model.py"
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import prefero as pf
from prefero.insight import plots

QUESTION = "Which settings of a text generator give the better product description?"
SPACE = pf.Space({
    "temperature": pf.Real(0, 1.5),
    "words": pf.Integer(20, 200),
    "tone": pf.Choice(["sober", "friendly", "excited"]),
})  # fmt: skip
WORDS = {"a": "b", "b": "a", "same": "same"}
MODEL = Path(__file__).parent / "clients" / "simulated_model.py"
TIMEOUT = 120.0
"""Seconds that a judge may take for one answer."""


@dataclass
class Judge:
    """A command that is asked about each pair in both orders."""

    command: list[str]
    disagreements: list[bool] = field(default_factory=list)

    def __call__(self, a: pf.Candidate, b: pf.Candidate) -> str:
        """Return the answer on which both orders agree, else "same"."""
        first, second = self.ask(a, b), WORDS[self.ask(b, a)]
        self.disagreements.append(first != second)
        return first if first == second else "same"

    def ask(self, a: pf.Candidate, b: pf.Candidate) -> str:
        """Return what the command says about a pair in this order."""
        asked = json.dumps({"question": QUESTION, "a": dict(a), "b": dict(b)})
        run = subprocess.run(  # noqa: S603  the command is the user's own
            self.command, input=asked, capture_output=True, text=True, timeout=TIMEOUT, check=True
        )
        said = run.stdout.strip().lower().removesuffix(".")
        if said not in WORDS:
            raise ValueError(f"the judge said {run.stdout!r}; it has to print a, b or same")
        return said


def main() -> None:
    """Run the example, print the result and draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--comparisons", type=int, default=20)
    parser.add_argument("--command", default=shlex.join([sys.executable, str(MODEL)]))
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    judge = Judge(shlex.split(options.command))
    result = pf.optimize(judge, SPACE, comparisons=options.comparisons, seed=options.seed)
    print(result)
    count = sum(judge.disagreements)
    print(f"{count} of {len(judge.disagreements)} pairs were answered differently in the other order")

    figure = plots.Figure(figsize=(6, 3.4), layout="constrained")
    axes = figure.subplots()
    share = np.cumsum(judge.disagreements) / np.arange(1, len(judge.disagreements) + 1)
    axes.plot(np.arange(1, len(share) + 1), 100 * share, color=plots.BLUE, linewidth=2)
    plots.labelled(axes, "pairs", "answers that changed with the order [%]")
    axes.set(ylim=(0, 100))
    figure.savefig(options.out / "program_judge.png", dpi=110)
    print(f"figure: {options.out / 'program_judge.png'}")


if __name__ == "__main__":
    main()
