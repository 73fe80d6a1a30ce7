"""Buckets that fill with time."""

import pytest

from prefero.web import limits
from prefero.web.limits import Rate
from prefero.web.refusals import Refusal


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def spend(rate: Rate, key: str, times: int) -> int:
    """How many of so many may come."""
    refused = []
    for _ in range(times):
        try:
            rate.spend(key)
        except Refusal as refusal:
            refused.append(refusal)
    assert {refusal.status for refusal in refused} <= {429}
    return times - len(refused)


def test_a_bucket_holds_so_many_and_fills_with_time():
    clock = Clock()
    rate = Rate(2.0, 5, clock)
    assert spend(rate, "a", 9) == 5
    assert spend(rate, "b", 9) == 5
    clock.now += 1.0
    assert spend(rate, "a", 9) == 2
    clock.now += 1000.0
    assert spend(rate, "a", 9) == 5


def test_the_wait_that_is_told_is_enough():
    clock = Clock()
    rate = Rate(0.3, 1, clock)
    rate.spend("a")
    with pytest.raises(Refusal) as caught:
        rate.spend("a")
    clock.now += int(caught.value.headers["Retry-After"])
    rate.spend("a")


def test_only_so_many_buckets_are_kept(monkeypatch):
    monkeypatch.setattr(limits, "REMEMBERED", 3)
    rate = Rate(1.0, 1, Clock())
    for key in "abcdef":
        rate.spend(key)
    assert len(rate._buckets) == 3
