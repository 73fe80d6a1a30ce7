"""Write a file completely or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from prefero.errors import InputError


def write(path: Path, text: str) -> None:
    """Replace a file's content by a text; an interruption leaves the old content."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
