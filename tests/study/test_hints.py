"""Hints of a study: where its questions come from, what is refused, and what becomes of them."""

import json

import numpy as np
import pytest

import prefero as pf
from prefero.errors import InputError, QuestionError
from prefero.exchange import tables
from prefero.study.session import UNLIMITED
from tests.complaints import complaint

SPACE = {"warmth": pf.Real(0, 10), "dose": pf.Integer(0, 20), "milk": pf.Choice(["oat", "soy", "cow"])}


def begun(answers=3, proposer="posterior", space=None, **options):
    study = pf.Study(pf.Space(SPACE) if space is None else space, comparisons=12, seed=1, proposer=proposer, **options)
    for _ in range(answers):
        answer(study)
    return study


def answer(study, judge=""):
    question = study.ask(judge)
    study.tell(question, min("ab", key=lambda side: abs(question.sides[side]["warmth"] - 8)))
    return question


def new(study, question, before):
    """The candidates of a question that were not shown before."""
    return [c for c in (question.a, question.b) if c not in before]


def asked(study, count, judge=""):
    """The new candidates of the next questions."""
    found = []
    for _ in range(count):
        before = set(study.candidates)
        found.append(new(study, answer(study, judge), before))
    return found


# Where the questions come from ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("proposer", ["posterior", "glisp", "pbo"])
@pytest.mark.parametrize("answers", [1, 8])
def test_near_holds_for_some_questions_and_ends_by_itself(proposer, answers):
    study = begun(answers, proposer)
    best = study.best
    study.hint("near", n=2, within=0.05)
    for candidates in asked(study, 2):
        for candidate in candidates:
            assert abs(candidate["warmth"] - best["warmth"]) <= 0.5 + 1e-9
            assert abs(candidate["dose"] - best["dose"]) <= 1
            assert candidate["milk"] == best["milk"]
    assert study.history.limits_of("", len(study.log.state.asked)) == ()


@pytest.mark.parametrize("proposer", ["posterior", "glisp", "pbo"])
@pytest.mark.parametrize("answers", [1, 8])
def test_a_variable_is_kept_until_it_is_let_go(proposer, answers):
    study = begun(answers, proposer)
    best = study.best
    study.hint("fix", "milk")
    study.hint("fix", "dose", at={"dose": 7})
    found = [candidate for candidates in asked(study, 3) for candidate in candidates]
    assert found
    assert {(c["milk"], c["dose"]) for c in found} == {(best["milk"], 7)}
    study.hint("free", "dose")
    assert {c["milk"] for candidates in asked(study, 2) for c in candidates} <= {best["milk"]}
    study.hint("free")
    assert study.history.limits == ()


def test_a_hint_before_the_first_question_shapes_it():
    study = begun(0)
    study.hint("fix", "milk", at={"milk": "soy"})
    study.hint("near", {"warmth": 5, "dose": 10, "milk": "soy"}, within=0.2)
    question = study.ask()
    for candidate in (question.a, question.b):
        assert candidate["milk"] == "soy"
        assert abs(candidate["warmth"] - 5) <= 2
    study.tell(question, "a")
    assert study.best == question.a


def test_a_waiting_question_stays():
    study = begun(4)
    waiting = study.ask()
    study.hint("fix", "warmth", at={"warmth": 1.5})
    study.hint("more", "dose")
    assert study.ask() == waiting


def test_the_largest_step_still_holds():
    study = begun(6, space=pf.Space({"warmth": pf.Real(0, 10)}), max_step={"warmth": 1.0})
    best = study.best
    study.hint("near", {"warmth": 0.5})
    question = study.ask()
    assert all(abs(candidate["warmth"] - best["warmth"]) <= 1 + 1e-9 for candidate in (question.a, question.b))


def test_hints_hold_for_the_questions_of_their_judge():
    study = begun(0)
    for judge in ("Ada", "Bob", "Ada", "Bob"):
        answer(study, judge)
    study.hint("fix", "dose", at={"dose": 3}, judge="Ada")
    before = set(study.candidates)
    assert {c["dose"] for c in new(study, study.ask("Ada"), before)} == {3}
    assert {c["dose"] for c in new(study, study.ask("Bob"), before)} != {3}


def test_if_nothing_is_left_where_the_hints_say_they_are_left_out():
    study = begun(0, space=pf.Space({"warmth": pf.Integer(0, 1), "dose": pf.Integer(0, 4)}))
    study.hint("fix", "dose", at={"dose": 2})
    study.tell(study.ask(), "a")
    question = study.ask()
    assert question.note == UNLIMITED
    stand_in = study._session_of(study.log.state).stand_in(study.log.state, "", "it took too long")
    assert stand_in.second is not None
    assert study.log.question(0).a["dose"] == study.log.question(0).b["dose"] == 2


def test_a_catalogue_takes_hints():
    rng = np.random.default_rng(0)
    rows = [{"warmth": float(w), "milk": m} for w, m in zip(rng.uniform(0, 10, 40), ["oat", "soy"] * 20, strict=True)]
    study = begun(3, space=pf.Catalogue(rows))
    study.hint("fix", "milk", at={"milk": "soy"})
    study.hint("more", "warmth")
    study.hint("near", n=1, within=0.3)
    for candidates in asked(study, 4):
        assert all(candidate["milk"] == "soy" for candidate in candidates)
    with pytest.raises(InputError, match="within the bounds"):
        study.hint("fix", "warmth", at={"warmth": 3.21})


def test_a_conditional_variable_may_be_kept():
    space = {"kind": pf.Choice(["a", "b"]), "size": pf.Real(0, 1, when={"kind": "a"}), "warmth": pf.Real(0, 10)}
    study = begun(4, space=pf.Space(space))
    study.hint("fix", "size", at={"size": 0.25})
    for candidates in asked(study, 4):
        assert all(candidate.get("size", 0.25) == pytest.approx(0.25) for candidate in candidates)
    study.hint("near", {"kind": "b", "warmth": 2})
    for candidates in asked(study, 2):
        assert all(candidate["kind"] == "b" for candidate in candidates)
    study.hint("free", "size")
    with pytest.raises(InputError, match="that has 'size'"):
        study.hint("more", "size", at={"kind": "b", "warmth": 2})


def test_a_candidate_is_tried_next_and_once():
    study = begun(2)
    own = {"warmth": 7.5, "dose": 2, "milk": "oat"}
    first = study.hint("try", own)
    assert study.hint("try", own).sequence == first.sequence  # a repeated request
    assert own in (dict(study.ask().a), dict(study.ask().b))
    study.tell(study.ask(), "a")
    assert study.hint("try", own | {"dose": 3}).sequence > first.sequence


def test_questions_about_several_candidates_follow_hints():
    study = begun(0, kind="best of 3")
    for side in "abcab":
        study.tell(study.ask(), f"best {side}")
        study.hint("more", "warmth")
        study.hint("less", "dose")
    study.hint("fix", "milk", at={"milk": "cow"})
    before = set(study.candidates)
    shown = [candidate for candidate in study.ask().sides.values() if candidate not in before]
    assert {candidate["milk"] for candidate in shown} == {"cow"}


# What becomes of them ------------------------------------------------------------------------------------------------


def test_hints_are_listed_undone_removed_and_restored():
    study = begun(3)
    study.hint("more", "warmth", note="too cold")
    study.hint("fix", "dose", at={"dose": 4})
    study.hint("near", n=1)
    shown = [(e.step, e.answer, e.note) for e in study.answers if e.step < 0]
    assert shown == [(-1, "more warmth", "too cold"), (-2, "fix dose at 4", ""), (-3, "near for 1 question", "")]
    assert study.log.question(-1).a == study.best
    assert (study.history.answers, study.history.answered) == (3, 3)
    assert study.undo() is None
    assert [limit.variable for limit in study.history.limits] == ["dose"]
    study.log.remove(-2)
    study.log.remove(-1)
    assert study.history.limits == study.history.leanings == ()
    study.log.restore(-1)
    assert len(study.history.leanings) == 1
    with pytest.raises(InputError, match="remove a hint"):
        study.log.correct(-1, "a")
    with pytest.raises(InputError, match="shows no pair"):
        study.probe(-1)


def test_a_removed_comparison_leaves_the_directions():
    study = begun(3)
    study.hint("more", "warmth")
    study.log.remove(1)
    assert pf.Study.from_json(study.to_json()).history.leanings == study.history.leanings
    assert study.history.leanings[0].after == 2


def test_letting_go_is_undone():
    study = begun(3)
    study.hint("fix", "dose")
    kept = study.history.limits
    study.hint("free", "dose")
    study.undo()
    assert study.history.limits == kept
    study.hint("fix", "dose", at={"dose": 0})
    assert len(study.history.limits) == 1


def test_a_variable_may_be_named_like_an_answer():
    study = pf.Study(pf.Space({"a failed": pf.Real(0, 1), "unacceptable": pf.Real(0, 1)}), comparisons=9, seed=0)
    study.tell(study.ask(), "a")
    study.hint("more", "a failed")
    study.hint("less", "unacceptable")
    study.ask()
    study.tell(study.ask(), "b unacceptable")
    replayed = pf.Study.from_json(study.to_json())
    assert [entry.answer for entry in replayed.answers][1:3] == ["more a failed", "less unacceptable"]
    assert replayed.ask() == study.ask()


def test_hints_survive_another_space():
    study = begun(4)
    study.hint("more", "warmth")
    study.hint("fix", "dose", at={"dose": 19})
    wider = pf.Space(SPACE | {"warmth": pf.Real(0, 20), "dose": pf.Integer(0, 10), "salt": pf.Real(0, 1)})
    study.change_space(wider, {"salt": 0.5})
    assert len(study.history.leanings) == 1
    assert study.history.limits == ()  # 19 is out of bounds now
    study.ask()
    assert pf.Study.from_json(study.to_json()).ask() == study.ask()


@pytest.mark.parametrize("proposer", ["posterior", "glisp", "pbo"])
def test_directions_that_contradict_each_other_are_noise(proposer):
    study = begun(5, proposer)
    at = study.best
    for _ in range(3):
        study.hint("more", "warmth", at=at)
        study.hint("less", "warmth", at=at)
    answer(study)
    assert study.best is not None


def test_a_repeated_hint_counts_once():
    study = begun(3)
    first = study.hint("more", "warmth", answer_id="h1")
    assert study.hint("more", "warmth", answer_id="h1") is first
    with pytest.raises(InputError, match="answer_id"):
        study.tell(study.ask(), "a", answer_id="h1")
    with pytest.raises(InputError, match="answer_id"):
        study.rate(study.best, 3, answer_id="h1")
    for other in (("less", "warmth"), ("more", "dose"), ("near",)):
        with complaint(QuestionError, "answer_id", "nothing was saved", unchanged=study):
            study.hint(*other, answer_id="h1")


# What is refused -----------------------------------------------------------------------------------------------------

GOOD = {"warmth": 5, "dose": 5, "milk": "oat"}


@pytest.mark.parametrize(
    ("arguments", "more", "said"),
    [
        (("warmer",), {}, "kind"),
        ((None,), {}, "kind"),
        (("more",), {}, "variable"),
        (("more", "salt"), {}, "variable"),
        (("more", ["warmth"]), {}, "variable"),
        (("more", "milk"), {}, "a choice has no more and no less"),
        (("more", "warmth"), {"at": GOOD | {"warmth": 11}}, "candidate"),
        (("more", "warmth"), {"at": GOOD | {"warmth": float("nan")}}, "warmth"),
        (("more", "warmth"), {"at": {"warmth": 5}}, "candidate"),
        (("more", "warmth"), {"n": 3}, "questions"),
        (("less", "warmth"), {"within": 0.1}, "within"),
        (("near",), {"n": 0}, "questions"),
        (("near",), {"n": -1}, "questions"),
        (("near",), {"n": 2.5}, "questions"),
        (("near",), {"n": True}, "questions"),
        (("near",), {"n": 10**9}, "questions"),
        (("near",), {"within": 0}, "within"),
        (("near",), {"within": float("nan")}, "within"),
        (("near",), {"within": 1.5}, "within"),
        (("near",), {"within": "0.1"}, "within"),
        (("near", "warmth"), {}, "candidate"),
        (("near", GOOD), {"at": GOOD}, "at"),
        (("fix", "salt"), {}, "variable"),
        (("fix",), {}, "variable"),
        (("fix", "warmth"), {"at": {"warmth": 11}}, "bounds"),
        (("fix", "warmth"), {"at": {"warmth": float("nan")}}, "warmth"),
        (("fix", "dose"), {"at": {"dose": 2.5}}, "dose"),
        (("fix", "milk"), {"at": {"milk": "goat"}}, "milk"),
        (("free", "warmth"), {}, "not kept fixed"),
        (("free",), {}, "no variable is kept fixed"),
        (("free", "warmth"), {"at": GOOD}, "candidate"),
        (("try",), {}, "candidate"),
        (("try", GOOD | {"dose": 21}), {}, "candidate"),
        (("more", "warmth"), {"judge": 7}, "judge"),
        (("more", "warmth"), {"note": 7}, "note"),
        (("more", "warmth"), {"answer_id": ""}, "answer_id"),
    ],
)
def test_a_wrong_hint_is_refused_and_nothing_is_stored(arguments, more, said):
    study = begun(3)
    before = study.to_json()
    with pytest.raises(InputError, match=said):
        study.hint(*arguments, **more)
    assert study.to_json() == before


def test_without_an_answer_a_hint_names_its_candidate():
    study = begun(0)
    for arguments in (("more", "warmth"), ("near",), ("fix", "warmth")):
        with pytest.raises(InputError, match="name a candidate"):
            study.hint(*arguments)
    study.hint("more", "warmth", at=GOOD)
    assert study.best is None
    answer(study)
    assert study.best is not None
    assert len(study.history.leanings) == 1


def test_not_everything_is_kept_fixed_and_what_is_has_no_direction():
    study = begun(3)
    study.hint("fix", "warmth")
    study.hint("fix", "milk")
    with pytest.raises(InputError, match="nothing would be left to vary"):
        study.hint("fix", "dose")
    with pytest.raises(InputError, match="let it go first"):
        study.hint("more", "warmth")
    study.hint("fix", "warmth", at={"warmth": 1})  # another value
    fixed = begun(3, space=pf.Space(SPACE).fix(milk="oat"))
    for kind in ("fix", "more"):
        with pytest.raises(InputError, match="never varies"):
            fixed.hint(kind, "milk")


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "nowhere"},
        {"variable": ""},
        {"variable": "salt"},
        {"candidate": {}},
        {"since": 7},
        {"kind": "near"},
        {"kind": "fix"},
    ],
)
def test_a_log_with_a_broken_hint_does_not_open(change):
    study = begun(3)
    study.hint("more", "warmth")
    data = json.loads(study.to_json())
    data["events"][-1] |= change
    from prefero.storage.events import _digest

    data["digest"] = _digest(data["events"])
    with pytest.raises(InputError):
        pf.Study.from_json(json.dumps(data))


# Elsewhere ------------------------------------------------------------------------------------------------------------


def test_several_judges_lean_in_their_own_ways():
    study = pf.Study(pf.Space.box([0, 0], [1, 1]), comparisons=12, seed=1)
    for judge in ("Ada", "Bob") * 3:
        study.tell(study.ask(judge), "a")
    study.hint("less", "x1", judge="Ada")
    study.hint("more", "x2", at=[0.5, 0.5], judge="Eve")
    assert study.history.judges == ("Ada", "Bob", "Eve")
    assert study.learned.judges == ("Ada", "Bob", "Eve")
    study.tell(study.ask("Ada"), "b")
    assert pf.Study.from_json(study.to_json()).ask("Bob") == study.ask("Bob")


def test_a_model_of_outcomes_leaves_directions_out():
    study = pf.Study(([0, 0], [1, 1]), comparisons=6, seed=1, proposer=pf.Outcomes(lambda x: [x[0] ** 2, x[1]]))
    for said in "abab":
        study.tell(study.ask(), said)
        study.hint("more", "x1")
    assert study.best is not None
    assert study.learned.utility.posterior.parts[0].statements.weight is None


def test_tables_hold_hints_and_an_import_leaves_them_out():
    study = begun(3)
    study.hint("more", "warmth", note="cold")
    study.hint("fix", "dose")
    rows = tables.answer_rows(study)
    assert (rows[3]["answer"], rows[3]["note"], rows[3]["a warmth"]) == ("more warmth", "cold", study.best["warmth"])
    copy = begun(0)
    tables.import_csv(copy, tables.answers_csv(study))
    assert len(copy.history) == 3
    assert copy.history.leanings == copy.history.limits == ()
