"""Archives: a whole study with its measured files in one zip file.

| entry | is |
|---|---|
| `study.json` | what `Study.to_json` returns |
| `files/DIGEST` | the content of a file, by its SHA-256 |

Everything is compared with the log when an archive is read, so that a damaged or foreign one is refused. A study whose files are
not all there, because it was imported from JSON itself, makes an archive without those.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from prefero.errors import FormatError, InputError
from prefero.storage import events
from prefero.storage.atomic import replacing
from prefero.storage.events import Artifact, Measured
from prefero.study import Study

STUDY, FILES = "study.json", "files/"
LARGEST_JSON, LARGEST_FILE = 256_000_000, 1_000_000_000
"""Most bytes of a study's JSON, and of one file; SQLite stores no larger ones."""
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, KeyError)
"""What reading a damaged, encrypted or oddly compressed archive raises."""


def write_archive(study: Study, path: Path) -> int:
    """Write a study with its files, completely or not at all; return how many files it has."""
    with replacing(path) as temporary:
        written = 0
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(STUDY, study.to_json())
            for digest in _described(study.log.state.measured):
                artifact = study.log.artifact(digest)
                if artifact is not None:
                    archive.writestr(FILES + digest, artifact.content)
                    written += 1
    return written


def read_archive(path: Path, *, name: str | None = None, storage: Any = None, **functions: Any) -> Study:
    """Return the study of an archive, stored with its files; the arguments are those of `Study.from_json`.

    Everything is checked before anything is stored.
    """
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    except _UNREADABLE as error:
        raise FormatError(f"{path} is not an archive of a study, or is damaged: {error}") from None
    with archive:
        text = _content(archive, STUDY, LARGEST_JSON)
        Study.from_json(text, name=name, **functions)
        files = _held(archive, _described([r.event for r in events.loads(text) if isinstance(r.event, Measured)]))
        for _ in _artifacts(archive, files):
            pass  # compare them all, one at a time in memory
        return Study.from_json(text, name=name, storage=storage, files=_artifacts(archive, files), **functions)


def _described(measured: Iterable[Measured]) -> dict[str, dict[str, Any]]:
    """Return what a log says about each file, by digest."""
    files = [file for event in measured for file in event.files.values()]
    return {file["digest"]: file for file in files if isinstance(file, dict) and isinstance(file.get("digest"), str)}


def _held(archive: zipfile.ZipFile, described: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return those of the described files that an archive holds; FormatError if it holds anything else."""
    names = [entry.filename for entry in archive.infolist() if entry.filename != STUDY]
    known = {FILES + digest: digest for digest in described}
    unknown = [name for name in names if name not in known]
    if unknown or len(set(names)) != len(names):
        raise FormatError.of(
            "archive", unknown or names, f"{STUDY}, and each of the study's files once as {FILES}DIGEST"
        )
    return {known[name]: described[known[name]] for name in names}


def _artifacts(archive: zipfile.ZipFile, files: dict[str, dict[str, Any]]) -> Iterator[Artifact]:
    """Yield the files, each compared with what the log says about it."""
    for digest, file in files.items():
        artifact = Artifact(_content(archive, FILES + digest, LARGEST_FILE), str(file.get("media_type")))
        if artifact.to_dict() != file:
            raise FormatError(f"the file {digest} in the archive is not the one that the study describes")
        yield artifact


def _content(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Return an entry; what it says about its own size is not believed."""
    try:
        with archive.open(name) as entry:
            content = entry.read(most + 1)
    except _UNREADABLE as error:
        raise FormatError(f"{name} in the archive is missing or damaged: {error}") from None
    if len(content) > most:
        raise FormatError(f"{name} in the archive is larger than {most // 1_000_000} MB, the most that is read")
    return content
