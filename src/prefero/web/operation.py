"""Operation: one route as data: who may use it, what it takes, what it returns, and its handler.

Routing, request checks and the OpenAPI document are all made from it, so they cannot disagree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from prefero.answers import SIDES
from prefero.storage import Storage
from prefero.study import Study
from prefero.web import schema
from prefero.web.access import ANYBODY, Caller
from prefero.web.arrangements import Arrangements
from prefero.web.crowds import Crowds
from prefero.web.proposals import Proposals
from prefero.web.render_queue import RenderQueue
from prefero.web.result_worker import ResultWorker
from prefero.web.schema import Schema
from prefero.web.settings import Settings
from prefero.web.studies import OpenStudies
from prefero.web.suggesting import Suggesting

PREFIX = "/api/v1"

IN_PATH: dict[str, Schema] = {
    "study": schema.name(description="the study's name"),
    "step": schema.integer(-(10**9), 10**9, description="the question's number; −1, −2, … for imported comparisons"),
    "row": schema.integer(0, 10**9, description="the row's number in the catalogue, from 0"),
    "side": schema.words(*SIDES, description="which of the candidates"),
    "file": schema.name(description="the file's name"),
    "digest": schema.text(64, 64, pattern="^[0-9a-f]{64}$", description="a SHA-256 in hexadecimal"),
}
"""The schemas of path parameters."""


@dataclass(frozen=True)
class Services:
    """What handlers work with."""

    storage: Storage
    studies: OpenStudies
    crowds: Crowds
    arrangements: Arrangements
    proposals: Proposals
    results: ResultWorker
    settings: Settings
    suggesting: Suggesting

    def close(self) -> None:
        """Stop background work and close the storage."""
        self.crowds.close()
        self.proposals.close()
        self.results.close()
        self.studies.close()
        self.storage.close()


@dataclass(frozen=True)
class Call:
    """An admitted request: who makes it, and its checked arguments.

    media_type: an uploaded file's. patient: whether the handler may raise NotYet.
    """

    services: Services
    caller: Caller
    path: Mapping[str, Any]
    query: Mapping[str, Any]
    body: Any = None
    media_type: str = ""
    patient: bool = True

    @property
    def study(self) -> str:
        """The name of the study that the request is about."""
        return str(self.path["study"])

    @property
    def storage(self) -> Storage:
        """The storage of all studies."""
        return self.services.storage

    @property
    def renders(self) -> RenderQueue | None:
        """The queue that renders the study's candidates, if this server does."""
        return self.services.studies.renders(self.study)

    def opened(self) -> Study:
        """Return the study as this process last saw it: enough for writing, which reads newer events by itself."""
        return self.services.studies.get(self.study)

    def fresh(self) -> Study:
        """Return the study as it is now."""
        study = self.opened()
        study.refresh()
        return study


class NotYet(Exception):
    """There is nothing to reply with for a moment: the handler is called again soon. Nobody's thread waits meanwhile."""


@dataclass(frozen=True)
class Download:
    """A reply that is not JSON."""

    content: bytes
    media_type: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class StoredFile:
    """A stored file as the reply; `read(start, length)` returns a piece of it."""

    read: Callable[[int, int], bytes]
    size: int
    media_type: str
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Watched:
    """A stream of events about a study as the reply."""

    study: str


Handler = Callable[[Call], Any]


@dataclass(frozen=True)
class Operation:
    """One route.

    roles: the roles that may use it; None for everybody, even without a token.
    unbound: refuse a token that is for one study alone.
    takes: the schema of the JSON body; None if it takes no JSON. uploads: the body is a file.
    query: the schemas of the query's parameters.
    gives: the schema of the JSON reply, or the media type of any other reply.
    status: the status of success. refuses: the statuses of refusals that only this route has.
    pool: the threads that do the work. "save" reads and saves quickly, "propose" may wait for a proposer, "result" for a result;
    "export" makes a large reply, "suggest" waits for the owner's program.
    """

    method: str
    path: str
    handler: Handler
    roles: frozenset[str] | None = ANYBODY
    gives: Schema | str = field(default_factory=lambda: schema.thing({}))
    takes: Schema | None = None
    uploads: bool = False
    query: Mapping[str, Schema] = field(default_factory=dict)
    status: int = 200
    pool: Literal["save", "propose", "result", "export", "suggest"] = "save"
    unbound: bool = False
    refuses: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The operation's name: its handler's."""
        return str(getattr(self.handler, "__name__", ""))

    @property
    def summary(self) -> str:
        """What it does: the first line of its handler's docstring."""
        return (self.handler.__doc__ or "").strip().splitlines()[0]

    @property
    def in_path(self) -> dict[str, Schema]:
        """The schemas of its path parameters."""
        return {part: IN_PATH[part] for part in re.findall(r"\{(\w+)\}", self.path)}

    @property
    def statuses(self) -> list[int]:
        """Every status with which it may be refused."""
        found = {400, 421, 422, 429, 503, *self.refuses}
        if self.roles is not None:
            found |= {401, 403}
        if "{study}" in self.path:
            found |= {404, 409}
        if self.takes is not None or self.uploads:
            found |= {408, 413, 415}
        return sorted(found)
