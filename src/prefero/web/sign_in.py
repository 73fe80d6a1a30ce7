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
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from prefero.storage import Invitation, Summary
from prefero.web import access, described, guard, home
from prefero.web.html import page, text
from prefero.web.languages import Words, words_of
from prefero.web.limits import read_body
from prefero.web.refusals import Refusal

if TYPE_CHECKING:
    from prefero.web.app import Service

COOKIE_SECONDS = int(access.TOKEN_HOURS * 3600)
LONGEST_FORM = 4096
MARK = "-session"
"""The end of the name of the cookie that tells that there is a session."""


async def enter(service: Service, request: Request) -> Response:
    """Sign in by the printed link: its token becomes a cookie. If another site may have opened it, ask first."""
    secret = request.query_params.get("token", "")
    caller = await service.caller_with(request, secret)
    if _opened_by_person(service, request, secret):
        return _signed_in(service, secret, caller.study)
    t = words_of(request)
    signs = t("This link signs this browser in as {name}.", name=home.named(caller, t))
    words = f"<p>{signs}{_replaces(service, request, t)}</p>"
    return page(t("Sign in"), words + _form("/enter", "token", secret, t("Sign in")), t=t)


async def confirm(service: Service, request: Request) -> Response:
    """Sign in by the button that `enter` shows."""
    secret = await _field(service, request, "token")
    caller = await service.caller_with(request, secret)
    return _signed_in(service, secret, caller.study)


async def join(service: Service, request: Request) -> Response:
    """Show an invitation: what the study asks, who invites, and a button that accepts it."""
    secret = request.query_params.get("invitation", "")
    found, study = await service.tried(request, _invitation, service, secret)
    t = words_of(request)
    judge, inviter = f"<b>{text(found.judge)}</b>", f"<b>{text(found.inviter)}</b>"
    invited = (
        t("{inviter} invites you, {judge}, to compare.", inviter=inviter, judge=judge)
        if found.inviter
        else t("You are invited, {judge}, to compare.", judge=judge)
    )
    count = study.quota or study.expected
    many = t(
        "About {count} quick {count|answer|answers}; there are no wrong ones, and you can stop whenever you like.",
        count=count,
    )
    once = t("No account is needed. The link works once, in this browser.") + _replaces(service, request, t)
    words = f'<p class="asks" dir="auto">{text(study.question)}</p><p class="lead" dir="auto">{invited} {many}</p>'
    form = _form("/join", "invitation", secret, t("Join"))
    return page(study.title or study.name, f'{words}{form}<p class="quiet">{once}</p>', t=t)


def _invitation(service: Service, secret: str) -> tuple[Invitation, Summary]:
    """Return an invitation that can be accepted, and its study; a Refusal if there is none."""
    storage = service.services.storage
    found = storage.invitations(digest=access.digest(secret))
    studies = storage.studies([found[0].study]) if found else []
    if not studies or studies[0].deleted or found[0].used is not None or found[0].expires <= access.now():
        raise Refusal(410, "this invitation is unknown, already used or expired: ask for a new one")
    return found[0], studies[0]


async def accept(service: Service, request: Request) -> Response:
    """Accept an invitation: its token becomes a cookie."""
    secret = await _field(service, request, "invitation")
    await service.tried(request, _invitation, service, secret)
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


def _replaces(service: Service, request: Request, t: Words) -> str:
    return " " + t("It replaces the session that this browser has.") if _has_session(service, request) else ""


def _form(action: str, name: str, secret: str, label: str) -> str:
    field = f'<input type="hidden" name="{name}" value="{text(secret)}">'
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
    t = words_of(request)
    gone = page(t("Signed out"), "<p>" + t("To sign in again, open your link.") + "</p>", t=t)
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
    ("GET", "/", home.home),
    ("GET", "/new", home.new),
    ("GET", "/api", described.describe),
    ("GET", "/enter", enter),
    ("POST", "/enter", confirm),
    ("GET", "/join", join),
    ("POST", "/join", accept),
    ("POST", "/leave", leave),
)
