"""The next question is computed while the person looks: used when it came true, dropped when not, and nothing is written."""

import threading

import pytest

import prefero as pf
from prefero.study.session import Session
from prefero.web.lookahead import Lookaheads, Plan
from tests.web.conftest import answer

SPACE = pf.Space.box([0, 0], [1, 1])


def plan_of(service, judge=""):
    return service.app.state.services.studies.lookaheads._plans[("line 3", judge)]


def thought_through(service, judge=""):
    """Wait until every branch was thought of."""
    plan = plan_of(service, judge)
    found = {said: branch.result() for said, branch in plan.branches.items()}
    assert all(found.values())
    return plan


@pytest.mark.parametrize("said", ["a", "same", "b", "skipped"])
def test_the_next_question_is_there_before_it_is_asked_for(service, owner, study, said, monkeypatch):
    answer(owner, study)
    owner.get(f"{study}/question")
    before = service.events(study)
    thought_through(service)
    assert service.events(study) == before
    with monkeypatch.context() as patched:
        patched.setattr(Session, "propose", None)  # it would have to be called
        answer(owner, study, said)
        shown = owner.get(f"{study}/question")
    assert shown.status == 200, shown.body
    assert shown.json()["question"]["step"] == 2


def test_an_answer_that_was_not_thought_of_is_asked_about_all_the_same(service, owner, study):
    owner.get(f"{study}/question")
    answer(owner, study, "a failed")
    assert owner.get(f"{study}/question").json()["question"]["step"] == 1


def test_what_follows_a_branch_that_nobody_began_is_computed_by_who_asks(service, owner, study):
    answer(owner, study)
    owner.get(f"{study}/question")
    plan = plan_of(service)
    for branch in plan.branches.values():
        branch.cancel()
    answer(owner, study, "b")
    assert owner.get(f"{study}/question").json()["question"]["step"] == 2
    assert plan_of(service) is not plan


def test_after_an_undo_the_pair_that_waits_again_is_thought_of(service, owner, study):
    answer(owner, study)
    owner.get(f"{study}/question")
    assert plan_of(service).lookahead.step == 1
    owner.post(f"{study}/undo", {})
    owner.get(f"{study}/question")
    assert thought_through(service).lookahead.step == 0


def test_a_failure_of_thinking_ahead_is_nobodys(service, owner, study, monkeypatch, caplog):
    answer(owner, study)
    with monkeypatch.context() as patched:
        patched.setattr("prefero.study.lookahead.Lookahead.after", lambda *_: 1 / 0)
        owner.get(f"{study}/question")
        assert [branch.result() for branch in plan_of(service).branches.values()] == [None] * 4
    assert "computing ahead failed" in caplog.text
    answer(owner, study)
    assert owner.get(f"{study}/question").json()["question"]["step"] == 2


def test_only_so_many_plans_are_kept(make_service):
    service = make_service(open_studies=2)
    path = service.create()
    for judge in ("ann", "bob", "cid"):
        service.owner.get(f"{path}/question?judge={judge}")
    kept = service.app.state.services.studies.lookaheads._plans
    assert list(kept) == [("line 3", "bob"), ("line 3", "cid")]


def test_what_is_likely_is_thought_of_for_everybody_first(make_service, monkeypatch):
    service = make_service()
    path = service.create()
    thought, go = [], threading.Event()

    def after(lookahead, said):
        go.wait(10)
        thought.append((lookahead.judge, said))

    monkeypatch.setattr("prefero.study.lookahead.Lookahead.after", after)
    for judge in ("ann", "bob"):
        service.owner.get(f"{path}/question?judge={judge}")
    ahead = service.app.state.services.studies.lookaheads
    go.set()
    for plan in list(ahead._plans.values()):
        for branch in plan.branches.values():
            branch.result()
    likely, unlikely = thought[:-4], thought[-4:]  # ann's first one may have been begun before bob's question voided it
    assert {said for _, said in likely} == {"a", "b"}
    assert {judge for judge, _ in likely} == {"ann", "bob"}
    assert len(set(unlikely)) == 4


def test_with_two_judges_the_next_question_of_each_is_thought_of_after_every_answer(tmp_path, monkeypatch):
    fits = []
    plain = Plan.branch
    monkeypatch.setattr(Plan, "branch", lambda self, records: fits.append(plain(self, records)) or fits[-1])
    ahead = Lookaheads(10)
    with pf.Study.create(SPACE, seed=0, name="both", storage=f"sqlite:///{tmp_path}/both.db") as live:
        for judge in ("ann", "bob"):
            ahead.ask(live, judge)
        for judge in ("ann", "bob") * 3:
            for branch in ahead._plans["both", judge].branches.values():
                branch.result()
            live.tell(live.waiting.get(judge), "a", judge=judge)
            ahead.ask(live, judge)
    ahead.close()
    assert len(fits) == 6
    assert None not in fits
