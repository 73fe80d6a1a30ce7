"""Files that come with a candidate, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prefero.errors import InputError
from prefero.storage.events import Artifact
from prefero.study.checks import checked_name


def as_artifacts(files: Mapping[str, Any]) -> dict[str, Artifact]:
    """Return files by name; each was given as bytes or as (bytes, media type)."""
    if not isinstance(files, Mapping):
        raise InputError.of("files", files, "a mapping from names to bytes, or to (bytes, media type)")
    kept = {}
    for name, given in files.items():
        content, media_type = (
            given if isinstance(given, tuple) and len(given) == 2 else (given, "application/octet-stream")
        )
        if isinstance(given, Artifact):
            content, media_type = given.content, given.media_type
        if not isinstance(content, bytes | bytearray | memoryview):
            raise InputError.of(f"files[{name!r}]", given, "bytes, or (bytes, media type)")
        checked_name("files", name, empty=False)
        kept[name] = Artifact(bytes(content), checked_media_type(media_type))
    return kept


def checked_media_type(given: object) -> str:
    """Return a media type such as image/png."""
    parts = given.split(";")[0].split("/") if isinstance(given, str) and given.isascii() and given.isprintable() else []
    if len(parts) != 2 or not all(parts):
        raise InputError.of("media_type", given, "a type such as image/png")
    return str(given)
