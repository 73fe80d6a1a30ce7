"""Somebody who does not program makes a study of eight pictures, a friend answers on a phone, and both see what won."""

from docs.walk import ANSWERS, walk
from prefero.web.server import background
from tests.page.conftest import PATIENCE, SIZES, Site, Watched, fits
from tests.page.test_new import PICTURES
from tests.page.test_screens import violations


def test_a_non_programmers_walk(tmp_path, chromium, axe):
    seen = []

    def station(page, name):
        fits(page)
        assert violations(page, axe) == [], name
        seen.append(name)

    with background(f"sqlite:///{tmp_path / 'walk.db'}") as link:
        watched = Watched(Site(link).address)
        pages = []
        for size, scheme in (("desk", "light"), ("phone", "dark")):
            width, height = SIZES[size]
            context = chromium.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme, has_touch=size == "phone"
            )
            context.set_default_timeout(PATIENCE)
            context.on("page", watched.watch)
            pages.append(context.new_page())
        owner, phone = pages
        owner.goto(link)
        walk(owner, phone, PICTURES, lambda _: "a", station)
        assert "People" not in phone.locator("#top").inner_text()
        answers = Site(link).call("/studies/Mountains/history")["history"]
        for page in pages:
            page.context.close()
    watched.check()
    assert [entry["who"] for entry in answers] == ["Ann"] * ANSWERS
    assert len(seen) == 7
