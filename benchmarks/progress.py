"""A progress bar of one line for work that takes more than two seconds."""

import sys
import time
from typing import TextIO

WIDTH = 24
PATIENCE = 2.0  # seconds before the first line, and between updates of a screen
LINE_PATIENCE = 30.0  # seconds between lines where there is no screen


class Progress:
    """Show the progress: one line that is rewritten on a terminal, an occasional line elsewhere."""

    def __init__(self, total: int, stream: TextIO | None = None, work: float | None = None) -> None:
        """`work`: the total in the unit that `advance` counts, if pieces differ in size."""
        self._total = total
        self._done = 0
        self._work = total if work is None else work
        self._worked = 0.0
        self._stream = sys.stderr if stream is None else stream
        self._screen = self._stream.isatty()
        self._began = self._said = time.monotonic()

    def advance(self, what: str, work: float = 1.0) -> None:
        """Count one finished piece of work."""
        self._done += 1
        self._worked += work
        now = time.monotonic()
        if now - self._said < (0.2 if self._screen and self._said > self._began else self._pause()):
            return
        self._said = now
        self._write(f"{self.line(now - self._began)}  {what}")

    def line(self, elapsed: float) -> str:
        """The bar, the count, the time gone and the time left."""
        part = self._worked / self._work if self._work else 1.0
        filled = round(WIDTH * part)
        left = elapsed / part - elapsed if part > 0 else float("inf")
        bar = "#" * filled + "." * (WIDTH - filled)
        return f"[{bar}] {self._done}/{self._total}  {_clock(elapsed)} gone, about {_clock(left)} left"

    def close(self) -> None:
        """Leave the screen's line clean."""
        if self._screen and self._said > self._began:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def _pause(self) -> float:
        return PATIENCE if self._screen or self._said == self._began else LINE_PATIENCE

    def _write(self, text: str) -> None:
        self._stream.write(f"\r\x1b[K{text}" if self._screen else f"{text}\n")
        self._stream.flush()


def _clock(seconds: float) -> str:
    if seconds == float("inf"):
        return "?"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}" if minutes >= 60 else f"{minutes}:{rest:02d}"
