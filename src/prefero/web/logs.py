"""The access log: one line for each request, in text or JSON. It never holds a secret.

A line names the address, the method, the path without its query, the status, the milliseconds and bytes of the reply, the first
characters of the token's digest (its `id` in the list of tokens), and an identifier, which the reply carries as X-Request-Id.
"""

from __future__ import annotations

import asyncio
import json
import logging
import logging.handlers
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from prefero.errors import InputError
from prefero.web.settings import Settings

FORMATS = ("text", "json")
LONGEST_PATH = 500
TOKEN_CHARACTERS = 8
access_log = logging.getLogger("prefero.access")


def log_request(
    address: str,
    method: str,
    raw_path: bytes,
    status: int,
    seconds: float,
    sent: int,
    token: str | None,
    request_id: str,
) -> None:
    """Write the line of a request."""
    if not access_log.isEnabledFor(logging.INFO):
        return
    path = raw_path[:LONGEST_PATH].decode("latin-1").encode("unicode_escape").decode("ascii")
    fields = {
        "address": address,
        "method": method,
        "path": path,
        "status": status,
        "ms": round(1000 * seconds, 1),
        "bytes": sent,
        "token": None if token is None else token[:TOKEN_CHARACTERS],
        "id": request_id,
    }
    text = f"{address} {method} {path} {status} {fields['ms']} ms {sent} bytes, token {fields['token'] or '-'}, {request_id}"
    access_log.info("%s", text, extra={"fields": fields})


def log_malformed(address: str, status: int) -> None:
    """Write the line of something that is no request of HTTP."""
    fields = {"address": address, "method": None, "path": None, "status": status}
    access_log.info("%s malformed request %d", address, status, extra={"fields": fields})


class CutOff(Exception):
    """A reply could not be completed: the connection is closed, so that the client notices."""


class _Expected(logging.Filter):
    """Drops uvicorn's tracebacks of requests that were cut off on purpose."""

    def filter(self, record: logging.LogRecord) -> bool:
        cause = record.exc_info[1] if record.exc_info else None
        return not isinstance(cause, CutOff | asyncio.CancelledError)


EXPECTED = _Expected()


class TextFormatter(logging.Formatter):
    """A line that begins with the time; requests follow without a level, other messages with it."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, with a traceback if there is one."""
        level = "" if hasattr(record, "fields") else f"{record.levelname.lower()}: "
        made = f"{_time(record)} {level}{record.getMessage()}"
        return f"{made}\n{self.formatException(record.exc_info)}" if record.exc_info else made


class JsonFormatter(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line: a request's fields, or a message with its level and traceback."""
        made = {"time": _time(record), "level": record.levelname.lower()}
        made |= getattr(record, "fields", None) or {"message": record.getMessage()}
        if record.exc_info:
            made["traceback"] = self.formatException(record.exc_info)
        return json.dumps(made, ensure_ascii=True)


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


@contextmanager
def logging_to(settings: Settings) -> Iterator[None]:
    """Log during a block: requests and warnings as the settings say; without them warnings only, to standard error.

    A program that has set logging up itself keeps its own way, unless the settings name a file.
    """
    if settings.log_format not in FORMATS:
        raise InputError.of("log_format", settings.log_format, " or ".join(FORMATS))
    loggers = [logging.getLogger(name) for name in ("prefero", "uvicorn")]
    if not settings.log and loggers[0].hasHandlers():
        yield
        return
    handler = _handler(settings.log)
    before = access_log.level
    if settings.log:
        access_log.setLevel(logging.INFO)
        handler.setFormatter(TextFormatter() if settings.log_format == "text" else JsonFormatter())
    else:
        handler.setLevel(logging.WARNING)
        handler.setFormatter(logging.Formatter("prefero: %(message)s"))
    for logger in loggers:
        logger.addHandler(handler)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
        handler.close()
        access_log.setLevel(before)


def _handler(log: str) -> logging.Handler:
    if log in ("", "-"):
        return logging.StreamHandler()
    try:
        return logging.handlers.WatchedFileHandler(log, encoding="utf-8")  # opened again after it was rotated
    except OSError as error:
        raise InputError(f"log: {log!r} cannot be written: {error.strerror}; name another file") from None
