"""What agents may do in each role; what is refused changes nothing."""

import pytest

import prefero as pf
from prefero.errors import InputError, PreferoError, QuestionError, UnknownStudyError
from prefero.storage import Memory
from prefero.web.agents.desk import TOOLS, Desk, NotAllowedError

DOSE = [{"name": "dose", "type": "real", "low": 14, "high": 22, "unit": "g"}]
SPACE = pf.Space({"dose": pf.Real(14, 22), "milk": pf.Choice(["none", "oat"])})


@pytest.fixture
def storage():
    kept = Memory()
    pf.Study.create(SPACE, name="espresso", storage=kept, comparisons=6, seed=1, proposer="glisp")
    return kept


def judge(storage, name="model"):
    return Desk(storage, "judge", "espresso", name)


def names(desk):
    return {tool.__name__ for tool in desk.tools}


def test_a_role_has_its_tools_and_no_other(storage):
    assert names(Desk(storage)) == set(TOOLS["owner"])
    assert "create_study" not in names(judge(storage))
    assert "create_study" not in names(Desk(storage, "owner", "espresso"))
    assert names(Desk(storage, "viewer")) == {"list_studies", "look_at_result", "list_answers"}


@pytest.mark.parametrize(
    ("more", "words"),
    [(("admin",), "role"), (("judge",), "needs"), (("judge", "espresso"), "needs"), (("judge", None, "x"), "needs"),
     (("viewer", None, "x"), "viewer"), (("owner", "tea"), "no study 'tea'"), (("owner", None, 7), "judge")],
)  # fmt: skip
def test_a_wrong_desk_is_refused(storage, more, words):
    with pytest.raises(PreferoError, match=words):
        Desk(storage, *more)


def test_an_owner_creates_a_study_and_has_it_answered():
    desk = Desk(Memory())
    assert desk.create_study("tea", DOSE, comparisons=3, question="Which tea?") == {
        "study": "tea", "variables": ["dose"], "comparisons": 3,
    }  # fmt: skip
    asked = desk.ask("tea")
    assert asked["question"]["asks"] == "Which tea?"
    assert set(asked["question"]["candidates"]) == {"a", "b"}
    assert desk.ask("tea") == asked
    assert desk.answer("tea", 0, "a", note="stronger") == {"saved": True, "answers": 1, "expected": 3}
    assert desk.list_answers("tea")[0]["note"] == "stronger"
    assert desk.undo("tea", 0)["question"] == asked["question"]
    assert desk.skip("tea", 0)["answers"] == 0
    step = desk.ask("tea")["question"]["step"]
    desk.report_failure("tea", step, "b")
    step = desk.ask("tea")["question"]["step"]
    desk.rate("tea", step, "a", 4)
    desk.answer("tea", step, "b")
    result = desk.look_at_result("tea")
    assert result["best"]["dose"]
    assert result["reason"]
    assert result["ranking"]
    assert desk.list_studies() == [{"study": "tea", "question": "Which tea?", "answers": 1, "expected": 3}]


@pytest.mark.parametrize(
    "variables",
    [[], ["x"], [{}], [{"name": "x"}], [{"name": "x", "type": "real"}], [{"name": "x", "type": []}],
     [{"name": "x", "type": "real", "low": 1, "high": 0}], [{"name": "x", "type": "real", "low": 0, "high": 1, "q": 1}],
     [{"name": "x", "type": "choice", "levels": ["a", "b"], "log": True}], [{"name": "x", "type": "choice", "levels": 3}],
     DOSE + DOSE],
)  # fmt: skip
def test_a_wrong_space_is_refused_and_nothing_is_stored(variables):
    desk = Desk(Memory())
    with pytest.raises(InputError):
        desk.create_study("tea", variables)
    assert desk.list_studies() == []


def test_a_name_is_taken_once(storage):
    with pytest.raises(InputError, match="already"):
        Desk(storage).create_study("espresso", DOSE)


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (lambda desk: desk.answer("espresso", 0, "perhaps"), InputError),
        (lambda desk: desk.answer("espresso", 0, ["a", "b"]), InputError),
        (lambda desk: desk.answer("espresso", 5, "a"), QuestionError),
        (lambda desk: desk.report_failure("espresso", 0, "q"), InputError),
        (lambda desk: desk.rate("espresso", 0, "c", 3), InputError),
        (lambda desk: desk.rate("espresso", 0, "a", 99), InputError),
        (lambda desk: desk.undo("espresso", 0), PreferoError),
        (lambda desk: desk.ask("tea"), NotAllowedError),
    ],
)
def test_what_is_wrong_is_refused_and_nothing_is_stored(storage, act, error):
    desk = judge(storage)
    desk.ask("espresso")
    before = pf.Study.open("espresso", storage).to_json()
    with pytest.raises(error):
        act(desk)
    assert pf.Study.open("espresso", storage).to_json() == before


def test_a_judge_answers_for_nobody_else_and_sees_nobody_elses_answers(storage):
    ann, bob = judge(storage, "ann"), judge(storage, "bob")
    theirs = ann.ask("espresso")["question"]["step"]
    own = bob.ask("espresso")["question"]["step"]
    assert own != theirs
    for act in (bob.answer, bob.report_failure, bob.rate):
        with pytest.raises(NotAllowedError, match="another judge"):
            act("espresso", theirs, "a", *((3,) if act == bob.rate else ()))
    ann.answer("espresso", theirs, "a")
    with pytest.raises(PreferoError):
        bob.undo("espresso", theirs)
    assert bob.list_answers("espresso") == []
    assert bob.look_at_result("espresso")["own_answers_only"]
    assert bob.look_at_result("espresso")["best"] is None
    bob.answer("espresso", own, "b")
    assert [each["judge"] for each in bob.list_answers("espresso")] == ["bob"]
    assert "ranking" not in bob.look_at_result("espresso")
    assert {each["judge"] for each in Desk(storage, "viewer").list_answers("espresso")} == {"ann", "bob"}
    assert Desk(storage, "viewer").look_at_result("espresso")["ranking"]


def test_an_only_judge_sees_the_result(storage):
    desk = judge(storage)
    desk.answer("espresso", desk.ask("espresso")["question"]["step"], "a")
    assert desk.look_at_result("espresso")["ranking"]


def test_what_the_owner_arranged_holds(storage):
    desk = judge(storage)
    since = "2026-01-01T00:00:00.000+00:00"
    storage.arrange("espresso", {"paused": since})
    assert "paused" in desk.ask("espresso")["finished"]
    storage.arrange("espresso", {"paused": None, "quota": 1})
    desk.answer("espresso", desk.ask("espresso")["question"]["step"], "a")
    assert "all the answers" in desk.ask("espresso")["finished"]
    assert Desk(storage).ask("espresso")["question"]
    storage.arrange("espresso", {"deleted": since})
    with pytest.raises(UnknownStudyError):
        Desk(storage).ask("espresso")
    assert Desk(storage).list_studies() == []


def test_a_finite_study_ends():
    desk = Desk(Memory())
    desk.create_study("two", [{"name": "k", "type": "choice", "levels": ["p", "q"]}])
    desk.answer("two", desk.ask("two")["question"]["step"], "a")
    assert desk.ask("two")["question"] is None
    assert desk.ask("two")["finished"]


def test_several_candidates_and_others_who_answer_meanwhile(storage):
    kept = pf.Study.create(SPACE, name="four", storage=storage, kind="best of 4", seed=0)
    desk = Desk(storage)
    question = desk.ask("four")["question"]
    assert question["asks"] == "Which one is the best?"
    assert list(question["candidates"]) == ["a", "b", "c", "d"]
    desk.answer("four", 0, "best c")
    kept.refresh()
    kept.tell(kept.ask(), "best a")  # by another process
    assert desk.ask("four")["answers"] == 2
