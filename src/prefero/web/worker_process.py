"""Helper processes: both ends of one small protocol, with a time limit for each request.

The server holds a `WorkerProcess` and calls `request`. The helper, a module run with `python -P -m`, calls `serve`. With -P the
working directory is not imported from, so a file there cannot stand in for a library.

Requests go to the helper's standard input, replies come from its standard output. A message is a line of JSON, followed by the
bytes of its parts, if any. The helper's first message is {"ready": true}. Before a reply it may send {"progress": 0.5}. A reply
with "failed" says why there is no result.

No helper outlives the server: a helper ends itself, whatever it computes, when its standard input is closed, and the system
closes it when the server ends in any way.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

START_SECONDS = 600.0
"""How long a helper may take to import what it needs. It is no part of a request's limit, and large on purpose: on a busy machine
the imports of a scientific program take minutes."""

Message = tuple[dict[str, Any], list[bytes]]
"""A JSON object, and the bytes that came with it."""
Progress = Callable[[float], None]
Handler = Callable[[dict[str, Any], Progress], tuple[Mapping[str, Any], Sequence[bytes]]]
"""Makes a reply to a request: a JSON object and further bytes. It may report its progress, from 0 to 1."""


SINGLE_THREADED = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Environment of a helper that computes: several at once would only take the processors from each other."""


class WorkerError(Exception):
    """Why a helper process gave no result."""


class EndedError(WorkerError):
    """The helper process ended, or was ended, before it replied."""


class TimeLimitError(WorkerError):
    """The helper took too long; it was ended."""


# Messages --------------------------------------------------------------------------------------------------------------


def write(stream: IO[bytes], message: Mapping[str, Any], parts: Sequence[bytes] = ()) -> None:
    """Send a message and its parts."""
    sizes = {"sizes": [len(part) for part in parts]}
    stream.write(json.dumps({**message, **sizes}).encode() + b"\n")
    for part in parts:
        stream.write(part)
    stream.flush()


def read(stream: IO[bytes]) -> Message | None:
    """Return the next message; None if the other end is gone."""
    line = stream.readline()
    if not line.endswith(b"\n"):
        return None
    message = json.loads(line)
    sizes = message.pop("sizes")
    parts = [stream.read(size) for size in sizes]
    return (message, parts) if [len(part) for part in parts] == sizes else None


# The helper's end ------------------------------------------------------------------------------------------------------


def serve(prepare: Callable[[], Handler]) -> None:
    """Answer requests until the server closes the connection; `prepare` runs once and returns the handler.

    A WorkerError in either becomes a "failed" message. Any other exception ends the process, with its traceback on standard error.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends its helpers
    replies, stream = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)  # whatever is printed here goes to standard error: it would spoil a message
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)  # whatever reads here, or what it starts, must not take a message
    requests: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(stream, requests), daemon=True).start()
    try:
        handle = prepare()
    except WorkerError as error:
        _reply(replies, {"failed": str(error)})
        return
    _reply(replies, {"ready": True})
    while True:
        request, _ = requests.get()
        try:
            reply, parts = handle(request, lambda share: _reply(replies, {"progress": share}))
        except WorkerError as error:
            reply, parts = {"failed": str(error)}, ()
        _reply(replies, reply, parts)


def _reply(stream: IO[bytes], message: Mapping[str, Any], parts: Sequence[bytes] = ()) -> None:
    """Send a message to the server; if it is gone, end this process without a traceback that nobody needs."""
    try:
        write(stream, message, parts)
    except BrokenPipeError:
        kill_tree(os.getpid())


def _listen(stream: IO[bytes], requests: queue.SimpleQueue[Message]) -> None:
    """Queue what the server sends; when it is gone, end this process with everything that it started."""
    while (message := read(stream)) is not None:
        requests.put(message)
    kill_tree(os.getpid())


# The server's end ------------------------------------------------------------------------------------------------------


class WorkerProcess:
    """A helper that answers one request at a time. It starts when first needed, and again after it ended or was too slow.

    module, arguments: what `python -P -m` runs. environment: variables that the helper gets beside our own.
    """

    def __init__(self, module: str, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        self._command = [sys.executable, "-P", "-m", module, *arguments]
        self._environment = {**os.environ, **(environment or {})}
        self._lock, self._closed = threading.Lock(), False
        self._process: _Process | None = None
        self._finalizer: Callable[[], object] = lambda: None

    def request(
        self,
        message: Mapping[str, Any],
        seconds: float,
        progress: Progress = lambda _: None,
        start: float = START_SECONDS,
    ) -> Message:
        """Return the reply to a message; a WorkerError if there is none.

        seconds: the limit from when a started helper gets the message. progress: is told how far the helper is.
        start: the limit for starting a helper.
        """
        process = self._ready(start, progress)
        try:
            process.send(message)
            reply = process.receive(seconds, progress)
        except WorkerError:
            process.end()
            raise
        return _checked(reply)

    def start(self, seconds: float = START_SECONDS) -> bool:
        """Start the helper, unless it runs, and wait until it can take a request; a WorkerError if it cannot.

        Returns whether it had to be started.
        """
        known = self._process
        return self._ready(seconds, lambda _: None) is not known

    def interrupt(self) -> None:
        """End the helper, whatever it does. Its request raises an EndedError; the next one starts another helper."""
        with self._lock:
            if self._process is not None:
                self._process.end()

    def _ready(self, seconds: float, progress: Progress) -> _Process:
        process = self._started()
        if not process.ready:
            try:
                _checked(process.receive(seconds, progress))
            except WorkerError:
                process.end()
                raise
            process.ready = True
        return process

    def _started(self) -> _Process:
        with self._lock:
            if self._closed:
                raise WorkerError("the server is stopping")
            if self._process is None or not self._process.alive:
                self._finalizer()
                self._process = _Process(self._command, self._environment)
                self._finalizer = weakref.finalize(self, self._process.end)  # if nobody calls `close`
            return self._process

    def close(self) -> None:
        """End the helper, whatever it does, and start no other."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.end()


def _checked(reply: Message) -> Message:
    """Return a reply, unless it says that the helper failed."""
    if "failed" in reply[0]:
        raise WorkerError(str(reply[0]["failed"]))
    return reply


class _Process:
    """One process of the operating system, and a thread that reads what it says."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._popen = subprocess.Popen(  # noqa: S603 (our own modules)
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,  # a group of its own, so that what it starts can be ended with it
        )
        self._messages: queue.SimpleQueue[Message | None] = queue.SimpleQueue()  # None: it has ended
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._ending, self._ended = threading.Lock(), False
        self.ready = False

    def _read(self) -> None:
        assert self._popen.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            while (message := read(self._popen.stdout)) is not None:
                self._messages.put(message)
        self._messages.put(None)

    @property
    def alive(self) -> bool:
        """Whether the process can take a request."""
        return not self._ended and self._popen.poll() is None

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message; if the process is gone, `receive` says so."""
        assert self._popen.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            write(self._popen.stdin, message)

    def receive(self, seconds: float, progress: Progress) -> Message:
        """Return the next message that is more than progress; a WorkerError if it does not come in time."""
        until = time.monotonic() + seconds
        while True:
            try:
                message = self._messages.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise TimeLimitError(f"it took longer than {seconds:g} s") from None
            if message is None:
                self.end()
                raise EndedError(f"its process ended (exit code {self._popen.returncode})")
            if "progress" not in message[0]:
                return message
            progress(message[0]["progress"])

    def end(self) -> None:
        """Kill the process with everything that it started, and wait until it is gone."""
        with self._ending:
            if self._ended:
                return
            self._ended = True
            if self._popen.poll() is None:
                kill_tree(self._popen.pid)
            else:
                _kill_group(self._popen.pid)
            self._popen.wait()
            self._reader.join()
            for stream in (self._popen.stdin, self._popen.stdout):
                assert stream is not None
                with contextlib.suppress(OSError):
                    stream.close()


# Ending processes ------------------------------------------------------------------------------------------------------


def kill_tree(pid: int) -> None:
    """Kill a process with everything that it started: its process group, and children that left the group.

    What left the group and outlives the process that started it cannot be found.
    """
    if pid != os.getpid() and hasattr(signal, "SIGSTOP"):
        _signal(pid, signal.SIGSTOP)  # it starts nothing more
    killed: set[int] = set()
    while found := _descendants(pid) - killed:
        for child in found:
            _signal(child, _KILL)
        killed |= found
    _kill_group(pid)
    _signal(pid, _KILL)


_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has no SIGKILL; its SIGTERM cannot be refused


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(OSError):  # it is gone already, or another user's
        os.kill(pid, number)


def _kill_group(leader: int) -> None:
    """Kill the process group of a helper."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(leader, _KILL)


def _descendants(pid: int) -> set[int]:
    """Return the processes that a process started, directly or not; nothing on a system without /proc."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            # The name in brackets may hold anything; after it come the state and the parent.
            parent = int(entry.read_text(errors="replace").rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.parent.name))
    found: set[int] = set()
    left = [pid]
    while left:
        new = children.get(left.pop(), [])
        found.update(new)
        left += new
    return found
