"""A server on a socket: what it prints, what it does with slow and greedy clients, how it stops."""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from prefero.errors import InputError, StorageError
from prefero.storage.database import Database
from prefero.web import access, server
from prefero.web.settings import Settings
from tests.complaints import complaint
from tests.web.conftest import XY

CODE = """
import sys, json, logging
from prefero.web import server
from prefero.web.settings import Settings
if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
    settings = Settings(**given.pop("settings", {}))
    if given.pop("slow_proposals", False):  # a question that takes for ever
        import time
        from prefero.web.proposals import Proposals
        Proposals._propose = lambda *_: time.sleep(3600)
    files = given.pop("files", None)
    if files is not None:
        import resource
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    server.run(**given, port=0, settings=settings, announce=lambda link: print(link, flush=True))
    print("stopped", flush=True)
"""


@contextlib.contextmanager
def serving(folder, **given):
    """A server in a process of its own: its address, its token and itself."""
    script = folder / "serve.py"
    script.write_text(CODE, encoding="utf-8")
    given = {"storage_url": f"sqlite:///{folder / 'served.db'}"} | given
    process = subprocess.Popen(
        [sys.executable, str(script), json.dumps(given)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        link = process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/enter\?token=(prefero_[\w-]+)", link)
        assert found, process.communicate()[1]
        yield int(found[1]), found[2], process
    finally:
        process.terminate()
        process.communicate()


def fetch(port, token, path="/api/v1/me", value=None):
    body = None if value is None else json.dumps(value).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with urlopen(Request(f"http://127.0.0.1:{port}{path}", body, headers), timeout=30) as reply:
        return json.load(reply)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_and_stops_when_it_is_told_to(tmp_path, number):
    with serving(tmp_path) as (port, token, process):
        assert fetch(port, token)["role"] == "owner"
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 0
        assert out == "stopped\n"
        assert "GET /api/v1/me 200" in err
        assert "Traceback" not in err
        assert token not in err
        assert os.stat(tmp_path / "served.db").st_mode & 0o777 == 0o600


def test_several_processes_serve_one_address(tmp_path):
    with serving(tmp_path, processes=2) as (port, token, process):
        assert fetch(port, token)["role"] == "owner"
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=60)[0] == "stopped\n"
        assert process.returncode == 0


def test_it_stops_soon_whatever_its_clients_do(tmp_path):
    """A slow upload, a download that nobody reads, and a question that takes for ever."""
    with serving(tmp_path) as (port, token, _):
        fetch(port, token, "/api/v1/studies", {"name": "s", "variables": XY})
        fetch(port, token, "/api/v1/studies/s/question?judge=ann")
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/octet-stream"}
        there = f"http://127.0.0.1:{port}/api/v1/studies/s/questions/0/a/files/big"
        urlopen(Request(there, bytes(20 << 20), headers, method="PUT"), timeout=60).close()
        measured = fetch(port, token, "/api/v1/studies/s/questions/0")["measured"]["a"]
    with serving(tmp_path, slow_proposals=True) as (port, token, process), contextlib.ExitStack() as stack:

        def begin(request: str) -> socket.socket:
            client = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))
            client.sendall(f"{request}\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n".encode())
            return client

        slow = begin("PUT /api/v1/studies/s/questions/0/b/files/slow HTTP/1.1")
        slow.sendall(b"Content-Type: application/octet-stream\r\nContent-Length: 1000000\r\n\r\nx")
        unread = begin(f"GET /api/v1/studies/s/files/{measured['files']['big']['digest']} HTTP/1.1")
        unread.sendall(b"\r\n")
        assert unread.recv(10)
        begin("GET /api/v1/studies/s/question?judge=bob HTTP/1.1").sendall(b"\r\n")
        fetch(port, token)
        process.send_signal(signal.SIGTERM)
        err = process.communicate(timeout=120)[1]  # the proposal takes an hour
        assert process.returncode == 0
        assert "Traceback" not in err
    with Database(f"sqlite:///{tmp_path / 'served.db'}") as storage:
        assert [token.revoked is None for token in storage.tokens()] == [False, False]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal")
def test_the_processes_of_a_killed_server_leave_the_address_free(tmp_path):
    with serving(tmp_path, processes=2) as (port, token, process):
        assert fetch(port, token)["role"] == "owner"
        process.kill()
        process.wait()
        until = time.monotonic() + 120
        while True:
            try:
                socket.create_server(("127.0.0.1", port)).close()
                break
            except OSError:
                assert time.monotonic() < until
                time.sleep(0.1)


def test_the_printed_token_ends_with_the_server(tmp_path):
    with Database(f"sqlite:///{tmp_path / 'served.db'}") as storage:
        access.make_token(storage, "owner", label="left by a server that was killed", hours=-1)
        kept = access.make_token(storage, "viewer", label="wall")[1]
        with serving(tmp_path) as (port, token, process):
            assert fetch(port, token)["role"] == "owner"
            assert len(storage.tokens()) == 2  # the expired one is gone
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
        tokens = {each.digest: each for each in storage.tokens()}
        assert tokens[access.digest(token)].revoked is not None
        assert tokens[kept.digest] == kept
        with server.background(storage) as link:
            assert storage.tokens(access.digest(link.split("token=")[1]))[0].revoked is None
        assert storage.tokens(access.digest(link.split("token=")[1]))[0].revoked is not None


def test_a_huge_upload_is_refused_without_being_read(tmp_path):
    with serving(tmp_path) as (port, token, process):
        space = [{"name": "x", "type": "real", "low": 0, "high": 1}]
        fetch(port, token, "/api/v1/studies", {"name": "s", "variables": space})
        fetch(port, token, "/api/v1/studies/s/question")
        head = (
            "PUT /api/v1/studies/s/questions/0/a/files/big HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: image/png\r\n"
        )
        head += f"Authorization: Bearer {token}\r\n"
        for length in (f"Content-Length: {1 << 30}\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", port)) as client:
                client.sendall((head + length).encode())
                sent = pour(client)
                reply = http.client.HTTPResponse(client)
                with contextlib.suppress(ConnectionError):  # a server that does not read closes on what was sent
                    reply.begin()
                    assert reply.status == 413
                assert sent < 200 << 20
        assert peak_megabytes(process.pid) < 400
        assert fetch(port, token, "/api/v1/studies/s/candidates")["candidates"][0]["measured"]["files"] == {}


def pour(client: socket.socket) -> int:
    """Send a gigabyte, until the server has had enough; how much it took."""
    chunk, sent = b"10000\r\n" + bytes(1 << 16) + b"\r\n", 0
    client.settimeout(5)
    with contextlib.suppress(OSError):
        while sent < 1 << 30:
            client.sendall(chunk)
            sent += 1 << 16
    return sent


def peak_megabytes(pid: int) -> float:
    """The most memory that a process ever had, where the system tells."""
    told = Path(f"/proc/{pid}/status")
    found = re.search(r"VmHWM:\s+(\d+)", told.read_text(encoding="ascii")) if told.exists() else None
    return int(found[1]) / 1024 if found else 0.0


def test_slow_clients_are_not_waited_for(tmp_path):
    with serving(tmp_path, settings={"header_seconds": 0.3, "body_seconds": 0.3}) as (port, token, _):
        address = ("127.0.0.1", port)
        post = f"POST /api/v1/studies HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nContent-Length: 99\r\n"
        with (
            socket.create_connection(address) as silent,
            socket.create_connection(address) as slow_head,
            socket.create_connection(address) as slow_body,
        ):
            slow_head.sendall(b"GET /api/v1/me HTTP/1.1\r\nHost: 127")
            slow_body.sendall((post + "Content-Type: application/json\r\n\r\n{").encode())
            for client in (silent, slow_head, slow_body):
                client.settimeout(30)
            assert silent.recv(100) == b""
            assert slow_head.recv(100) == b""
            assert slow_body.recv(100).startswith(b"HTTP/1.1 408")
        assert fetch(port, token)["role"] == "owner"


def test_a_client_that_keeps_its_connection_is_served_again(tmp_path):
    with serving(tmp_path, settings={"header_seconds": 0.3}) as (port, token, _):
        kept = http.client.HTTPConnection("127.0.0.1", port)
        for _ in range(3):
            kept.request("GET", "/api/v1/me", headers={"Authorization": f"Bearer {token}"})
            assert kept.getresponse().read()
            time.sleep(0.5)
        kept.close()


def test_replies_go_out_at_once(tmp_path, monkeypatch):
    from prefero.web.protocol import LimitedProtocol

    seen = []
    made = LimitedProtocol.connection_made

    def connection_made(self, transport):
        made(self, transport)
        seen.append(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr(LimitedProtocol, "connection_made", connection_made)
    with server.background(tmp_path / "s.db") as link:
        urlopen(link.replace("/enter", "/api")).close()
    assert seen
    assert all(seen)


def test_saving_does_not_wait_for_a_proposer(tmp_path, monkeypatch):
    """One judge's question takes for ever; another judge's answer is saved meanwhile."""
    from benchmarks.torture.asgi import Client
    from prefero.web import access
    from prefero.web.app import build
    from prefero.web.proposals import Proposals

    url = f"sqlite:///{tmp_path / 'slow.db'}"
    app = build(url, Settings())
    storage = app.state.services.storage
    token = access.make_token(storage, "owner", label="owner")[0]
    thinking, answered = threading.Event(), threading.Event()
    with Client(app, token) as client, Client(app, token) as other:
        space = [{"name": "x", "type": "real", "low": 0, "high": 1}]
        client.post("/api/v1/studies", {"name": "s", "variables": space})
        client.get("/api/v1/studies/s/question?judge=ann")
        propose = Proposals._propose

        def slowly(self, *given):
            thinking.set()
            assert answered.wait(30)
            return propose(self, *given)

        monkeypatch.setattr(Proposals, "_propose", slowly)
        asking = threading.Thread(target=other.get, args=("/api/v1/studies/s/question?judge=bob",))
        asking.start()
        assert thinking.wait(30)
        said = {"step": 0, "answer": "a", "answer_id": "1", "judge": "ann"}
        assert client.post("/api/v1/studies/s/answers", said).status == 200
        answered.set()
        asking.join()
        assert client.get("/api/v1/studies/s/question?judge=bob").json()["question"]["step"] == 1
    app.state.services.close()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_other_addresses_need_to_be_allowed(tmp_path, host):
    with complaint(InputError, "host", "127.0.0.1", "must be allowed explicitly"):
        server.run(tmp_path / "never.db", host=host)
    assert not (tmp_path / "never.db").exists()


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        ({"port": 70000}, InputError, ["port", "65535"]),
        ({"port": True}, InputError, ["port"]),
        ({"host": ""}, InputError, ["host"]),
        ({"processes": 0}, InputError, ["processes"]),
        ({"proxies": ["nginx"]}, InputError, ["proxies", "nginx"]),
        ({"log": "-", "log_format": "xml"}, InputError, ["log_format", "json"]),
        ({"log": "/nowhere/at all"}, InputError, ["log", "/nowhere/at all", "No such file"]),
        ({"storage_url": "mysql://x/y"}, StorageError, ["storage"]),
        ({"host": "192.0.2.1", "allow_other_addresses": True}, InputError, ["cannot listen", "192.0.2.1"]),
    ],
)
def test_what_cannot_be_served_is_said_in_one_line(tmp_path, given, kind, words):
    with complaint(kind, *words):
        server.run(**{"storage_url": tmp_path / "s.db", "port": 0, "announce": lambda _: None} | given)


def test_a_port_that_is_taken_is_said(tmp_path):
    with server.listening("127.0.0.1", 0) as taken, complaint(InputError, "port", "in use"):
        server.run(tmp_path / "s.db", port=taken.getsockname()[1])


def test_the_names_a_server_answers_to():
    with server.listening("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        here = server.settings_for("127.0.0.1", listener, (), False, Settings())
        there = server.settings_for("0.0.0.0", listener, ["Line3.Plant"], True, Settings())
    assert (here.hosts, here.any_address, here.cookie) == (("127.0.0.1", "localhost", "::1"), False, f"prefero-{port}")
    assert there.hosts == ("127.0.0.1", "localhost", "::1", "line3.plant")
    assert there.any_address
    assert there.https
    assert server.address("0.0.0.0", 80) == "http://127.0.0.1:80"
    assert server.address("::1", 80) == "http://[::1]:80"


def test_a_server_in_the_background_ends_with_its_block(tmp_path):
    with server.background(tmp_path / "s.db") as link:
        port, token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/enter\?token=(.+)", link).groups()
        assert fetch(port, token)["role"] == "owner"
    with pytest.raises(OSError, match="refused"):
        fetch(port, token)
