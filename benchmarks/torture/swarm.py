"""Many clients, several server processes, one PostgreSQL: no answer is lost, none doubled, no sequence has a gap.

Every client is a judge, alone or as one of two under the same name. It asks at one server and answers at another, and now
and then sends an answer twice, as a client does that has not heard the reply. What was acknowledged is then looked for in
the database.
"""

from __future__ import annotations

import http.client
import json
import multiprocessing
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import prefero as pf
from prefero.storage import Storage
from prefero.storage.database import Database
from prefero.storage.events import Answered
from prefero.web import access, server
from prefero.web.settings import Settings

ANSWERS, STUDIES, CLIENTS, SERVERS = 10_000, 50, 32, 4
TRIES = 10
REPEATED = 0.1
"""The share of answers that are sent twice."""
PROPOSER = pf.Glisp(calibration_steps=())
"""The paper's method without its calibration: it is the service that is tried, not the proposer."""
SPACE = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)})


@dataclass
class Account:
    """What the clients saw: acknowledged answers with their study and step, statuses, and seconds by kind of request."""

    acknowledged: dict[str, tuple[str, int]] = field(default_factory=dict)
    statuses: Counter[int] = field(default_factory=Counter)
    seconds: dict[str, list[float]] = field(default_factory=lambda: {"answer": [], "question": []})
    wall: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def percentile(self, kind: str, share: float) -> float:
        """The milliseconds that so large a share of the requests did not take longer than."""
        ordered = sorted(self.seconds[kind])
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _server(url: str, pipe: Any) -> None:
    server.run(url, port=0, settings=Settings(rate=1e9, burst=1_000_000_000), announce=pipe.send)


@contextmanager
def servers(url: str, count: int) -> Iterator[list[int]]:
    """So many server processes; their ports."""
    spawn = multiprocessing.get_context("spawn")
    started, ports = [], []
    try:
        for _ in range(count):
            read, write = spawn.Pipe(duplex=False)
            process = spawn.Process(target=_server, args=(url, write))
            process.start()
            started.append(process)
            ports.append((read, process))
        yield [int(read.recv().split(":")[2].split("/")[0]) for read, _ in ports]
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.join(30)
            process.kill()


class Judge:
    """A client that answers for one judge, at whichever server it comes to."""

    def __init__(self, name: str, ports: list[int], token: str, account: Account, seed: int) -> None:
        self.name, self.account = name, account
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._connections = [http.client.HTTPConnection("127.0.0.1", port, timeout=120) for port in ports]
        self._rng = random.Random(seed)

    def close(self) -> None:
        """Hang up."""
        for connection in self._connections:
            connection.close()

    def answer_one(self, study: str, answer_id: str) -> None:
        """Ask and answer until one more answer was acknowledged."""
        while True:
            status, current = self._send("question", f"/api/v1/studies/{study}/question?judge={self.name}")
            if status == 409:  # others were faster than a question could be stored
                continue
            assert status == 200, f"{status}: {current}"
            step = current["question"]["step"]
            said = {
                "step": step,
                "answer": self._rng.choice(["a", "b", "same"]),
                "answer_id": answer_id,
                "judge": self.name,
            }
            status, reply = self._send("answer", f"/api/v1/studies/{study}/answers", said)
            if status == 409:  # the other client of that name was faster, or somebody's failure took the question
                continue
            assert status == 200, f"{status}: {reply}"
            if self._rng.random() < REPEATED:
                assert self._send("answer", f"/api/v1/studies/{study}/answers", said)[1]["saved"] == reply["saved"]
            with self.account.lock:
                self.account.acknowledged[answer_id] = (study, reply["saved"]["data"]["step"])
            return

    def _send(self, kind: str, path: str, value: Any = None) -> tuple[int, Any]:
        """Send a request, and again where the connection was lost: that is what an answer's id is for."""
        method, body = ("GET", None) if value is None else ("POST", json.dumps(value))
        for _ in range(TRIES):
            connection = self._rng.choice(self._connections)
            began = time.perf_counter()
            try:
                connection.request(method, path, body, self._headers)
                reply = connection.getresponse()
                content = json.loads(reply.read())
            except (
                ConnectionError,
                http.client.RemoteDisconnected,
            ):  # the server hung up on a connection that was idle
                connection.close()
                continue
            with self.account.lock:
                self.account.statuses[reply.status] += 1
                self.account.seconds[kind].append(time.perf_counter() - began)
            return reply.status, content
        raise AssertionError(f"no connection to any server in {TRIES} tries")


def swarm(
    url: str,
    answers: int = ANSWERS,
    studies: int = STUDIES,
    clients: int = CLIENTS,
    progress: Callable[[], object] = lambda: None,
) -> Account:
    """Let the clients answer, and look whether all of it is there; an AssertionError where it is not."""
    names = [f"swarm-{k}" for k in range(studies)]
    account = Account()
    with Database(url) as storage:
        for seed, name in enumerate(names):
            pf.Study.create(
                SPACE, name=name, storage=storage, seed=seed, proposer=PROPOSER, comparisons=max(1, answers // studies)
            )
        token, _ = access.make_token(storage, "owner", label="swarm")
        work = [(names[k % studies], f"answer-{k}") for k in range(answers)]
        with servers(url, SERVERS) as ports:
            began = time.perf_counter()
            _let_answer(
                work, [f"judge-{k // 2 if k < 8 else k}" for k in range(clients)], ports, token, account, progress
            )
            account.wall = time.perf_counter() - began
        check(storage, names, account, answers)
    return account


def _let_answer(
    work: list[tuple[str, str]],
    judges: list[str],
    ports: list[int],
    token: str,
    account: Account,
    progress: Callable[[], object],
) -> None:
    queue = iter(work)
    failures: list[Exception] = []

    def live(name: str, seed: int) -> None:
        judge = Judge(name, ports, token, account, seed)
        try:
            while not failures:
                with account.lock:
                    task = next(queue, None)
                if task is None:
                    return
                judge.answer_one(*task)
                with account.lock:
                    progress()
        except Exception as error:  # noqa: BLE001 (whatever it is, it is reported by the caller)
            failures.append(error)
        finally:
            judge.close()

    threads = [threading.Thread(target=live, args=(name, k)) for k, name in enumerate(judges)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, f"a client failed: {failures[0]!r}"


def check(storage: Storage, names: list[str], account: Account, answers: int) -> None:
    """What was acknowledged is in the database, once, and every log is without gaps."""
    assert len(account.acknowledged) == answers, f"{len(account.acknowledged)} answers acknowledged, not {answers}"
    assert not [status for status in account.statuses if status >= 500], f"5xx: {account.statuses}"
    stored: dict[str, tuple[str, int]] = {}
    for name in names:
        records = storage.read(storage.find(name))
        assert [r.sequence for r in records] == list(range(len(records))), f"{name}: a gap in the sequence"
        for record in records:
            if isinstance(record.event, Answered):
                assert record.answer_id is not None
                assert record.answer_id not in stored, f"{record.answer_id} is there twice"
                stored[record.answer_id] = (name, record.event.step)
        assert len(pf.Study.open(name, storage).history) == sum(study == name for study, _ in stored.values())
    assert stored == account.acknowledged, "what is stored is not what was acknowledged"
