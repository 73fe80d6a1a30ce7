"""A method that somebody brings: the function `solve(start, judge)` of the file that the option "file" names.

Standard library only, so that any peer's environment can run it.
"""

import runpy
from functools import cache
from typing import Any

from benchmarks.peers.wire import Judge, Start, serve


@cache
def solve_of(file: str) -> Any:
    """The file's function."""
    return runpy.run_path(file)["solve"]


def solve(start: Start, judge: Judge) -> int | None:
    """Let the file's function do it."""
    initial: int | None = solve_of(start.options["file"])(start, judge)
    return initial


if __name__ == "__main__":
    serve(solve, ["prefero", "numpy", "scipy"])
