"""A question waits, an answer is saved once, and what was said can be taken back, said anew, removed and restored."""

import pytest

from benchmarks.torture.asgi import Client
from tests.web.conftest import answer


def question(owner, study, judge=""):
    return owner.get(f"{study}/question?judge={judge}").json()["question"]


def test_the_question_is_the_same_until_it_is_answered(owner, study):
    first = owner.get(f"{study}/question").json()
    assert first == owner.get(f"{study}/question").json()
    assert (first["answers"], first["expected"], first["finished"]) == (0, 30, None)
    answer(owner, study)
    assert question(owner, study)["step"] == 1


def test_an_answer_is_there_when_the_reply_is(service, owner, study):
    saved = answer(owner, study, "b", seconds=2.5, note="brighter")
    assert saved["answers"] == 1
    last = service.events(study)[-1]
    assert last == saved["saved"]
    told = {"step": 0, "answer": "b", "answer_id": "None-0", "seconds": 2.5, "note": "brighter", "sure": True}
    assert last["data"] == told


def test_an_answer_sent_again_returns_the_first_outcome(service, owner, study):
    step = question(owner, study)["step"]
    first = owner.post(f"{study}/answers", {"step": step, "answer": "a", "answer_id": "k"})
    again = owner.post(f"{study}/answers", {"step": step, "answer": "b", "answer_id": "k"})
    assert again.status == 200
    assert again.json() == first.json()
    assert len(service.events(study)) == 3


def test_a_late_repeat_of_an_undone_answer_does_not_land(service, owner, study):
    answer(owner, study)
    owner.post(f"{study}/undo", {"step": 0})
    before = service.events(study)
    repeat = owner.post(f"{study}/answers", {"step": 0, "answer": "a", "answer_id": "None-0"})
    assert repeat.status == 200
    assert service.events(study) == before
    assert question(owner, study)["step"] == 0


def test_an_id_that_stands_for_another_question_is_a_conflict(service, owner, study):
    answer(owner, study, answer_id="k")
    step = question(owner, study)["step"]
    before = service.events(study)
    reply = owner.post(f"{study}/answers", {"step": step, "answer": "a", "answer_id": "k"})
    assert reply.status == 409
    assert "already belongs to question 0" in reply.json()["error"]
    assert service.events(study) == before


@pytest.mark.parametrize("step", [0, 7])
def test_an_answer_to_a_question_that_does_not_wait_is_refused(service, owner, study, step):
    answer(owner, study)
    before = service.events(study)
    reply = owner.post(f"{study}/answers", {"step": step, "answer": "a", "answer_id": "another"})
    assert reply.status == 409
    assert reply.json()["error"]
    assert service.events(study) == before


def test_skips_and_failures_are_answers_too(service, owner, study):
    answer(owner, study, "skipped")
    failed = question(owner, study)["b"]
    answer(owner, study, "b failed")
    kinds = [event["event"] for event in service.events(study)]
    assert kinds == ["created", "asked", "skipped", "asked", "failed"]
    assert service.events(study)[-1]["data"]["candidate"] == failed
    assert [entry["answer"] for entry in owner.get(f"{study}/history").json()["history"]] == ["skipped", "b failed"]


def test_max_step_limits_the_change(service, owner):
    study = service.create("small steps", max_step={"x": 0.1})
    assert owner.get(study).json()["max_step"] == {"x": 0.1}
    for _ in range(3):
        pair = question(owner, study)
        assert abs(pair["a"]["x"] - pair["b"]["x"]) <= 0.2 + 1e-9  # both are within reach of one centre
        answer(owner, study)


def test_undo_brings_the_same_pair_back(owner, study):
    pair = question(owner, study)
    answer(owner, study)
    undone = owner.post(f"{study}/undo", {"step": 0})
    assert undone.status == 200
    assert undone.json()["question"] == pair
    assert undone.json()["answers"] == 0


def test_an_undo_that_is_sent_twice_undoes_one(service, owner, study):
    for _ in range(3):
        answer(owner, study)
    assert owner.post(f"{study}/undo", {"step": 2}).json()["answers"] == 2
    assert owner.post(f"{study}/undo", {"step": 2}).status == 409
    assert "step" in owner.post(f"{study}/undo", {}).json()["error"]
    assert owner.get(f"{study}/question").json()["answers"] == 2


@pytest.mark.parametrize("body", [{"step": 0}, {"step": 3}, {"step": 0, "judge": "ann"}])
def test_an_undo_of_what_is_not_there_changes_nothing(service, owner, study, body):
    if body != {"step": 0}:
        answer(owner, study)
    before = service.events(study)
    assert owner.post(f"{study}/undo", body).status == 409
    assert service.events(study) == before


def test_an_answer_can_be_corrected_removed_and_restored(service, owner, study):
    answer(owner, study, "a")
    assert owner.post(f"{study}/answers/0/correct", {"answer": "b", "note": "slip"}).json()["answers"] == 1
    assert owner.get(f"{study}/history").json()["history"][0]["answer"] == "b"
    assert owner.post(f"{study}/answers/0/remove").json()["answers"] == 0
    assert owner.post(f"{study}/answers/0/remove").status == 409
    assert owner.post(f"{study}/answers/0/restore").json()["answers"] == 1
    assert [event["who"] for event in service.events(study)][3:] == ["owner"] * 3


def test_nothing_left_to_ask_is_said_with_its_reason(service, owner):
    study = service.create("two", variables=[{"name": "z", "type": "choice", "levels": ["p", "q"]}])
    answer(owner, study)
    current = owner.get(f"{study}/question")
    assert current.status == 200
    assert current.json()["question"] is None
    assert current.json()["finished"]


def test_each_judge_has_a_question_of_their_own(service, owner, study):
    answer(owner, study, "a", judge="ann")
    pair = question(owner, study, "bob")
    answer(owner, study, "b", judge="bob")
    assert pair["judge"] == "bob"
    assert owner.get(study).json()["judges"] == ["ann", "bob"]
    assert owner.get(f"{study}/result?judge=ann").json()["answers"] == 1
    assert owner.get(f"{study}/result").json()["answers"] == 2
    assert owner.get(f"{study}/result?judge=eve").status == 404


def test_where_the_judges_disagree(service, owner):
    owner.post("/api/v1/studies", {"name": "few", "catalogue": [{"x": k} for k in range(5)], "seed": 1})
    study = "/api/v1/studies/few"
    assert owner.get(f"{study}/disagreements").json() == {"disagreements": []}
    for _ in range(4):
        for judge, sign in (("ann", 1), ("bob", -1)):
            pair = question(owner, study, judge)
            if pair is not None:
                answer(owner, study, "a" if sign * pair["a"]["x"] < sign * pair["b"]["x"] else "b", judge=judge)
    found = owner.get(f"{study}/disagreements").json()["disagreements"]
    assert found
    for each in found:
        low = "a" if each["a"]["x"] < each["b"]["x"] else "b"
        assert each["said"] == {"ann": low, "bob": "b" if low == "a" else "a"}


def test_a_judge_is_told_nothing_that_tells_the_sides(service, study):
    judge = Client(service.app, service.token("judge", study="line 3", label="ann"))
    assert service.owner.get(study).json()["seed"] == 0
    assert judge.get(study).json()["seed"] is None
    told = judge.get(f"{study}/question").json()["question"]
    hidden = {"swapped", "first", "second", "seed"}
    assert not hidden & set(told)
    saved = judge.post(f"{study}/answers", {"step": told["step"], "answer": "a", "answer_id": "1"}).json()["saved"]
    (entry,) = judge.get(f"{study}/history").json()["history"]
    assert not hidden & {*saved, *saved["data"], *entry}
    judge.close()


def test_a_judge_is_not_told_that_others_say_otherwise(service, owner):
    """Ann likes much, Bob little: together they go round in circles, each alone does not."""
    rows = [{"x": x} for x in range(9)]
    assert owner.post("/api/v1/studies", {"name": "nine", "catalogue": rows, "seed": 0}).status == 201
    path = "/api/v1/studies/nine"
    for who in ["ann", "bob"] * 8:
        question = owner.get(f"{path}/question?judge={who}").json()["question"]
        said = "a" if (question["a"]["x"] > question["b"]["x"]) == (who == "ann") else "b"
        sent = {"step": question["step"], "answer": said, "answer_id": f"{question['step']}", "judge": who}
        assert owner.post(f"{path}/answers", sent).status == 200
    everything = owner.get(f"{path}/history").json()["history"]
    assert any(entry["contradicts"] for entry in everything if entry["who"] == "ann")
    own = owner.get(f"{path}/history", token=service.token("judge", "nine", "ann")).json()["history"]
    assert len(own) == 8
    assert not any(entry["contradicts"] for entry in own)


def test_what_the_owner_removed_a_judge_cannot_restore(service, owner, study):
    answer(owner, study, judge="ann")
    answer(owner, study, judge="ann")
    ann = service.token("judge", "line 3", "ann")
    assert owner.post(f"{study}/answers/0/remove", {}).status == 200
    refused = owner.post(f"{study}/answers/0/restore", {}, token=ann)
    assert (refused.status, "somebody else" in refused.json()["error"]) == (403, True)
    assert owner.post(f"{study}/answers/1/remove", {}, token=ann).status == 200
    assert owner.post(f"{study}/answers/1/restore", {}, token=ann).status == 200
    assert owner.post(f"{study}/answers/0/restore", {}).status == 200


def test_strengths_and_what_is_not_acceptable_are_said_over_http(owner, study):
    for said, answers in (("much a", 1), ("b unacceptable", 2), ("both unacceptable", 2)):
        step = owner.get(f"{study}/question").json()["question"]["step"]
        saved = owner.post(f"{study}/answers", {"step": step, "answer": said, "answer_id": f"k{step}"})
        assert (saved.status, saved.json()["answers"]) == (200, answers)
    step = owner.get(f"{study}/question").json()["question"]["step"]
    refused = owner.post(f"{study}/answers", {"step": step, "answer": "much same", "answer_id": "wrong"})
    assert 400 <= refused.status < 500
    assert [entry["answer"] for entry in owner.get(f"{study}/history").json()["history"]] == [
        "much a",
        "b unacceptable",
        "both unacceptable",
    ]


def test_reasons_and_doubts_are_said_over_http(service, owner):
    path = service.create("doubts", unsure=True)
    assert service.events(path)[0]["data"]["proposer"]["unsure"] > 0
    for step in range(2):
        owner.get(f"{path}/question")
        body = {"step": step, "answer": "a", "answer_id": f"k{step}", "sure": False, "note": "warmer"}
        assert owner.post(f"{path}/answers", body).status == 200
    assert owner.post(f"{path}/answers/1/correct", {"answer": "b", "sure": True}).status == 200
    entries = owner.get(f"{path}/history").json()["history"]
    assert [(entry["note"], entry["sure"]) for entry in entries] == [("warmer", False), ("warmer", True)]
    owner.get(f"{path}/question")
    events = len(service.events(path))
    for wrong in (
        {"answer": "skipped", "sure": False},
        {"answer": "both unacceptable", "sure": False},
        {"answer": "a", "sure": 0},
    ):
        assert owner.post(f"{path}/answers", {"step": 2, "answer_id": "w"} | wrong).status == 422
    assert len(service.events(path)) == events
    assert service.create("paper", unsure=True, proposer="glisp")


def test_candidates_are_rated_over_http(service, owner):
    path = service.create("scale", scale=["weak", "fine", "strong"])
    assert owner.get(path).json()["scale"] == ["weak", "fine", "strong"]
    question = owner.get(f"{path}/question?judge=ann").json()["question"]
    ann, bob = (service.token("judge", "scale", name) for name in ("ann", "bob"))
    body = {"step": 0, "side": "b", "level": 3, "answer_id": "r1", "note": "warm"}
    for _ in range(2):  # a repeat returns the first record
        saved = owner.post(f"{path}/ratings", body, token=ann)
        assert (saved.status, saved.json()["answers"]) == (200, 0)
    assert saved.json()["saved"]["data"]["candidate"] == question["b"]
    own = {"candidate": question["a"], "level": "weak", "answer_id": "r2"}
    assert owner.post(f"{path}/ratings", own, token=bob).status == 200
    assert owner.post(f"{path}/ratings", body | {"answer_id": "r3"}, token=bob).status == 403
    events = len(service.events(path))
    for wrong in (
        {"level": 4},
        {"level": 0},
        {"level": "good"},
        {"level": True},
        {"side": "c"},
        {"candidate": question["a"]},
        {"step": 7},
        {"sure": 1},
    ):
        assert 400 <= owner.post(f"{path}/ratings", body | {"answer_id": "w"} | wrong, token=ann).status < 500
    assert owner.post(f"{path}/ratings", {"level": 2, "answer_id": "w", "step": 0}, token=ann).status == 422
    assert owner.post(f"{path}/ratings", own | {"answer_id": "w", "candidate": {"x": 99, "y": 0}}).status == 422
    assert len(service.events(path)) == events
    assert owner.post(f"{path}/answers/-1/correct", {"answer": "rated 2"}, token=ann).status == 200
    entries = owner.get(f"{path}/history").json()["history"]
    assert [(e["step"], e["answer"], e["who"], e["b"]) for e in entries] == [
        (-1, "rated 2", "ann", {}),
        (-2, "rated 1", "bob", {}),
    ]
    found = owner.get(f"{path}/questions/-1", token=ann).json()
    assert (found["a"], found["b"], found["measured"]["b"]) == (question["b"], {}, {"numbers": {}, "files": {}})
    assert owner.post(f"{path}/undo", {"step": -2}, token=bob).json()["question"] is None


@pytest.mark.parametrize("settings", [{}, {"strengths": True, "ratings": True, "unsure": True}])
def test_what_a_study_does_not_offer_is_not_lost(service, owner, settings):
    path = service.create("plain", **settings)
    question = owner.get(f"{path}/question").json()["question"]
    assert "much a" in question["takes"]
    assert answer(owner, path, "much a", note="sweeter", sure=False)["answers"] == 1
    rating = {"step": question["step"], "side": "a", "level": 4, "answer_id": "r"}
    assert owner.post(f"{path}/ratings", rating).status == 200
    assert owner.post(f"{path}/hints", {"kind": "more", "variable": "x"}).status == 200
    answer(owner, path, "same")
    answer(owner, path, "neither")
    said = [(e["answer"], e["note"], e["sure"]) for e in owner.get(f"{path}/history").json()["history"]]
    plain = [(each, "", True) for each in ("rated 4", "more x", "same", "both unacceptable")]
    assert said == [("much a", "sweeter", False), *plain]
    step = owner.get(f"{path}/question").json()["question"]["step"]
    events = len(service.events(path))
    for wrong in ("best a", "c", "b,a,d", "place 1"):
        reply = owner.post(f"{path}/answers", {"step": step, "answer": wrong, "answer_id": "w"})
        assert reply.status == 422
        assert reply.json()["error"].startswith("answer: ")
    assert len(service.events(path)) == events
