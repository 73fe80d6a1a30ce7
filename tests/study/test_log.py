"""What can happen to an answer later: corrected, removed, restored; and what can happen to a running study."""

import numpy as np
import pytest

import prefero as pf
from prefero.errors import AnswerError, InputError, QuestionError
from prefero.proposers.posterior import AGAIN
from prefero.study.session import Session
from tests.answered import history_of
from tests.complaints import complaint
from tests.strategies import answered, distance_to, next_question, session_of

SPACE = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)})


def study(count: int = 6, **options) -> pf.Study:
    return answered(pf.Study(SPACE, comparisons=9, seed=3, **options), distance_to([0.3, 0.6]), count)


def replayed(live: pf.Study) -> pf.Study:
    again = pf.Study.from_json(live.to_json())
    assert again.log.events == live.log.events
    assert np.array_equal(again.history.points, live.history.points)
    assert np.array_equal(again.history.feasible, live.history.feasible)
    assert again.history.comparisons == live.history.comparisons
    assert again.best == live.best
    assert again.answers == live.answers
    return again


def goes_on_the_same(live: pf.Study) -> None:
    """A replay asks what the study itself asks."""
    assert replayed(live).ask() == live.ask()


def test_a_correction_changes_what_was_said_and_nothing_else():
    live = study()
    entry = live.answers[2]
    other = "b" if entry.answer == "a" else "a"
    live.log.correct(2, other, who="owner", note="slipped")
    assert live.answers[2].note == "slipped"
    assert [e.answer for e in live.answers] == [other if e.step == 2 else e.answer for e in study().answers]
    assert live.answers[2].corrected
    assert live.log.records[-1].who == "owner"
    assert len(live.history) == 6
    assert live.history.preferences[2] == -study().history.preferences[2]
    goes_on_the_same(live)


def test_the_reason_of_a_correction_replaces_the_one_before():
    live = study(1)
    live.tell(live.ask(), "a", note="warmer")
    live.log.correct(1, pf.because("b", "less noise"))
    assert live.answers[1].note == "less noise"
    live.log.correct(1, "same")
    live.log.remove(1, note="by the owner")
    live.log.restore(1)
    assert live.answers[1].note == "less noise"
    live.undo()
    live.tell(live.ask(), "a")
    assert live.answers[1].note == ""
    goes_on_the_same(live)


def test_correcting_to_what_it_says_changes_nothing():
    live = study()
    before = live.log.events
    live.log.correct(1, live.answers[1].answer)
    assert live.log.events == before


def test_a_skip_may_become_an_answer():
    live = study(2)
    live.skip(live.ask())
    live.log.correct(2, "same")
    assert len(live.history) == 3
    assert live.history.skipped == ()
    goes_on_the_same(live)


def test_what_is_removed_does_not_count_until_it_is_restored():
    live, same = study(), study()
    live.log.remove(3)
    assert len(live.history) == 5
    assert live.answers[3].status == "removed"
    assert 3 not in [c.step for c in live.history.comparisons]
    goes_on_the_same(live)
    live.log.restore(3)
    assert live.history.comparisons == same.history.comparisons
    assert np.array_equal(live.history.points, same.history.points)
    goes_on_the_same(live)


def test_an_undone_answer_can_be_restored():
    live = study()
    live.undo()
    live.log.restore(5)
    assert live.waiting.get("") is None
    assert live.history.comparisons == study().history.comparisons
    goes_on_the_same(live)


@pytest.mark.parametrize("proposer", ["glisp", "posterior"])
def test_the_state_is_that_of_the_amended_history(proposer):
    live = study(18, proposer=proposer)
    live.ask()
    live.log.remove(4)
    live.log.correct(10, "same")
    live.tell(live.ask(), "a")
    goes_on_the_same(live)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda s: s.log.correct(99, "a"), ("step", "99")),
        (lambda s: s.log.correct("1", "a"), ("step", "'1'")),
        (lambda s: s.log.remove(-1), ("step", "-1")),
        (lambda s: s.log.restore(1), ("question 1", "effective", "can be restored")),
        (lambda s: s.log.restore(None), ("step", "None")),
    ],
)
def test_what_cannot_be_amended_is_refused(act, words):
    live = study()
    with complaint(QuestionError, *words, unchanged=live):
        act(live)


def test_what_was_removed_cannot_be_corrected():
    live = study()
    live.log.remove(1)
    with complaint(QuestionError, "question 1", "removed", unchanged=live):
        live.log.correct(1, "a")
    with complaint(AnswerError, "answer", unchanged=live):
        live.log.correct(2, "c")


# Another space, another proposer ---------------------------------------------------------------------------------------


def test_wider_bounds_keep_what_was_said():
    live = study()
    best = live.best
    live.change_space(pf.Space({"x": pf.Real(-1, 2), "y": pf.Real(0, 1)}))
    assert live.best == best
    assert live.space.bounds["x"] == (-1, 2)
    goes_on_the_same(live)


def test_outside_narrower_bounds_candidates_are_data_and_nothing_else():
    live = study(8)
    narrow = pf.Space({"x": pf.Real(0.5, 1), "y": pf.Real(0, 1)})
    waiting = live.ask()
    live.change_space(narrow)
    assert len(live.history) == 8
    with complaint(QuestionError, "no longer waits", unchanged=live):
        live.tell(waiting, "a")
    for _ in range(6):
        question = live.ask()
        assert all(narrow.admits(c) for c in (question.a, question.b))
        live.tell(question, pf.preference(distance_to([0.3, 0.6]))(question.a, question.b))
        assert narrow.admits(live.best)
    goes_on_the_same(live)


def test_undo_does_not_bring_back_a_pair_outside_the_bounds():
    live = study(5)
    live.change_space(pf.Space({"x": pf.Real(5, 6), "y": pf.Real(0, 1)}))
    assert live.undo() is None
    assert live.waiting.get("") is None
    assert len(live.history) == 4
    goes_on_the_same(live)


def test_a_new_variable_names_its_value_for_old_candidates():
    live = study()
    wider = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1), "mode": pf.Choice(["slow", "fast"])})
    live.change_space(wider, {"mode": "slow"})
    assert live.best["mode"] == "slow"
    assert {c["mode"] for c in live.candidates} == {"slow"}
    for _ in range(5):
        live.tell(live.ask(), "a")
    assert {c["mode"] for c in live.candidates} == {"slow", "fast"}
    goes_on_the_same(live)


@pytest.mark.parametrize(
    ("space", "fill", "words"),
    [
        (pf.Space({"x": pf.Real(0, 1)}), {}, ("space", "y")),
        (pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1), "z": pf.Real(0, 1)}), {}, ("fill", "z")),
        (pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)}), {"z": 1}, ("fill", "z")),
        (pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1), "z": pf.Real(0, 1)}), {"z": "high"}, ("z", "high")),
        (pf.Space({"x": pf.Choice(["p", "q"]), "y": pf.Real(0, 1)}), {}, ("space", "x")),
        (pf.Space({"x": pf.Integer(0, 1), "y": pf.Real(0, 1)}), {}, ("space", "x")),
        ("box", {}, ("space", "box")),
    ],
)
def test_a_space_that_the_candidates_do_not_fit_is_refused(space, fill, words):
    live = study()
    with complaint(InputError, *words, unchanged=live):
        live.change_space(space, fill)


def test_another_proposer_goes_on():
    live = study()
    live.change_proposer("posterior")
    assert isinstance(live.proposer, pf.Posterior)
    live.tell(live.ask(), "a")
    goes_on_the_same(live)
    live.change_proposer(pf.Glisp(exploration=1.0))
    goes_on_the_same(live)
    with complaint(InputError, "proposer", unchanged=live):
        live.change_proposer("magic")


# Failures --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("proposer", ["glisp", "posterior", "pbo"])
def test_a_failed_candidate_is_not_recommended_and_nothing_near_it_proposed(proposer):
    live = study(5, proposer=proposer)
    question = live.ask()
    side = "b" if question.a == live.best else "a"
    failed = getattr(question, side)
    record = live.fail(question, side, note="limit switch")
    assert (record.event.side, record.event.candidate) == (side, dict(failed))
    assert len(live.history) == 5
    for _ in range(8):
        asked = live.ask()
        for candidate in {asked.a, asked.b} - set(live.candidates):
            assert max(abs(candidate[name] - failed[name]) for name in SPACE.names) > 0.01
        assert failed not in (asked.a, asked.b)
        live.tell(asked, pf.preference(distance_to(list(failed.values())))(asked.a, asked.b))
        assert live.best != failed
    goes_on_the_same(live)


def test_the_best_candidate_may_fail_later():
    live = study(6)
    best = live.best
    question = live.ask()
    live.fail(question, "a" if question.a == best else "b")
    assert live.best != best
    assert best not in (live.ask().a, live.ask().b)
    goes_on_the_same(live)
    live.log.remove(6)
    assert live.best == best


def test_a_failure_can_be_taken_back():
    live = study(3)
    question = live.ask()
    live.fail(question, "a")
    assert live.undo() == question
    assert live.history.failed == ()
    goes_on_the_same(live)


def test_everything_that_was_shown_may_fail():
    live = pf.Study(SPACE, comparisons=9, seed=0)
    for _ in range(3):
        live.fail(live.ask(), "a")
        live.fail(live.ask(), "b")
    failed = {live.candidates[k] for k in live.history.failed}
    question = live.ask()
    assert not {question.a, question.b} & failed
    with complaint(InputError, "side", "'c'", unchanged=live):
        live.fail(question, "c")


def test_in_a_finite_space_nothing_near_a_failure_is_asked_about_until_the_end():
    live = pf.Study(pf.Space({"k": pf.Integer(0, 100)}), comparisons=9, seed=0)
    live.tell(live.ask(), "a")
    question = live.ask()
    side = "a" if question.b == live.best else "b"
    failed = getattr(question, side)["k"]
    live.fail(question, side)
    seen = {candidate["k"] for candidate in live.candidates}
    shown = set()
    while (asked := next_question(live)) is not None:
        shown |= {asked.a["k"], asked.b["k"]}
        live.tell(asked, "a" if asked.a == live.best else "b")
    near = set(range(failed - 1, failed + 2))  # 1 % of 100
    assert not (shown - seen) & near
    assert failed not in shown
    assert shown | seen >= set(range(101)) - near


@pytest.mark.parametrize("nudge", [0.0, 0.008])
def test_a_proposer_of_ones_own_cannot_bring_a_failure_back(nudge):
    failed = {"x": 0.5, "y": 0.5}
    live = pf.Study(SPACE, seed=0, proposer=lambda history: {"x": 0.5 + nudge, "y": 0.5}, start=[failed, [0.1, 0.1]])
    question = live.ask()
    live.tell(question, "a" if dict(question.b) == failed else "b")
    live.undo()
    live.fail(live.ask(), "a" if dict(question.a) == failed else "b")
    for _ in range(3):
        asked = live.ask()
        for candidate in {asked.a, asked.b} - {question.a, question.b}:
            assert max(abs(candidate[name] - 0.5) for name in SPACE.names) > 0.01
        assert failed not in (dict(asked.a), dict(asked.b))
        live.tell(asked, "a")
    assert "too near to a candidate that failed" in live.ask().note


def test_a_proposer_of_ones_own_cannot_ask_two_judges_the_same():
    live = pf.Study(SPACE, seed=0, proposer=lambda history: {"x": 0.9, "y": 0.9})
    live.tell(live.ask(), "a")
    ann, bob = live.ask("ann"), live.ask("bob")
    assert {ann.a, ann.b} != {bob.a, bob.b}
    assert "another judge" in bob.note


def test_a_proposer_of_ones_own_cannot_go_farther_than_max_step():
    live = pf.Study(
        SPACE, seed=0, proposer=lambda history: {"x": 0.99, "y": 0.5}, max_step={"x": 0.1}, start=[[0.1, 0.5]]
    )
    for _ in range(4):
        live.tell(live.ask(), "a")
        question = live.ask()
        assert abs(question.a["x"] - question.b["x"]) <= 0.1 + 1e-9
    assert "max_step" in question.note


@pytest.mark.parametrize("seed", [1, 3, 10, 13])  # where another ε follows from it
def test_the_state_after_the_best_has_failed_is_that_of_the_replay(seed):
    live = answered(pf.Study(SPACE, comparisons=8, seed=seed, proposer="glisp"), distance_to([0.3, 0.6]), 8)
    live.ask()
    best = live.best
    live.fail(live.waiting.get(""), "a" if live.waiting.get("").a == best else "b")
    again = replayed(live)
    shapes = {session_of(study).state(study.history).shape for study in (again, live)}
    assert len(shapes) == 1
    assert again.ask() == live.ask()


# Steps that may only be so large -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("proposer", ["glisp", "posterior", "pbo", lambda history, rng: rng.uniform(-1, 1, 3)])
def test_no_proposal_is_farther_from_the_best_than_max_step_allows(proposer):
    space = pf.Space({"gain": pf.Real(1, 100, log=True), "taps": pf.Integer(1, 60), "x": pf.Real(0, 1)})
    live = pf.Study(space, comparisons=12, seed=1, proposer=proposer, max_step={"gain": 3.0, "taps": 5, "x": 0.08})
    prefer = pf.preference(lambda c: abs(np.log(c["gain"]) - 1) + abs(c["taps"] - 30) / 10 + c["x"])
    for _ in range(16):
        question = live.ask()
        centre = live.best or question.a
        for candidate in (question.a, question.b):
            reach = 1 if live.best else 2
            assert abs(candidate["gain"] - centre["gain"]) <= 3.0 * reach + 1e-6
            assert abs(candidate["taps"] - centre["taps"]) <= 5 * reach
            assert abs(candidate["x"] - centre["x"]) <= 0.08 * reach + 1e-9
        assert question.a != question.b
        live.tell(question, prefer(question.a, question.b))
    if isinstance(proposer, str):
        goes_on_the_same(live)


def erring(seed):
    """Somebody who likes one place of a square, and says the opposite in a fifth of the answers."""
    rng, liking = np.random.default_rng(seed), pf.preference(lambda c: (c["x1"] - 0.3) ** 2 + (c["x2"] - 0.6) ** 2)
    return lambda a, b: liking(a, b) * (-1 if rng.random() < 0.2 else 1)


@pytest.mark.parametrize("seed", [0, 2])
def test_max_step_holds_for_people_who_err_and_no_question_is_lost_to_a_doubt(seed):
    square = pf.Space.box([0, 0], [1, 1])
    live = pf.Study(square, comparisons=30, seed=seed, max_step={"x1": 0.1, "x2": 0.1})
    prefer, again = erring(seed), 0
    for k in range(30):
        best, question = live.best, live.ask()
        assert "space-filling" not in question.note
        again += question.note == AGAIN
        for candidate in (question.a, question.b) if k else ():
            assert max(abs(candidate[name] - best[name]) for name in best) <= 0.1 + 1e-9
        live.tell(question, prefer(question.a, question.b))
    assert again


class Doubter:
    """Recommends the loser, and fails to propose."""

    rebuild = 0
    winner = advance = staticmethod(lambda *_: None)
    recommend = staticmethod(lambda *_: 1)

    def propose(self, *_):
        raise pf.PreferoError("no idea")


def test_what_stands_in_for_a_failing_proposer_is_near_what_it_recommends():
    task = session_of(pf.Study(pf.Space.box([0], [1]), comparisons=5, seed=0)).task
    history = history_of((0, 1, -1))
    loser = history.points[1]
    proposal = Session(Doubter(), task, {"x1": 0.1}).propose(history, [], 1)
    assert np.array_equal(proposal.first, loser)
    assert np.abs(proposal.second - loser).max() <= 0.2 + 1e-9  # of a box that is twice as wide
    assert "no idea" in proposal.note


def asked_again(seed):
    """A study of a person who errs, where a pair is asked about again."""
    live, prefer = pf.Study(pf.Space.box([0, 0], [1, 1]), comparisons=30, seed=seed), erring(seed)
    for _ in range(30):
        question = live.ask()
        if question.note == AGAIN:
            return live, question
        live.tell(question, prefer(question.a, question.b))
    raise AssertionError("no answer was in doubt")


@pytest.mark.parametrize("seed", range(4))
def test_a_doubtful_pair_that_is_skipped_or_asked_elsewhere_or_failed_makes_room_for_another_question(seed):
    live, question = asked_again(seed)
    elsewhere = live.ask("somebody else")
    assert {elsewhere.a, elsewhere.b} != {question.a, question.b}
    assert "space-filling" not in elsewhere.note
    live.skip(question)
    other = live.ask()
    assert {other.a, other.b} != {question.a, question.b}
    assert "space-filling" not in other.note
    live, question = asked_again(seed)
    live.fail(question, "b")
    other = live.ask()
    assert question.b not in (other.a, other.b)
    assert "space-filling" not in other.note


def test_max_step_in_a_catalogue_leaves_rows_that_are_near():
    live = pf.Study(pf.Catalogue([[float(k)] for k in range(12)]), comparisons=9, seed=0, max_step={"x1": 2})
    for _ in range(5):
        question = live.ask()
        assert abs(question.a["x1"] - question.b["x1"]) <= 2 + 2 * (live.best is None)
        live.tell(question, "a" if question.a["x1"] > question.b["x1"] else "b")


@pytest.mark.parametrize("step", [3, {"z": 1}, {"x": 0}, {"x": -1}, {"x": "wide"}, {"x": True}, {"x": np.inf}])
def test_a_max_step_that_cannot_be_is_refused(step):
    with complaint(InputError, "max_step"):
        pf.Study(SPACE, max_step=step)


def test_an_owner_may_hide_the_parameters_and_it_is_kept():
    assert not pf.Study(SPACE).settings.hide_parameters
    assert not pf.Study(SPACE).settings.strengths
    hidden = pf.Study.create(SPACE, name="x", hide_parameters=True, strengths=True, ratings=True, language="de-AT")
    assert pf.Study.from_json(hidden.to_json()).settings.hide_parameters
    assert pf.Study.from_json(hidden.to_json()).settings.strengths
    assert pf.Study.from_json(hidden.to_json()).settings.ratings
    assert pf.Study.from_json(hidden.to_json()).settings.language == "de-AT"


@pytest.mark.parametrize("given", [1, None, "German", "d", "de_AT", "de-"])
def test_a_language_is_given_by_its_code(given):
    with complaint(InputError, "language"):
        pf.Study.create(SPACE, name="x", language=given)


@pytest.mark.parametrize("given", [1, None, "yes"])
def test_what_is_not_true_or_false_hides_nothing(given):
    with complaint(InputError, "hide_parameters"):
        pf.Study.create(SPACE, name="x", hide_parameters=given)


FORMER = {
    "name": "posterior",
    "initial_samples": None,
    "tournament": True,
    "turns": ["global", "exploit", "explore", "exploit"],
    "hope": 0.5,
    "exploration": 2.0,
    "noise": None,
    "tie": 0.1,
    "linear": False,
}
"""The default proposer as version 0.1 wrote it."""


def test_a_study_of_the_former_default_goes_on_with_todays_and_says_so(monkeypatch):
    with monkeypatch.context() as earlier:
        earlier.setattr(pf.Posterior, "to_dict", lambda _: dict(FORMER))
        study = pf.Study(pf.Space.box([0, 0], [1, 1]), comparisons=10, seed=0, proposer=pf.Posterior(tie=0.1))
    question = study.log.append(study.log.state, Session.of(study.log.state).ask(study.log.state, "")[0], "")
    assert question.kind == "asked"
    stored = study.to_json()
    former = pf.Study.from_json(stored)
    assert former.proposer == pf.Posterior(tie=0.1)
    waiting = former.ask()  # what waits is asked as it was
    assert former.to_json() == stored  # and nothing was written
    former.tell(waiting, "b")
    former.ask()
    kinds = [record.kind for record in former.log.records]
    assert kinds[-3:] == ["answered", "proposer changed", "asked"]
    assert former.log.records[-2].event.proposer["policy"] == {}
    former.tell(former.ask(), "a")
    former.ask()
    assert [record.kind for record in former.log.records].count("proposer changed") == 1  # once and for all
