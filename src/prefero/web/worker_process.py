"""Helper processes: both ends of one small protocol, with a time limit for each request.

The server holds a `WorkerProcess` and calls `request`. The helper, a module run with `python -P -m`, calls `serve`. With -P the
working directory is not imported from, so a file there cannot stand in for a library.

Requests go to the helper's standard input, replies come from its standard output. A message is a line of JSON, followed by the
bytes of its parts, if any. The helper's first message is {"ready": true}. Before a reply it may send {"progress": 0.5}. A reply
with "failed" says why there is no result.
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
from typing import IO, Any

START_SECONDS = 600.0
"""How long a helper may take to import what it needs. It is no part of a request's limit, and large on purpose: on a busy machine
the imports of a scientific program take minutes."""

Message = tuple[dict[str, Any], list[bytes]]
"""A JSON object, and the bytes that came with it."""
Progress = Callable[[float], None]
Handler = Callable[[dict[str, Any], Progress], tuple[Mapping[str, Any], Sequence[bytes]]]
"""Makes a reply to a request: a JSON object and further bytes. It may report its progress, from 0 to 1."""


class WorkerError(Exception):
    """Why a helper process gave no result: it said so itself, it ended, or it took too long."""


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
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed here goes to standard error: it would spoil a message
    try:
        handle = prepare()
    except WorkerError as error:
        write(replies, {"failed": str(error)})
        return
    write(replies, {"ready": True})
    while (request := read(sys.stdin.buffer)) is not None:
        try:
            reply, parts = handle(request[0], lambda share: write(replies, {"progress": share}))
        except WorkerError as error:
            reply, parts = {"failed": str(error)}, ()
        write(replies, reply, parts)


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
        process = self._started()
        try:
            if not process.ready:
                _checked(process.receive(start, progress))
                process.ready = True
            process.send(message)
            reply = process.receive(seconds, progress)
        except WorkerError:
            process.end()
            raise
        return _checked(reply)

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
                raise WorkerError(f"it took longer than {seconds:g} s") from None
            if message is None:
                self.end()
                raise WorkerError(f"its process ended (exit code {self._popen.returncode})")
            if "progress" not in message[0]:
                return message
            progress(message[0]["progress"])

    def end(self) -> None:
        """Kill the process with everything that it started, and wait until it is gone."""
        with self._ending:
            if self._ended:
                return
            self._ended = True
            if hasattr(os, "killpg"):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._popen.pid, signal.SIGKILL)
            self._popen.kill()
            self._popen.wait()
            self._reader.join()
            for stream in (self._popen.stdin, self._popen.stdout):
                assert stream is not None
                with contextlib.suppress(OSError):
                    stream.close()
