"""Write a file completely or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from prefero.errors import InputError


def write(path: Path, text: str) -> None:
    """Replace a file's content by a text; an interruption leaves the old content."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a new, empty file beside `path`, which takes its place when the block ends; if the block fails, it is removed."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
    temporary = Path(name)
    try:
        os.close(handle)
        yield temporary
        _flush(temporary)
        os.replace(temporary, path)
        _flush(path.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _flush(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk; a system that cannot is left alone."""
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
