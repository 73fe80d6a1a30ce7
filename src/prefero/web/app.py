"""The application: the routes, and the order in which a request is checked.

First the host, then the token (before the body is read), the rate, the role, and the arguments. The work itself runs in a thread,
so that the event loop stays free. A refusal is JSON with an `error`, and has changed nothing.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from typing import Any, TypeVar

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route

from prefero.errors import PreferoError, RevokedError, UnknownStudyError
from prefero.storage import Token, open_storage
from prefero.web import access, files, guard, schema, static
from prefero.web.access import Caller
from prefero.web.document import openapi
from prefero.web.limits import Rate, read_body
from prefero.web.operation import PREFIX, Call, Download, Operation, Services
from prefero.web.refusals import Refusal, refusal_of
from prefero.web.result_worker import ResultWorker
from prefero.web.routes import OPERATIONS
from prefero.web.settings import Settings
from prefero.web.sign_in import PAGES, PageHandler, error_page
from prefero.web.studies import OpenStudies, Served

log = logging.getLogger("prefero.web")
T = TypeVar("T")
NOBODY = Caller("nobody", None, "")
MOST_CALLERS = 1_000
"""How many tokens are cached, the last ones used."""
TOKEN_HEADER, PASS = "X-Prefero-Token", "pass"
"""The header and the query parameter with which a page in a frame sends its tokens."""
COMPRESSED_FROM = 4_096
"""Compress results from this size on, in bytes; nothing else that the API returns is compressed: see `static`."""
_JSON = "application/json"


def build(storage_url: Any, settings: Settings | None = None, served: Served | None = None) -> Starlette:
    """Return the application for a storage: a URL, a path or a Storage. `served` is the study of a served file, if any."""
    settings = settings or Settings()
    storage, _ = open_storage(storage_url)
    services = Services(storage, OpenStudies(storage, settings.open_studies, served), ResultWorker(), settings)
    service = Service(services)
    document = _encoded(openapi(OPERATIONS))

    async def get_document(_: Request) -> Response:
        return Response(document, media_type=_JSON)

    routes: list[BaseRoute] = [_route(service, operation) for operation in OPERATIONS]
    routes.append(Route(f"{PREFIX}/openapi.json", get_document))
    routes += [Route(path, service.page(page), methods=[method]) for method, path, page in PAGES]
    shell = static.shell(settings.prefix)
    routes += [Route(f"/studies/{{study}}{screen}", shell) for screen in static.SCREENS]
    routes.append(Mount("/page", static.page_files()))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        services.close()

    app = Starlette(
        routes=routes,
        middleware=[Middleware(guard.Guard, settings=settings)],
        exception_handlers={HTTPException: _not_found},  # type: ignore[dict-item]
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.services = services
    return app


def _route(service: Service, operation: Operation) -> Route:
    compression = [Middleware(GZipMiddleware, minimum_size=COMPRESSED_FROM)] if operation.pool == "result" else []
    endpoint = service.endpoint(operation)
    return Route(
        PREFIX + operation.path, endpoint, methods=[operation.method], name=operation.name, middleware=compression
    )


def error_response(refusal: Refusal) -> Response:
    """Return a refusal as JSON."""
    return Response(_encoded({"error": refusal.message}), refusal.status, refusal.headers, _JSON)


def _encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _not_found(request: Request, error: HTTPException) -> Response:
    words = {404: "there is nothing at this address", 405: f"{request.method} is not allowed here"}
    return error_response(Refusal(error.status_code, words.get(error.status_code, error.detail), error.headers))


class Service:
    """What all routes share: storage and studies, thread pools, rate limits and cached tokens."""

    def __init__(self, services: Services) -> None:
        settings = services.settings
        self.services, self.settings = services, settings
        self._pools = {
            "save": anyio.CapacityLimiter(settings.save_threads),
            "propose": anyio.CapacityLimiter(settings.propose_threads),
            "result": anyio.CapacityLimiter(settings.result_threads),
        }
        self._rate = Rate(settings.rate, settings.burst)
        self._failures = Rate(settings.failures / 60, settings.failures)
        self._anonymous = Rate(settings.failures / 60, settings.failures)
        self._own_query = (PASS,) if settings.embedders else ()
        self._callers: dict[str, Token] = {}  # the tokens that were used last, by digest

    async def run(self, work: Callable[..., T], *given: Any) -> T:
        """Do blocking work in a thread."""
        return await anyio.to_thread.run_sync(work, *given, limiter=self._pools["save"])

    def _limiter(self, operation: Operation) -> anyio.CapacityLimiter:
        """Return the limiter of an operation's threads: slow work never takes the threads that save answers."""
        pool = self._pools[operation.pool]
        if operation.pool == "result" and pool.available_tokens < 1:
            raise Refusal(503, "many results are being computed: try again in a moment", {"Retry-After": "2"})
        return pool

    # One request -------------------------------------------------------------------------------------------------------

    def endpoint(self, operation: Operation) -> Callable[[Request], Awaitable[Response]]:
        """Return the Starlette endpoint of an operation."""

        async def endpoint(request: Request) -> Response:
            try:
                caller = await self._admitted(request, operation)
                call = await self._call(request, operation, caller)
                made = await anyio.to_thread.run_sync(self._handle, operation, call, limiter=self._limiter(operation))
                if isinstance(made, Download):
                    return _download(request, made)
                return Response(_encoded(made), operation.status, media_type=_JSON)
            except RevokedError as error:
                self._callers.pop(caller.token or "", None)
                self._failures.spend(_peer(request))
                return error_response(self._refusal_of(error))
            except Exception as error:  # noqa: BLE001 (unexpected ones are logged there)
                return error_response(self._refusal_of(error))

        return endpoint

    def _handle(self, operation: Operation, call: Call) -> Any:
        """Do the work of a request in a thread; its token is checked again in every transaction that reads or writes."""
        # A result takes long and is computed elsewhere: computing ahead need not wait for it.
        quiet = nullcontext() if operation.pool == "result" else self.services.studies.lookaheads.paused()
        with quiet, self.services.storage.checking(call.caller.token):
            try:
                return operation.handler(call)
            except UnknownStudyError:  # it was deleted, and there may be a new one of that name
                self.services.studies.forget(call.path.get("study", ""))
                return operation.handler(call)

    def page(self, page: PageHandler) -> Callable[[Request], Awaitable[Response]]:
        """Return the Starlette endpoint of a sign-in page; errors are pages for browsers and JSON for programs."""

        async def endpoint(request: Request) -> Response:
            try:
                return await page(self, request)
            except Exception as error:  # noqa: BLE001 (unexpected ones are logged there)
                refusal = self._refusal_of(error)
            for_browser = "text/html" in request.headers.get("accept", "")
            return error_page(refusal) if for_browser else error_response(refusal)

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
            self.spend_anonymous(request)
            return NOBODY
        caller = await self.caller(request, look_up=operation.uploads)  # a file is read only if the token is valid
        caller.check(operation.roles, self._path(request, operation).get("study"))
        if operation.unbound:
            caller.check_unbound()
        return caller

    def spend_anonymous(self, request: Request) -> None:
        """Count a request that needs no token."""
        self._anonymous.spend(_peer(request))

    async def caller(self, request: Request, look_up: bool = True) -> Caller:
        """Return who makes a request, by a bearer token or by the cookie of a browser.

        look_up: whether to look the token up now; not if the work of the request checks it in its own transaction.
        """
        secret = _bearer(request)
        if secret is None and self.settings.embedders:
            return await self._embedded(request, look_up)
        if secret is None:
            secret = request.cookies.get(self.settings.cookie)
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
        """Return who holds a token; an address that tries many unknown ones has to wait.

        A known token is not looked up here: it can only be revoked, or be deleted with its study, and `_handle` checks that.
        """
        key, peer = access.digest(secret), _peer(request)
        token = self._callers.get(key)
        if token is None and self._failures.left(peer) < 1:
            self._failures.spend(peer)
        self._rate.spend(key)
        if token is not None and not look_up:
            return access.caller_of(token)
        try:
            token = await self.run(access.valid_token, self.services.storage, key)
        except Refusal:
            self._callers.pop(key, None)
            self._failures.spend(peer)
            raise
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

    async def _call(self, request: Request, operation: Operation, caller: Caller) -> Call:
        call = Call(self.services, caller, self._path(request, operation), _query(request, operation, self._own_query))
        kind = request.headers.get("content-type", "")
        if operation.uploads:
            media_type = files.checked_type(kind)
            content = await read_body(request, self.settings.file_bytes, self.settings.body_seconds)
            return replace(call, body=content, media_type=media_type)
        body = await read_body(request, self.settings.json_bytes, self.settings.body_seconds)
        if operation.takes is None:
            if body:
                raise Refusal(400, "this request takes no body")
            return call
        if body and kind.split(";")[0].strip().lower() != _JSON:
            raise Refusal(415, f"Content-Type: allowed is {_JSON}")
        return replace(call, body=schema.checked(operation.takes, schema.read_json(body) if body else {}, "body"))


def _download(request: Request, made: Download) -> Response:
    """Return a file, or the range of it that was asked for."""
    size = len(made.content)
    part = files.asked_range(request.headers.get("range"), size) if "Accept-Ranges" in made.headers else None
    if part is None:
        return Response(made.content, 200, made.headers, made.media_type)
    first, end = part
    headers = {**made.headers, "Content-Range": f"bytes {first}-{end - 1}/{size}"}
    return Response(made.content[first:end], 206, headers, made.media_type)


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
    whole = wanted["type"] == "integer" and value.isascii() and value.isdigit() and len(value) <= 16
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
