import pytest

import prefero


def test_all_is_sorted_and_complete():
    names = [name for name in prefero.__all__ if not name.startswith("_")]
    assert names == sorted(names)
    assert all(hasattr(prefero, name) for name in prefero.__all__)
    assert set(prefero.__all__) <= set(dir(prefero))
    with pytest.raises(AttributeError, match="no attribute 'Stduy'"):
        _ = prefero.Stduy
