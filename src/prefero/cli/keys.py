"""Read single keys from a terminal, without Enter, and notice when the terminal is resized."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

LOOK_SECONDS = 0.2
"""How often to check the terminal's size while waiting for a key."""
ESCAPES = {
    "\x1b[D": "left",
    "\x1b[C": "right",
    "\x1b[1;2D": "shift-left",
    "\x1b[1;2C": "shift-right",
    "\x1b[B": "down",
    "\x1b[A": "up",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x1a": "undo",
    "\x04": "end",
    "": "end",
}

Key = Callable[[Callable[[], None]], str]
"""A function that waits for a key and returns its name; it calls its argument if the terminal is resized."""


@contextmanager
def single_keys() -> Iterator[Key]:
    """Read keys as they are pressed until the block ends, then restore the terminal."""
    try:
        import termios
        import tty
    except ModuleNotFoundError:  # Windows: typer can read a key there
        yield lambda _: named(typer.getchar())
        return
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)  # Ctrl-C still interrupts
    own = termios.tcgetattr(descriptor)
    own[6][termios.VSUSP] = b"\x00"  # Ctrl-Z is a key: undo
    termios.tcsetattr(descriptor, termios.TCSANOW, own)

    def key(redraw: Callable[[], None]) -> str:
        termios.tcflush(descriptor, termios.TCIFLUSH)  # drop keys that were pressed before the question appeared
        _wait(descriptor, redraw)
        return named(os.read(descriptor, 32).decode(errors="replace"))

    try:
        yield key
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _wait(descriptor: int, redraw: Callable[[], None]) -> None:
    import select

    size = os.get_terminal_size(descriptor)
    while not select.select([descriptor], [], [], LOOK_SECONDS)[0]:
        now = os.get_terminal_size(descriptor)
        if now != size:
            size = now
            redraw()


def named(pressed: str) -> str:
    """Return the name of a key: a letter in lower case, or a word such as "left"."""
    return ESCAPES.get(pressed, pressed.lower())


def clock() -> float:
    """Return seconds of a monotonic clock."""
    return time.monotonic()
