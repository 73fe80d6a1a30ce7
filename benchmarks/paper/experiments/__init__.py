"""The experiments of the campaign, in the order of the report; each is a file that says what is run and what is written."""

from benchmarks.paper.experiments import (
    ablations,
    answers,
    bbob,
    budgets,
    classifier,
    cpu,
    dimensions,
    illustrative,
    multiobjective,
    noise,
    people,
    questions,
    ten,
    turned,
)
from benchmarks.paper.plan import Experiment

EXPERIMENTS: tuple[Experiment, ...] = (
    bbob.EXPERIMENT,
    people.EXPERIMENT,
    illustrative.EXPERIMENT,
    ten.EXPERIMENT,
    cpu.EXPERIMENT,
    multiobjective.EXPERIMENT,
    classifier.EXPERIMENT,
    questions.EXPERIMENT,
    turned.EXPERIMENT,
    ablations.EXPERIMENT,
    noise.EXPERIMENT,
    budgets.EXPERIMENT,
    dimensions.EXPERIMENT,
    answers.EXPERIMENT,
)
