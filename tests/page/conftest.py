"""A server, Debian's chromium, and pages that are watched: no error, no foreign host, no violation of the policy."""

import json
import shutil
import sys
from pathlib import Path
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from prefero.web.server import background

ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-quic"),
)
ARTEFACTS = Path(__file__).parents[2] / "out" / "page"
SIZES = {"desk": (1280, 800), "phone": (390, 844)}
QUIET = 300
"""Milliseconds, a little more than those of a new pair in which the page ignores answers."""
PATIENCE = 30_000
DRAWING = 660_000
"""Milliseconds, as long as the page itself waits for figures."""
XY = [{"name": "x", "type": "real", "low": 0, "high": 1}, {"name": "y", "type": "real", "low": 0, "high": 1}]
LOADING = "Failed to load resource"
expect.set_options(timeout=PATIENCE)


class Site:
    """A running service, and how its owner speaks to it."""

    def __init__(self, link: str) -> None:
        self.link = link
        self.address, self.token = link.split("/enter?token=")
        self._made = 0

    def call(self, path: str, value: object = None, body: bytes | None = None, kind: str = "application/json"):
        method = "PUT" if body is not None else None
        sent = body if body is not None else None if value is None else json.dumps(value).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": kind}
        with urlopen(Request(f"{self.address}/api/v1{path}", sent, headers, method=method)) as reply:
            return json.load(reply)

    def raw(self, path: str):
        return urlopen(Request(f"{self.address}/api/v1{path}", headers={"Authorization": f"Bearer {self.token}"}))

    def study(self, **more: object) -> "Shown":
        self._made += 1
        name = f"study {self._made}"
        wanted = {"name": name, "variables": XY, "seed": 1, "question": "Which one do you like better?"}
        self.call("/studies", wanted | more)
        return Shown(self, name)


class Shown:
    """A study of the site."""

    def __init__(self, site: Site, name: str) -> None:
        self.site, self.name = site, name
        self.path = f"/studies/{quote(name)}"
        self.url = f"{site.address}{self.path}"

    def question(self) -> dict:
        return self.site.call(f"{self.path}/question")["question"]

    def answer(self, said: str = "a") -> None:
        step = self.question()["step"]
        self.site.call(f"{self.path}/answers", {"step": step, "answer": said, "answer_id": f"test {step} {said}"})

    def history(self) -> list[dict]:
        return self.site.call(f"{self.path}/history")["history"]

    def said(self) -> list[str]:
        return [entry["answer"] for entry in self.history() if entry["status"] == "effective"]

    def upload(self, a: bytes | None, b: bytes | None, kind: str, name: str = "picture") -> None:
        step = self.question()["step"]
        for side, content in (("a", a), ("b", b)):
            if content is not None:
                self.site.call(f"{self.path}/questions/{step}/{side}/files/{name}", body=content, kind=kind)


class Watched:
    """What a page did that it should not have done."""

    def __init__(self, address: str) -> None:
        self._host = urlsplit(address).netloc
        self.errors: list[str] = []
        self.foreign: list[str] = []
        self.allowed: tuple[str, ...] = ()

    def watch(self, page: Page) -> None:
        page.on("console", lambda said: said.type in ("error", "warning") and self.errors.append(said.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self._look(request.url))

    def _look(self, url: str) -> None:
        if urlsplit(url).netloc != self._host:
            self.foreign.append(url)

    def check(self) -> None:
        assert not self.foreign
        assert [error for error in self.errors if not error.startswith(self.allowed or ("\0",))] == []


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    with background(f"sqlite:///{tmp_path_factory.mktemp('page') / 'page.db'}") as link:
        yield Site(link)


@pytest.fixture(scope="session")
def chromium():
    path = shutil.which("chromium")
    assert path, "the tests of the page need Debian's chromium: make setup installs it"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe():
    """axe-core's source; npm puts it beside the environment."""
    file = Path(sys.prefix) / "npm" / "node_modules" / "axe-core" / "axe.min.js"
    assert file.exists(), "the tests of the page need axe-core: make setup installs it"
    return file.read_text(encoding="utf-8")


@pytest.fixture
def watched(site):
    watch = Watched(site.address)
    yield watch
    watch.check()


@pytest.fixture
def open_context(chromium, site, watched):
    """Signed-in browser contexts."""
    opened = []

    def make(size: str = "desk", scheme: str = "light", link: str = "", **more: object):
        width, height = SIZES[size]
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, **more)
        context.set_default_timeout(PATIENCE)
        opened.append(context)
        context.on("page", watched.watch)
        page = context.new_page()
        page.goto(link or site.link)
        return context, page

    yield make
    for context in opened:
        for shown in context.pages:
            shown.unroute_all(behavior="ignoreErrors")  # a request may be on its way through a route
        context.close()


@pytest.fixture(params=[(size, scheme) for size in SIZES for scheme in ("light", "dark")], ids="-".join)
def look(request, open_context):
    """A page of each size and colour scheme, and a camera."""
    _, page = open_context(*request.param)

    def camera(name: str, whole: bool = False) -> None:
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=ARTEFACTS / f"{name}-{'-'.join(request.param)}.png", full_page=whole)

    return page, camera


@pytest.fixture
def page(open_context):
    return open_context()[1]


def compare(page: Page, study: Shown, state: str = "ready") -> None:
    """Open Compare and wait for a state."""
    page.goto(f"{study.url}/compare")
    in_state(page, state)


def in_state(page: Page, state: str) -> None:
    expect(page.locator(".compare")).to_have_attribute("data-state", state)


def press(page: Page, key: str, step: int | None = None) -> None:
    """Press a key when the pair has been there for long enough; wait for the next one if its number is given."""
    in_state(page, "ready")
    page.wait_for_timeout(QUIET)
    page.keyboard.press(key)
    if step is not None:
        expect(page.locator(".compare")).to_have_attribute("data-step", str(step))
        in_state(page, "ready")


class Held:
    """Requests that are kept back until they are let go."""

    def __init__(self, page, pattern, method="GET"):
        self._routes, self._page, self._pattern = [], page, pattern
        page.route(
            pattern, lambda route: self._routes.append(route) if route.request.method == method else route.continue_()
        )

    def release(self):
        for route in self._routes:
            route.continue_()
        self._page.unroute(self._pattern)


def computed(page: Page) -> None:
    """Wait for what Result computes."""
    expect(page.get_by_role("heading", name="How the others did")).to_be_visible(timeout=DRAWING)


def drawn(page: Page) -> None:
    """Open the details of Result and wait for their figures, which take their time where others work, too."""
    computed(page)
    page.get_by_text("Details: the statistics").click()
    expect(page.get_by_role("heading", name="Ranking")).to_be_visible(timeout=DRAWING)


def no_scrolling(page: Page) -> None:
    sizes = (
        "() => [document.documentElement.scrollHeight - innerHeight, document.documentElement.scrollWidth - innerWidth]"
    )
    assert max(page.evaluate(sizes)) <= 0


def fits(page: Page) -> None:
    """Nothing is wider than the window; of a phone `innerWidth` would grow with what is too wide."""
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def pair(page: Page) -> str:
    """What is shown, with its sides."""
    return page.locator(".parameters tbody").first.inner_text()
