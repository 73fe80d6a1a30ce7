"""The experiments of the campaign, in the order of the report; each is a file that says what is run and what is written."""

from benchmarks.paper.experiments import answers, budgets, cpu, dimensions, noise, questions, ten, turned
from benchmarks.paper.plan import Experiment

EXPERIMENTS: tuple[Experiment, ...] = (
    ten.EXPERIMENT,
    cpu.EXPERIMENT,
    questions.EXPERIMENT,
    turned.EXPERIMENT,
    noise.EXPERIMENT,
    budgets.EXPERIMENT,
    dimensions.EXPERIMENT,
    answers.EXPERIMENT,
)
