"""Proposals from helper processes: the study's own, fairly shared, limited in time, and not lost with a helper."""

import math
import os
import signal
import threading

import numpy as np
import pytest

import prefero as pf
from benchmarks.torture.asgi import Client
from prefero.errors import ExhaustedError
from prefero.storage.events import Asked, Record
from prefero.study.session import Session
from prefero.web import proposals as module
from prefero.web.proposals import Proposals
from prefero.web.refusals import Refusal
from prefero.web.worker_process import WorkerProcess
from tests.web.conftest import answer
from tests.web.test_worker_process import eventually, gone

SPACE = pf.Space({"x": pf.Real(0, 1), "kind": pf.Choice(["u", "v", "w"])})


@pytest.fixture
def make_proposals():
    made = []

    def make(**given):
        made.append(Proposals(**given))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def proposals(make_proposals):
    return make_proposals()


@pytest.fixture
def sent(monkeypatch):
    """How many records each request to a helper held."""
    counts, plain = [], WorkerProcess.request

    def request(self, message, *given, **more):
        counts.append(len(message["records"]))
        return plain(self, message, *given, **more)

    monkeypatch.setattr(WorkerProcess, "request", request)
    return counts


def slow(grid=20_000, **more):
    """A study whose next question takes a second for ten values of the grid: ε is calibrated after each of 39 answers."""
    values = np.linspace(0.1, 10, grid).tolist()
    proposer = pf.Glisp(initial_samples=2, calibration_steps=tuple(range(3, 40)), calibration_grid=values)
    study = pf.Study.create(pf.Space.box([0, 0], [1, 1]), seed=0, proposer=proposer, **({"name": "slow"} | more))
    points = np.random.default_rng(0).random((40, 2))
    study.import_comparisons(points.tolist(), [(k, k + 1, "a" if k % 3 else "b") for k in range(39)])
    return study


def answered(n, **more):
    study = pf.Study(SPACE, seed=1, comparisons=20, **more)
    for k in range(n):
        study.tell(study.ask(), "a" if k % 3 else "b")
    return study


def same(proposal, study, judge=""):
    """Whether a proposal is the one that the study itself makes, to the bit."""
    _, own = Session.of(study.log.state).ask(study.log.state, judge)
    return (proposal.first == own.first).all() and (proposal.second == own.second).all() and proposal.note == own.note


def pids(proposals):
    return [p._process._popen.pid for p in proposals._pool._helpers if p._process is not None]


def test_they_are_the_studys_own_whatever_happens_and_only_news_is_sent(proposals, sent):
    study = answered(5)
    assert same(proposals.propose(study.log.state), study)
    study.ask("ann")
    assert same(proposals.propose(study.log.state, "bob"), study, "bob")
    study.tell(study.waiting["ann"], "same")
    study.undo("ann")
    study.skip(study.waiting["ann"])
    study.log.correct(2, "same")
    study.change_proposer("glisp")
    assert same(proposals.propose(study.log.state), study)
    assert sent == [11, 2, 6]  # the last known record, and the new ones


def test_records_may_be_assumed(proposals):
    study = answered(5)
    state = study.log.state
    first = proposals.propose(state, "ann")
    study.ask("ann")
    asked = study.log.events[-1]
    assert isinstance(asked, Asked)
    second = proposals.propose(state, "bob", [Record(len(state.records), "", "ann", "", asked)])
    assert same(second, study, "bob")
    assert not (second.second == first.second).all()


def test_a_study_that_was_deleted_is_not_taken_for_its_successor(proposals, tmp_path):
    for _ in range(2):
        with pf.Study.create(SPACE, seed=1, name="one", storage=f"{tmp_path}/x.db") as study:
            study.tell(study.ask(), "a")
            assert same(proposals.propose(study.log.state), study)
        pf.delete_study("one", f"{tmp_path}/x.db")


def test_an_error_is_the_studys_own(proposals):
    study = pf.Study(pf.Space({"kind": pf.Choice(["u", "v"])}), seed=1)
    study.tell(study.ask(), "a")
    with pytest.raises(ExhaustedError) as own:
        study.ask()
    with pytest.raises(ExhaustedError, match=str(own.value)):
        proposals.propose(study.log.state)


def test_all_who_wait_for_the_same_wait_for_one_computation(proposals, sent):
    state = answered(5).log.state
    came = []
    threads = [threading.Thread(target=lambda: came.append(proposals.propose(state))) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(came) == 5
    assert len(sent) < 5


@pytest.mark.parametrize("what", ["a constraint", "a proposer", "another proposer than the log's"])
def test_what_no_log_holds_is_computed_here(proposals, what):
    if what == "a constraint":
        study = pf.Study(pf.Space(SPACE.variables, [lambda candidate: candidate["x"] - 0.5]), seed=1)
    elif what == "a proposer":
        study = pf.Study(SPACE, seed=1, proposer=lambda history, rng: SPACE.decode(rng.uniform(-1, 1, 4)))
    else:
        text = pf.Study(SPACE, seed=1, proposer="glisp").to_json()
        study = pf.Study.from_json(text, proposer=pf.Glisp(shape=3.0))
    for said in ("a", "b", "a"):
        assert same(proposals.propose(study.log.state), study)
        study.tell(study.ask(), said)
    assert proposals.best(study.log.state) is not None
    assert pids(proposals) == []


def computing(proposals):
    """Whether a helper computes, and does not only start."""
    return any(job.begun < math.inf for job in list(proposals._pool._running.values()))


@pytest.mark.parametrize("when", ["idle", "computing"])
def test_a_helper_that_is_killed_is_replaced_and_its_request_computed_again(make_proposals, when):
    proposals, came = make_proposals(helpers=1), []
    study = answered(5) if when == "idle" else slow(10)
    waits = threading.Thread(target=lambda: came.append(proposals.propose(study.log.state)))
    waits.start()
    assert eventually(lambda: computing(proposals) if when == "computing" else came)
    [before] = pids(proposals)
    os.kill(before, signal.SIGKILL)
    waits.join()
    assert eventually(lambda: gone(before))
    assert same(came[0], study)
    study.tell(study.ask(), "b")
    assert same(proposals.propose(study.log.state), study)
    assert pids(proposals) != [before]


@pytest.mark.parametrize("step", [None, {"x1": 0.1}])
def test_beyond_the_limit_a_space_filling_candidate_stands_in_and_says_so(make_proposals, step, caplog):
    proposals = make_proposals(helpers=1, seconds=2.0)
    state = slow(max_step=step).log.state
    proposal = proposals.propose(state)
    assert proposal.note == "a space-filling candidate, since the proposer took longer than 2 s"
    assert "study 'slow'" in caplog.text
    assert state.history.index(proposal.first) is not None
    assert state.history.index(proposal.second) is None
    assert proposals.compute_ahead(state, "", []) is None  # it would only keep others waiting


def test_a_branch_beyond_the_limit_is_not_computed_twice(make_proposals):
    proposals = make_proposals(helpers=1, seconds=2.0)
    state = slow().log.state
    ahead = proposals.compute_ahead(state, "", [])
    assert "took longer than 2 s" in proposals.propose(state, ahead=ahead).note
    assert ahead.future.exception() is not None
    assert proposals.propose(state, ahead=ahead).note  # known at once


def test_four_slow_studies_do_not_keep_a_small_one_waiting(make_service):
    service = make_service(proposal_seconds=600.0)
    paths, replies = [], []
    for k in range(4):
        slow(name=f"slow {k}", storage=service.storage)
        paths.append(f"/api/v1/studies/slow%20{k}/question")
    clients = [Client(service.app, service.token("owner")) for _ in paths]
    threads = [
        threading.Thread(target=lambda client=client, path=path: replies.append(client.get(path).status))
        for client, path in zip(clients, paths, strict=True)
    ]
    for thread in threads:
        thread.start()
    proposals = service.app.state.services.proposals
    assert eventually(lambda: len(proposals._pool._running) == 2 and computing(proposals))
    small = service.create("small")
    for _ in range(6):
        answer(service.owner, small)
    assert replies == []
    proposals.close()
    for thread in threads:
        thread.join()
    assert replies == [503] * 4
    for client in clients:
        client.close()


def test_the_server_itself_proposes_and_recommends_nothing(service, owner, study, monkeypatch):
    for method in ("state", "propose", "best"):
        monkeypatch.setattr(Session, method, None)  # it would have to be called
    for judge in ("ann", "bob", "ann"):
        answer(owner, study, judge=judge)
    everybody = owner.get(f"{study}/result").json()
    assert everybody["answers"] == 3
    own = owner.get(f"{study}/result?judge=bob").json()
    assert own["answers"] == 1
    shown = owner.get(f"{study}/questions/1").json()
    assert own["best"] == shown["a"]


def test_too_many_who_wait_for_one_study_are_refused(make_service, monkeypatch):
    monkeypatch.setattr(module, "MOST_WAITING", 1)
    service = make_service(proposal_seconds=600.0)
    slow(storage=service.storage)
    proposals = service.app.state.services.proposals
    first = Client(service.app, service.token("owner"))
    waits = threading.Thread(target=lambda: first.get("/api/v1/studies/slow/question"))
    waits.start()
    assert eventually(lambda: computing(proposals))
    refused = service.owner.get("/api/v1/studies/slow/question?judge=ann")
    assert (refused.status, refused.headers["retry-after"]) == (503, "1")
    assert answer(service.owner, service.create("small"))
    proposals.close()
    waits.join()
    first.close()


class Stuck:
    """A pool whose jobs end when they are let go."""

    def __init__(self):
        self.begun, self.let_go = threading.Semaphore(0), threading.Event()

    def submit(self, *_):
        return None

    def result(self, _):
        self.begun.release()
        assert self.let_go.wait(60)


def test_one_judge_cannot_take_the_turn_of_the_others(proposals, monkeypatch):
    state, stuck = answered(3).log.state, Stuck()
    monkeypatch.setattr(proposals, "_pool_of", lambda _: stuck)
    most, each = module.MOST_WAITING, module.MOST_WAITING_EACH
    judges = ["eve"] * each + [f"judge {k}" for k in range(most - each)]
    threads = [threading.Thread(target=proposals.best, args=(state, judge)) for judge in judges]
    for thread in threads[:each]:
        thread.start()
        assert stuck.begun.acquire(timeout=60)
    with pytest.raises(Refusal):
        proposals.best(state, "eve")
    for thread in threads[each:]:  # there is room for others
        thread.start()
        assert stuck.begun.acquire(timeout=60)
    with pytest.raises(Refusal):
        proposals.best(state, "one too many")
    stuck.let_go.set()
    for thread in threads:
        thread.join()
    assert proposals.best(state, "eve") is None


def test_a_closed_service_refuses(make_service):
    service = make_service()
    path = service.create()
    service.app.state.services.proposals.close()
    assert service.owner.get(f"{path}/question").status == 503
    with pytest.raises(Refusal):
        service.app.state.services.proposals.best(answered(3).log.state)
