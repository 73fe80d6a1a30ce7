"""Addresses of databases: read a URL or a path, and print it without its password."""

from __future__ import annotations

import math
import os
import re
from urllib.parse import unquote

from sqlalchemy import exc
from sqlalchemy.engine import URL, make_url

from prefero.errors import StorageError

PATIENCE = 10.0
"""Seconds to wait for another writer, or for a database server to reply; `?timeout=` in a URL sets another number."""
URL_FORMS = "sqlite:///file.db, the path of a file, or postgresql://user:password@host/database"
DRIVERS = {
    "sqlite": "sqlite",
    "sqlite+pysqlite": "sqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}
SQLITE_OPTIONS = {"timeout": "seconds", "mode": "ro or rw", "immutable": "0 or 1", "uri": "true"}
"""The options of a SQLite URL, and their values; with `uri=true` the path begins with file: and is percent-encoded."""

_SECRET_OPTION = re.compile(r"([?&][^=&]*pass(?!file)[^=&]*=)[^&]*", re.IGNORECASE)
_USER_AND_PASSWORD = re.compile(r"^((?:\w[\w+.-]*:/+)?+[^:/@]*):.*@", re.DOTALL)


_NO_TEXT = re.compile("[\0\ud800-\udfff]")


def parse(given: object) -> URL:
    """Return the URL of a database; a path means a SQLite file. StorageError if it cannot be one."""
    if isinstance(given, os.PathLike):
        return _checked(URL.create("sqlite", database=os.fsdecode(given)))
    if isinstance(given, URL):
        return _checked(given)
    if not isinstance(given, str) or not given:
        raise StorageError.of("storage", given, URL_FORMS)
    if "://" not in given:
        if re.match(r"\w[\w+.-]+:.*@", given, re.DOTALL):  # user:password@host, or a URL without both slashes
            raise _refused(given, URL_FORMS)
        return _checked(URL.create("sqlite", database=given))
    try:
        return _checked(make_url(given))
    except (exc.ArgumentError, ValueError):
        raise _refused(given, URL_FORMS) from None


def _checked(url: URL) -> URL:
    """Return the URL with the name of the driver; StorageError if an engine could not open it."""
    if url.drivername not in DRIVERS:
        raise _refused(shown(url), URL_FORMS)
    texts = [url.database, url.username, url.password, url.host]
    texts += [text for option in url.query for text in (option, *_values(url, option))]
    if any(_NO_TEXT.search(text) for text in texts if text):
        raise StorageError("storage: the URL or the path holds a NUL character, or is not UTF-8")
    url = url.set(drivername=DRIVERS[url.drivername])
    _check_timeout(url)
    return _sqlite(url) if is_sqlite(url) else _postgresql(url)


def _sqlite(url: URL) -> URL:
    if any(part not in (None, "") for part in (url.host, url.username, url.password, url.port)):
        raise _refused(shown(url), "sqlite:///file.db, with three slashes before the path")
    for name, value in url.query.items():
        fits = {"mode": ("ro", "rw"), "immutable": ("0", "1"), "uri": ("true", "1")}.get(name)
        if name not in SQLITE_OPTIONS or (fits is not None and value not in fits):
            allowed = ", ".join(f"{option} ({meaning})" for option, meaning in SQLITE_OPTIONS.items())
            raise _refused(f"{name}={value}", f"the options {allowed}")
    path = url.database or ""
    if "uri" in url.query:
        url = url.difference_update_query(["uri"])
        path = unquote(path.removeprefix("file:"))
        path = path[2:] if path.startswith("//") else path  # file:///absolute/path
        url = url.set(database=path)
    if path in ("", ":memory:"):
        raise _refused(shown(url), URL_FORMS)
    return url


def _postgresql(url: URL) -> URL:
    if "@" in (url.host or ""):
        raise _refused(redacted(url.render_as_string()), "a password in which @ is written as %40")
    for port in [*([] if url.port is None else [str(url.port)]), *_values(url, "port")]:
        if not port.isdecimal() or not 1 <= int(port) <= 65535:
            raise _refused(shown(url), "a port from 1 to 65535")
    return url


def _values(url: URL, option: str) -> tuple[str, ...]:
    given = url.query.get(option, ())
    return (given,) if isinstance(given, str) else given


def _check_timeout(url: URL) -> None:
    if "timeout" in url.query:
        try:
            fits = 0 <= patience(url) < math.inf
        except (TypeError, ValueError):
            fits = False
        if not fits:
            raise _refused(f"timeout={url.query['timeout']}", "a number of seconds")


def _refused(given: str, allowed: str) -> StorageError:
    return StorageError.of("storage", redacted(given), allowed)


def is_sqlite(url: URL) -> bool:
    """Return whether the database is a file."""
    return url.drivername == "sqlite"


def patience(url: URL) -> float:
    """Return how many seconds to wait for the database."""
    return float(url.query.get("timeout", PATIENCE))  # type: ignore[arg-type]


def shown(url: URL) -> str:
    """Return a URL that is fit to print, without its passwords."""
    return _SECRET_OPTION.sub(r"\1***", url.render_as_string(hide_password=True))


def redacted(text: str) -> str:
    """Return a text that may be a URL, or nearly one, without its passwords."""
    return _SECRET_OPTION.sub(r"\1***", _USER_AND_PASSWORD.sub(r"\1:***@", text))


def without_secrets(message: str, url: URL) -> str:
    """Return a driver's message without the passwords of the URL, which it may repeat."""
    names = (url.username, url.host, url.database)
    hidden = [
        url.password,
        *(text for option in url.query if "pass" in option.lower() for text in _values(url, option)),
    ]
    for secret in hidden:
        if secret and secret not in names:
            message = message.replace(str(secret), "***")
    return message
