"""A finite space is asked about entirely: nothing is proposed twice before all of it was seen, and then it ends."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prefero as pf
from prefero.errors import ExhaustedError
from prefero.study.loop import Status
from tests.strategies import PROPOSERS, seeds

each_proposer = pytest.mark.parametrize("proposer", PROPOSERS)

catalogues = st.integers(2, 25).flatmap(
    lambda n: st.builds(lambda seed: pf.Catalogue(np.random.default_rng(seed).normal(size=(n, 2))), st.integers(0, 99))
)
grids = st.one_of(
    st.builds(lambda n: pf.Space({"k": pf.Integer(1, n)}), st.integers(2, 25)),
    st.builds(lambda n: pf.Space({"k": pf.Integer(0, n), "c": pf.Choice(["a", "b", "c"])}), st.integers(1, 5)),
    st.builds(
        lambda n: pf.Space({"k": pf.Integer(0, n), "m": pf.Integer(0, 4)}, lambda c: c["k"] - c["m"]), st.integers(1, 5)
    ),
)


def watched(space) -> tuple:
    """A judge of a finite space, what was shown to it, and all candidates, best first."""
    worth = {space.decode(x): (7 * k) % 101 for k, x in enumerate(space.points())}
    shown = []

    def prefer(a, b):
        shown.append((a, b))
        return -1 if worth[a] < worth[b] else 1

    return prefer, shown, sorted(worth, key=worth.get)


@each_proposer
@settings(max_examples=15)
@given(space=st.one_of(catalogues, grids), seed=seeds)
def test_every_candidate_is_seen_before_any_is_proposed_again(proposer, space, seed):
    prefer, shown, everything = watched(space)
    result = pf.optimize(prefer, space, comparisons=5 * len(everything), seed=seed, proposer=proposer)
    assert result.status is Status.EXHAUSTED
    assert result.success
    assert "Every candidate" in result.message
    seen = set()
    for a, b in shown:
        assert a != b
        if not set(everything) <= seen:
            assert b not in seen
        seen |= {a, b}
    assert seen == set(everything)
    assert len({frozenset(pair) for pair in shown}) == len(shown)
    with pytest.raises(ExhaustedError, match="nothing left to ask"):
        result.study.ask()


@each_proposer
@settings(max_examples=15)
@given(space=st.one_of(catalogues, grids), seed=seeds)
def test_the_end_of_a_finite_space_is_its_best_candidate(proposer, space, seed):
    prefer, _, everything = watched(space)
    result = pf.optimize(prefer, space, comparisons=5 * len(everything), seed=seed, proposer=proposer)
    assert result.best == everything[0]


@each_proposer
@settings(max_examples=4)
@given(count=st.integers(60, 101), seed=seeds, skips=st.sets(st.integers(0, 40), min_size=4))
def test_skipping_does_not_hide_other_candidates(proposer, count, seed, skips):
    study = pf.Study(pf.Space({"k": pf.Integer(1, count)}), comparisons=60, seed=seed, proposer=proposer)
    seen = set()
    for k in range(5 * count):
        try:
            question = study.ask()
        except ExhaustedError:
            break
        seen |= {question.a["k"], question.b["k"]}
        if k in skips:
            study.skip(question)
        else:
            study.tell(question, "a" if question.a["k"] < question.b["k"] else "b")
    assert seen == set(range(1, count + 1))


@each_proposer
@pytest.mark.parametrize("count", [2, 3, 4])
def test_skipping_everything_ends_when_every_pair_was_shown(proposer, count):
    study = pf.Study(pf.Space({"k": pf.Integer(1, count)}), seed=0, proposer=proposer)
    shown = []
    for _ in range(count * (count - 1) // 2):
        question = study.ask()
        shown.append(frozenset((question.a, question.b)))
        study.skip(question)
    assert len(set(shown)) == len(shown)
    with pytest.raises(ExhaustedError, match="skipped"):
        study.ask()
    assert study.best is None


@each_proposer
@settings(max_examples=15)
@given(space=st.one_of(catalogues, grids), seed=seeds, start=st.integers(0, 3))
def test_a_start_within_a_finite_space_is_not_asked_about_twice(proposer, space, seed, start):
    prefer, shown, everything = watched(space)
    own = everything[-start:] if start else []
    pf.optimize(prefer, space, comparisons=len(everything) - 1, seed=seed, proposer=proposer, start=own + own)
    assert all(a != b for a, b in shown)
    assert {candidate for pair in shown for candidate in pair} == set(everything)
    first = [candidate for pair in shown[: max(start - 1, 1)] for candidate in pair]
    assert all(candidate in first for candidate in own)
