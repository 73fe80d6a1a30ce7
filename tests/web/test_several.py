"""Questions about more than two candidates over HTTP: one payload with a kind, checked on every way in."""

import pytest

from prefero.answers import as_kind


def question(owner, study, judge=""):
    return owner.get(f"{study}/question?judge={judge}").json()["question"]


def answer(owner, study, said, step, **more):
    body = {"step": step, "answer": said, "answer_id": f"{said}-{step}"} | more
    return owner.post(f"{study}/answers", body)


@pytest.mark.parametrize(
    ("kind", "said", "stored", "wrong"),
    [
        ("best of 4", "c", "c>abd", ["same", "much a", "worst a", "a,b,c,d", "e", "place 1"]),
        ("worst of 3", "worst b", "ac>b", ["a", "b", "best a", "d"]),
        ("best and worst of 4", "best c worst d", "c>ab>d", ["a", "best a", "best a worst a"]),
        ("rank 4", "b,a,d,c", "b>a>d>c", ["a", "b,a,d", "b,a,d,d", "b,a,d,e", "c>abd", "same", "b"]),
    ],
)
def test_an_answer_is_what_the_question_takes(service, owner, kind, said, stored, wrong):
    study = service.create(kind=kind)
    assert owner.get(study).json()["kind"] == kind
    asked = question(owner, study)
    sides = as_kind(kind).sides
    assert asked["kind"] == kind
    assert asked["asks"] == as_kind(kind).asks
    assert asked["takes"] == as_kind(kind).takes
    assert all({"x", "y"} == set(asked[side]) for side in sides)
    assert list(asked["measured"]) == list(asked["preparing"]) == list(sides)
    before = service.events(study)
    for other in wrong:
        refused = answer(owner, study, other, 0)
        assert refused.status == 422, other
        assert "answer" in refused.json()["error"]
    assert answer(owner, study, said, 0, kind="pair").status == 422
    assert answer(owner, study, "z failed", 0).status == 422
    assert service.events(study) == before

    saved = answer(owner, study, said, 0, kind=kind).json()
    assert (saved["saved"]["data"]["answer"], saved["answers"]) == (stored, 1)
    assert answer(owner, study, said, 0, kind=kind).json() == saved
    [entry] = owner.get(f"{study}/history").json()["history"]
    assert (entry["answer"], entry["kind"], entry["c"]) == (stored, kind, asked["c"])
    assert owner.post(f"{study}/answers/0/correct", {"answer": "same"}).status == 422
    undone = owner.post(f"{study}/undo", {"step": 0}).json()["question"]
    assert undone == asked
    assert answer(owner, study, "skipped", 0, answer_id="again").status == 200
    assert question(owner, study)["step"] == 1
    assert answer(owner, study, "c failed", 1).json()["answers"] == 0
    assert answer(owner, study, "c unacceptable", question(owner, study)["step"]).json()["answers"] == 1


def test_a_pair_takes_no_order(service, owner, study):
    question(owner, study)
    before = service.events(study)
    for said in ("c", "best a", "a,b,c", "c failed", "place 1", "a>b"):
        assert answer(owner, study, said, 0).status == 422
    assert answer(owner, study, "a", 0, kind="rank 4").status == 422
    assert service.events(study) == before
    assert answer(owner, study, "a", 0, kind="pair").status == 200


def test_measured_files_and_the_last_of_the_candidates(service, owner):
    study = service.create(kind="best of 3")
    question(owner, study)
    assert owner.post(f"{study}/questions/0/c/numbers", {"numbers": {"loud": 3}}).status == 200
    assert owner.post(f"{study}/questions/0/d/numbers", {"numbers": {"loud": 3}}).status == 404
    assert question(owner, study)["measured"]["c"]["numbers"] == {"loud": 3}
    places = owner.get(f"{study}/candidates").json()["candidates"]
    assert [place["shown"][0]["side"] for place in places] == ["a", "b", "c"]


def test_many_judges_take_sets_from_the_pool(service, owner):
    from prefero.study.pool import Filler, moment

    study = service.create(name="crowd", kind="rank 3")
    for judge in "abcde":
        service.storage.arrive("crowd", judge, moment(), moment(-60))
    Filler(service.storage).round()
    for judge in "abcde":
        stored = service.storage.hand_out("crowd", judge, moment(), "0")
        assert stored.record.event.kind == "rank 3"
        step = stored.record.event.step
        assert question(owner, study, judge)["kind"] == "rank 3"
        assert answer(owner, study, "a", step, judge=judge).status == 422
        assert answer(owner, study, "b,a,c", step, judge=judge).json()["saved"]["data"]["answer"] == "b>a>c"
    assert owner.get(study).json()["answers"] == 5


def test_there_is_no_other_kind(service, owner):
    made = owner.post("/api/v1/studies", {"name": "n", "variables": [], "kind": "rank 7"})
    assert made.status == 422


def test_several_kinds_are_offered_and_a_question_tells_its_own(service, owner):
    study = service.create(kinds=["pair", "best of 3", "rank 4"], efforts={"rank 4": 30})
    told = owner.get(study).json()
    assert (told["kind"], told["kinds"]) == ("pair", ["pair", "best of 3", "rank 4"])
    assert told["efforts"] == {"pair": 4.0, "best of 3": 5.8, "rank 4": 30.0}
    for step in range(4):
        asked = question(owner, study)
        assert asked["kind"] in told["kinds"]
        assert list(asked["measured"]) == list(as_kind(asked["kind"]).sides)
        said = {"pair": "a", "best of 3": "b", "rank 4": "a,b,c,d"}[asked["kind"]]
        assert answer(owner, study, said, step, kind=asked["kind"]).json()["answers"] == step + 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"kinds": []}, "kinds"),
        ({"kinds": ["pair", "pair"]}, "different kinds"),
        ({"kinds": ["rank 9"]}, "kinds"),
        ({"kind": "pair", "kinds": ["pair"]}, "not both"),
        ({"kinds": ["pair", "rank 4"], "efforts": {"rank 3": 5}}, "the kinds that the study offers"),
        ({"kinds": ["pair", "rank 4"], "efforts": {"pair": 0}}, "efforts['pair']: got 0; allowed: seconds above 0"),
        ({"kinds": ["pair", "rank 4"], "efforts": {"pair": "4"}}, "efforts"),
    ],
)
def test_kinds_and_efforts_that_cannot_be_are_refused(owner, given, words):
    variables = [{"name": "x", "type": "real", "low": 0, "high": 1}]
    refused = owner.post("/api/v1/studies", {"name": "n", "variables": variables} | given)
    assert refused.status == 422
    assert words in refused.json()["error"]
    assert not any(study["name"] == "n" for study in owner.get("/api/v1/studies").json()["studies"])
