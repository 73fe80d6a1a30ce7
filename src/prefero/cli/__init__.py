"""The command line: a thin door to studies, for people in a terminal and for scripts.

What a command prints is a table for people, or JSON with --json; what it complains about is one line on standard error.
Everything heavy is imported by the command that needs it.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Sequence

FINE, TROUBLE, MISTAKE, EXHAUSTED, INTERRUPTED = 0, 1, 2, 3, 130
"""The exit codes: fine; something outside went wrong; the user's mistake; nothing left to ask; Ctrl-C."""


def main() -> None:
    """The command `prefero`."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices are small: more threads wait for each other
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without the character must not end a command
    sys.exit(run())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; a complaint goes to standard error, in one line."""
    try:
        import typer
    except ModuleNotFoundError as error:
        return _complain(f"the command line needs {error.name}: pip install 'prefero[studies]'", MISTAKE)
    from prefero.cli.commands import app

    try:
        ended = app(args=arguments, prog_name="prefero", standalone_mode=False)
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:  # the reader has seen enough
        with contextlib.suppress(OSError):
            sys.stdout.close()
        return TROUBLE
    except Exception as error:
        code = _code_of(error)
        if code is None:
            raise
        return _complain(_said(error), code)
    return ended if isinstance(ended, int) else FINE


def _code_of(error: Exception) -> int | None:
    """The exit code that an expected failure has; None for one that nobody expected."""
    from prefero import errors

    match error:
        case errors.StorageError():
            return TROUBLE if _may_pass(error) else MISTAKE
        case errors.ExhaustedError():
            return EXHAUSTED
        case errors.JudgeError() | errors.SolverError():
            return TROUBLE
        case errors.PreferoError():
            return MISTAKE
        case OSError():
            return TROUBLE
    return MISTAKE if hasattr(error, "format_message") else None  # a command, an option or its value is wrong


def _may_pass(error: Exception) -> bool:
    """Whether the database is fine but not now: locked, full, out of reach; no other address would help."""
    from prefero.errors import ConflictError

    if isinstance(error, ConflictError):
        return True
    try:
        from sqlalchemy import exc
    except ModuleNotFoundError:
        return False
    return isinstance(error.__cause__, exc.OperationalError | exc.TimeoutError)


def _said(error: Exception) -> str:
    described = getattr(error, "format_message", None)
    if described is not None:
        return f"{str(described()).rstrip('.')} (prefero --help tells more)"
    return str(error)


def _complain(message: str, code: int) -> int:
    sys.stderr.write(f"prefero: {' '.join(message.split())}\n")
    return code
