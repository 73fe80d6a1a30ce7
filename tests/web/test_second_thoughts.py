"""The service tells which answers deserve a second look, and asks again."""

from prefero.study.inspection import check
from tests.web.conftest import XY, answer


def test_second_thoughts_are_told_and_an_old_pair_is_asked_again(service, owner, study):
    for said in ("a", "b", "a"):
        answer(owner, study, said)
    told = owner.get(f"{study}/second-thoughts").json()
    assert set(told) == {"looks", "more", "drifts", "words"}
    old = owner.get(f"{study}/questions/1").json()
    again = owner.post(f"{study}/probe", {"step": 1}).json()["question"]
    assert (again["a"], again["b"]) == (old["b"], old["a"])
    assert answer(owner, study, "a")["saved"]["data"]["step"] == again["step"]
    twice = owner.post(f"{study}/probe", {}).json()["question"]
    assert twice["a"] == twice["b"]
    before = owner.get(study).json()["answers"]
    assert answer(owner, study, "same")["answers"] == before  # it counts for nothing
    assert [row["answers"] for row in owner.get("/api/v1/studies").json()["studies"]] == [before]


def test_a_question_that_was_not_answered_is_refused(service, owner, study):
    events = len(service.events(study))
    assert owner.post(f"{study}/probe", {"step": 7}).status in (404, 409, 422)
    assert owner.post(f"{study}/probe", {"step": "x"}).status == 422
    assert len(service.events(study)) == events


def test_a_candidate_of_ones_own_is_asked_about(service, owner, study):
    answer(owner, study)
    best = owner.get(f"{study}/result").json()["best"]
    own = dict(best)
    name = next(name for name, value in own.items() if isinstance(value, float))
    own[name] = own[name] * 0.5 + 0.01
    asked = owner.post(f"{study}/enqueue", {"candidate": own}).json()["question"]
    assert own in (asked["a"], asked["b"])
    other = dict(own) | {name: own[name] * 0.5}
    asked = owner.post(f"{study}/enqueue", {"candidate": own, "against": other, "judge": "bo"}).json()["question"]
    assert sorted(map(str, (asked["a"], asked["b"]))) == sorted(map(str, (own, other)))
    events = len(service.events(study))
    assert owner.post(f"{study}/enqueue", {"candidate": {"nothing": 1}}).status == 422
    assert owner.post(f"{study}/enqueue", {"candidate": own, "against": own}).status == 422
    assert len(service.events(study)) == events


def test_a_study_may_be_created_with_a_half_life(service, owner):
    path = service.create("fading", half_life=20)
    assert service.events(path)[0]["data"]["proposer"]["half_life"] == 20
    answer(owner, path)
    for wrong in ({"half_life": 20, "proposer": "glisp"}, {"half_life": 0}):
        assert owner.post("/api/v1/studies", {"name": "other", "variables": XY} | wrong).status == 422


def test_a_check_finds_no_fault_after_one_candidate_was_shown_twice(service, owner, study):
    answer(owner, study)
    owner.post(f"{study}/probe", {})
    answer(owner, study)
    assert [found.faults for found in check(service.url).studies] == [()]
