"""Generated requests against the service: none may end in a 5xx, and one that is refused may not have changed anything.

Two generators. One knows the OpenAPI document and nothing else (schemathesis): values that fit it, and values that do not.
The other knows what is in the database (hypothesis): real studies, steps, ids and tokens, in sensible and in senseless
order. Whether something was written is asked of the database itself: SQLite's `data_version` changes with every commit of
another connection.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import quote

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.core.result import Ok

from benchmarks.torture.asgi import Client, Reply
from benchmarks.torture.processes import end_with_parent
from prefero.errors import PreferoError, UnknownStudyError
from prefero.storage.database import Database
from prefero.study.pool import Filler
from prefero.web import access
from prefero.web import app as web_app
from prefero.web.app import build
from prefero.web.document import openapi
from prefero.web.operation import PREFIX
from prefero.web.routes import OPERATIONS
from prefero.web.settings import Settings

REQUESTS = 1_000_000
BY_DOCUMENT = 0.01
"""The share that is made from the document: each costs 11 ms of CPU time to make up, seven times as much as one of the others with
its answer. More of them would take most of the time of a full run."""
SERVICE = 10_000
"""How many requests a service gets before another one begins."""
STUDIES = ("one", "two", "drei 3")
XY = [{"name": "x", "type": "real", "low": 0, "high": 1}, {"name": "y", "type": "integer", "low": 0, "high": 20}]
GENERATED = settings(
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
BATCH = 50
"""Examples of one run of hypothesis, which remembers all of a run; each has its own seed."""
PATIENT = Settings(rate=1e9, burst=1_000_000_000, failures=1_000_000_000, json_bytes=1 << 16, file_bytes=1 << 12)


@dataclass
class Tally:
    """What the requests came to."""

    statuses: Counter[int] = field(default_factory=Counter)
    operations: Counter[str] = field(default_factory=Counter)

    @property
    def requests(self) -> int:
        """How many there were."""
        return sum(self.statuses.values())


class _NoWorker:
    """Stands in for the worker process, whose writes could not be told from those of a request."""

    def start(self) -> None:
        """Do nothing: `Target.send` fills the pools."""

    def close(self) -> None:
        """Do nothing."""


class Target:
    """A service whose every reply is looked at."""

    def __init__(self, folder: Path) -> None:
        self.tally = Tally()
        self.storage = Database(folder / "requests.db")
        self.app = build(self.storage, PATIENT)
        self.app.state.services.crowds._worker = _NoWorker()
        self._filler = Filler(self.storage)
        self._watch = sqlite3.connect(folder / "requests.db")
        self.client = Client(self.app, self.token("owner"))
        expired = access.make_token(self.storage, "owner", hours=-1.0)[0]
        self.tokens = {"owner": self.client.token, "viewer": self.token("viewer")}
        self.tokens |= {"expired": expired, "wrong": "prefero_wrong", "none": None}
        self._made: set[str] = set()
        for name in STUDIES:
            self.make(name)

    def token(self, role: access.Role, study: str | None = None, label: str = "") -> str:
        """A new token."""
        return access.make_token(self.storage, role, study=study, label=label or role)[0]

    def make(self, name: str) -> None:
        """A small study, if it is not there, and tokens for it, which go with a study."""
        if name in self._made:
            return
        self._made.add(name)
        try:
            self.storage.find(name)
        except UnknownStudyError:
            self.client.post(f"{PREFIX}/studies", {"name": name, "variables": XY, "seed": 0})
            self.tokens["bound owner"] = self.token("owner", name)
            self.tokens["judge"] = self.token("judge", name, "ann")

    def version(self) -> int:
        """Changes whenever something was written."""
        return int(self._watch.execute("PRAGMA data_version").fetchone()[0])

    def send(self, name: str, method: str, path: str, value: Any = None, **more: Any) -> Reply:
        """One request, and what must hold for every one."""
        if name == "get_question":  # as a worker would, but not at the same time
            with suppress(PreferoError):
                self._filler.round()
        before = self.version()
        reply = self.client.request(method, path, value, **more)
        said = f"{method} {path} {value!r} {more!r}: {reply.status} {reply.body[:300]!r}"
        self.tally.statuses[reply.status] += 1
        self.tally.operations[name] += 1
        if name == "delete_study" and reply.status == 200:
            self._made.clear()
        assert reply.status < 500, f"a 5xx: {said}"
        if reply.status >= 400:
            assert self.version() == before, f"refused, and yet something was written: {said}"
            assert set(json.loads(reply.body)) == {"error"}, f"no error to read: {said}"
        return reply

    def close(self) -> None:
        """Close everything."""
        self.client.close()
        self._watch.close()
        self.app.state.services.close()


@contextmanager
def target() -> Iterator[Target]:
    """A service of one's own, for as long as it is needed."""
    with (
        tempfile.TemporaryDirectory(prefix="prefero-") as folder,
        patch.object(web_app, "PATIENT_SECONDS", 0.0),  # what the filler has not made by now does not come
    ):
        made = Target(Path(folder))
        try:
            yield made
        finally:
            made.close()


# From the document -------------------------------------------------------------------------------------------------------


def by_document(service: Target, count: int, progress: Callable[[], object], first: int = 0) -> None:
    """So many requests of schemathesis's, shared among the operations."""
    document = schemathesis.openapi.from_dict(json.loads(json.dumps(openapi(OPERATIONS))))
    operations: list[Any] = [found.ok() for found in document.get_all_operations() if isinstance(found, Ok)]
    assert len(operations) == len(OPERATIONS)
    modes = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)
    each = max(1, -(-count // (len(operations) * len(modes))))
    for begun in range(0, each, BATCH):
        for operation in operations:
            for mode in modes:
                _send_cases(service, operation, mode, first + begun, min(BATCH, each - begun), progress)


def _send_cases(
    service: Target, operation: Any, mode: Any, begun: int, count: int, progress: Callable[[], object]
) -> None:
    @seed(begun)
    @settings(GENERATED, max_examples=count)
    @given(st.data(), st.sampled_from(STUDIES))
    def send(data: st.DataObject, study: str) -> None:
        try:
            case = data.draw(operation.as_strategy(generation_mode=mode))
        except schemathesis.errors.SchemathesisError:  # nothing is wrong about what takes anything
            return
        service.make(study)
        if "study" in (case.path_parameters or {}) and data.draw(st.booleans()):
            case.path_parameters["study"] = study
        _send_case(service, operation.definition.raw["operationId"], case)
        progress()

    send()


def _send_case(service: Target, name: str, case: Any) -> None:
    path = case.path
    for part, value in (case.path_parameters or {}).items():
        path = path.replace(f"{{{part}}}", quote(str(value), safe="", errors="replace"))
    query = "&".join(
        f"{quote(str(k), errors='replace')}={quote(str(v), errors='replace')}" for k, v in (case.query or {}).items()
    )
    headers = {
        k: str(v)
        for k, v in (case.headers or {}).items()
        if k.lower() not in ("host", "content-length", "authorization")
    }
    headers = {k: v for k, v in headers.items() if k.isascii()}
    body, kind = case.body, case.media_type
    if isinstance(body, bytes):
        content = body
    elif isinstance(body, schemathesis.core.NotSet):
        content = b""
    else:
        content = json.dumps(body).encode()
    if content and kind:
        headers["Content-Type"] = kind
    service.send(name, case.method, f"{path}?{query}" if query else path, body=content, headers=headers)


# From what is there ------------------------------------------------------------------------------------------------------

WAITING = "the step that waits"
NAMES = st.sampled_from([*STUDIES * 6, *["wild"] * 6, "none", "", "..", "a/b", "é", "%00", "x" * 201, "\n"])
STEPS = st.one_of(st.integers(-2, 40), st.sampled_from([10**9, 10**20, 1.5, True, None, "1", "x", [0]]))
SAID: st.SearchStrategy[Any] = st.sampled_from(
    ["a", "b", "same"] * 4 + ["skipped", "a failed", "b failed", "", "A", None, 1, {}]
)
JUDGES = st.sampled_from(["", "", "", "ann", "ann", "bob", "owner", "a/b", "\ud800", None, 3])
IDS = st.one_of(
    st.integers(0, 10**6).map(str), st.integers(0, 30).map(str), st.sampled_from(["", " ", "a/b", "é" * 201, None, 7])
)
NUMBERS = st.one_of(st.floats(), st.integers(), st.none(), st.text(max_size=3), st.booleans())
TEXTS = st.text(max_size=8)
LEAVES = st.one_of(NUMBERS, TEXTS)
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=4
)
KINDS = st.sampled_from(
    ["image/png", "text/plain", "text/html", "image/svg+xml", "application/x-sh", "", "application/json"]
)
CONTENT = st.one_of(st.binary(max_size=40), st.just(b"\x89PNG\r\n\x1a\n1"), st.just(bytes(5000)))
LOOKS = (
    *("", "/history", "/result", "/disagreements", "/export.json", "/answers.csv", "/candidates.csv", "/candidates"),
    *("/events", "/events?from=3&limit=2", "/events?from=x", "/questions/0", "/questions/99", "/files/..", "/x"),
    f"/files/{'0' * 64}",
)
SOMEWHERE = (
    PREFIX,
    f"{PREFIX}/studies",
    f"{PREFIX}/studies/one",
    f"{PREFIX}/studies/one/answers",
    "/",
    "/enter",
    "/join",
)


@dataclass(frozen=True)
class Sent:
    """A request to be sent: the operation's name, and either a value for JSON or a body as it is."""

    name: str
    method: str
    path: str
    value: Any = None
    body: bytes | None = None
    content_type: str = "application/json"


def _maybe(**parts: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Some of these members, and now and then one too many."""
    return st.fixed_dictionaries({}, optional=parts | {"surplus": st.just(1)})


def _path(study: str, rest: str = "") -> str:
    return f"{PREFIX}/studies/{quote(study, safe='')}{rest}"


def _part(value: Any) -> str:
    return quote(str(value), safe="", errors="replace")


def _to(
    name: str, rest: str, value: st.SearchStrategy[Any] | None = None, method: str = "POST"
) -> st.SearchStrategy[Sent]:
    """A request about a study."""
    return st.builds(
        lambda study, v: Sent(name, method, _path(study, rest), v), NAMES, st.none() if value is None else value
    )


def _answer(said: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    return said | {key: value for key, value in more.items() if key != "surplus" or said["answer"] == "b"}


ANSWERS = st.builds(
    _answer,
    st.fixed_dictionaries(
        {"step": st.one_of(st.just(WAITING), st.just(WAITING), STEPS), "answer": SAID, "answer_id": IDS}
    ),
    _maybe(judge=JUDGES, note=TEXTS, seconds=NUMBERS),
)
JUDGE_QUERY = st.one_of(st.just(""), JUDGES.map(lambda judge: f"?judge={_part(judge)}"), st.just("?x=1"))
AMENDED = st.sampled_from(["correct", "remove", "restore"])
AMENDMENTS = _maybe(answer=SAID, note=TEXTS)
PLACES = st.builds(lambda step, side: f"/questions/{_part(step)}/{side}", STEPS, st.sampled_from(["a", "a", "b", "c"]))
NEW_VARIABLE = _maybe(
    name=TEXTS,
    type=st.sampled_from(["real", "integer", "choice", "x"]),
    low=NUMBERS,
    high=NUMBERS,
    log=NUMBERS,
    levels=JSON,
)
ENDS = st.lists(st.floats(-1e100, 1e100), min_size=2, max_size=2, unique=True).map(sorted)
WHOLE_ENDS = st.lists(st.integers(-(10**9), 10**9), min_size=2, max_size=2, unique=True).map(sorted)
FITTING = st.one_of(
    st.builds(lambda ends, log: {"type": "real", "low": ends[0], "high": ends[1], "log": log}, ENDS, st.booleans()),
    WHOLE_ENDS.map(lambda ends: {"type": "integer", "low": ends[0], "high": ends[1]}),
    st.lists(TEXTS, min_size=2, max_size=5).map(lambda levels: {"type": "choice", "levels": levels}),
)
WILD = st.builds(
    lambda rows, proposer: (
        {"name": "wild", "variables": [{"name": f"v{k}"} | row for k, row in enumerate(rows)]} | proposer
    ),
    *(st.lists(FITTING, min_size=1, max_size=3), st.sampled_from([{}, {"proposer": "glisp", "comparisons": 4}])),
)
"""Studies that can be, of variables that nobody has."""
NEW_STUDY = st.builds(
    lambda name, more: {"name": name} | more,
    st.one_of(TEXTS, NAMES),
    _maybe(
        variables=st.lists(NEW_VARIABLE, max_size=3) | st.just(XY),
        catalogue=JSON,
        max_step=JSON,
        start=JSON,
        constraints=JSON,
        seed=NUMBERS,
    ),
)
PERSON = _maybe(
    role=st.sampled_from(["owner", "judge", "x"]),
    label=TEXTS,
    study=NAMES,
    hours=NUMBERS,
    judge=JUDGES,
    invitation=TEXTS,
)
NONSENSE = st.builds(
    lambda method, path, end, body, kind: Sent("nonsense", method, path + end, None, body, kind),
    st.sampled_from(["GET", "POST", "PUT", "PATCH", "OPTIONS"]),
    st.sampled_from(SOMEWHERE),
    st.sampled_from(["", "", "/", "//", "/%2e%2e", "?a=b"]),
    st.one_of(st.binary(max_size=20), JSON.map(lambda value: json.dumps(value).encode()), st.just(b"[" * 30_000)),
    st.sampled_from(["application/json", "text/plain", ""]),
)
REQUEST: st.SearchStrategy[Sent] = st.one_of(
    st.builds(lambda study, query: Sent("get_question", "GET", _path(study, f"/question{query}")), NAMES, JUDGE_QUERY),
    _to("give_answer", "/answers", ANSWERS),
    _to("give_answer", "/answers", ANSWERS),
    st.builds(
        lambda study, step, what, value: Sent(
            f"{what}_answer", "POST", _path(study, f"/answers/{_part(step)}/{what}"), value
        ),
        *(NAMES, STEPS, AMENDED, AMENDMENTS),
    ),
    _to("undo_answer", "/undo", _maybe(judge=JUDGES, step=STEPS)),
    st.builds(
        lambda study, place, numbers: Sent(
            "measure_numbers", "POST", _path(study, f"{place}/numbers"), {"numbers": numbers}
        ),
        *(NAMES, PLACES, st.one_of(st.dictionaries(TEXTS, NUMBERS, max_size=3), JSON)),
    ),
    st.builds(
        lambda study, place, file, body, kind: Sent(
            "upload_file", "PUT", _path(study, f"{place}/files/{_part(file)}"), None, body, kind
        ),
        *(NAMES, PLACES, st.one_of(st.just("f"), TEXTS), CONTENT, KINDS),
    ),
    st.builds(lambda study, rest: Sent(f"look {rest[:12]}", "GET", _path(study, rest)), NAMES, st.sampled_from(LOOKS)),
    WILD.map(lambda value: Sent("create_study", "POST", f"{PREFIX}/studies", value)),
    NEW_STUDY.map(lambda value: Sent("create_study", "POST", f"{PREFIX}/studies", value)),
    PERSON.map(lambda value: Sent("create_token", "POST", f"{PREFIX}/tokens", value)),
    PERSON.map(lambda value: Sent("accept_invitation", "POST", f"{PREFIX}/invitations/accept", value)),
    _to("create_invitation", "/invitations", PERSON),
    st.sampled_from(["wild"] * 9 + ["two"] * 3 + ["one", "drei 3", "none"]).map(
        lambda name: Sent("delete_study", "DELETE", _path(name))
    ),
    NONSENSE,
)
"""One request, of which the server may think what it wants."""
ROW = 10
ROLES = ["owner"] * 24 + ["bound owner", "judge", "viewer", "expired", "wrong", "none"]


def from_what_is_there(service: Target, count: int, progress: Callable[[], object], first: int = 0) -> None:
    """So many requests of hypothesis's, some in a row as one example."""
    examples = -(-count // ROW)
    for begun in range(0, examples, BATCH):
        _send_rows(service, first + begun, min(BATCH, examples - begun), progress)


def _send_rows(service: Target, begun: int, count: int, progress: Callable[[], object]) -> None:
    @seed(begun)
    @settings(GENERATED, max_examples=count)
    @given(st.lists(st.tuples(REQUEST, st.sampled_from(ROLES)), min_size=ROW, max_size=ROW))
    def send(row: list[tuple[Sent, str]]) -> None:
        for name in STUDIES:
            service.make(name)
        waiting = 0
        for sent, role in row:
            reply = _send(service, sent, waiting, service.tokens[role])
            if sent.name == "get_question" and reply.status == 200:
                waiting = (reply.json()["question"] or {"step": 0})["step"]
            progress()

    send()


def _send(service: Target, sent: Sent, waiting: int, token: str | None) -> Reply:
    body, headers = sent.body, {}
    if sent.value is not None:
        step = {"step": waiting} if sent.value.get("step") == WAITING else {}
        body = json.dumps(
            sent.value | step
        ).encode()  # what JSON does not have, and halves of characters, go out as they are
    if body is not None:
        headers["Content-Type"] = sent.content_type
    return service.send(sent.name, sent.method, sent.path, body=body or b"", headers=headers, token=token)


# All of them ---------------------------------------------------------------------------------------------------------------


def torment(count: int, progress: Callable[[int], object] = lambda _: None, processes: int | None = None) -> Tally:
    """So many generated requests, by several processes; an AssertionError for the first that does what it may not.

    Each process has services of its own, a new one after every `SERVICE` requests, and no two make the same ones.
    """
    sizes = [min(SERVICE, count - begun) for begun in range(0, count, SERVICE)]
    tally = Tally()
    with ProcessPoolExecutor(processes or os.cpu_count(), get_context("spawn"), end_with_parent) as pool:
        for done in pool.map(_one_service, sizes, range(0, len(sizes) * SERVICE, SERVICE)):
            tally.statuses += done.statuses
            tally.operations += done.operations
            progress(done.requests)
    return tally


def _one_service(count: int, first: int) -> Tally:
    """So many requests to one service; `first` is the first of their seeds."""
    with target() as service:
        by_document(service, round(count * BY_DOCUMENT), lambda: None, first)
        from_what_is_there(service, max(0, count - service.tally.requests), lambda: None, first)
        return service.tally
