"""What holds whatever happens to a study: several judges, corrections, failures, other bounds, another proposer."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import prefero as pf
from prefero.errors import ExhaustedError, QuestionError
from prefero.insight.agreement import judge_names
from tests.strategies import seeds

SPACE = pf.Space({"x": pf.Real(0, 1), "k": pf.Integer(0, 9), "c": pf.Choice(["p", "q"])})
NARROW = pf.Space({"x": pf.Real(0.2, 0.9), "k": pf.Integer(0, 9), "c": pf.Choice(["p", "q"])})

judges = st.sampled_from(["", "ann", "bob"])
said = st.sampled_from(["a", "b", "same"])
steps = st.integers(0, 8)
happenings = st.one_of(
    st.tuples(st.just("tell"), judges, said),
    st.tuples(st.just("tell"), judges, said),
    st.tuples(st.just("tell"), judges, said),
    st.tuples(st.just("ask"), judges),
    st.tuples(st.just("skip"), judges),
    st.tuples(st.just("fail"), judges, st.sampled_from(["a", "b"])),
    st.tuples(st.just("undo"), st.one_of(st.none(), judges)),
    st.tuples(st.just("correct"), steps, said),
    st.tuples(st.just("remove"), steps),
    st.tuples(st.just("restore"), steps),
    st.tuples(st.just("change_space"), st.sampled_from([SPACE, NARROW])),
    st.tuples(st.just("change_proposer"), st.sampled_from(["glisp", "pbo", "posterior"])),
)
AMENDMENTS = ("correct", "remove", "restore")
scripts = st.lists(happenings, min_size=4, max_size=18)


def play(study: pf.Study, script) -> pf.Study:
    """Let it happen; what cannot is refused, and changes nothing."""
    for name, *arguments in script:
        before = study.log.records
        try:
            if name in ("tell", "skip", "fail"):
                judge, *rest = arguments
                question = study.ask(judge)
                before = study.log.records
                getattr(study, name)(question, *rest, judge=judge)
            else:
                getattr(study.log if name in AMENDMENTS else study, name)(*arguments)
        except (QuestionError, ExhaustedError):
            assert study.log.records == before
        assert study.log.records[: len(before)] == before
    return study


def next_questions(study: pf.Study) -> list:
    found = []
    for judge in ("", "ann", "bob"):
        try:
            found.append(study.ask(judge))
        except ExhaustedError:
            found.append(None)
    return found


@settings(max_examples=8)
@given(script=scripts, more=scripts, seed=seeds)
def test_replay_equals_live_whatever_happens(script, more, seed):
    live = play(pf.Study(SPACE, comparisons=8, seed=seed), script)
    again = pf.Study.from_json(live.to_json())
    assert again.log.records == live.log.records
    assert np.array_equal(again.history.points, live.history.points)
    assert np.array_equal(again.history.feasible, live.history.feasible)
    assert again.history.comparisons == live.history.comparisons
    assert (again.history.skipped, again.history.failed) == (live.history.skipped, live.history.failed)
    assert (again.answers, judge_names(again), again.best) == (live.answers, judge_names(live), live.best)
    assert next_questions(again) == next_questions(live)
    assert play(again, more).log.events == play(live, more).log.events
    assert again.best == live.best


@settings(max_examples=12)
@given(script=scripts, seed=seeds)
def test_nothing_that_failed_or_lies_outside_is_recommended_or_asked_about(script, seed):
    study = play(pf.Study(SPACE, comparisons=8, seed=seed), script)
    failed = [study.space.encode(study.candidates[k]) for k in study.history.failed]
    seen = set(study.candidates)
    new = [question for question in next_questions(study) if question is not None]
    for candidate in [side for question in new for side in (question.a, question.b)]:
        point = study.space.encode(candidate)
        assert np.abs(point).max() <= 1 + 1e-9
        radius = 1e-9 if candidate in seen else 0.1
        assert all(np.abs(point - other).max() > radius for other in failed)
    best = study.best
    if best is not None:
        assert study.space.admits(best)
        assert best not in {study.candidates[k] for k in study.history.failed}


@settings(max_examples=12)
@given(script=scripts, seed=seeds)
def test_one_question_waits_for_a_judge_and_none_of_them_is_another_ones(script, seed):
    study = play(pf.Study(SPACE, comparisons=8, seed=seed), script)
    waiting = [question for question in next_questions(study) if question is not None]
    assert len({question.step for question in waiting}) == len(waiting)
    assert [study.ask(question.judge) for question in waiting] == waiting


@settings(max_examples=12)
@given(script=scripts, seed=seeds)
def test_the_answers_that_count_are_those_that_are_listed(script, seed):
    study = play(pf.Study(SPACE, comparisons=8, seed=seed), script)
    counted = [e.step for e in study.answers if e.status == "effective" and e.answer in ("a", "b", "same")]
    assert [c.step for c in study.history.comparisons] == counted
    assert len(study.history) == len(counted)
