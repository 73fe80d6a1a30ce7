"""`prefero serve` hands over to the service, and names what is missing where it cannot."""

from types import SimpleNamespace

import pytest

from prefero.cli import serving


@pytest.fixture
def service(monkeypatch):
    """A service that only notes how it was started."""
    started = {}

    def run(storage, host, port, *, announce, **more):
        started.update(storage=storage, host=host, port=port, **more)
        announce("http://127.0.0.1:8477/enter?token=secret")

    def imported(name):
        assert name == "prefero.web.server"
        return SimpleNamespace(run=run)

    monkeypatch.setattr(serving, "importlib", SimpleNamespace(import_module=imported))
    return started


def test_it_hands_over_what_it_was_given_and_shows_the_link_once(prefero, service):
    out = prefero("serve").fine().out
    assert out.count("token=secret") == 1
    assert service == {
        "storage": "sqlite:///prefero.db", "host": "127.0.0.1", "port": 8477, "allow_other_addresses": False,
        "allow_hosts": (), "https": False, "processes": 1,
    }  # fmt: skip


def test_everything_can_be_said_otherwise(prefero, service):
    options = ["--host", "10.0.0.5", "--port", 80, "--allow-other-addresses", "--allow-host", "a", "--allow-host", "b"]
    options += ["--https", "--processes", 4, "--storage", "postgresql://db/x", "--json"]
    assert prefero("serve", *options).fine().data == {"link": "http://127.0.0.1:8477/enter?token=secret"}
    assert service == {
        "storage": "postgresql://db/x", "host": "10.0.0.5", "port": 80, "allow_other_addresses": True,
        "allow_hosts": ("a", "b"), "https": True, "processes": 4,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("missing", "words"), [("uvicorn", "pip install 'prefero[ui]'"), ("prefero.web", "no service")]
)
def test_what_is_missing_is_named(prefero, monkeypatch, missing, words):
    def imported(_):
        raise ModuleNotFoundError(name=missing)

    monkeypatch.setattr(serving, "importlib", SimpleNamespace(import_module=imported))
    prefero("serve").refused(words)
