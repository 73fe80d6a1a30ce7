"""What the laws are tested on: proposers, spaces, people, and what can happen in a study."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prefero as pf
from prefero.answers import History
from prefero.errors import ExhaustedError
from prefero.proposers.posterior import AGAIN
from prefero.space.domain import Domain
from prefero.storage.events import Asked
from prefero.study.session import Session

PROPOSERS = ("glisp", "posterior", "pbo", "function")
"""The proposers that the laws are about: those with a name, and a function of the history."""
SLOWNESS = {"posterior": 2, "pbo": 8}
"""Slow proposers get fewer examples of a law."""

each_proposer = pytest.mark.parametrize("proposer", PROPOSERS)


def for_each_proposer(examples: int = 25, proposers: Sequence[str] = PROPOSERS, **drawn: st.SearchStrategy) -> Callable:
    """Make a function of a proposer's name and of what is drawn a test, with fewer examples for slow proposers."""

    def as_test(law: Callable) -> Callable:
        @pytest.mark.parametrize("proposer", proposers)
        def test(proposer: str) -> None:
            @settings(max_examples=-(-examples // SLOWNESS.get(proposer, 1)))
            @given(**drawn)
            def holds(**values: Any) -> None:
                law(proposer, **values)

            holds()

        test.__name__, test.__doc__ = law.__name__, law.__doc__
        return test

    return as_test


def begun(proposer: str, space: Domain, comparisons: int = 8, **options: Any) -> pf.Study:
    """A new study with the proposer of that name."""
    return pf.Study(space, comparisons=comparisons, proposer=proposer_of(proposer, space), **options)


def proposer_of(name: str, space: Domain) -> Any:
    """What to pass as `proposer`: a function of the history is made for its space."""
    return something_new(space) if name == "function" else name


def replayed(study: pf.Study) -> pf.Study:
    """The study, read again from its JSON; a function has to be passed again."""
    function = getattr(study.proposer, "function", None)
    return pf.Study.from_json(study.to_json(), proposer=function)


def something_new(space: Domain) -> Callable:
    """A function of the history, as a user may write it: a feasible candidate that was not shown, drawn at random."""

    def challenger(history: History, rng: np.random.Generator) -> np.ndarray:
        points = space.points()
        drawn = space.snap(rng.uniform(-1, 1, (400, space.dimension))) if points is None else points
        left = drawn[space.feasible(drawn) & ~history.holds(drawn)]
        if not len(left):
            raise ExhaustedError("every candidate has been shown: there is nothing left to ask")
        return left[rng.integers(len(left))]

    return challenger


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
    return [(study.space.encode(question.a), study.space.encode(question.b)) for question in questions_of(study)]


def questions_of(study: pf.Study) -> list[pf.Question]:
    """All questions so far, the incumbent as A."""
    asked = [event for event in study.log.events if isinstance(event, Asked)]
    candidate = study.space.candidate
    return [pf.Question(e.step, candidate(e.first), candidate(e.second), note=e.note, judge=e.judge) for e in asked]


def is_a_check(question: pf.Question) -> bool:
    """Whether a question repeats an earlier one, since its answer is in doubt."""
    return question.note == AGAIN
