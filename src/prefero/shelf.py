"""Where a study's log is kept: in a database, or in memory alone; and what studies a database holds.

The database comes in only when it is asked for: `import prefero` needs no SQLAlchemy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from prefero.checks import checked_name
from prefero.errors import InputError, StorageError
from prefero.events import Artifact, Record

if TYPE_CHECKING:
    from prefero.storage import Storage, Summary


class Shelf:
    """A study's place: its number in a storage, or nothing but the memory of this process."""

    def __init__(self, storage: Storage | None, owned: bool = False) -> None:
        self.storage, self._owned = storage, owned
        self._study = 0
        self._artifacts: dict[str, Artifact] = {}  # in memory only

    @classmethod
    def of(cls, given: Any, create: bool = True) -> Shelf:
        """The place that was asked for: None (memory), a URL or a path, or a Storage."""
        return cls(None) if given is None else cls(*opened(given, create))

    def create(self, records: Sequence[Record], answers: int = 0) -> None:
        """Put a new study there."""
        if self.storage is not None:
            self._study = self.storage.create(records, answers)

    def find(self, name: str) -> list[Record]:
        """The log of the study of that name."""
        assert self.storage is not None
        self._study = self.storage.find(checked_name("name", name))
        return self.storage.read(self._study)

    def read(self, after: int) -> list[Record]:
        """What others have appended since."""
        return [] if self.storage is None else self.storage.read(self._study, after)

    def append(self, record: Record, answers: int, proposer: str, artifacts: Sequence[Artifact]) -> None:
        """Add to the log, with the files that the event speaks of; when it returns, it is there to stay."""
        if self.storage is None:
            self._artifacts.update({artifact.digest: artifact for artifact in artifacts})
        else:
            self.storage.append(
                self._study, record.sequence, [record], answers=answers, proposer=proposer, artifacts=artifacts
            )

    def artifact(self, digest: str) -> Artifact | None:
        """A file of the study."""
        if self.storage is None:
            return self._artifacts.get(digest)
        return self.storage.artifact(self._study, digest)

    @contextmanager
    def closed_on_error(self) -> Iterator[None]:
        """Leave no connection behind if a study cannot be made of what is here."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close a database that was opened for this study."""
        if self._owned and self.storage is not None:
            self.storage.close()


def opened(given: Any, create: bool = True) -> tuple[Storage, bool]:
    """A storage, and whether it was opened here."""
    try:
        from prefero.storage import Storage
    except ModuleNotFoundError as error:
        raise StorageError(f"stored studies need {error.name}: pip install 'prefero[studies]'") from None
    return (given, False) if isinstance(given, Storage) else (Storage(given, create=create), True)


def studies(storage: Any) -> list[Summary]:
    """The studies of a database, given by its URL, its path or as a Storage, in the order they were made."""
    kept, owned = opened(storage, create=False)
    try:
        return kept.studies()
    finally:
        if owned:
            kept.close()


def delete_study(name: str, storage: Any) -> None:
    """Delete a study, with all its answers and files, for good."""
    kept, owned = opened(storage, create=False)
    try:
        kept.delete(checked_name("name", name))
    finally:
        if owned:
            kept.close()


def as_artifacts(files: Mapping[str, Any]) -> dict[str, Artifact]:
    """Files as they were given, by name: bytes, or bytes with their media type."""
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
    """A media type such as image/png."""
    parts = given.split(";")[0].split("/") if isinstance(given, str) and given.isascii() and given.isprintable() else []
    if len(parts) != 2 or not all(parts):
        raise InputError.of("media_type", given, "a type such as image/png")
    return str(given)
