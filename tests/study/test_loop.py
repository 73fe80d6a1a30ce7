"""The loop for an answer that is a function: how it answers, ends, stops and reports."""

import numpy as np
import pytest
from scipy.optimize import Bounds

import prefero as pf
from prefero.errors import InputError
from prefero.study.loop import Status
from tests.complaints import complaint
from tests.strategies import distance_to

SPACE = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)})
f = distance_to([0.3, 0.6])
WORDS = {-1: "a", 0: "same", 1: "b"}


def test_words_and_numbers_lead_the_same_way():
    numbers = pf.optimize(pf.preference(f), SPACE, comparisons=8, seed=0)
    words = pf.optimize(lambda a, b: WORDS[pf.preference(f)(a, b)], SPACE, comparisons=8, seed=0)
    assert words.study.log.events == numbers.study.log.events
    assert words.incumbents == numbers.incumbents


def test_minus_one_says_that_the_first_is_better():
    result = pf.optimize(lambda a, b: -1, SPACE, comparisons=5, seed=0)
    assert set(result.incumbents) == {result.best}
    assert result.best == pf.Candidate(result.study.log.events[1].first)
    other = pf.optimize(lambda a, b: 1, SPACE, comparisons=5, seed=0, proposer="glisp")  # which asks nothing twice
    assert len(set(other.incumbents)) == 5


def test_the_incumbent_is_the_first_argument():
    shown = []

    def prefer(a, b):
        shown.append((a, b))
        return pf.preference(f)(a, b)

    result = pf.optimize(prefer, SPACE, comparisons=8, seed=0)
    assert [a for a, _ in shown[1:]] == list(result.incumbents[:-1])


@pytest.mark.parametrize(
    "space", [([0, 0], [1, 1]), [[0, 0], [1, 1]], (np.zeros(2), np.ones(2)), Bounds([0, 0], [1, 1])]
)
def test_bounds_hand_vectors_to_the_judge(space):
    def prefer(a, b):
        assert isinstance(a, np.ndarray)
        assert a.shape == b.shape == (2,)
        assert a.dtype == float
        return pf.preference(f)(a, b)

    result = pf.optimize(prefer, space, comparisons=6, seed=0)
    assert result.best.keys() == {"x1", "x2"}
    assert result.x == pytest.approx([result.best["x1"], result.best["x2"]])


def test_a_space_hands_candidates_to_the_judge():
    def prefer(a, b):
        assert isinstance(a, pf.Candidate)
        return "a" if a["x"] < b["x"] else "b"

    result = pf.optimize(prefer, SPACE, comparisons=12, seed=0)
    assert result.best["x"] < 0.1


def test_incumbents_are_the_recommendations_after_each_comparison():
    seen = []
    result = pf.optimize(pf.preference(f), SPACE, comparisons=9, seed=0, callback=lambda study: seen.append(study.best))
    assert len(result.incumbents) == result.n_comparisons == 9
    assert list(result.incumbents) == seen
    assert result.best == result.incumbents[-1] == result.study.best
    values = [f(c) for c in result.incumbents]
    assert values == sorted(values, reverse=True)


def test_the_result_reads_like_scipys():
    result = pf.optimize(pf.preference(f), SPACE, comparisons=5, seed=0)
    assert result.success is True
    assert result.status is Status.BUDGET
    assert result.status == 0
    assert result.message == "All 5 comparisons were made."
    assert result.seconds > 0
    assert result.contradictions == 0
    lines = str(result).splitlines()
    assert [line.split(":")[0].strip() for line in lines] == [
        "message", "success", "status", "best", "n_comparisons", "seconds", "contradictions",
    ]  # fmt: skip
    assert "0 (budget)" in lines[2]
    assert f"x={result.best['x']:.6g}, y={result.best['y']:.6g}" in lines[3]
    assert len({line.index(":") for line in lines}) == 1


@pytest.mark.parametrize("true", [True, np.bool_(True)])
def test_a_callback_that_returns_true_stops(true):
    result = pf.optimize(
        pf.preference(f), SPACE, comparisons=9, seed=0, callback=lambda s: true if len(s.history) == 4 else None
    )
    check_stopped(result)


def test_a_callback_that_raises_stop_iteration_stops():
    def callback(study):
        if len(study.history) == 4:
            raise StopIteration

    check_stopped(pf.optimize(pf.preference(f), SPACE, comparisons=9, seed=0, callback=callback))


def check_stopped(result):
    assert result.status is Status.STOPPED
    assert not result.success
    assert result.n_comparisons == len(result.incumbents) == 4
    assert result.message == "The callback stopped after 4 comparisons."
    assert result.best is not None


@pytest.mark.parametrize("returned", [None, False, 0, 1, "stop", [1], np.ones(2)])
def test_a_callback_that_returns_anything_else_goes_on(returned):
    assert pf.optimize(pf.preference(f), SPACE, comparisons=3, seed=0, callback=lambda s: returned).n_comparisons == 3


@pytest.mark.parametrize("where", ["judge", "callback"])
def test_an_interrupt_returns_what_is_known(where):
    count = 0

    def prefer(a, b):
        nonlocal count
        count += 1
        if where == "judge" and count == 5:
            raise KeyboardInterrupt
        return pf.preference(f)(a, b)

    def callback(study):
        if where == "callback" and len(study.history) == 4:
            raise KeyboardInterrupt

    result = pf.optimize(prefer, SPACE, comparisons=9, seed=0, callback=callback)
    assert result.status is Status.INTERRUPTED
    assert not result.success
    assert result.n_comparisons == len(result.incumbents) == 4
    assert "Interrupted after 4 comparisons" in result.message
    assert result.best == result.study.best
    result.study.tell(result.study.ask(), "a")
    assert len(result.study.history) == 5


def test_an_interrupt_before_the_first_answer_is_a_result_too():
    def prefer(a, b):
        raise KeyboardInterrupt

    result = pf.optimize(prefer, SPACE, comparisons=9, seed=0)
    assert (result.best, result.incumbents, result.n_comparisons) == (None, (), 0)


def test_an_error_of_the_callback_is_the_callers():
    def callback(study):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        pf.optimize(pf.preference(f), SPACE, comparisons=3, seed=0, callback=callback)


def test_progress_is_shown_on_standard_error_only(capsys):
    pf.optimize(pf.preference(f), SPACE, comparisons=4, seed=0, progress=True)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "4 of 4 comparisons" in captured.err
    assert captured.err.count("\r") == 4
    assert captured.err.endswith("\n")
    pf.optimize(pf.preference(f), SPACE, comparisons=4, seed=0)
    assert capsys.readouterr().err == ""


def test_progress_ends_its_line_whatever_happens(capsys):
    with pytest.raises(pf.errors.JudgeError):
        pf.optimize(lambda a, b: 7, SPACE, comparisons=4, seed=0, progress=True)
    assert capsys.readouterr().err.endswith("\n")


def test_start_and_proposer_are_passed_on():
    result = pf.optimize(
        pf.preference(f),
        SPACE,
        comparisons=3,
        seed=0,
        start=[[0.3, 0.6], [0.1, 0.1]],
        proposer=lambda history: [0.0, 0.0],
    )
    assert result.best == {"x": 0.3, "y": 0.6}
    assert result.study.proposer.to_dict()["name"] == "function"


@pytest.mark.parametrize(("tie", "expected"), [(0.0, (-1, 1, 0)), (0.05, (-1, 1, 0)), (2.0, (0, 0, 0))])
def test_preference_answers_for_somebody_who_prefers_lower_values(tie, expected):
    prefer = pf.preference(lambda x: x, tie)
    assert (prefer(1.0, 2.0), prefer(2.0, 1.0), prefer(1.0, 1.0)) == expected


def test_a_mixed_space_is_optimized():
    space = pf.Space(
        {"gain": pf.Real(0.1, 10, log=True), "taps": pf.Integer(1, 8), "window": pf.Choice(["hann", "flat"])}
    )

    def cost(c):
        return abs(np.log(c["gain"] / 2)) + abs(c["taps"] - 5) + (c["window"] == "flat")

    result = pf.optimize(pf.preference(cost), space, comparisons=25, seed=0, proposer="glisp")
    assert (result.best["taps"], result.best["window"]) == (5, "hann")
    assert cost(result.best) < 0.5


@pytest.mark.parametrize(
    ("values", "said"),
    [((np.nan, 3.0), 1), ((3.0, np.nan), -1), ((np.nan, np.nan), 0), ((np.inf, np.inf), 0), ((np.inf, 1.0), 1)],
)
def test_what_is_no_number_is_as_bad_as_can_be(values, said):
    assert pf.preference(lambda k: values[k])(0, 1) == said


def test_whatever_goes_wrong_carries_what_was_known_by_then():
    def callback(study):
        return 1 / (len(study.history) - 5)

    with pytest.raises(ZeroDivisionError) as caught:
        pf.optimize(pf.preference(lambda x: x[0]), ([0.0], [1.0]), comparisons=9, seed=0, callback=callback)
    assert caught.value.result.n_comparisons == 5
    assert caught.value.result.status.name == "FAILED"
    assert caught.value.result.best is not None


def test_a_callback_that_is_none_is_refused_before_anybody_is_asked():
    with complaint(InputError, "callback: got 'x'", "a function of the study"):
        pf.optimize(lambda a, b: pytest.fail("asked"), ([0.0], [1.0]), seed=0, callback="x")


def test_a_preference_is_of_a_function():
    with complaint(InputError, "f: got 'x'", "a function of a candidate"):
        pf.preference("x")


def raises(history):
    raise ValueError("mine")


def test_a_proposer_that_raises_is_warned_about_once_and_counted():
    with pytest.warns(RuntimeWarning, match="the proposer raised ValueError: mine") as caught:
        result = pf.optimize(pf.preference(f), SPACE, comparisons=5, seed=0, proposer=raises)
    assert len(caught) == 1
    assert result.fallbacks == 4  # the first question is the opening's
    assert "The proposer failed to choose 4 of the questions." in result.message
    assert "fallbacks: 4" in str(result)


def test_a_judge_may_skip_and_report_failures():
    said = iter(["skip", "a", "b failed", "skipped", *"ab"])
    result = pf.optimize(lambda a, b: next(said), SPACE, comparisons=3, seed=0)
    assert (result.skipped, result.failed, result.n_comparisons) == (2, 1, 3)
    assert len(result.incumbents) == 3
    assert len(result.study.history.failed) == 1
    assert result.success


def test_a_failed_incumbent_is_not_the_result():
    said = iter(["a", "a failed"])

    def stop(study):
        return len(study.answers) == 2

    result = pf.optimize(lambda a, b: next(said), SPACE, comparisons=3, seed=0, callback=stop)
    assert result.best == result.study.best
    assert result.best != result.incumbents[-1]


def test_a_judge_who_always_skips_ends_the_loop(monkeypatch):
    monkeypatch.setattr("prefero.study.loop.STALLED", 5)
    result = pf.optimize(lambda a, b: "skip", SPACE, comparisons=3, seed=0)
    assert result.status is Status.STALLED
    assert (result.success, result.skipped, result.best) == (False, 5, None)
    assert result.message == "None of the last 5 questions was answered, after 0 comparisons."


def test_a_stored_study_goes_on_where_it_stopped(tmp_path):
    where = {"storage": tmp_path / "studies.db", "name": "gain", "comparisons": 8, "seed": 3}
    first = pf.optimize(pf.preference(f), SPACE, callback=lambda study: len(study.history) == 4, **where)
    first.study.close()
    second = pf.optimize(pf.preference(f), SPACE, **where)
    whole = pf.optimize(pf.preference(f), SPACE, comparisons=8, seed=3)
    assert (second.n_comparisons, len(second.incumbents)) == (8, 4)
    assert second.incumbents == whole.incumbents[4:]
    again = pf.optimize(pf.preference(f), SPACE, **where)  # nothing is left to do
    assert (again.best, again.incumbents, again.success) == (whole.best, (), True)
    for result in (second, again):
        result.study.close()


def test_a_study_is_continued():
    first = pf.optimize(pf.preference(f), SPACE, comparisons=4, seed=3)
    more = pf.optimize(pf.preference(f), first.study, comparisons=7)
    assert more.study is first.study
    assert (more.n_comparisons, len(more.incumbents)) == (7, 3)
    assert pf.optimize(pf.preference(f), more.study).n_comparisons == 7  # its own number was reached


def test_storage_needs_a_name_and_a_continued_study_has_its_own(tmp_path):
    with complaint(InputError, "name: got None"):
        pf.optimize(pf.preference(f), SPACE, storage=tmp_path / "studies.db")
    with complaint(InputError, "storage, name"):
        pf.optimize(pf.preference(f), pf.Study(SPACE), name="x")
    assert not list(tmp_path.iterdir())


# Hints from reasons --------------------------------------------------------------------------------------------------


def too_large(answer):
    return [{"kind": "less", "variable": "x", "why": "too large"}] if answer["reason"] == "too large" else []


def said(*answers):
    """Return a function that gives these answers in turn."""
    given = iter(answers)
    return lambda a, b: next(given)


LARGE = pf.because("a", "too large")


def test_hints_from_reasons_are_collected_and_change_nothing():
    result = pf.optimize(said("a", LARGE, pf.because("b", "nicer")), SPACE, comparisons=3, seed=0, reasons=too_large)
    [suggestion] = result.suggestions
    assert (suggestion.words, suggestion.why) == ("less x", "too large")
    assert result.table["suggestions"] == 1
    silent = pf.optimize(said("a", LARGE, pf.because("b", "nicer")), SPACE, comparisons=3, seed=0)
    assert silent.suggestions == ()
    assert [entry.answer for entry in result.study.answers] == [entry.answer for entry in silent.study.answers]
    assert result.best == silent.best
    suggestion.confirm(result.study)
    assert [entry.answer for entry in result.study.answers][3:] == ["less x"]


@pytest.mark.parametrize(("reply", "hints"), [(True, ["less x"]), (False, []), (None, []), ("no", []), (1, [])])
def test_a_suggested_hint_counts_only_if_a_person_says_yes(reply, hints):
    heard = []

    def confirm(suggestion):
        heard.append(suggestion.words)
        return reply

    result = pf.optimize(said("a", LARGE, "b"), SPACE, comparisons=3, seed=0, reasons=too_large, confirm=confirm)
    assert heard == ["less x"]
    assert result.suggestions == ()
    entries = result.study.answers
    assert [entry.answer for entry in entries if entry.answer == "less x"] == hints
    assert [entry.note for entry in entries if entry.answer == "less x"] == ["too large"] * len(hints)
    assert result.best == result.incumbents[-1] == result.study.best
    assert len(result.incumbents) == result.n_comparisons == 3


def test_hints_that_exclude_each_other_are_not_all_asked_about():
    def both(answer):
        return [{"kind": "fix", "variable": name} for name in ("x", "y")]

    heard = []
    result = pf.optimize(
        said(LARGE, "a"), SPACE, comparisons=2, seed=0, reasons=both, confirm=lambda each: not heard.append(each.words)
    )
    assert heard == ["fix x"]
    assert result.status is Status.BUDGET


def test_a_skip_has_a_reason_too():
    result = pf.optimize(
        said("a", pf.because("skip", "too large"), "b"), SPACE, comparisons=2, seed=0, reasons=too_large
    )
    assert [each.words for each in result.suggestions] == ["less x"]


def test_a_function_of_reasons_that_raises_is_warned_about_once_and_loses_no_answer():
    def raises(answer):
        raise RuntimeError("no network")

    with pytest.warns(RuntimeWarning, match="no hints were suggested.*no network") as caught:
        result = pf.optimize(said("a", LARGE, LARGE), SPACE, comparisons=3, seed=0, reasons=raises)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert result.success
    assert [entry.note for entry in result.study.answers] == ["", "too large", "too large"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_who_is_interrupted_while_confirming_keeps_the_answer(error):
    def confirm(suggestion):
        raise error("lunch")

    def run():
        return pf.optimize(said("a", LARGE), SPACE, comparisons=3, seed=0, reasons=too_large, confirm=confirm)

    if error is KeyboardInterrupt:
        result = run()
        assert result.status is Status.INTERRUPTED
    else:
        with pytest.raises(RuntimeError, match="lunch") as caught:
            run()
        result = caught.value.result
        assert result.status is Status.FAILED
    assert len(result.incumbents) == result.n_comparisons == 2
    assert result.study.answers[-1].note == "too large"


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"reasons": "./hints"}, "reasons"),
        ({"reasons": too_large, "confirm": True}, "confirm"),
        ({"confirm": lambda each: True}, "confirm: there is nothing to confirm"),
    ],
)
def test_reasons_and_confirm_are_functions(given, match):
    with pytest.raises(pf.InputError, match=match):
        pf.optimize(lambda a, b: "a", SPACE, comparisons=3, seed=0, **given)
