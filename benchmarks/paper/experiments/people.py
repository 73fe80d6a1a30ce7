"""Answers of real people, predicted: the figures that `benchmarks.real_answers` wrote."""

import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.environments import ROOT
from benchmarks.paper.document import Block, Section, Table
from benchmarks.paper.plan import Experiment
from benchmarks.results import Run

TITLE = "Real people's answers"
FILE = ROOT / "out" / "real_answers.json"
COMMAND = "python -m benchmarks.real_answers --splits 2 --out out/real_answers.json"
ABOUT = (
    "The functions above stand for a person. Here are people: choices between train trips and between electricity contracts, "
    "from published surveys (`benchmarks.choices`). A third of each person's choices is held out and predicted from the rest. "
    "*Right* is the share of held-out answers that were predicted, *log loss* the mean of minus the logarithm of the probability "
    "given to what was said. *default* and *linear* are prefero's posterior, *population* is the default told what other people "
    "chose, *ridge* a logit for each person and *shrunk* one that is shrunk to the other people's. Errors are over people. Nobody "
    "was asked anew: this measures the model, not the questions it asks."
)


def write(runs: Sequence[Run], file: Path | None = None) -> Section:
    """The tables, or the command that makes them."""
    del runs  # these are not runs on functions
    path = FILE if file is None else file
    if not path.exists():
        return Section(TITLE, (ABOUT, f"Not measured for this report: `{COMMAND}` does it."))
    said = json.loads(path.read_text(encoding="utf-8"))
    changed = ", with changes" if said["dirty"] else ""
    blocks: list[Block] = [
        ABOUT,
        f"`python -m benchmarks.real_answers`, commit `{said['commit']}`{changed}; each table says of how many people and splits. "
        f"Δ: difference to {said['against']}.",
    ]
    blocks += [Table(table["rows"][0], table["rows"][1:], table["caption"]) for table in said["tables"]]
    return Section(TITLE, tuple(blocks))


EXPERIMENT = Experiment("people", TITLE, (), write)
