"""Sequences and mappings that are values: adding leaves what was there as it was, whoever adds."""

import pickle
from threading import Barrier, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefero.study.growing import GrowingDict, GrowingList

KEYS = st.integers(0, 5)


@given(steps=st.lists(st.tuples(st.integers(0, 20), KEYS)))
def test_a_list_grows_from_any_of_its_values(steps):
    grown, plain = [GrowingList("ab")], [list("ab")]
    for which, entry in steps:
        k = which % len(grown)
        grown.append(grown[k].plus(entry))
        plain.append([*plain[k], entry])
    for value, same in zip(grown, plain, strict=True):
        assert list(value) == same
        assert list(reversed(value)) == same[::-1]
        assert (len(value), value[-1], value[0], value[1:-1]) == (len(same), same[-1], same[0], same[1:-1])


@given(steps=st.lists(st.tuples(st.integers(0, 20), KEYS, st.integers(0, 9) | st.none())))
def test_a_mapping_grows_from_any_of_its_values(steps):
    grown, plain = [GrowingDict()], [{}]
    for which, key, value in steps:  # None takes the key away
        k = which % len(grown)
        grown.append(grown[k].minus(key) if value is None else grown[k].plus(key, value))
        without = {other: said for other, said in plain[k].items() if other != key}
        plain.append(without if value is None else plain[k] | {key: value})
    for mapping, same in zip(grown, plain, strict=True):
        assert list(mapping.items()) == list(same.items())
        assert list(reversed(mapping)) == list(reversed(same))
        assert len(mapping) == len(same)
        assert [mapping.get(key) for key in range(6)] == [same.get(key) for key in range(6)]
        assert [key in mapping for key in range(6)] == [key in same for key in range(6)]


def test_beyond_the_end_is_nothing():
    short = GrowingList("a")
    short.plus("b")
    with pytest.raises(IndexError):
        short[1]
    mapping = GrowingDict()
    mapping.plus("b", 1)
    with pytest.raises(KeyError):
        mapping["b"]


def test_the_entries_are_shared_by_the_value_that_has_all_of_them():
    first = GrowingList("a")
    assert first.plus("b")._entries is first._entries
    assert first.plus("c")._entries is not first._entries


def test_they_can_be_pickled():
    assert list(pickle.loads(pickle.dumps(GrowingList("ab").plus("c")))) == ["a", "b", "c"]
    assert dict(pickle.loads(pickle.dumps(GrowingDict({"a": 1}.items()).plus("b", 2)))) == {"a": 1, "b": 2}


def test_threads_that_add_to_one_value_do_not_mix():
    base, start, grown = GrowingList(range(100)), Barrier(8), {}

    def add(name: int) -> None:
        start.wait()
        value = base
        for k in range(200):
            value = value.plus((name, k))
        grown[name] = value

    threads = [Thread(target=add, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name, value in grown.items():
        assert list(value) == [*range(100), *((name, k) for k in range(200))]
