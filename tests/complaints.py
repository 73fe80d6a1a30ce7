"""How a mistake must be reported: one error of ours, its argument named, and the study as it was."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import prefero as pf


@contextmanager
def complaint(
    kind: type[pf.PreferoError], *words: str, unchanged: pf.Study | None = None
) -> Iterator[pytest.ExceptionInfo]:
    """The block raises exactly this kind of error, its message holds the words, and the study did not change."""
    before = None if unchanged is None else (unchanged.to_json(), unchanged.best, unchanged.waiting)
    with pytest.raises(pf.PreferoError) as caught:
        yield caught
    assert caught.type is kind
    message = str(caught.value)
    missing = [word for word in words if word not in message]
    assert not missing, f"{missing} not in {message!r}"
    assert "\n" not in message
    if unchanged is not None:
        assert (unchanged.to_json(), unchanged.best, unchanged.waiting) == before
