"""The list of studies as cards, and the frame of the form that makes one. Scripts add what is best, and the form itself."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from prefero.storage import Summary
from prefero.web import access, files
from prefero.web.html import page, text
from prefero.web.languages import ENGLISH, FOLDER, Words, words_of

if TYPE_CHECKING:
    from prefero.web.app import Service

SEARCHED = 4
"""From so many studies on there is a search."""
MOST_TICKS = 60
"""Up to so many answers, progress is shown as ticks."""


async def home(service: Service, request: Request) -> Response:
    """The studies as cards, and who is signed in. A script adds what is best in each."""
    caller = await service.caller(request)
    t = words_of(request)
    listed = await service.run(service.services.storage.studies)
    own = [summary for summary in reversed(listed) if caller.study in (None, summary.name)]
    owns = caller.role == "owner"
    current = [s for s in own if not s.deleted and not s.archived]
    archived = [s for s in own if s.archived and not s.deleted]
    deleted = [s for s in own if s.deleted] if owns else []
    creates = owns and caller.study is None
    invites = creates and not current
    body = _starts(t) if invites else "" if current else "<p>" + t("No studies yet.") + "</p>"
    if current:
        body = (
            _above(t, len(current), creates) + f'<ul class="studies">{"".join(_card(t, s, owns) for s in current)}</ul>'
        )
    body += _folded(t("Archived ({count})", count=len(archived)), "", [_card(t, s, owns) for s in archived])
    kept = t("Deleted studies can be brought back for thirty days.")
    body += _folded(t("Deleted ({count})", count=len(deleted)), kept, [_gone(t, s) for s in deleted])
    return page(
        t("What would you like to choose?") if invites else t("Studies"), body + _foot(t, caller), 200, "home.js", t
    )


def _foot(t: Words, caller: access.Caller) -> str:
    leave = f'<form method="post" action="/leave"><button class="plain">{t("Sign out")}</button></form>'
    who = t("Signed in as {name}.", name=named(caller, t))
    return f'<div class="row foot quiet"><span>{who}</span><a href="/api">{t("For programs")}</a>{leave}</div>'


def _above(t: Words, count: int, creates: bool) -> str:
    new = f'<a class="main big" href="/new">{t("New study")}</a>' if creates else ""
    label, field = f'<label for="search">{t("Search")}</label>', '<input type="search" id="search" autocomplete="off">'
    found = '<span class="quiet" id="found" aria-live="polite"></span>'
    search = f'<div class="field search">{label}{field}{found}</div>' if count >= SEARCHED else ""
    return f'<div class="row above">{search}{new}</div>' if new or search else ""


def _folded(title: str, words: str, items: list[str]) -> str:
    said = f'<p class="quiet">{words}</p>' if words else ""
    inside = f'{said}<ul class="studies">{"".join(items)}</ul>'
    return f'<details class="put-away"><summary>{title}</summary>{inside}</details>' if items else ""


def _card(t: Words, summary: Summary, owns: bool) -> str:
    there = f"/studies/{quote(summary.name, safe='')}"
    called, most = summary.title or summary.name, max(summary.expected, summary.answers, 1)
    ticks = f' class="ticks" data-of="{most}"' if most <= MOST_TICKS else ""
    done = summary.answers >= summary.expected
    chip = f'<span class="chip best">{t("Done")}</span>' if done else ""
    if summary.paused:
        chip = f'<span class="chip">{t("Paused")}</span>'
    given, whose = f"<b>{summary.answers}</b>", t("Answers to {name}", name=text(called))
    far = t("{answers} of about {expected} {expected|answer|answers}", answers=given, expected=summary.expected)
    empty = "" if summary.answers else t("No answers yet")  # the page draws what is best so far
    return (
        f'<li class="card study" data-name="{text(summary.name)}" data-called="{text(called)}">'
        f'<a href="{there}"><span class="view"><span class="values">{empty}</span></span>'
        f'<b dir="auto">{text(called)}</b>'
        f'<span class="quiet" dir="auto">{text(summary.question)}</span>'
        f'<progress{ticks} max="{most}" value="{summary.answers}" aria-label="{whose}"></progress>'
        f'<span class="quiet">{far}</span>'
        f'<span class="row quiet last"><span class="judges-of"></span><span>{_last(t, summary)}</span>{chip}</span></a>'
        f"{_menu(t, called, summary) if owns else ''}</li>"
    )


def _last(t: Words, summary: Summary) -> str:
    time = f'<time datetime="{summary.last}">{summary.last[:10]}</time>'
    return t("Last answer {time}", time=time) if summary.answers else t("Made {time}", time=time)


def _menu(t: Words, called: str, summary: Summary) -> str:
    name = text(called)
    if summary.archived:
        put = _deed("archived", "", t("Take out of the archive"), t("{name} is out of the archive.", name=name))
    else:
        put = _deed("archived", "yes", t("Archive"), t("{name} is in the archive.", name=name))
    gone = _deed("deleted", "yes", t("Delete"), t("{name} is deleted. It is kept for thirty days.", name=name), "bad")
    more = f'aria-label="{t("More for {name}", name=name)}" title="{t("More")}"'
    return f'<details class="menu down"><summary {more}>…</summary><div>{put}{gone}</div></details>'


def _deed(what: str, to: str, words: str, done: str, style: str = "") -> str:
    """Return a button that sets or clears something of a study, and what is said when that is done."""
    return f'<button data-do="{what}" data-to="{to}" data-done="{done}" class="{style}">{words}</button>'


def _gone(t: Words, summary: Summary) -> str:
    called = summary.title or summary.name
    back = _deed("deleted", "", t("Bring back"), t("{name} is back.", name=text(called)))
    return (
        f'<li class="card study" data-name="{text(summary.name)}" data-called="{text(called)}"><b dir="auto">{text(called)}</b>'
        f'<span class="quiet">{t("{count} {count|answer|answers}", count=summary.answers)}</span>'
        f"{back}</li>"
    )


def _start(address: str, title: str, words: str, art: str) -> str:
    return (
        f'<li><a class="card" href="{address}"><svg class="art" viewBox="0 0 320 140" aria-hidden="true">{art}</svg>'
        f'<b>{title}</b><span class="quiet">{words}</span></a></li>'
    )


_PICTURES = (
    '<rect class="of-a" x="70" y="30" width="92" height="76" rx="6"/><path class="of-a" d="m78 98 26-32 18 18 12-12 22 26z"/>'
    '<rect class="of-b" x="160" y="36" width="92" height="76" rx="6"/><path class="of-b" d="m168 104 22-26 16 14 16-22 24 34z"/>'
)
_KNOBS = (
    '<path class="rail-of" d="M70 34H250M70 70H250M70 106H250"/><circle class="of-a" cx="118" cy="34" r="10"/>'
    '<rect class="of-b" x="190" y="24" width="20" height="20" rx="4"/><circle class="of-a" cx="206" cy="70" r="10"/>'
    '<rect class="of-b" x="104" y="60" width="20" height="20" rx="4"/><circle class="of-a" cx="90" cy="106" r="10"/>'
    '<rect class="of-b" x="160" y="96" width="20" height="20" rx="4"/>'
)
_MOUNTAINS = (
    '<image href="/page/mountain-1.jpg" x="-140" width="600" height="140" preserveAspectRatio="xMidYMid slice"/>'
)


def _starts(t: Words) -> str:
    lead = t(
        "Show people two things at a time. A few dozen quick answers later you know what they like best, and how sure that is."
    )
    files = t("Files I already have"), t("Pictures, sounds or films: drop them, and find the favourite.")
    knobs = t("Knobs I can turn"), t("Name what can vary and how far, and get the settings to try.")
    demo = t("A demo"), t("Find the mountains you would hang on your wall. Nothing to set up.")
    starts = (
        _start("/new?files", *files, _PICTURES)
        + _start("/new", *knobs, _KNOBS)
        + _start("/new?demo", *demo, _MOUNTAINS)
    )
    stays = t("Everything stays on this computer until you invite somebody.")
    return f'<p class="lead">{lead}</p><ul class="starts">{starts}</ul><p class="quiet">{stays}</p>'


async def new(service: Service, request: Request) -> Response:
    """The form that makes a study; its script does the work."""
    caller = await service.caller(request)
    caller.check(access.OWNER, None)
    caller.check_unbound()
    megabytes = service.settings.file_bytes >> 20
    t = words_of(request)
    types = ",".join(kind for kind in files.ALLOWED if kind.startswith(("image/", "audio/", "video/")))
    form = t.template((FOLDER / "new.html").read_text(encoding="utf-8"))
    form = form.replace("{megabytes}", str(megabytes)).replace("{types}", types)
    needs = t("This form needs JavaScript.")
    return page(t("New study"), f"<noscript>{needs}</noscript>{form}", 200, "new.js", t)


def named(caller: access.Caller, t: Words = ENGLISH) -> str:
    """Return who is signed in, as HTML."""
    role = {"owner": t("owner"), "judge": t("judge"), "viewer": t("viewer")}[caller.role]
    return f"{text(caller.name)} ({role})" if caller.name != caller.role else role
