"""The command line, for people in a terminal and for scripts.

A command prints tables for people, or JSON with --json. An error is one line on standard error. Each command imports the heavy
modules that it needs, so that `prefero --help` starts quickly.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Sequence

SUCCESS, FAILURE, USAGE_ERROR, EXHAUSTED, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes: success; an outside failure, such as a locked database; an error of the user; nothing left to ask; Ctrl-C."""


def main() -> None:
    """Run the command `prefero` and exit."""
    os.environ.setdefault(
        "OPENBLAS_NUM_THREADS", "1"
    )  # the matrices are small: more threads would only wait for each other
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a character that the terminal lacks must not end the command
    sys.exit(run())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; an error is printed as one line on standard error."""
    try:
        import typer
    except ModuleNotFoundError as error:
        return _print_error(f"the command line needs {error.name}: pip install 'prefero[studies]'", USAGE_ERROR)
    from prefero.cli.commands import app

    try:
        ended = app(args=arguments, prog_name="prefero", standalone_mode=False)
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:  # for example `prefero history | head`
        with contextlib.suppress(OSError):
            sys.stdout.close()
        return FAILURE
    except Exception as error:
        code = _code_of(error)
        if code is None:
            raise
        return _print_error(_message(error), code)
    return ended if isinstance(ended, int) else SUCCESS


def _code_of(error: Exception) -> int | None:
    """Return the exit code of an expected error; None for an unexpected one, which is a bug."""
    from prefero import errors

    match error:
        case errors.StorageError():
            return FAILURE if _is_outside(error) else USAGE_ERROR
        case errors.ExhaustedError():
            return EXHAUSTED
        case errors.JudgeError() | errors.SolverError():
            return FAILURE
        case errors.PreferoError():
            return USAGE_ERROR
        case OSError():
            return FAILURE
    return (
        USAGE_ERROR if hasattr(error, "format_message") else None
    )  # typer: a command, an option or its value is wrong


def _is_outside(error: Exception) -> bool:
    """Whether the address is right, but the database is locked, full, out of reach or damaged."""
    from prefero.errors import ConflictError, DamagedError

    if isinstance(error, ConflictError | DamagedError):
        return True
    try:
        from sqlalchemy import exc
    except ModuleNotFoundError:
        return False
    return isinstance(error.__cause__, exc.OperationalError | exc.TimeoutError)


def _message(error: Exception) -> str:
    described = getattr(error, "format_message", None)
    if described is not None:
        return f"{str(described()).rstrip('.')} (see prefero --help)"
    return str(error)


def _print_error(message: str, code: int) -> int:
    sys.stderr.write(f"prefero: {' '.join(message.split())}\n")
    return code
