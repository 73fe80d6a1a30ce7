"""The application: the routes, and the order in which a request is checked.

First the host, then the token (before the body is read), the rate, the role, and the arguments. The work itself, with encoding and
compressing, runs in a thread, so that the event loop stays free. A refusal is JSON with an `error`, and has changed nothing.
"""

from __future__ import annotations

import gzip
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from prefero.errors import PreferoError, RevokedError, UnknownStudyError
from prefero.storage import Token, open_storage
from prefero.web import access, files, guard, schema, static
from prefero.web.access import Caller
from prefero.web.arrangements import Arrangements
from prefero.web.crowds import Crowds
from prefero.web.document import openapi
from prefero.web.html import error_page
from prefero.web.languages import words_of
from prefero.web.limits import InFlight, Rate, read_body
from prefero.web.live import STREAM, Stream, Watcher
from prefero.web.logs import CutOff
from prefero.web.monitor import ROUTE, Monitor
from prefero.web.operation import PREFIX, Call, Download, NotYet, Operation, Services, StoredFile, Watched
from prefero.web.proposals import Proposals
from prefero.web.refusals import Refusal, refusal_of
from prefero.web.result_worker import ResultWorker
from prefero.web.routes import OPERATIONS
from prefero.web.settings import Settings
from prefero.web.sign_in import PAGES, PageHandler
from prefero.web.studies import OpenStudies, Served
from prefero.web.suggesting import Suggesting

log = logging.getLogger("prefero.web")
T = TypeVar("T")
NOBODY = Caller("nobody", None, "")
MOST_CALLERS = 10_000
"""How many tokens are cached, the last ones used."""
LOOK_UP_THREADS = 2
"""Threads that look up tokens and invitations of strangers: they never take the threads that save answers."""
FREQUENT = ("get_question", "give_answer")
"""Operations whose routes are tried first: routes are tried in order."""
ANONYMOUS_BYTES = 4_096
"""The largest body of a request that needs no token."""
TOKEN_HEADER, PASS = "X-Prefero-Token", "pass"
"""The header and the query parameter with which a page in a frame sends its tokens."""
COMPRESSED_FROM = 4_096
"""Compress results from this size on, in bytes; nothing else that the API returns is compressed: see `static`."""
PATIENT_SECONDS, AGAIN_SECONDS = 20.0, 0.1
"""How long a request waits for the pool before the question is proposed for it alone, and how often it looks."""
COMPRESSION = 6
LARGE_REPLY = 64 << 10
"""Replies from this size on, in bytes, are sent in pieces and counted as bytes in flight."""
_JSON = "application/json"
_BUSY = {"result": "many results are being computed", "suggest": "hints are being suggested from other reasons"}
"""Pools that refuse a request instead of letting it wait."""


def build(storage_url: Any, settings: Settings | None = None, served: Served | None = None) -> Starlette:
    """Return the application for a storage: a URL, a path or a Storage. `served` is the study of a served file, if any."""
    settings = settings or Settings()
    storage, _ = open_storage(storage_url)
    proposals = Proposals(settings.proposal_helpers, settings.proposal_seconds)
    studies = OpenStudies(storage, proposals, settings.open_studies, served)
    arrangements, suggesting = Arrangements(storage), Suggesting(settings.reasons)
    services = Services(
        storage, studies, Crowds(storage), arrangements, proposals, ResultWorker(), settings, suggesting
    )
    service = Service(services)
    monitor = Monitor(services, service.in_flight)
    document = _encoded(openapi(OPERATIONS))

    async def get_document(_: Request) -> Response:
        return Response(document, media_type=_JSON)

    routes: list[BaseRoute] = [
        Route("/healthz", monitor.get_health),
        Route("/metrics", service.page(monitor.get_metrics)),
    ]
    routes += [_route(service, operation) for operation in sorted(OPERATIONS, key=lambda op: op.name not in FREQUENT)]
    routes.append(Route(f"{PREFIX}/openapi.json", get_document))
    routes += [Route(path, service.page(page), methods=[method]) for method, path, page in PAGES]
    shell = static.shell(settings.prefix)
    routes += [Route(f"/studies/{{study}}{screen}", shell) for screen in static.SCREENS]
    routes.append(Route("/page/{name}", static.page_files()))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        proposals.start()
        yield
        services.close()

    app = Starlette(
        routes=routes,
        middleware=[Middleware(guard.Guard, settings=settings, done=monitor.done)],
        exception_handlers={HTTPException: _not_found},  # type: ignore[dict-item]
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.services, app.state.monitor = services, monitor
    return app


def _route(service: Service, operation: Operation) -> Route:
    return Route(PREFIX + operation.path, service.endpoint(operation), methods=[operation.method], name=operation.name)


def error_response(refusal: Refusal) -> Response:
    """Return a refusal as JSON."""
    return Response(_encoded({"error": refusal.message}), refusal.status, refusal.headers, _JSON)


def _encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _not_found(request: Request, error: HTTPException) -> Response:
    words = {404: "there is nothing at this address", 405: f"{request.method} is not allowed here"}
    refusal = Refusal(error.status_code, words.get(error.status_code, error.detail), error.headers)
    return _refused(request, refusal)


def _by_browser(request: Request) -> bool:
    """Return whether a person sees the reply: a browser that opens an address, and not a script or a program."""
    opens = request.headers.get("sec-fetch-mode", "navigate") == "navigate"
    return opens and "text/html" in request.headers.get("accept", "")


def _refused(request: Request, refusal: Refusal) -> Response:
    return error_page(refusal, words_of(request)) if _by_browser(request) else error_response(refusal)


class Service:
    """What all routes share: storage and studies, thread pools, rate limits and cached tokens."""

    def __init__(self, services: Services) -> None:
        settings = services.settings
        self.services, self.settings = services, settings
        self._pools = {
            "save": anyio.CapacityLimiter(settings.save_threads),
            "propose": anyio.CapacityLimiter(settings.propose_threads),
            "result": anyio.CapacityLimiter(settings.result_threads),
            "export": anyio.CapacityLimiter(settings.export_threads),
            "suggest": anyio.CapacityLimiter(settings.suggest_threads),
        }
        self._file_reads = anyio.CapacityLimiter(settings.file_threads)
        self._look_ups, self._slow_look_ups = anyio.CapacityLimiter(LOOK_UP_THREADS), anyio.CapacityLimiter(1)
        self._watcher = Watcher(services.storage)
        self.in_flight = InFlight(settings.bytes_in_flight, settings.client_bytes)
        self._rate = Rate(settings.rate, settings.burst)
        self._failures = Rate(settings.failures / 60, settings.failures)
        self._own_query = (PASS,) if settings.embedders else ()
        self._callers: dict[str, Token] = {}  # the tokens that were used last, by digest

    async def run(self, work: Callable[..., T], *given: Any) -> T:
        """Do blocking work in a thread."""
        return await anyio.to_thread.run_sync(work, *given, limiter=self._pools["save"])

    async def tried(self, request: Request, work: Callable[..., T], *given: Any) -> T:
        """Look a token or an invitation up in a thread, and count a wrong one.

        A valid one always passes. After many wrong ones, an address gets 429 for each further one, and all such addresses take
        turns on one thread: they cannot keep the database busy.
        """
        peer = _peer(request)
        limiter = self._slow_look_ups if self._failures.left(peer) < 1 else self._look_ups
        try:
            return await anyio.to_thread.run_sync(work, *given, limiter=limiter)
        except Refusal:
            self._failures.spend(peer)
            raise

    def _limiter(self, operation: Operation) -> anyio.CapacityLimiter:
        """Return the limiter of an operation's threads: slow work never takes the threads that save answers."""
        pool = self._pools[operation.pool]
        if operation.pool in _BUSY and pool.available_tokens < 1:
            raise Refusal(503, f"{_BUSY[operation.pool]}: try again in a moment", {"Retry-After": "2"})
        return pool

    # One request -------------------------------------------------------------------------------------------------------

    def endpoint(self, operation: Operation) -> Callable[[Request], Awaitable[Response]]:
        """Return the Starlette endpoint of an operation."""

        async def endpoint(request: Request) -> Response:
            request.scope[ROUTE] = operation.name
            try:
                caller = await self._admitted(request, operation)
                with ExitStack() as held:  # the bytes of the body
                    call = await self._call(request, operation, caller, held)
                    made = await self._made(request, operation, call)
                return self._reply(request, operation.status, made, caller)
            except RevokedError as error:
                self._callers.pop(caller.token or "", None)
                return _refused(request, self._refusal_of(error))
            except Exception as error:  # noqa: BLE001 (unexpected ones are logged there)
                return _refused(request, self._refusal_of(error))

        return endpoint

    async def _made(self, request: Request, operation: Operation, call: Call) -> Download | StoredFile | Watched:
        """Return what a handler makes, in a thread; while there is nothing to reply with, no thread waits."""
        zipped = operation.pool == "result" and "gzip" in request.headers.get("accept-encoding", "")
        if operation.roles is None:
            return await self.tried(request, self._handle, operation, call, zipped)
        until = anyio.current_time() + PATIENT_SECONDS
        while True:
            patient = replace(call, patient=anyio.current_time() < until)
            try:
                return await anyio.to_thread.run_sync(
                    self._handle, operation, patient, zipped, limiter=self._limiter(operation)
                )
            except NotYet:
                await anyio.sleep(AGAIN_SECONDS)
                # Only one of those who wait looks whether there is something again: they would keep the pool from being filled.
                while anyio.current_time() < until and (pause := self.services.crowds.pause(call.study)):
                    await anyio.sleep(pause)

    def _handle(self, operation: Operation, call: Call, zipped: bool) -> Download | StoredFile | Watched:
        """Do the work of a request in a thread; its token is checked again in every transaction that reads or writes."""
        with self.services.storage.checking(call.caller.token):
            try:
                made = operation.handler(call)
            except UnknownStudyError:  # it was deleted, and there may be a new one of that name
                self.services.studies.forget(call.path.get("study", ""))
                self.services.crowds.forget(call.path.get("study", ""))
                self.services.arrangements.forget(call.path.get("study", ""))
                made = operation.handler(call)
        if isinstance(made, StoredFile | Watched):
            return made
        reply = made if isinstance(made, Download) else Download(_encoded(made), _JSON)
        return _zipped(reply) if zipped and len(reply.content) >= COMPRESSED_FROM else reply

    def _stream(self, request: Request, study: str, caller: Caller) -> Response:
        """Return a stream that ends if the token is no longer valid, or the server stops."""

        async def valid() -> bool:
            try:
                access.caller_of(await self.run(access.valid_token, self.services.storage, caller.token))
            except Refusal:
                return False
            return True

        self._watcher.check_room()
        request.scope[STREAM] = True
        return Stream(self._watcher.watch(study, valid))

    def _reply(self, request: Request, status: int, made: Download | StoredFile | Watched, caller: Caller) -> Response:
        """Return what is sent: at once if it is small, in pieces if it is large or a file, bit by bit if it is a stream."""
        if isinstance(made, Watched):
            return self._stream(request, made.study, caller)
        size = made.size if isinstance(made, StoredFile) else len(made.content)
        ranges = "Accept-Ranges" in made.headers
        part = files.asked_range(request.headers.get("range"), size) if ranges else None
        first, end = part or (0, size)
        headers = dict(made.headers)
        if part is not None:
            status, headers["Content-Range"] = 206, f"bytes {first}-{end - 1}/{size}"
        if isinstance(made, Download) and end - first < LARGE_REPLY:
            return Response(made.content[first:end], status, headers, made.media_type)
        held = ExitStack()
        memory = size if isinstance(made, Download) else min(end - first, 2 * files.PIECE)
        held.enter_context(self.in_flight.hold(caller.token or _peer(request), memory))

        async def read(start: int, length: int) -> bytes:
            if isinstance(made, Download):
                return made.content[start : start + length]
            return await anyio.to_thread.run_sync(piece, made, start, length, limiter=self._file_reads)

        def piece(stored: StoredFile, start: int, length: int) -> bytes:
            try:
                with self.services.storage.checking(caller.token):
                    return stored.read(start, length)
            except PreferoError as error:
                log.warning("a file was cut off: %s", error)
                raise CutOff from error

        return files.Pieces(read, first, end, status, headers, made.media_type, held)

    def page(self, page: PageHandler) -> Callable[[Request], Awaitable[Response]]:
        """Return the Starlette endpoint of a sign-in page; errors are pages for browsers and JSON for programs."""

        async def endpoint(request: Request) -> Response:
            request.scope[ROUTE] = getattr(page, "__name__", "")
            try:
                return await page(self, request)
            except Exception as error:  # noqa: BLE001 (unexpected ones are logged there)
                return _refused(request, self._refusal_of(error))

        return endpoint

    def _refusal_of(self, error: Exception) -> Refusal:
        """Return what the client is told about an exception."""
        if isinstance(error, Refusal):
            return error
        if isinstance(error, ClientDisconnect):
            return Refusal(400, "the client went away")
        if isinstance(error, RevokedError):
            return access.revoked()
        if not isinstance(error, PreferoError):
            log.exception("a request failed", exc_info=error)
            return Refusal(500, "something went wrong here; nothing was saved by this request")
        made = refusal_of(error, self.services.storage.address)
        if made.status >= 500:
            log.error("%s: %s", type(error).__name__, error)
        return made

    async def _admitted(self, request: Request, operation: Operation) -> Caller:
        """Return who makes a request; a Refusal if they may not."""
        if operation.roles is None:
            return NOBODY
        caller = await self.caller(request, look_up=operation.uploads)  # a file is read only if the token is valid
        caller.check(operation.roles, self._path(request, operation).get("study"))
        if operation.unbound:
            caller.check_unbound()
        return caller

    async def caller(self, request: Request, look_up: bool = True) -> Caller:
        """Return who makes a request, by a bearer token or by the cookie of a browser.

        look_up: whether to look the token up now; not if the work of the request checks it in its own transaction.
        """
        secret = _bearer(request)
        if secret is None and self.settings.embedders:
            return await self._embedded(request, look_up)
        if secret is None:
            secret = guard.cookie(request, self.settings.cookie)
            if secret is None:
                missing = "a token is needed: Authorization: Bearer <token>, or the link that the server printed"
                raise Refusal(401, missing, {"WWW-Authenticate": "Bearer"})
            guard.check_site(request, self.settings.https)
        return await self.caller_with(request, secret, look_up)

    async def _embedded(self, request: Request, look_up: bool) -> Caller:
        """Return who makes a request from a frame: by a token in a header, or by a read-only token in the query string.

        No other site can send the header.
        """
        secret = request.headers.get(TOKEN_HEADER)
        if secret is not None:
            return await self.caller_with(request, secret, look_up)
        caller = await self.caller_with(request, request.query_params.get(PASS, ""), look_up)
        if caller.role != "viewer" or request.method not in guard.SAFE:
            raise Refusal(401, f"a token is needed: {TOKEN_HEADER}", {"WWW-Authenticate": "Bearer"})
        return caller

    async def caller_with(self, request: Request, secret: str, look_up: bool = True) -> Caller:
        """Return who holds a token.

        A known token is not looked up here: it can only be revoked, or be deleted with its study, and `_handle` checks that.
        """
        key, storage = access.digest(secret), self.services.storage
        token = self._callers.get(key)
        if token is None:
            token = await self.tried(request, access.valid_token, storage, key)
        elif look_up:
            try:
                token = await self.run(access.valid_token, storage, key)
            except Refusal:
                self._callers.pop(key, None)
                raise
        request.scope[guard.TOKEN] = key
        self._rate.spend(key)
        self._callers[key] = token
        if len(self._callers) > MOST_CALLERS:
            self._callers.pop(next(iter(self._callers)))
        return access.caller_of(token)

    # Arguments -----------------------------------------------------------------------------------------------------------

    def _path(self, request: Request, operation: Operation) -> dict[str, Any]:
        return {
            part: schema.checked(wanted, _typed(wanted, request.path_params[part]), part)
            for part, wanted in operation.in_path.items()
        }

    async def _call(self, request: Request, operation: Operation, caller: Caller, held: ExitStack) -> Call:
        """Return a request with its checked arguments; `held` counts the bytes of its body."""
        client = caller.token or _peer(request)

        def hold(size: int) -> None:
            held.enter_context(self.in_flight.hold(client, size))

        call = Call(self.services, caller, self._path(request, operation), _query(request, operation, self._own_query))
        kind = request.headers.get("content-type", "")
        if operation.uploads:
            media_type = files.checked_type(kind)
            content = await read_body(request, self.settings.file_bytes, self.settings.body_seconds, hold)
            return replace(call, body=content, media_type=media_type)
        most = min(self.settings.json_bytes, ANONYMOUS_BYTES if operation.roles is None else self.settings.json_bytes)
        body = await read_body(request, most, self.settings.body_seconds, hold)
        if operation.takes is None:
            if body:
                raise Refusal(400, "this request takes no body")
            return call
        if body and kind.split(";")[0].strip().lower() != _JSON:
            raise Refusal(415, f"Content-Type: allowed is {_JSON}")
        return replace(call, body=schema.checked(operation.takes, schema.read_json(body) if body else {}, "body"))


def _zipped(reply: Download) -> Download:
    headers = {**reply.headers, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return Download(gzip.compress(reply.content, COMPRESSION, mtime=0), reply.media_type, headers)


def _query(request: Request, operation: Operation, own: tuple[str, ...]) -> dict[str, Any]:
    """Return the checked query parameters; `own` are the names that the service itself has read already."""
    found: dict[str, Any] = {}
    for key, value in request.query_params.multi_items():
        if key in own:
            continue
        if key not in operation.query:
            allowed = ", ".join(operation.query) or "no query"
            raise Refusal(422, f"query: got {key[:80]!r}; allowed: {allowed}")
        if key in found:
            raise Refusal(422, f"query: {key} is given twice")
        found[key] = schema.checked(operation.query[key], _typed(operation.query[key], value), key)
    return found


def _typed(wanted: schema.Schema, value: str) -> Any:
    """Return a path or query value as an integer if the schema wants one and it is one; unchanged otherwise."""
    whole = wanted["type"] == "integer" and value.isascii() and value.removeprefix("-").isdigit() and len(value) <= 16
    return int(value) if whole else value


def _bearer(request: Request) -> str | None:
    """Return the bearer token, if any."""
    given = request.headers.get("authorization")
    if given is None:
        return None
    scheme, _, secret = given.partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise Refusal(401, "Authorization: allowed is Bearer <token>", {"WWW-Authenticate": "Bearer"})
    return secret.strip()


def _peer(request: Request) -> str:
    return request.client.host if request.client else ""
