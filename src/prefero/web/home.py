"""The list of studies as cards, and the frame of the form that makes one. Scripts add what is best, and the form itself."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from prefero.storage import Summary
from prefero.web import access, static
from prefero.web.html import page, text

if TYPE_CHECKING:
    from prefero.web.app import Service

SEARCHED = 4
"""From so many studies on there is a search."""
MOST_TICKS = 60
"""Up to so many answers, progress is shown as ticks."""


async def home(service: Service, request: Request) -> Response:
    """The studies as cards, and who is signed in. A script adds what is best in each."""
    caller = await service.caller(request)
    listed = await service.run(service.services.storage.studies)
    own = [summary for summary in reversed(listed) if caller.study in (None, summary.name)]
    owns = caller.role == "owner"
    current = [s for s in own if not s.deleted and not s.archived]
    archived = [s for s in own if s.archived and not s.deleted]
    deleted = [s for s in own if s.deleted] if owns else []
    creates = owns and caller.study is None
    invites = creates and not current
    body = _STARTS if invites else "" if current else "<p>No studies yet.</p>"
    if current:
        body = _above(len(current), creates) + f'<ul class="studies">{"".join(_card(s, owns) for s in current)}</ul>'
    body += _folded("Archived", "", [_card(s, owns) for s in archived])
    body += _folded("Deleted", "Deleted studies can be brought back for thirty days.", [_gone(s) for s in deleted])
    leave = '<form method="post" action="/leave"><button class="plain">Sign out</button></form>'
    foot = f'<div class="row foot quiet"><span>Signed in as {named(caller)}.</span><a href="/api">For programs</a>{leave}</div>'
    return page("What would you like to choose?" if invites else "Studies", body + foot, script="home.js")


def _above(count: int, creates: bool) -> str:
    new = '<a class="main big" href="/new">New study</a>' if creates else ""
    search = (
        '<div class="field search"><label for="search">Search</label><input type="search" id="search" autocomplete="off"></div>'
        if count >= SEARCHED
        else ""
    )
    return f'<div class="row above">{search}{new}</div>' if new or search else ""


def _folded(title: str, words: str, items: list[str]) -> str:
    said = f'<p class="quiet">{words}</p>' if words else ""
    inside = f'{said}<ul class="studies">{"".join(items)}</ul>'
    return f'<details class="put-away"><summary>{title} ({len(items)})</summary>{inside}</details>' if items else ""


def _card(summary: Summary, owns: bool) -> str:
    there = f"/studies/{quote(summary.name, safe='')}"
    called, most = summary.title or summary.name, max(summary.expected, summary.answers, 1)
    ticks = f' class="ticks" data-of="{most}"' if most <= MOST_TICKS else ""
    state = "Paused" if summary.paused else "Done" if summary.answers >= summary.expected else ""
    chip = f'<span class="chip{" best" if state == "Done" else ""}">{state}</span>' if state else ""
    return (
        f'<li class="card study" data-name="{text(summary.name)}" data-called="{text(called)}">'
        f'<a href="{there}"><span class="view"></span><b dir="auto">{text(called)}</b>'
        f'<span class="quiet" dir="auto">{text(summary.question)}</span>'
        f'<progress{ticks} max="{most}" value="{summary.answers}" aria-label="Answers to {text(called)}"></progress>'
        f'<span class="quiet"><b>{summary.answers}</b> of about {summary.expected} answers</span>'
        f'<span class="row quiet last"><span class="judges-of"></span>{_last(summary)}{chip}</span></a>'
        f"{_menu(called, summary) if owns else ''}</li>"
    )


def _last(summary: Summary) -> str:
    words = "Last answer" if summary.answers else "Made"
    return f'<span>{words} <time datetime="{summary.last}">{summary.last[:10]}</time></span>'


def _menu(called: str, summary: Summary) -> str:
    archive = '<button data-do="restore">Take out of the archive</button>' if summary.archived else _ARCHIVE
    return (
        f'<details class="menu down"><summary aria-label="More for {text(called)}" title="More">…</summary>'
        f'<div>{archive}<button data-do="delete" class="bad">Delete</button></div></details>'
    )


_ARCHIVE = '<button data-do="archive">Archive</button>'


def _gone(summary: Summary) -> str:
    called = summary.title or summary.name
    return (
        f'<li class="card study" data-name="{text(summary.name)}" data-called="{text(called)}"><b dir="auto">{text(called)}</b>'
        f'<span class="quiet">{summary.answers} answers</span><button data-do="undelete">Bring back</button></li>'
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
_CUP = (
    '<path class="rail-of" d="M112 52h80v26a32 32 0 0 1-32 32h-16a32 32 0 0 1-32-32z"/>'
    '<path class="rail-of" d="M192 60h12a14 14 0 0 1 0 28h-14M136 22v14M152 18v18M168 22v14"/>'
)
_STARTS = (
    '<p class="lead">Show people two things at a time. A few dozen quick answers later you know what they like best, '
    'and how sure that is.</p><ul class="starts">'
    + _start(
        "/new#files", "Files I already have", "Pictures, sounds or films: drop them, and find the favourite.", _PICTURES
    )
    + _start("/new", "Knobs I can turn", "Name what can vary and how far, and get the settings to try.", _KNOBS)
    + _start("/new#example", "An example", "A cup of coffee with four knobs, to look around.", _CUP)
    + '</ul><p class="quiet">Everything stays on this computer until you invite somebody.</p>'
)


async def new(service: Service, request: Request) -> Response:
    """The form that makes a study; its script does the work."""
    caller = await service.caller(request)
    caller.check(access.OWNER, None)
    caller.check_unbound()
    megabytes = service.settings.file_bytes >> 20
    form = (static.FOLDER / "new.html").read_text(encoding="utf-8").replace("{megabytes}", str(megabytes))
    return page("New study", f"<noscript>This form needs JavaScript.</noscript>{form}", script="new.js")


def named(caller: access.Caller) -> str:
    """Return who is signed in, as HTML."""
    return f"{text(caller.name)} ({text(caller.role)})" if caller.name != caller.role else text(caller.role)
