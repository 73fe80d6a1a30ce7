"""Rendering on a real Dask cluster, of one worker."""

import os

import distributed
import pytest

from prefero.errors import InputError
from prefero.web import served_file
from prefero.web.rendering.renderers import Failure
from prefero.web.rendering.tuning import read

FILE = """
import os
import prefero as pf

space = pf.Space({"x": pf.Real(0, 9)})

def render(candidate):
    if candidate["x"] == 1:
        raise ValueError("x is 1")
    return {"text": f"x is {candidate['x']:g}", "process": os.getpid()}
"""


@pytest.fixture
def tuning(tmp_path):
    path = tmp_path / "tuning.py"
    path.write_text(FILE, encoding="utf-8")
    return read(path)


@pytest.mark.filterwarnings("default")  # what Dask and Tornado warn of while a cluster starts and ends is theirs
def test_a_cluster_renders(tuning):
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None)
    with cluster:
        renderer = served_file._renderer(tuning, cluster.scheduler_address)
        try:
            shown = renderer.render({"x": 5.0}, lambda _: None)
            assert shown.files == {"text": (b"x is 5", "text/markdown")}
            assert shown.numbers["process"] != os.getpid()
            assert renderer.render({"x": 1.0}, lambda _: None) == Failure(
                f"{tuning.path.name}, line 9: ValueError: x is 1"
            )
        finally:
            renderer.close()


@pytest.mark.filterwarnings("default")
def test_an_address_where_no_scheduler_is(tuning, monkeypatch):
    monkeypatch.setattr(served_file, "CONNECT_SECONDS", 1)
    with pytest.raises(InputError, match="the address of a Dask scheduler"):
        served_file._renderer(tuning, "tcp://127.0.0.1:9")


def test_without_dask_the_extra_is_named(tuning, monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr(served_file, "import_module", missing)
    with pytest.raises(served_file.PreferoError, match=r"pip install 'prefero\[dask\]'"):
        served_file._renderer(tuning, "tcp://127.0.0.1:9")
