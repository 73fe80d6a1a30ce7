"""The frame of the pages that the server writes, and refusals as pages. Whatever a study holds is escaped by `text`."""

from __future__ import annotations

from html import escape

from starlette.responses import Response

from prefero.web.languages import ENGLISH, Words
from prefero.web.refusals import Refusal

_LOGO = (
    '<svg class="logo" viewBox="0 0 30 20" aria-hidden="true"><circle cx="10" cy="10" r="9"/>'
    '<rect x="14" y="1.5" width="15" height="17" rx="4"/></svg>'
)
_PAGE = """<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><title>{title} · prefero</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/page/icon.svg" type="image/svg+xml"><link rel="stylesheet" href="/page/page.css">{script}</head>
<body><header id="top"><div class="bar"><a class="brand" href="/" title="{all}">{logo}<span>prefero</span></a></div>
<h1 dir="auto">{title}</h1></header>
<main id="main"><div class="column">{body}</div></main><p id="status" role="status"></p></body></html>
"""


def text(given: object) -> str:
    """Return a text as HTML that shows it, also within an attribute."""
    return escape(str(given), quote=True)


def page(title: str, body: str, status: int = 200, script: str = "", t: Words = ENGLISH) -> Response:
    """Return a page; `script` is the module of ours that it runs, if any, and `t` its words."""
    run = f'<script type="module" src="/page/{script}"></script>' if script else ""
    frame = {"language": t.language, "all": t("All studies"), "logo": _LOGO, "script": run}
    whole = _PAGE.format(title=text(title), body=body, **frame)
    return Response(whole, status, media_type="text/html")


def error_page(refusal: Refusal, t: Words = ENGLISH) -> Response:
    """Return a refusal as a page: what it means, what to do, and the reason folded away."""
    title, words = _said(refusal.status, t)
    reason = text(refusal.message[:1].upper() + refusal.message[1:])
    # whoever is not signed in has no studies to go back to
    back = "" if refusal.status == 401 else f'<p class="row"><a class="button big" href="/">{t("All studies")}</a></p>'
    shown = page(
        title,
        f'<p class="lead">{words}</p>{back}<details class="quiet"><summary>{t("The reason, for whoever runs this")}</summary>'
        f'<p dir="auto">{reason}.</p></details>',
        refusal.status,
        t=t,
    )
    shown.headers.update(refusal.headers)
    return shown


def _said(status: int, t: Words) -> tuple[str, str]:
    """Return the title and the words of a refusal."""
    known = {
        401: (
            t("Please open your link"),
            t("This browser is not signed in. If you were invited, open the link that you were sent.")
            + " "
            + t("It works once, in one browser: ask for a new one if it does not.")
            + " "
            + t("If you are the owner, open the link that the server printed."),
        ),
        403: (
            t("This is not for you to see"),
            t("You are signed in, but not for this. If somebody sent you here, ask them for a link of your own."),
        ),
        404: (t("There is nothing here"), t("The address may be misspelt, or what was here is gone.")),
        410: (
            t("This link doesn’t work any more"),
            t("Ask whoever sent it for a new one. Answers that were given are safe."),
        ),
        429: (t("One moment, please"), t("Too many requests came at once. Nothing is lost; try again in a minute.")),
        503: (t("One moment, please"), t("The server is busy. Nothing is lost; try again in a moment.")),
    }
    return known.get(status, (t("This did not work"), t("Nothing is lost. Go back and try again.")))
