"""The access log: a line for each request, in text or JSON, without secrets."""

import itertools
import json
import logging
import re
import signal
from datetime import datetime

import pytest

from prefero.web import access, logs
from prefero.web.settings import Settings
from tests.web.test_server import fetch, serving


def served(folder, token_of, **given) -> tuple[list[str], str]:
    """The lines of a server's log, and the digest of its token; `token_of` may do things with the port and token."""
    file = folder / "access.log"
    with serving(folder, log=str(file), **given) as (port, token, process):
        token_of(port, token)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    return file.read_text(encoding="utf-8").splitlines(), access.digest(token)


def test_a_line_of_json_for_each_request(tmp_path):
    lines, digest = served(tmp_path, lambda port, token: fetch(port, token, "/api/v1/me"), log_format="json")
    (line,) = [line for line in map(json.loads, lines) if "path" in line]
    assert datetime.fromisoformat(line.pop("time")).tzinfo is not None
    assert line.pop("ms") > 0
    assert line.pop("bytes") > 20
    assert re.fullmatch(r"[0-9a-f]{12}", line.pop("id"))
    assert line == {
        "level": "info",
        "address": "127.0.0.1",
        "method": "GET",
        "path": "/api/v1/me",
        "status": 200,
        "token": digest[:8],
    }


def test_a_line_of_text_for_each_request_of_each_process(tmp_path):
    lines, digest = served(tmp_path, lambda port, token: [fetch(port, token) for _ in range(4)], processes=2)
    lines = [line for line in lines if "GET" in line]
    assert len(lines) == 4
    for line in lines:
        assert re.fullmatch(
            r"\S+T\S+\+00:00 127\.0\.0\.1 GET /api/v1/me 200 [\d.]+ ms \d+ bytes, token \w{8}, \w{12}", line
        )
        assert digest[:8] in line


@pytest.fixture
def log(tmp_path):
    """Writes log lines, as JSON, and returns them."""

    def lines(write) -> list[dict]:
        file = tmp_path / "lines.log"
        with logs.logging_to(Settings(log=str(file), log_format="json")):
            write()
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]

    return lines


def test_the_reply_carries_the_identifier_of_its_line(service, owner, log):
    replies = []
    lines = log(lambda: replies.append(owner.get("/api/v1/me?token=secret")))
    assert [line["id"] for line in lines] == [replies[0].headers["x-request-id"]]
    assert lines[0]["path"] == "/api/v1/me"


def test_an_identifier_does_not_tell_how_many_requests_there_were(owner):
    numbers = [int(owner.get("/healthz").headers["x-request-id"], 16) for _ in range(20)]
    assert len(set(numbers)) == 20
    assert min(abs(after - before) for before, after in itertools.pairwise(numbers)) > 1_000


def test_a_path_is_one_line_whatever_it_holds(log):
    path = b"/a\nb\x1b[31m\xff" + b"x" * 10_000
    (line,) = log(lambda: logs.log_request("::1", "GET", path, 404, 0.1, 2, None, "id"))
    assert line["path"].startswith(r"/a\nb\x1b[31m\xff")
    assert len(line["path"]) < 600
    assert line["token"] is None


def test_warnings_and_tracebacks_are_lines_too(log):
    def fail() -> None:
        try:
            raise ValueError("a\nb")
        except ValueError:
            logging.getLogger("prefero.web").exception("a request failed")

    (line,) = log(fail)
    assert (line["level"], line["message"]) == ("error", "a request failed")
    assert "ValueError" in line["traceback"]


def test_without_a_log_only_warnings_are_shown(capsys, monkeypatch):
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    with logs.logging_to(Settings()):
        logs.log_request("::1", "GET", b"/", 200, 0.1, 2, None, "id")
        logging.getLogger("prefero.web").warning("something is odd")
    assert capsys.readouterr().err == "prefero: something is odd\n"
