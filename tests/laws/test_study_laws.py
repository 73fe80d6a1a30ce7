"""What holds for every study, whatever the space, the answers and the proposer."""

import numpy as np
import pytest
from hypothesis import strategies as st

import prefero as pf
from prefero.storage.events import Asked
from tests.strategies import (
    begun,
    each_proposer,
    for_each_proposer,
    happenings,
    next_question,
    play,
    replayed,
    seeds,
    spaces,
    undoable,
)


@for_each_proposer(space=spaces, script=happenings, seed=seeds)
def test_asking_twice_is_the_same_question(proposer, space, script, seed):
    study = play(begun(proposer, space, seed=seed), script)
    question = next_question(study)
    log = study.to_json()
    assert next_question(study) == question == study.waiting.get("")
    assert study.to_json() == log


@for_each_proposer(space=spaces, script=happenings, more=happenings, seed=seeds)
def test_replay_equals_live(proposer, space, script, more, seed):
    live = play(begun(proposer, space, seed=seed), script)
    again = replayed(live)
    assert again.to_json() == live.to_json()
    assert again.best == live.best
    assert again.waiting.get("") == live.waiting.get("")
    assert np.array_equal(again.history.points, live.history.points)
    assert again.history.comparisons == live.history.comparisons
    assert again.history.skipped == live.history.skipped
    assert next_question(again) == next_question(live)
    assert play(again, more).log.events == play(live, more).log.events


@each_proposer
@pytest.mark.parametrize("seed", [0, 1, 10, 12, 28])
def test_replay_equals_live_when_questions_are_skipped_after_a_calibration(proposer, seed):
    rng = np.random.default_rng(seed)
    live = begun(proposer, pf.Space.box([-3, -3], [3, 3]), 12, seed=seed)
    for _ in range(6):
        live.tell(live.ask(), rng.choice(["a", "b", "same"], p=[0.45, 0.45, 0.1]))
    for _ in range(2):
        live.skip(live.ask())
    again = replayed(live)
    assert again.ask() == live.ask()


@for_each_proposer(space=spaces, script=happenings, seed=seeds)
def test_the_same_seed_gives_the_same_run(proposer, space, script, seed):
    one, two = (play(begun(proposer, space, seed=seed), script) for _ in range(2))
    assert next_question(one) == next_question(two)
    assert one.log.events == two.log.events


@each_proposer
def test_another_seed_gives_another_run(proposer):
    runs = {begun(proposer, pf.Space.box([0.0], [1.0]), seed=seed).ask().a for seed in range(5)}
    assert len(runs) == 5


def test_a_seed_that_was_not_given_is_kept():
    study = pf.Study(([0.0], [1.0]))
    assert pf.Study.from_json(study.to_json()).ask() == study.ask()
    assert pf.Study(([0.0], [1.0])).settings.seed != study.settings.seed


@for_each_proposer(
    space=spaces, script=happenings, seed=seeds, act=st.sampled_from(["a", "b", "same", "skip"]), look=st.booleans()
)
def test_undo_restores_the_pair_its_sides_and_what_was_known(proposer, space, script, seed, act, look):
    study = play(begun(proposer, space, seed=seed), script)
    question = next_question(study)
    if question is None:
        return
    points, comparisons, skipped, best = (
        study.history.points,
        study.history.comparisons,
        study.history.skipped,
        study.best,
    )
    play(study, [act])
    if look:
        next_question(study)
    assert study.undo() == question == study.ask()
    assert np.array_equal(study.history.points, points)
    assert (study.history.comparisons, study.history.skipped, study.best) == (comparisons, skipped, best)


@for_each_proposer(space=spaces, script=happenings, seed=seeds)
def test_undoing_everything_leaves_the_first_question(proposer, space, script, seed):
    study = begun(proposer, space, seed=seed)
    first = study.ask()
    play(study, script)
    while undoable(study):
        study.undo()
    assert study.ask() == first
    assert len(study.history) == 0
    assert study.best is None
    assert len(study.history.points) == 0


@for_each_proposer(space=spaces, script=happenings, seed=seeds)
def test_the_log_only_grows(proposer, space, script, seed):
    study = begun(proposer, space, seed=seed)
    before = study.log.events
    for happening in script:
        play(study, [happening])
        assert study.log.events[: len(before)] == before
        before = study.log.events


@for_each_proposer(10, space=spaces, script=st.lists(st.sampled_from(["a", "b"]), min_size=8, max_size=8), seed=seeds)
def test_the_incumbent_is_on_either_side_as_often(proposer, space, script, seed):
    study = play(begun(proposer, space, seed=seed), script)
    swapped = [event.swapped for event in study.log.events if isinstance(event, Asked)]
    assert all(sum(pair) == 1 for pair in zip(swapped[::2], swapped[1::2], strict=False))


@for_each_proposer(15, space=spaces, script=happenings, seed=seeds)
def test_swapping_the_sides_and_the_answers_changes_nothing(proposer, space, script, seed):
    shown = begun(proposer, space, seed=seed, sides="random")
    plain = begun(proposer, space, seed=seed, sides="incumbent first")
    mirror = {"a": "b", "b": "a", "same": "same", "skip": "skip", "undo": "undo"}
    for happening in script:
        question, same = next_question(shown), next_question(plain)
        if question is None:
            assert same is None
            break
        swapped = question.a != same.a
        assert {question.a, question.b} == {same.a, same.b}
        play(plain, [happening])
        play(shown, [mirror[happening] if swapped else happening])
    assert np.array_equal(shown.history.points, plain.history.points)
    assert shown.history.comparisons == plain.history.comparisons
    assert shown.best == plain.best
