"""The pages that sign a browser in: the link that the server printed, and a judge's invitation.

A secret in an address becomes a cookie, and a redirect removes it from the address. An invitation is used up only when the judge
presses the button: a program that previews links does not use it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from prefero.storage import Summary
from prefero.web import access, guard
from prefero.web.limits import read_body
from prefero.web.refusals import Refusal

if TYPE_CHECKING:
    from prefero.web.app import Service

COOKIE_SECONDS = int(access.TOKEN_HOURS * 3600)
LONGEST_FORM = 4096

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>prefero</title>
<link rel="icon" href="/page/icon.svg" type="image/svg+xml"><link rel="stylesheet" href="/page/page.css"></head>
<body><header id="top"><h1>{title}</h1></header><main><div class="column">{body}</div></main></body></html>
"""


def _page(title: str, body: str, status: int = 200) -> Response:
    return Response(_PAGE.format(title=escape(title), body=body), status, media_type="text/html")


def error_page(refusal: Refusal) -> Response:
    """Return a refusal as a page."""
    way = (
        "<p>To sign in, open the link that the server printed, or your invitation.</p>" if refusal.status < 500 else ""
    )
    shown = _page(
        "This did not work", f"<p>{escape(refusal.message[:1].upper() + refusal.message[1:])}.</p>{way}", refusal.status
    )
    shown.headers.update(refusal.headers)
    return shown


async def home(service: Service, request: Request) -> Response:
    """The list of studies, and who is signed in."""
    caller = await service.caller(request)
    listed = await service.run(service.services.storage.studies)
    studies = [summary for summary in listed if caller.study in (None, summary.name)]
    rows = "".join(_listed(summary) for summary in studies) or "<li>No studies yet.</li>"
    named = f"{escape(caller.name)} ({escape(caller.role)})" if caller.name != caller.role else escape(caller.role)
    leave = '<form method="post" action="/leave"><button>Sign out</button></form>'
    who = f'<p class="quiet">Signed in as {named}.</p>'
    api = '<p class="quiet"><a href="/api/v1/openapi.json">API description (OpenAPI)</a></p>'
    return _page("Studies", f'<ul class="studies">{rows}</ul>{who}{api}{leave}')


def _listed(summary: Summary) -> str:
    there = f"/studies/{quote(summary.name, safe='')}"
    progress = f'<span class="quiet">{summary.answers} of about {summary.expected} answers</span>'
    text = f'<b dir="auto">{escape(summary.name)}</b><span dir="auto">{escape(summary.question)}</span> · {progress}'
    return f'<li><a href="{there}">{text}</a></li>'


async def enter(service: Service, request: Request) -> Response:
    """Sign in by the printed link: its token becomes a cookie."""
    secret = request.query_params.get("token", "")
    caller = await service.caller_with(request, secret)
    return _signed_in(service, secret, caller.study)


async def join(_: Service, request: Request) -> Response:
    """Show an invitation with a button that accepts it."""
    secret = escape(request.query_params.get("invitation", ""), quote=True)
    form = f'<input type="hidden" name="invitation" value="{secret}"><button class="main big">Join</button>'
    text = "<p>You were invited to compare. The invitation works once, in this browser.</p>"
    return _page("Join a study", f'{text}<form method="post" action="/join">{form}</form>')


async def accept(service: Service, request: Request) -> Response:
    """Accept an invitation: its token becomes a cookie."""
    guard.check_site(request, service.settings.https)
    service.spend_anonymous(request)
    body = await read_body(request, LONGEST_FORM, service.settings.body_seconds)
    secret = parse_qs(body.decode("utf-8", "replace"), max_num_fields=10).get("invitation", [""])[0]
    secret, token = await service.run(access.accept_invitation, service.services.storage, secret)
    return _signed_in(service, secret, token.study)


async def leave(service: Service, request: Request) -> Response:
    """Sign out: delete the cookie. The token stays valid until it is revoked or expires."""
    guard.check_site(request, service.settings.https)
    gone = _page("Signed out", "<p>To sign in again, open the link that the server printed.</p>")
    gone.delete_cookie(service.settings.cookie)
    return gone


def _signed_in(service: Service, secret: str, study: str | None) -> Response:
    """Return a redirect that sets the cookie: to the study if the token is for one, else to the list."""
    if not secret:
        raise Refusal(401, "the link holds no token")
    response = RedirectResponse("/" if study is None else f"/studies/{quote(study, safe='')}", 303)
    response.set_cookie(
        service.settings.cookie,
        secret,
        max_age=COOKIE_SECONDS,
        httponly=True,
        samesite="strict",
        secure=service.settings.https,
    )
    return response


PageHandler = Callable[["Service", Request], Awaitable[Response]]
PAGES: tuple[tuple[str, str, PageHandler], ...] = (
    ("GET", "/", home),
    ("GET", "/enter", enter),
    ("GET", "/join", join),
    ("POST", "/join", accept),
    ("POST", "/leave", leave),
)
