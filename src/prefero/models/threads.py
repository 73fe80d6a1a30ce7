"""One BLAS thread while prefero computes.

The matrices are small: on a busy machine, threads of one product mostly wait for each other. Their number
belongs to the whole process with most libraries. The last computation to end therefore restores what it was when the first one
began: what a later one finds may be our own limit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import Lock, local
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_lock = Lock()
_here = local()  # .limits: those of this thread while it computes
_running = 0  # threads that compute
_controller: Any = None
_before: Any = None  # the limits when the first of them began


def one_thread(compute: Callable[P, R]) -> Callable[P, R]:
    """Return the same function, which runs with one BLAS thread; calls may nest and overlap."""

    @wraps(compute)
    def limited(*args: P.args, **kwargs: P.kwargs) -> R:
        if getattr(_here, "limits", None) is not None:
            return compute(*args, **kwargs)
        _here.limits = _enter()
        try:
            return compute(*args, **kwargs)
        finally:
            _leave(_here.limits)
            _here.limits = None

    return limited


def _enter() -> Any:
    global _running, _controller, _before
    with _lock:
        if _controller is None:  # looks for the loaded libraries once, so both have to be loaded: NumPy's and SciPy's
            import scipy.linalg  # noqa: F401
            from threadpoolctl import ThreadpoolController

            _controller = ThreadpoolController()
        limits = _controller.limit(limits=1, user_api="blas")
        if not _running:
            _before = limits
        _running += 1
        return limits


def _leave(limits: Any) -> None:
    global _running
    with _lock:
        _running -= 1
        # Leaving as a context does also lets other threads set limits, unlike restore_original_limits.
        limits.__exit__(None, None, None)
        if not _running and _before is not limits:
            _before.__exit__(None, None, None)
