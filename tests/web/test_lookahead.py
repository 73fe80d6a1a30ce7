"""The next question is computed while the person looks: used when it came true, dropped when not, and nothing is written."""

from concurrent.futures import CancelledError

import pytest

import prefero as pf
from prefero.errors import ExhaustedError
from prefero.web.lookahead import Lookaheads, Plan
from prefero.web.proposals import Proposals
from prefero.web.worker_process import EndedError
from tests.web.conftest import answer

SPACE = pf.Space.box([0, 0], [1, 1])


def plan_of(service, judge=""):
    return service.app.state.services.studies.lookaheads._plans[("line 3", judge)]


def thought_through(service, judge=""):
    """Wait until every branch was thought of."""
    plan = plan_of(service, judge)
    assert list(plan.jobs) == ["a", "b", "same", "skipped"]
    for job in plan.jobs.values():
        job.future.result()
    return plan


@pytest.mark.parametrize("said", ["a", "same", "b", "skipped"])
def test_the_next_question_is_there_before_it_is_asked_for(service, owner, study, said, monkeypatch):
    answer(owner, study)
    owner.get(f"{study}/question")
    before = service.events(study)
    thought_through(service)
    assert service.events(study) == before
    with monkeypatch.context() as patched:
        patched.setattr(Proposals, "_propose", None)  # it would have to be called
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
    plan.drop()
    answer(owner, study, "b")
    assert owner.get(f"{study}/question").json()["question"]["step"] == 2
    assert plan_of(service) is not plan


def test_after_an_undo_the_pair_that_waits_again_is_thought_of(service, owner, study):
    answer(owner, study)
    owner.get(f"{study}/question")
    assert plan_of(service).step == 1
    owner.post(f"{study}/undo", {"step": 0})
    owner.get(f"{study}/question")
    assert thought_through(service).step == 0


def test_an_error_ahead_is_told_to_who_asks(service, owner, study, monkeypatch):
    answer(owner, study)
    with monkeypatch.context() as patched:
        patched.setattr(Proposals, "_propose", raising(ExhaustedError("nothing is left")))
        owner.get(f"{study}/question")
        errors = [job.future.exception() for job in plan_of(service).jobs.values()]
    assert [str(error) for error in errors] == ["nothing is left"] * 4
    answer(owner, study)
    assert owner.get(f"{study}/question").json()["finished"] == "nothing is left"


@pytest.mark.parametrize("error", [EndedError, CancelledError])
def test_what_was_given_up_is_computed_by_who_asks(service, owner, study, monkeypatch, error):
    answer(owner, study)
    with monkeypatch.context() as patched:
        patched.setattr(Proposals, "_propose", raising(error("for somebody else")))
        owner.get(f"{study}/question")
        assert all(job.future.exception() for job in plan_of(service).jobs.values())
    answer(owner, study)
    assert owner.get(f"{study}/question").json()["question"]["step"] == 2


def raising(error):
    def raise_it(*_):
        raise error

    return raise_it


def test_only_so_many_plans_are_kept(make_service):
    service = make_service(open_studies=2)
    path = service.create()
    for judge in ("ann", "bob", "cid"):
        service.owner.get(f"{path}/question?judge={judge}")
    kept = service.app.state.services.studies.lookaheads._plans
    assert list(kept) == [("line 3", "bob"), ("line 3", "cid")]


def test_with_two_judges_the_next_question_of_each_is_thought_of_after_every_answer(tmp_path, monkeypatch):
    fits = []
    plain = Plan.job
    monkeypatch.setattr(Plan, "job", lambda self, state: fits.append(plain(self, state)) or fits[-1])
    proposals = Proposals()
    ahead = Lookaheads(proposals, 10)
    with pf.Study.create(SPACE, seed=0, name="both", storage=f"sqlite:///{tmp_path}/both.db") as live:
        for judge in ("ann", "bob"):
            ahead.ask(live, judge)
        for judge in ("ann", "bob") * 3:
            for job in ahead._plans["both", judge].jobs.values():
                job.future.result()
            live.tell(live.waiting.get(judge), "a", judge=judge)
            ahead.ask(live, judge)
    proposals.close()
    assert len(fits) == 6
    assert None not in fits
