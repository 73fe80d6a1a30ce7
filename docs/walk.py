"""The walk of somebody who does not program: eight pictures become a study, a friend answers on a phone, the owner watches.

A test walks it with plain pictures; `screenshots.py` walks it with nicer ones and keeps what the pages show.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from playwright.sync_api import Page, expect

QUIET = 300
"""Milliseconds, a little more than those of a new pair in which the page ignores answers."""
ANSWERS = 6


def walk(
    owner: Page,
    phone: Page,
    pictures: Sequence[dict[str, Any]],
    prefers: Callable[[Page], str],
    taken: Callable[..., Any],
) -> None:
    """Walk through the pages as two people would.

    owner: signed in, at the list of studies. phone: somebody else's browser. pictures: files, as `set_input_files` takes them.
    prefers: what the friend says to the pair on the screen, "a" or "b". taken: is called with a page and a name at each station.
    """
    owner.goto(owner.url.split("/enter")[0])
    taken(owner, "walk-start")
    owner.get_by_role("link", name="Files I already have").click()
    owner.get_by_label("Your question").fill("Which picture would you rather hang on your wall?")
    owner.get_by_label("A name for the study").fill("Mountains")
    owner.get_by_label("Pictures, sounds or films").set_input_files(pictures)
    expect(owner.locator("#picked li")).to_have_count(len(pictures))
    owner.get_by_label("About how many answers in all").fill(str(ANSWERS))
    owner.get_by_text("Others, too").click()
    taken(owner, "walk-new")
    owner.get_by_role("button", name="Create the study").click()

    expect(owner.get_by_role("heading", name="Invite somebody")).to_be_visible()
    owner.get_by_label("Name", exact=True).fill("Ann")
    owner.get_by_label("Invited by", exact=True).fill("Bea")
    owner.get_by_role("button", name="Make a link").click()
    link = owner.get_by_role("textbox", name="Link for Ann").input_value()
    owner.get_by_role("button", name="QR code for Ann").click()
    expect(owner.get_by_role("img", name="QR code of the link for Ann")).to_be_visible()

    phone.goto(link)
    expect(phone.get_by_text("Bea invites you")).to_be_visible()
    taken(phone, "walk-join")
    phone.get_by_role("button", name="Join").click()
    phone.get_by_role("link", name="Start comparing").click()
    for step in range(ANSWERS):
        expect(phone.locator(f".compare[data-state=ready][data-step='{step}']")).to_be_visible()
        if step == 1:
            taken(phone, "walk-phone")
        phone.wait_for_timeout(QUIET)
        phone.locator(f".pane.of-{prefers(phone)} .frame").tap()
        expect(owner.locator("[data-judges]")).to_contain_text(
            f"{step + 1} answer"
        )  # the owner watches, without a reload
    expect(phone.locator(".compare[data-state=finished]")).to_be_visible()
    taken(owner, "walk-owner")

    owner.get_by_role("link", name="Result").click()
    expect(owner.locator(".hero .winner img")).to_be_visible()
    expect(owner.get_by_role("heading", name="How the others did")).to_be_visible(timeout=660_000)
    taken(owner, "walk-result")
    owner.get_by_role("link", name="All studies").click()
    expect(owner.locator(".study .view img")).to_be_visible()
    taken(owner, "walk-studies")
