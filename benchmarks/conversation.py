"""The parent's end of the conversation with a driver: starts it, answers its questions, collects what it recommends."""

import contextlib
import json
import os
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from benchmarks.environments import ROOT
from benchmarks.functions import Array
from benchmarks.people import Person, Reader

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS")
ONE_THREAD = dict.fromkeys(THREADS, "1")
GOODBYE_SECONDS = 10
PATIENCE = 10
"""How many times as long as it may compute a driver may take by the clock."""
SHORTEST_LOOK = 0.05  # seconds


@dataclass
class Transcript:
    """The result of one run: for each comparison, the recommendation and the CPU seconds before it."""

    comparisons: int
    recommendations: list[Array] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    winner: Array | None = None  # of the last question, for runs that break off
    shown: set[tuple[float, ...]] = field(default_factory=set)
    samples: list[int] = field(default_factory=list)  # how many were shown up to each question
    answered: int = 0
    initial: int = 1
    failure: str | None = None
    versions: dict[str, str] = field(default_factory=dict)
    calibrating: float | None = None
    wall: float = 0.0

    def incumbents(self) -> list[Array]:
        """The recommendation after every comparison of the budget; a failed run keeps its last one."""
        known = self.recommendations[: self.comparisons]
        if len(known) < self.answered and self.winner is not None:
            known = known + [self.winner] * (self.answered - len(known))
        if not known:
            return []
        return known + [known[-1]] * (self.comparisons - len(known))


class Driver:
    """A driver process, kept for many runs; a context manager that ends it."""

    def __init__(self, python: Path | str, module: str, isolated: bool = False, cwd: Path = ROOT) -> None:
        self._command = [str(python), "-m", module]
        self._cwd = cwd
        self._environment = {**os.environ, **ONE_THREAD}
        if isolated:
            self._environment.pop("PYTHONPATH", None)
        self._process: subprocess.Popen[str] | None = None
        # the driver's stderr, read only when it ends unasked
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115  __exit__ closes it

    def __enter__(self) -> "Driver":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._complaints.close()

    def run(self, start: dict[str, Any], prefer: Person, limit: float | None = None) -> Transcript:
        """Make one run. Errors of the driver do not raise; the transcript names them.

        A driver that takes longer than `limit`, in seconds of CPU time, is stopped; its run keeps what it had.
        """
        transcript = Transcript(comparisons=start["samples"] - 1, initial=start["initial"])
        began = time.monotonic()
        with _Watch(limit) as watch:
            self._hold(start, prefer, transcript, watch)
        transcript.wall = time.monotonic() - began
        if watch.barked and limit is not None:
            transcript.failure = f"stopped after {limit / 60:g} minutes of CPU time"
        return transcript

    def _hold(self, start: dict[str, Any], prefer: Person, transcript: Transcript, watch: "_Watch") -> None:
        try:
            to_driver, from_driver = self._pipes()
            assert self._process is not None
            watch.guard(self._process)
            _converse(to_driver, from_driver, start, prefer, transcript)
        except (BrokenPipeError, EOFError) as error:
            transcript.failure = self._cause(error)
            self.close()
        except (ValueError, KeyError, TypeError) as error:
            transcript.failure = f"a message that is not of the protocol: {error!r}"
            self.close()

    def close(self) -> None:
        """End the process: close its input, and stop it if it does not leave."""
        process, self._process = self._process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):  # what it was told last, it did not live to read
                    pipe.close()
        try:
            process.wait(GOODBYE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _pipes(self) -> tuple[IO[str], IO[str]]:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command,
                cwd=self._cwd,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                text=True,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout

    def _cause(self, error: Exception) -> str:
        assert self._process is not None
        self._process.wait(GOODBYE_SECONDS)
        self._complaints.seek(0)
        last = self._complaints.read().decode(errors="replace").strip().splitlines()[-1:]
        return f"{error}, exit code {self._process.returncode}: {' '.join(last) or 'no message'}"


def cpu_seconds(pid: int) -> float | None:
    """The CPU time of a process so far; None where the system does not say, or the process is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # user and system time: proc(5)


class _Watch:
    """Ends a process that takes too long; a context manager, so that it never outlives its run.

    It counts CPU time, so that a busy machine stops nothing; where the system does not tell CPU times, by the clock. A process
    that has waited ten times as long as it may compute is stopped, too.
    """

    def __init__(self, limit: float | None) -> None:
        self._limit = limit
        self._timer: threading.Timer | None = None
        self._until = 0.0
        self._over = False
        self.barked = False

    def __enter__(self) -> "_Watch":
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        if self._timer is not None:
            self._timer.cancel()

    def guard(self, process: "subprocess.Popen[str]") -> None:
        """Start the clock."""
        if self._limit is not None:
            self._until = time.monotonic() + PATIENCE * self._limit
            self._look_in(process, self._limit, cpu_seconds(process.pid) or 0.0)

    def _look_in(self, process: "subprocess.Popen[str]", after: float, began: float) -> None:
        self._timer = threading.Timer(after, self._check, [process, began])
        self._timer.daemon = True
        self._timer.start()

    def _check(self, process: "subprocess.Popen[str]", began: float) -> None:
        """End the process if it has used its time; otherwise look again when it may have."""
        assert self._limit is not None
        used = cpu_seconds(process.pid)
        left = 0.0 if used is None else self._limit - (used - began)
        if left <= 0 or time.monotonic() >= self._until:
            self.barked = True
            process.kill()
        elif not self._over:
            self._look_in(process, max(left, SHORTEST_LOOK), began)


def _converse(
    to_driver: IO[str], from_driver: IO[str], start: dict[str, Any], prefer: Person, transcript: Transcript
) -> None:
    _send(to_driver, start)
    while True:
        line = from_driver.readline()
        if not line:
            raise EOFError("the driver ended")
        message = json.loads(line)
        if "ask" in message:
            _send(to_driver, _reply(message, prefer, transcript) | _numbers(start, prefer))
        elif "recommend" in message:
            _note(message["recommend"], transcript, bool(start["options"].get("anywhere")))
        else:
            _finish(message, transcript)
            return


def _send(pipe: IO[str], message: dict[str, Any]) -> None:
    pipe.write(json.dumps(message) + "\n")
    pipe.flush()


def _numbers(start: dict[str, Any], prefer: Person) -> dict[str, Any]:
    """The values that the person sees of both candidates, for a driver that is told numbers."""
    if not start["options"].get("numbers"):
        return {}
    if not isinstance(prefer, Reader):
        raise ValueError("this person compares, and has no numbers to say")
    return {"seen": prefer.seen}


def _reply(message: dict[str, Any], prefer: Person, transcript: Transcript) -> dict[str, Any]:
    if transcript.answered == transcript.comparisons:
        raise ValueError("a question beyond the budget")
    a, b = (np.array(x, dtype=float) for x in message["ask"])
    answer = prefer(a, b)
    transcript.shown |= {tuple(a), tuple(b)}
    transcript.samples.append(len(transcript.shown))
    transcript.seconds.append(float(message["seconds"]))
    transcript.answered += 1
    transcript.winner = b if answer == 1 else a if answer == -1 or transcript.winner is None else transcript.winner
    return {"answer": answer}


def _note(recommended: list[float], transcript: Transcript, anywhere: bool) -> None:
    if not anywhere and tuple(recommended) not in transcript.shown:
        raise ValueError("a recommendation that was never shown")
    transcript.recommendations.append(np.array(recommended, dtype=float))


def _finish(message: dict[str, Any], transcript: Transcript) -> None:
    transcript.versions = message["versions"]
    transcript.calibrating = message.get("calibrating")
    if "failed" in message:
        transcript.failure = str(message["failed"])
    else:
        transcript.initial = int(message["initial"])
        if len(transcript.recommendations) != transcript.comparisons:
            transcript.failure = (
                f"{len(transcript.recommendations)} recommendations for {transcript.comparisons} comparisons"
            )
