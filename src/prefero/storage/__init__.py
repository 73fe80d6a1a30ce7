"""The event log in a database: append, read. One implementation on SQLAlchemy Core for SQLite and PostgreSQL."""

from prefero.storage.engine import URL_FORMS
from prefero.storage.store import Invitation, Storage, Summary, Token

__all__ = ["URL_FORMS", "Invitation", "Storage", "Summary", "Token"]
