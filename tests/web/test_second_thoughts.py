"""The service tells which answers deserve a second look, and asks again."""

from tests.web.conftest import answer


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


def test_a_question_that_was_not_answered_is_refused(service, owner, study):
    events = len(service.events(study))
    assert owner.post(f"{study}/probe", {"step": 7}).status in (404, 409, 422)
    assert owner.post(f"{study}/probe", {"step": "x"}).status == 422
    assert len(service.events(study)) == events
