"""Clients that are slow, greedy, malformed or too many: each costs little, and nobody else waits for them."""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import sys
import time
from urllib.request import Request, urlopen

import pytest

from prefero.web.protocol import PIPELINED, Connections
from prefero.web.settings import Settings
from tests.web.conftest import XY
from tests.web.test_server import fetch, peak_megabytes, pour, serving

MEGABYTE = 1 << 20
PATIENCE = 60.0


def connect(port: int, source: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE, source_address=(source, 0))


def head(path: str, token: str, method: str = "GET", *more: str) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {token}", *more]
    return "\r\n".join((*lines, "", "")).encode()


def everything(client: socket.socket) -> bytes:
    """What the server sends until it closes."""
    received = bytearray()
    with contextlib.suppress(ConnectionError):
        while chunk := client.recv(1 << 20):
            received += chunk
    return bytes(received)


def upload(port: int, token: str, content: bytes) -> str:
    """The path of a new file in a new study."""
    fetch(port, token, "/api/v1/studies", {"name": "s", "variables": XY})
    fetch(port, token, "/api/v1/studies/s/question")
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/octet-stream"}
    there = f"http://127.0.0.1:{port}/api/v1/studies/s/questions/0/a/files/big"
    urlopen(Request(there, content, headers, method="PUT"), timeout=PATIENCE).close()
    measured = fetch(port, token, "/api/v1/studies/s/question")["question"]["measured"]["a"]
    return f"/api/v1/studies/s/files/{measured['files']['big']['digest']}"


def in_flight(port: int, token: str) -> int:
    request = Request(f"http://127.0.0.1:{port}/metrics", headers={"Authorization": f"Bearer {token}"})
    with urlopen(request, timeout=PATIENCE) as reply:
        return int(re.search(r"^prefero_bytes_in_flight\{.*\} (\d+)", reply.read().decode(), re.MULTILINE)[1])


def wait_until(what) -> None:
    until = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < until
        time.sleep(0.05)


# Replies that nobody reads ----------------------------------------------------------------------------------------------


def test_unread_downloads_cost_a_piece_each_and_are_limited(tmp_path):
    content = os.urandom(MEGABYTE) * 31
    with serving(tmp_path, settings={"client_bytes": 8 * MEGABYTE, "bytes_in_flight": 12 * MEGABYTE}) as (
        port,
        token,
        process,
    ):
        path = upload(port, token, content)
        before = peak_megabytes(process.pid)
        other = fetch(port, token, "/api/v1/tokens", {"role": "viewer", "label": "other"})["token"]
        third = fetch(port, token, "/api/v1/tokens", {"role": "viewer", "label": "third"})["token"]
        with contextlib.ExitStack() as clients:
            for _ in range(16):
                clients.enter_context(connect(port)).sendall(head(path, token))
            wait_until(lambda: in_flight(port, token) == 8 * MEGABYTE)
            assert everything_of(port, path, token)[0] == 429
            for _ in range(8):
                clients.enter_context(connect(port)).sendall(head(path, other))
            wait_until(lambda: in_flight(port, token) == 12 * MEGABYTE)
            assert everything_of(port, path, third)[0] == 503
            assert peak_megabytes(process.pid) < before + 100
        wait_until(lambda: in_flight(port, token) == 0)
        assert everything_of(port, path, third) == (200, content)


def everything_of(port: int, path: str, token: str) -> tuple[int, bytes]:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    client.request("GET", path, headers={"Authorization": f"Bearer {token}"})
    reply = client.getresponse()
    content = reply.read()
    client.close()
    return reply.status, content


def test_who_does_not_read_is_cut_off(tmp_path):
    with serving(tmp_path, settings={"write_seconds": 0.5}) as (port, token, process):
        path = upload(port, token, bytes(20 * MEGABYTE))
        with connect(port) as client:
            client.sendall(head(path, token))
            wait_until(lambda: in_flight(port, token) > 0)
            wait_until(lambda: in_flight(port, token) == 0)
            assert len(everything(client)) < 20 * MEGABYTE
        process.send_signal(signal.SIGTERM)
        assert "Traceback" not in process.communicate(timeout=PATIENCE)[1]


def test_a_revoked_token_ends_a_download(tmp_path):
    with serving(tmp_path) as (port, token, process):
        path = upload(port, token, bytes(20 * MEGABYTE))
        made = fetch(port, token, "/api/v1/tokens", {"role": "viewer", "label": "wall"})
        with connect(port) as client:
            client.sendall(head(path, made["token"]))
            assert client.recv(100).startswith(b"HTTP/1.1 200")
            revoked = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            revoked.request("DELETE", f"/api/v1/tokens/{made['id']}", headers={"Authorization": f"Bearer {token}"})
            assert revoked.getresponse().status == 200
            revoked.close()
            assert len(everything(client)) < 20 * MEGABYTE
        process.send_signal(signal.SIGTERM)
        assert "Traceback" not in process.communicate(timeout=PATIENCE)[1]


# Bodies that nobody wants -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [f"Content-Length: {2 << 30}", "Transfer-Encoding: chunked"])
@pytest.mark.parametrize("path", ["/api/v1/studies", "/api/v1/nothing", "/page/page.css", "/healthz", "/join"])
def test_the_body_of_a_refused_request_is_not_read(tmp_path_factory, refusing, path, length):
    port, process = refusing
    before = peak_megabytes(process.pid)
    with connect(port) as client:
        client.sendall(head(path, "prefero_wrong", "POST", length, "Content-Type: application/json"))
        reply = http.client.HTTPResponse(client)
        reply.begin()
        assert reply.status in (401, 403, 404, 405)
        assert reply.headers["Connection"] == "close"
        assert pour(client) < 50 * MEGABYTE
    assert peak_megabytes(process.pid) < before + 50


@pytest.fixture(scope="module")
def refusing(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("refusing")) as (port, _, process):
        yield port, process


def test_a_client_that_asks_first_is_told_without_sending_its_body(refusing):
    with connect(refusing[0]) as client:
        client.sendall(head("/api/v1/studies", "prefero_wrong", "POST", "Content-Length: 100", "Expect: 100-continue"))
        said = everything(client)
    assert said.startswith(b"HTTP/1.1 401")
    assert b"100 Continue" not in said


def test_the_connection_is_kept_after_a_small_body(refusing):
    client = http.client.HTTPConnection("127.0.0.1", refusing[0], timeout=PATIENCE)
    for _ in range(3):
        client.request("POST", "/api/v1/studies", json.dumps({"name": "x"}), {"Authorization": "Bearer prefero_wrong"})
        used = client.sock
        reply = client.getresponse()
        assert (reply.status, reply.headers["Connection"]) == (401, None)
        reply.read()
        assert client.sock is used
    client.close()


# Heads ------------------------------------------------------------------------------------------------------------------

MALFORMED = [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),  # TLS
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET /\r\n\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost 127.0.0.1\r\n\r\n",
    b"GET \xff\xfe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET http://[::1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
]
LARGE = [
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
    b"GET /" + b"x" * 200_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"".join(b"X-%d: x\r\n" % k for k in range(20_000)) + b"\r\n",
]


def test_what_is_no_request_is_a_line_in_the_log(tmp_path):
    with serving(tmp_path) as (port, token, process):
        for sent in (*MALFORMED, *LARGE):
            with connect(port) as client, contextlib.suppress(OSError):
                client.sendall(sent)
                client.shutdown(socket.SHUT_WR)
                said = everything(client)
                assert re.match(rb"HTTP/1.1 (4\d\d) ", said or b"HTTP/1.1 400 "), said
        assert fetch(port, token)["role"] == "owner"
        process.send_signal(signal.SIGTERM)
        err = process.communicate(timeout=PATIENCE)[1]
    assert "Traceback" not in err
    assert err.count("127.0.0.1 malformed request 4") >= len(MALFORMED)
    assert "malformed request 431" in err


@pytest.mark.parametrize("drip", [b"\r\n", b"GET / HTTP/1.1\r\nX: x"])
def test_a_head_that_drips_is_not_waited_for(tmp_path, drip):
    with serving(tmp_path, settings={"header_seconds": 0.5}) as (port, token, _), connect(port) as client:
        client.sendall(head("/api/v1/me", token))
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 200")
        client.sendall(drip)
        until = time.monotonic() + PATIENCE
        with contextlib.suppress(ConnectionError):
            client.settimeout(0.1)
            while time.monotonic() < until:
                with contextlib.suppress(TimeoutError):
                    if client.recv(100) == b"":
                        break
                client.sendall(drip[-2:])
        assert time.monotonic() < until


def test_only_a_few_requests_may_be_sent_ahead(tmp_path):
    with serving(tmp_path) as (port, token, _), connect(port) as client:
        with contextlib.suppress(ConnectionError):
            client.sendall(head("/api/v1/me", token) * 5_000)
        assert everything(client).count(b"HTTP/1.1 200") <= PIPELINED + 1
        assert fetch(port, token)["role"] == "owner"
        with connect(port) as polite:
            polite.sendall(
                head("/api/v1/me", token) * (PIPELINED - 1) + head("/api/v1/me", token, "GET", "Connection: close")
            )
            assert everything(polite).count(b"HTTP/1.1 200") == PIPELINED


def test_headers_after_a_body_are_not_believed(tmp_path):
    with serving(tmp_path) as (port, token, _), connect(port) as client:
        sent = "POST /api/v1/studies HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        client.sendall(f"{sent}0\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        assert client.recv(100).startswith(b"HTTP/1.1 401")


# Connections ------------------------------------------------------------------------------------------------------------


def test_connections_are_counted_in_all_and_by_address():
    counted = Connections(Settings(connections=6, client_connections=3, proxies=("10.0.0.0/8",)))
    assert [counted.admit("203.0.113.1") for _ in range(4)] == [True] * 3 + [False]
    assert [counted.admit("10.0.0.1") for _ in range(4)] == [True] * 3 + [False]  # a proxy's are many people's
    counted.release("203.0.113.1")
    assert counted.admit("203.0.113.2")
    assert not counted.admit("203.0.113.3")
    for address in ("203.0.113.1", "203.0.113.1", "203.0.113.2", *["10.0.0.1"] * 3):
        counted.release(address)
    assert counted.total == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has many loopback addresses by default")
def test_one_address_cannot_take_every_connection(tmp_path):
    with serving(tmp_path, settings={"client_connections": 5}) as (port, token, _), contextlib.ExitStack() as stack:
        greedy = [stack.enter_context(connect(port, "127.0.0.2")) for _ in range(8)]
        refused = []
        for client in greedy:
            client.settimeout(1.0)
            with contextlib.suppress(TimeoutError):
                refused.append(everything(client))
        assert refused == [b""] * 3
        assert fetch(port, token)["role"] == "owner"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of files")
def test_more_connections_than_files_do_not_stop_the_server(tmp_path):
    with serving(tmp_path, files=400) as (port, token, process), contextlib.ExitStack() as stack:
        for _ in range(450):
            stack.enter_context(connect(port))
        stack.close()
        wait_until(lambda: answers(port, token))
        process.send_signal(signal.SIGTERM)
        assert "Traceback" not in process.communicate(timeout=PATIENCE)[1]


def answers(port: int, token: str) -> bool:
    with contextlib.suppress(OSError, http.client.HTTPException):
        return fetch(port, token)["role"] == "owner"
    return False
