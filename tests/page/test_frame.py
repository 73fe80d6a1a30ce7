"""The page in a notebook's frame: the notebook's origin shows it and a person answers there; no other origin can."""

import re
import threading
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, IncompleteRead
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import numpy as np
import pytest
from playwright.sync_api import expect

import prefero as pf
from tests.page.conftest import QUIET


@contextmanager
def serving(handler):
    """A small server of a test's own."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Quiet(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def reply(self, status, headers, body):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class Notebook(Quiet):
    """A page that shows whatever HTML it is given."""

    html = ""

    def do_GET(self):
        page = f"<!doctype html><title>notebook</title>{self.server.html}".encode()
        self.reply(200, [("Content-Type", "text/html")], page)


@pytest.fixture
def notebook():
    with serving(Notebook) as server:
        server.html = ""
        yield server


@pytest.fixture
def study(tmp_path):
    space = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)})
    with pf.Study.create(
        space, name="line 3", storage=f"sqlite:///{tmp_path / 'x.db'}", seed=1, proposer="glisp"
    ) as made:
        yield made


@pytest.fixture
def show(study):
    """Frames, closed afterwards."""
    made = []

    def make(**options):
        made.append(pf.frame(study, **options))
        return made[-1]

    yield make
    for frame in made:
        frame.close()


@pytest.fixture
def open_page(chromium):
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    yield context.new_page
    context.close()


def picture(candidate):
    return {"picture": np.full((20, 30), candidate["x"]), "words": "# A *word*"}


def answered(page, study):
    """Answer in the frame, with pictures, and look at the history and its download."""
    frame = page.frame_locator("iframe")
    expect(frame.locator(".stage img")).to_have_count(2)
    expect(frame.locator(".compare")).to_have_attribute("data-state", "ready")
    page.wait_for_timeout(QUIET)
    frame.get_by_role("button", name="A is better").click()
    # Not #status: if the next pair is not ready yet, it says so instead of that the answer was saved.
    expect(frame.locator(".compare")).to_have_attribute("data-step", "1")
    assert study.refresh() > 0
    assert len(study.history) == 1
    frame.get_by_label("File").select_option("words")
    expect(frame.frame_locator(".stage iframe").first.locator("h1")).to_have_text("A word")  # a frame in the frame
    frame.get_by_role("link", name="History").click()
    with page.expect_download() as download:
        frame.get_by_role("link", name="Answers as a table").click()
    assert "step,a x" in download.value.path().read_text(encoding="utf-8")


def test_a_notebook_shows_it_and_a_person_answers_there(notebook, show, open_page, study):
    origin = f"http://localhost:{notebook.server_port}"  # another site than 127.0.0.1: no cookie would do
    frame = show(origin=origin, render=picture)
    notebook.html = frame._repr_html_()
    page, wrong = open_page(), []
    page.on("console", lambda said: said.type in ("error", "warning") and wrong.append(said.text))
    page.goto(origin)
    answered(page, study)
    assert wrong == []
    tokens = re.findall(r"prefero_[\w-]+", frame.src)
    assert len(tokens) == 2
    assert not any(token in frame.url for frame in page.frames for token in tokens)
    assert not any(token in repr(frame) for token in tokens)


def test_another_origin_cannot_show_it(notebook, show, open_page):
    frame = show(origin="http://localhost:1")
    notebook.html = frame._repr_html_()
    for host in ("localhost", "127.0.0.1"):
        page, said = open_page(), []
        page.on("console", lambda message, said=said: said.append(message.text))
        page.goto(f"http://{host}:{notebook.server_port}")
        page.wait_for_timeout(500)
        assert any("frame-ancestors" in text for text in said)
        assert page.frames[1].url.startswith("chrome-error://")


def asked(frame, path="/question", method="GET", **headers):
    address, secrets = frame.src.split("/studies/")[0], dict(re.findall(r"(token|pass)=([\w-]+)", frame.src))
    body = b"{}" if method == "POST" else None
    filled = {name.replace("_", "-"): value.format(**secrets) for name, value in headers.items()}
    query = filled.pop("query", "")
    request = Request(f"{address}/api/v1/studies/line%203{path}{query}", body, filled, method=method)
    try:
        with urlopen(request) as reply:
            return reply.status
    except HTTPError as refusal:
        with refusal:
            return refusal.code


def test_what_each_token_is_good_for(show):
    frame = show(origin="http://localhost:1")
    kind = {"Content_Type": "application/json"}
    assert asked(frame, X_Prefero_Token="{token}") == 200
    assert asked(frame) == 401
    assert asked(frame, X_Prefero_Token="prefero_x") == 401
    assert asked(frame, Cookie="prefero={token}") == 401
    assert asked(frame, "/history", query="?pass={pass}") == 200
    assert asked(frame, "/history", query="?pass={token}") == 401  # the one that may answer does not belong in a query
    assert asked(frame, query="?pass={pass}") == 403  # it only looks
    assert asked(frame, "/undo", "POST", query="?pass={pass}", **kind) == 401
    assert asked(frame, "/../..", X_Prefero_Token="{token}", Host="evil.example") == 421


def test_when_it_is_closed_its_tokens_are_good_for_nothing(show, study, tmp_path):
    first = show(origin="http://localhost:1")
    again = show(origin="http://localhost:1")  # closes the first
    assert first.src != again.src
    with pytest.raises(OSError, match="refused"):
        asked(first)
    stale = first.src.partition("#")[2]
    again.src = f"{again.src.partition('#')[0]}#{stale}"
    assert asked(again, X_Prefero_Token="{token}") == 401


class Proxy(Quiet):
    """As jupyter-server-proxy does it: a path of its own, which the server behind it never sees; the Host as it came."""

    def do_GET(self):
        size = int(self.headers.get("Content-Length", 0))
        port, _, path = self.path.removeprefix("/user/ann/proxy/").partition("/")
        if self.path == "/":
            self.reply(200, [("Content-Type", "text/html")], self.server.html.encode())
            return
        connection = HTTPConnection("127.0.0.1", int(port))
        connection.request(self.command, f"/{path}", self.rfile.read(size), dict(self.headers))
        reply = connection.getresponse()
        with suppress(IncompleteRead):  # a stream of events ends when its server does
            self.reply(reply.status, [(n, v) for n, v in reply.getheaders() if n != "transfer-encoding"], reply.read())
        connection.close()

    def do_POST(self):
        self.do_GET()


def test_a_remote_hub_shows_it_through_its_proxy(show, open_page, study):
    with serving(Proxy) as hub:
        origin = f"http://localhost:{hub.server_port}"
        frame = show(address=f"{origin}/user/ann/proxy/{{port}}", render=picture)
        assert urlsplit(frame.src).path.startswith("/user/ann/proxy/")
        hub.html = frame._repr_html_()
        page = open_page()
        page.goto(origin)
        answered(page, study)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"origin": "http://x.example/path"}, "origin"),
        ({"origin": "*"}, "origin"),
        ({"origin": "http://x; script-src *"}, "origin"),
        ({"origin": []}, "at least one"),
        ({"address": "hub.example/proxy"}, "{port}"),
    ],
)
def test_what_is_no_origin_is_refused(study, options, words):
    with pytest.raises(pf.errors.InputError) as refused:
        pf.frame(study, **options)
    assert words in str(refused.value)


def test_a_study_in_memory_has_no_frame():
    with pytest.raises(pf.errors.InputError, match="a name and a storage"):
        pf.frame(pf.Study(([0], [1])))


def test_where_notebooks_are_is_found_out(show, monkeypatch):
    from types import SimpleNamespace

    from prefero.web import frame

    def imported(name):
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr(frame, "import_module", imported)
    assert frame._found(None) == ["http://localhost:8888", "http://127.0.0.1:8888"]
    running = [{"url": "http://localhost:8890/lab/"}]
    app = SimpleNamespace(list_running_servers=lambda: iter(running))
    monkeypatch.setattr(frame, "import_module", lambda _: app)
    assert frame._found(None) == ["http://localhost:8890", "http://127.0.0.1:8890"]
