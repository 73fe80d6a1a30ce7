"""What the laws are tested on: spaces, people, and what can happen in a study."""

from collections.abc import Iterator, Sequence

import numpy as np
from hypothesis import strategies as st

import prefero as pf
from prefero.errors import ExhaustedError
from prefero.storage.events import Asked
from prefero.study.session import Session

PROPOSERS = ("glisp",)
"""Every proposer that the laws hold for."""

seeds = st.integers(0, 2**32 - 1)

reals = st.builds(
    lambda low, width: pf.Real(low, low + width), st.integers(-50, 50), st.sampled_from([0.01, 1.0, 300.0])
)
logs = st.builds(
    lambda low, factor: pf.Real(low, low * factor, log=True), st.sampled_from([1e-4, 1.0, 30.0]), st.integers(2, 900)
)
integers = st.builds(lambda low, width: pf.Integer(low, low + width), st.integers(-20, 20), st.integers(1, 12))
choices = st.integers(2, 4).map(lambda m: pf.Choice([f"level {k}" for k in range(m)]))


def named(variables: Sequence) -> dict:
    return {f"v{k}": variable for k, variable in enumerate(variables)}


spaces = st.lists(st.one_of(reals, logs, integers, choices), min_size=1, max_size=3).map(lambda v: pf.Space(named(v)))
"""Spaces without constraints, of one to three variables of any kind."""

happenings = st.lists(st.sampled_from(["a", "b", "a", "b", "same", "skip", "undo"]), max_size=14)
"""What can happen in a study, one after the other."""


def happened(study: pf.Study, script: Sequence[str]) -> Iterator[tuple[str, pf.Question | None]]:
    """Let it happen and tell what did, with its question; an undo with nothing to undo does not, nor what needs a question more."""
    for happening in script:
        question = None
        if happening == "undo":
            if not undoable(study):
                continue
            study.undo()
        else:
            question = next_question(study)
            if question is None:
                return
            if happening == "skip":
                study.skip(question)
            else:
                study.tell(question, happening)
        yield happening, question


def play(study: pf.Study, script: Sequence[str]) -> pf.Study:
    """The study after what happened to it."""
    for _ in happened(study, script):
        pass
    return study


def undoable(study: pf.Study) -> bool:
    """Whether an answer or a skip is in effect."""
    kinds = [type(event).__name__ for event in study.log.events]
    return kinds.count("Answered") + kinds.count("Skipped") > kinds.count("Undone")


def session_of(study: pf.Study) -> Session:
    """The session of a study's proposer."""
    return study._session_of(study.log.state)


def next_question(study: pf.Study) -> pf.Question | None:
    """The next question, None where there is nothing left to ask."""
    try:
        return study.ask()
    except ExhaustedError:
        return None


def distance_to(target: Sequence[float]):
    """A latent function: the distance of a candidate's numbers from a target."""
    return lambda candidate: float(np.linalg.norm(np.asarray(candidate, dtype=float) - target))


def answered(study: pf.Study, f, count: int) -> pf.Study:
    """A study that somebody who prefers lower f has answered so often."""
    for _ in range(count):
        question = study.ask()
        study.tell(question, pf.preference(f)(question.a, question.b))
    return study


def pairs_shown(study: pf.Study) -> list[tuple]:
    """The questions so far, the incumbent first, as points of the box."""
    asked = [event for event in study.log.events if isinstance(event, Asked)]
    return [(study.space.encode(event.first), study.space.encode(event.second)) for event in asked]
