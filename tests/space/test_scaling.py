"""An integer of very many values costs no more than one of a few."""

import tracemalloc

import pytest

import prefero as pf


@pytest.mark.parametrize("high", [10**8, 10**15])
@pytest.mark.parametrize("constrained", [False, True])
def test_a_wide_integer_is_never_written_out(high, constrained):
    constraints = [lambda candidate: candidate["n"] - high / 2] if constrained else []
    tracemalloc.start()
    try:
        study = pf.Study(pf.Space({"n": pf.Integer(0, high)}, constraints), seed=0)
        study.tell(study.ask(), "a")
        study.ask()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100e6
