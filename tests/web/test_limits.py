"""Buckets that fill with time."""

import pytest

from prefero.web import limits
from prefero.web.limits import InFlight, Rate
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


def test_bytes_are_counted_for_each_client_and_in_all():
    in_flight = InFlight(100, 60)
    with in_flight.hold("ann", 50):
        with pytest.raises(Refusal) as own, in_flight.hold("ann", 20):
            pass
        with in_flight.hold("ann", 10), in_flight.hold("bob", 40):
            with pytest.raises(Refusal) as all_of_them, in_flight.hold("cid", 1):
                pass
            assert in_flight.total == 100
        assert in_flight.total == 50
    assert (own.value.status, all_of_them.value.status) == (429, 503)
    assert all("Retry-After" in caught.value.headers for caught in (own, all_of_them))
    assert in_flight.total == 0


def test_one_large_request_is_always_allowed():
    in_flight = InFlight(100, 60)
    with in_flight.hold("ann", 1000), pytest.raises(Refusal), in_flight.hold("bob", 1):
        pass
    with in_flight.hold("bob", 1):
        assert in_flight.total == 1
