"""The pages that sign a browser in: the link that the server printed, and a judge's invitation.

A secret in an address becomes a cookie, and a redirect removes it from the address. An invitation is used up only when the judge
presses the button: a program that previews links does not use it.

A page of another site could send a browser to such a link, and so sign an owner in as somebody else without being noticed. So a
link signs in at once only if the person opened it, as the browser says, or if the browser does not say and has no session of ours.
Otherwise it shows a button. The cookie of a session is not sent when another site opens a page of ours; a second cookie, which has
no secret, is, and tells that there is a session.
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
MARK = "-session"
"""The end of the name of the cookie that tells that there is a session."""

_LOGO = (
    '<svg class="logo" viewBox="0 0 30 20" aria-hidden="true"><circle cx="10" cy="10" r="9"/>'
    '<rect x="14" y="1.5" width="15" height="17" rx="4"/></svg>'
)
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title} · prefero</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/page/icon.svg" type="image/svg+xml"><link rel="stylesheet" href="/page/page.css">{script}</head>
<body><header id="top"><div class="bar"><a class="brand" href="/">{logo}<span>prefero</span></a></div><h1>{title}</h1></header>
<main id="main"><div class="column">{body}</div></main><p id="status" role="status"></p></body></html>
"""


def _page(title: str, body: str, status: int = 200, script: str = "") -> Response:
    """Return a page; `script` is the module of ours that it runs, if any."""
    run = f'<script type="module" src="/page/{script}"></script>' if script else ""
    text = _PAGE.format(title=escape(title), body=body, logo=_LOGO, script=run)
    return Response(text, status, media_type="text/html")


def error_page(refusal: Refusal) -> Response:
    """Return a refusal as a page."""
    sign_in = (
        "<p>If you opened a link, it may have been used or taken back. Ask whoever sent it for a new one. "
        "To sign in as the owner, open the link that the server printed.</p>"
    )
    way = sign_in if refusal.status in (401, 403) else '<p><a class="button" href="/">All studies</a></p>'
    shown = _page(
        "This did not work", f"<p>{escape(refusal.message[:1].upper() + refusal.message[1:])}.</p>{way}", refusal.status
    )
    shown.headers.update(refusal.headers)
    return shown


async def home(service: Service, request: Request) -> Response:
    """The studies as cards, and who is signed in. A script adds what is best in each."""
    caller = await service.caller(request)
    listed = await service.run(service.services.storage.studies)
    studies = [summary for summary in listed if caller.study in (None, summary.name)]
    creates = caller.role == "owner" and caller.study is None
    new = '<p class="row"><a class="main big" href="/new">New study</a></p>' if creates and studies else ""
    cards = "".join(_listed(summary) for summary in reversed(studies))
    shown = f'<ul class="studies">{cards}</ul>' if studies else _STARTS if creates else "<p>No studies yet.</p>"
    leave = '<form method="post" action="/leave"><button class="plain">Sign out</button></form>'
    api = '<a href="/api/v1/openapi.json">API description</a>'
    foot = f'<div class="row foot quiet"><span>Signed in as {_named(caller)}.</span>{api}{leave}</div>'
    return _page(
        "Studies" if studies or not creates else "What shall we compare?", new + shown + foot, script="home.js"
    )


def _start(address: str, title: str, text: str) -> str:
    return f'<li><a class="card" href="{address}"><b>{title}</b><span class="quiet">{text}</span></a></li>'


_STARTS = (
    '<p class="lead">Ask people which of two they like better, again and again, until the favourite is clear.</p>'
    '<ul class="starts">'
    + _start("/new", "Knobs I can turn", "Name what can vary and how far, and get the settings to try.")
    + _start("/new#files", "Files I already have", "Pictures, sounds or films: drop them, and find the favourite.")
    + _start("/new#example", "An example", "A cup of coffee with four knobs, to look around.")
    + "</ul>"
)


async def new(service: Service, request: Request) -> Response:
    """The form that makes a study; its script does the work."""
    caller = await service.caller(request)
    caller.check(access.OWNER, None)
    caller.check_unbound()
    return _page("New study", '<div id="new"><noscript>This form needs JavaScript.</noscript></div>', script="new.js")


def _named(caller: access.Caller) -> str:
    return f"{escape(caller.name)} ({escape(caller.role)})" if caller.name != caller.role else escape(caller.role)


def _listed(summary: Summary) -> str:
    there = f"/studies/{quote(summary.name, safe='')}"
    most = max(summary.expected, summary.answers, 1)
    label = f'aria-label="Answers to {escape(summary.name, quote=True)}"'
    return (
        f'<li><a class="card study" href="{there}" data-name="{escape(summary.name, quote=True)}"><span class="view"></span>'
        f'<b dir="auto">{escape(summary.name)}</b><span class="quiet" dir="auto">{escape(summary.question)}</span>'
        f'<progress max="{most}" value="{summary.answers}" {label}></progress>'
        f'<span class="quiet">{summary.answers} of about {summary.expected} answers</span></a></li>'
    )


async def enter(service: Service, request: Request) -> Response:
    """Sign in by the printed link: its token becomes a cookie. If another site may have opened it, ask first."""
    secret = request.query_params.get("token", "")
    caller = await service.caller_with(request, secret)
    if _opened_by_person(service, request, secret):
        return _signed_in(service, secret, caller.study)
    text = f"<p>This link signs this browser in as {_named(caller)}.{_replaces(service, request)}</p>"
    return _page("Sign in", text + _form("/enter", "token", secret, "Sign in"))


async def confirm(service: Service, request: Request) -> Response:
    """Sign in by the button that `enter` shows."""
    secret = await _field(service, request, "token")
    caller = await service.caller_with(request, secret)
    return _signed_in(service, secret, caller.study)


async def join(service: Service, request: Request) -> Response:
    """Show an invitation with a button that accepts it."""
    text = "<p>You were invited to compare. The invitation works once, in this browser."
    form = _form("/join", "invitation", request.query_params.get("invitation", ""), "Join")
    return _page("Join a study", f"{text}{_replaces(service, request)}</p>{form}")


async def accept(service: Service, request: Request) -> Response:
    """Accept an invitation: its token becomes a cookie."""
    secret = await _field(service, request, "invitation")
    secret, token = await service.tried(request, access.accept_invitation, service.services.storage, secret)
    return _signed_in(service, secret, token.study)


def _opened_by_person(service: Service, request: Request, secret: str) -> bool:
    """Return whether a person opened the link, or it changes no session."""
    held = guard.cookie(request, service.settings.cookie)
    site = request.headers.get("sec-fetch-site")
    if site is None:  # an old browser, or an address without HTTPS
        return held == secret or not _has_session(service, request)
    return held == secret or site in ("none", "same-origin")


def _has_session(service: Service, request: Request) -> bool:
    name = service.settings.cookie
    return any(guard.cookie(request, held) is not None for held in (name, name + MARK))


def _replaces(service: Service, request: Request) -> str:
    return " It replaces the session that this browser has." if _has_session(service, request) else ""


def _form(action: str, name: str, secret: str, label: str) -> str:
    field = f'<input type="hidden" name="{name}" value="{escape(secret, quote=True)}">'
    return f'<form method="post" action="{action}">{field}<button class="main big">{label}</button></form>'


async def _field(service: Service, request: Request, name: str) -> str:
    """Return the secret of a form of ours; a Refusal if the form is another site's."""
    guard.check_site(request, service.settings.https)
    body = await read_body(request, LONGEST_FORM, service.settings.body_seconds)
    try:
        return parse_qs(body.decode("utf-8", "replace"), max_num_fields=10).get(name, [""])[0]
    except ValueError:
        raise Refusal(400, "the form has too many fields") from None


async def leave(service: Service, request: Request) -> Response:
    """Sign out: delete the cookie. The token stays valid until it is revoked or expires."""
    guard.check_site(request, service.settings.https)
    gone = _page("Signed out", "<p>To sign in again, open the link that the server printed.</p>")
    for name in (service.settings.cookie + MARK, service.settings.cookie):
        gone.delete_cookie(name)
    return gone


def _signed_in(service: Service, secret: str, study: str | None) -> Response:
    """Return a redirect that sets the cookie: to the study if the token is for one, else to the list."""
    if not secret:
        raise Refusal(401, "the link holds no token")
    response = RedirectResponse("/" if study is None else f"/studies/{quote(study, safe='')}", 303)
    name, https = service.settings.cookie, service.settings.https
    response.set_cookie(name + MARK, "1", COOKIE_SECONDS, httponly=True, samesite="lax", secure=https)
    response.set_cookie(name, secret, COOKIE_SECONDS, httponly=True, samesite="strict", secure=https)
    return response


PageHandler = Callable[["Service", Request], Awaitable[Response]]
PAGES: tuple[tuple[str, str, PageHandler], ...] = (
    ("GET", "/", home),
    ("GET", "/new", new),
    ("GET", "/enter", enter),
    ("POST", "/enter", confirm),
    ("GET", "/join", join),
    ("POST", "/join", accept),
    ("POST", "/leave", leave),
)
