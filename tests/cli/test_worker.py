"""`prefero worker` fills pools and renders for the servers of a database, until it is told to stop."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import prefero as pf
from prefero.storage import open_storage
from prefero.study.pool import CROWD, moment

TUNING = """
import prefero as pf

space = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)})

def render(candidate):
    return f"<p>{candidate['x']:.3f}</p>"
"""


@contextmanager
def working(*arguments):
    """A worker in a process of its own; it must end well when it is told to stop."""
    command = [sys.executable, "-c", "from prefero.cli import main; main()", "worker", *map(str, arguments)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONIOENCODING": "utf-8"}
    ) as running:
        try:
            assert running.stdout.readline().startswith("Working for sqlite:///")
            yield
            running.send_signal(signal.SIGTERM)
            assert running.wait(120) == 0
        finally:
            running.kill()


def eventually(look):
    until = time.monotonic() + 120
    while not (found := look()):
        assert time.monotonic() < until, "it did not happen in two minutes"
        time.sleep(0.1)
    return found


def test_it_proposes_ahead_for_a_crowd(here):
    storage, _ = open_storage("sqlite:///tuning.db")
    with storage:
        pf.Study.create(pf.Space.box([0, 0], [1, 1]), name="line 3", storage=storage, seed=0)
        with working("sqlite:///tuning.db"):
            for k in range(CROWD):
                storage.arrive("line 3", f"judge {k}", moment(), moment(-60))
            handed = eventually(lambda: storage.hand_out("line 3", "judge 0", moment(), "1.2.3"))
            assert handed.record.event.known == 1  # the record that made the study


def test_with_a_file_it_renders_what_waits(here):
    (here / "tuning.py").write_text(TUNING, encoding="utf-8")
    with working("tuning.py"):
        study = eventually(lambda: next((s for s in pf.studies("prefero.db") if s.name == "tuning"), None))
        with pf.Study.open(study.name, "prefero.db") as opened:
            question = opened.ask()
            eventually(lambda: opened.refresh() and opened.log.measured(question.a))


def test_what_it_cannot_work_for_is_one_line(prefero, here):
    prefero("worker", "sqlite:///nowhere.db").refused("nowhere.db")
    prefero("worker", "mysql://db/x").refused("mysql")
    prefero("worker", "nowhere.py").refused("nowhere.py: No such file")
    (here / "plain.py").write_text(TUNING.replace("render", "paint"), encoding="utf-8")
    prefero("worker", "plain.py").refused("plain.py", "render(candidate)")
