"""Whoever may read a study is told within a second how far it is, whichever process saved the answer."""

import asyncio
import json
from http.client import IncompleteRead
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

import prefero as pf
from benchmarks.torture import postgres
from benchmarks.torture.asgi import run_apart
from prefero.storage import Memory, open_storage
from prefero.web import access, live, server
from prefero.web.live import Watcher
from prefero.web.refusals import Refusal
from prefero.web.server import background
from tests.web.conftest import answer

BOX = pf.Space.box([0, 0], [1, 1])


async def always() -> bool:
    return True


def opened(address: str, token: str, path: str):
    return urlopen(Request(f"{address}/api/v1{path}", headers={"Authorization": f"Bearer {token}"}), timeout=30)


def event(stream) -> dict:
    """The next event of a stream, without comments."""
    while True:
        line = stream.readline()
        assert line, "the stream has ended"
        if line.startswith(b"data: "):
            return json.loads(line[6:])


def test_an_answer_that_another_process_saved_is_told_to_owner_and_viewer(tmp_path, monkeypatch):
    monkeypatch.setattr(
        server, "GRACE_SECONDS", 600
    )  # a stream that kept the server from stopping would do so for long
    url = f"sqlite:///{tmp_path / 'live.db'}"
    study = pf.Study.create(BOX, name="line 3", storage=url, comparisons=5)
    pf.Study.create(BOX, name="other", storage=url)
    with background(url) as link:
        address, owner = link.split("/enter?token=")
        tokens = {role: access.make_token(study.log.storage, role, study="line 3")[0] for role in ("judge", "viewer")}
        with pytest.raises(HTTPError) as refused:
            opened(address, tokens["judge"], "/studies/line%203/live")
        with refused.value:
            assert refused.value.code == 403
        other = opened(address, owner, "/studies/other/live")
        assert event(other)["answers"] == 0
        with opened(address, owner, "/studies/line%203/live") as first:
            assert first.headers["content-type"].startswith("text/event-stream")
            second = opened(address, tokens["viewer"], "/studies/line%203/live")
            assert [event(stream)["answers"] for stream in (first, second)] == [0, 0]
            study.tell(study.ask(), "a")  # not through this server
            for stream in (first, second):
                told = event(stream)
                while told["answers"] < 1:
                    told = event(stream)
                assert (told["expected"], told["paused"]) == (5, False)
            study.log.storage.arrange("line 3", {"paused": "2026-01-01"})
            while not event(first)["paused"]:
                pass
            study.log.storage.delete("line 3")
            while first.readline():  # it ends, with what was on its way
                pass
            second.close()
    with pytest.raises(IncompleteRead):  # it was cut off
        other.read()
    other.close()


def test_one_query_a_look_serves_two_hundred_watchers():
    class Counted(Memory):
        looks = 0

        def studies(self, names=None):
            self.looks += 1
            return super().studies(names)

    storage = Counted()
    study = pf.Study.create(BOX, name="one", storage=storage)

    async def watched() -> list[int]:
        watcher = Watcher(storage)
        streams = [watcher.watch("one", always) for _ in range(200)]
        for stream in streams:
            await anext(stream)
        before = storage.looks
        study.tell(study.ask(), "a")
        seen = []
        for stream in streams:
            told = json.loads((await anext(stream))[6:])
            seen.append(told["answers"])
        assert storage.looks - before <= 3
        for stream in streams:
            await stream.aclose()
        assert len(asyncio.all_tasks()) <= 2  # the one who looked has stopped, or is about to
        return seen

    assert run_apart(watched()) == [1] * 200


def test_a_stream_ends_with_its_token_and_there_is_a_limit(monkeypatch):
    storage = Memory()
    pf.Study.create(BOX, name="one", storage=storage)
    monkeypatch.setattr(live, "BEAT_SECONDS", 0.05)
    monkeypatch.setattr(live, "MOST_WATCHERS", 1)

    async def watched() -> list[bytes]:
        answers = iter([True, False])

        async def valid() -> bool:
            return next(answers)

        watcher = Watcher(storage)
        stream = watcher.watch("one", valid)
        told = [await anext(stream)]
        with pytest.raises(Refusal, match="too many"):
            watcher.check_room()
        told += [each async for each in stream]
        watcher.check_room()
        assert [each async for each in watcher.watch("unknown", valid)] == []
        return told

    told = run_apart(watched())
    assert told[0].startswith(b"data: ")
    assert told[1:] == [b":\n\n"]


def test_a_storage_that_fails_for_a_moment_ends_no_stream(caplog):
    class Flaky(Memory):
        broken = False

        def studies(self, names=None):
            if self.broken:
                self.broken = False
                raise pf.errors.StorageError("the network went")
            return super().studies(names)

    storage = Flaky()
    study = pf.Study.create(BOX, name="one", storage=storage)

    async def watched() -> int:
        stream = Watcher(storage).watch("one", always)
        await anext(stream)
        storage.broken = True
        study.tell(study.ask(), "a")
        told = json.loads((await anext(stream))[6:])
        await stream.aclose()
        return told["answers"]

    assert run_apart(watched()) == 1
    assert "the network went" in caplog.text


def test_no_such_study(owner, study):
    answer(owner, study)
    assert owner.get("/api/v1/studies/unknown/live").status == 404


def test_two_server_processes_on_one_postgresql_tell_two_hundred_watchers():
    """Each process has a watcher of its own, and looks more than twice a second: see LOOK_SECONDS."""
    assert live.LOOK_SECONDS < 0.5
    with postgres.server() as url:
        first, second = (open_storage(url)[0] for _ in range(2))
        study = pf.Study.create(BOX, name="one", storage=first)

        async def watched() -> list[int]:
            watchers = Watcher(first), Watcher(second)
            streams = [watcher.watch("one", always) for watcher in watchers for _ in range(100)]
            for stream in streams:
                await anext(stream)
            study.tell(study.ask(), "a")
            seen = []
            for stream in streams:
                told = json.loads((await anext(stream))[6:])
                while told["answers"] < 1:
                    told = json.loads((await anext(stream))[6:])
                seen.append(told["answers"])
            for stream in streams:
                await stream.aclose()
            return seen

        assert run_apart(watched()) == [1] * 200
        first.close()
        second.close()


def test_a_client_may_leave_after_the_first_event(owner, study):
    for _ in range(2):
        reply = owner.get(f"{study}/live")
        assert reply.headers["content-type"].startswith("text/event-stream")
        assert json.loads(reply.body.removeprefix(b"data: "))["answers"] == 0
