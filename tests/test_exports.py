import pytest

import prefero


def test_all_is_sorted_and_complete():
    names = [name for name in prefero.__all__ if not name.startswith("_")]
    assert names == sorted(names)
    assert all(hasattr(prefero, name) for name in prefero.__all__)
    assert set(prefero.__all__) <= set(dir(prefero))
    with pytest.raises(AttributeError, match="no attribute 'Stduy'"):
        _ = prefero.Stduy


def test_dir_holds_what_is_public_and_nothing_else():
    public = {name for name in dir(prefero) if not name.startswith("_")}
    assert {"InputError", "plots", "exchange", "errors"} <= public
    assert not {"Any", "TYPE_CHECKING", "import_module"} & public
    assert all(getattr(prefero, name) is not None for name in public)
