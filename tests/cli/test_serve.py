"""`prefero serve` hands over to the service, and names what is missing where it cannot."""

import json
import os
import signal
import subprocess
import sys
from types import SimpleNamespace
from urllib.request import Request, urlopen

import pytest

from prefero.cli import serve


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

    monkeypatch.setattr(serve, "importlib", SimpleNamespace(import_module=imported))
    return started


def test_it_hands_over_what_it_was_given_and_shows_the_link_once(prefero, service):
    out = prefero("serve").fine().out
    assert out.count("token=secret") == 1
    assert service == {
        "storage": "sqlite:///prefero.db", "host": "127.0.0.1", "port": 8477, "allow_other_addresses": False,
        "allow_hosts": (), "https": False, "proxies": (), "log": "", "log_format": "text", "processes": 1,
    }  # fmt: skip


def test_everything_can_be_said_otherwise(prefero, service):
    options = ["--host", "10.0.0.5", "--port", 80, "--allow-other-addresses", "--allow-host", "a", "--allow-host", "b"]
    options += ["--https", "--processes", 4, "--storage", "postgresql://db/x", "--json"]
    options += ["--proxy", "10.0.0.1", "--proxy", "10.1.0.0/16", "--log", "-", "--log-format", "json"]
    assert prefero("serve", *options).fine().data == {"link": "http://127.0.0.1:8477/enter?token=secret"}
    assert service == {
        "storage": "postgresql://db/x", "host": "10.0.0.5", "port": 80, "allow_other_addresses": True,
        "allow_hosts": ("a", "b"), "https": True, "proxies": ("10.0.0.1", "10.1.0.0/16"), "log": "-", "log_format": "json",
        "processes": 4,
    }  # fmt: skip


def test_a_storage_may_be_given_as_it_is(prefero, service):
    prefero("serve", "sqlite:///tuning.db").fine()
    assert service["storage"] == "sqlite:///tuning.db"
    prefero("serve", "tuning.db", "--executor", "tcp://x:1").refused("executor", "render(candidate)")
    prefero("serve", "tuning.db", "--simulate", 3).refused("simulate", "render(candidate)")


@pytest.mark.parametrize(
    ("missing", "words"), [("uvicorn", "pip install 'prefero[ui]'"), ("prefero.web", "no service")]
)
def test_what_is_missing_is_named(prefero, monkeypatch, missing, words):
    def imported(_):
        raise ModuleNotFoundError(name=missing)

    monkeypatch.setattr(serve, "importlib", SimpleNamespace(import_module=imported))
    prefero("serve").refused(words)


TUNING = """
import prefero as pf

question = "Which is rounder?"
space = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)})

def render(candidate):
    raise ValueError("no paint left")
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("space = (\n", ["tuning.py, line 1: '(' was never closed"]),
        ("import prefero\nprefero.Space(3)\n", ["tuning.py, line 2: "]),
        ("question = 'x'\n", ["tuning.py: space is missing"]),
        (TUNING + "seed = 'x'\n", ["tuning.py: seed: got 'x'"]),
        (TUNING + "proposer = 'oracle'\n", ["tuning.py: proposer: got 'oracle'"]),
    ],
)
def test_a_mistake_in_a_file_is_one_line(prefero, here, text, words):
    (here / "tuning.py").write_text(text, encoding="utf-8")
    prefero("serve", "tuning.py").refused(*words)
    prefero("serve", "nowhere.py").refused("nowhere.py: No such file")


@pytest.mark.parametrize(
    ("prefer", "words", "code"),
    [
        ("", ["prefer is missing"], 2),
        ("    return 'left'\n", ["prefer returned 'left'", "'same'"], 1),
        ("    return 1 / 0\n", ["prefer raised ZeroDivisionError"], 1),
        ("    raise SystemExit(3)\n", ["prefer ended with exit code 3"], 1),
    ],
)
def test_a_simulated_person_who_cannot_answer_is_one_line(prefero, here, prefer, words, code):
    text = TUNING.replace('raise ValueError("no paint left")', "pass")
    (here / "tuning.py").write_text(text + ("def prefer(a, b):\n" + prefer if prefer else ""), encoding="utf-8")
    prefero("serve", "tuning.py", "--simulate", 2).refused(*words, code=code)


def test_a_candidate_that_cannot_be_prepared_ends_a_simulation(program, here):
    (here / "tuning.py").write_text(TUNING + "def prefer(a, b):\n    return 'a'\n", encoding="utf-8")
    ended = program("serve", "tuning.py", "--simulate", 2)
    assert ended.code == 2
    assert ended.err.splitlines()[-1].startswith(
        "prefero: a candidate could not be prepared: tuning.py, line 8: ValueError"
    )
    assert "Traceback" not in ended.err


def test_a_file_is_served_until_it_is_told_to_stop(here):
    (here / "tuning.py").write_text(TUNING, encoding="utf-8")
    command = [sys.executable, "-c", "from prefero.cli import main; main()", "serve", "tuning.py", "--port", "0"]
    running = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    )
    try:
        runs, about, announced, link = (running.stdout.readline().strip() for _ in range(4))
        assert runs == "Running tuning.py as a Python program."
        assert about == "'tuning' of tuning.py: x, y; 0 of about 30 answers, stored in sqlite:///prefero.db."
        assert announced.startswith("Serving; press Ctrl-C to stop.")
        address, token = link.split("/enter?token=")
        with urlopen(
            Request(f"{address}/api/v1/studies/tuning", headers={"Authorization": f"Bearer {token}"})
        ) as reply:
            assert json.load(reply)["question"] == "Which is rounder?"
        warned = running.stderr.readline()
        assert warned.startswith(
            "prefero: a candidate could not be prepared: tuning.py, line 8: ValueError: no paint left"
        )
    finally:
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
    assert running.returncode == 0
    assert "Traceback" not in errors
