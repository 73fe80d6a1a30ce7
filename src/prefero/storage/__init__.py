"""Where the logs of studies are kept: in memory, in a SQLite file or in PostgreSQL. Importing this needs no SQLAlchemy."""

from __future__ import annotations

from typing import Any

from prefero.errors import StorageError
from prefero.storage.contract import Crowd, Invitation, Storage, Stored, Summary, Token
from prefero.storage.memory import Memory

__all__ = ["Crowd", "Invitation", "Memory", "Storage", "Stored", "Summary", "Token", "open_storage"]


def open_storage(given: Any, *, create: bool = True) -> tuple[Storage, bool]:
    """Return the storage that was given as an object, a URL or a path, and whether it was opened here.

    With create=False a SQLite file must exist.
    """
    if hasattr(given, "append") and hasattr(given, "accept_invitation"):
        return given, False
    try:
        from prefero.storage.database import Database
    except ModuleNotFoundError as error:
        raise StorageError(f"stored studies need {error.name}: pip install 'prefero[studies]'") from None
    return Database(given, create=create), True
