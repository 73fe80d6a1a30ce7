"""Single keys from a terminal: pressed, not typed and sent; and told when the terminal's size has changed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

LOOK_SECONDS = 0.2
"""How often the terminal's size is looked at while nobody presses a key."""
ESCAPES = {
    "\x1b[D": "left",
    "\x1b[C": "right",
    "\x1b[B": "down",
    "\x1b[A": "up",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x1a": "undo",
    "\x04": "end",
    "": "end",
}

Key = Callable[[Callable[[], None]], str]
"""Waits for a key and names it; redraws by the function it is given when the terminal was resized."""


@contextmanager
def single_keys() -> Iterator[Key]:
    """Keys as they are pressed, until the block ends; the terminal is left as it was."""
    try:
        import termios
        import tty
    except ModuleNotFoundError:  # Windows: typer knows how to read a key there
        yield lambda _: named(typer.getchar())
        return
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)  # Ctrl-C interrupts as it does everywhere
    own = termios.tcgetattr(descriptor)
    own[6][termios.VSUSP] = b"\x00"  # Ctrl-Z is a key: undo
    termios.tcsetattr(descriptor, termios.TCSANOW, own)

    def key(redraw: Callable[[], None]) -> str:
        termios.tcflush(
            descriptor, termios.TCIFLUSH
        )  # what was pressed before the question was there is no answer to it
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
    """A key's name: a letter, or a word for what is no letter."""
    return ESCAPES.get(pressed, pressed.lower())


def clock() -> float:
    """Seconds that only differences of mean something."""
    return time.monotonic()
