"""Helper processes: replies with parts and progress, failures, time limits, replacement, and where they import from."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from prefero.web.worker_process import EndedError, WorkerError, WorkerProcess

HELPER = """
import os, subprocess, sys, time
from prefero.web.worker_process import WorkerError, serve

def prepare():
    if sys.argv[1:] == ["broken"]:
        raise WorkerError("nothing works")
    if sys.argv[1:] == ["slow"]:
        time.sleep(1)
    return handle

def handle(request, progress):
    print("this disturbs nobody")
    match request["do"]:
        case "fail":
            raise WorkerError("as told")
        case "crash":
            os._exit(7)
        case "hang":
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            progress(child.pid)
            time.sleep(600)
        case "leave":
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
            progress(child.pid)
            while True:
                sum(range(10_000))
        case "listen":
            return {"read": sys.stdin.read()}, []
    progress(0.5)
    return {"pid": os.getpid(), "path": sys.path}, [b"one\\n", b"", bytes(100_000)]

serve(prepare)
"""
LONG = 600.0


@pytest.fixture
def helper(tmp_path, monkeypatch):
    """Makes helpers of a module that is found by PYTHONPATH, as prefero is."""
    (tmp_path / "a_helper.py").write_text(HELPER, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, sys.path)]))
    made = []

    def make(*arguments):
        made.append(WorkerProcess("a_helper", *arguments))
        return made[-1]

    yield make
    for each in made:
        each.close()


def gone(pid):
    """Whether a process has ended; one that nobody waited for is still listed, as a zombie."""
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return found.stdout.strip()[:1] in ("", "Z")


def eventually(holds):
    for _ in range(600):
        if holds():
            return True
        time.sleep(0.05)
    return False


def test_a_reply_has_parts_and_progress_and_comes_from_one_process(helper):
    process, told = helper(), []
    first, parts = process.request({"do": ""}, LONG, told.append)
    assert parts == [b"one\n", b"", bytes(100_000)]
    assert told == [0.5]
    assert process.request({"do": ""}, LONG)[0]["pid"] == first["pid"] != os.getpid()


def test_a_failure_leaves_the_process_as_it_is(helper):
    process = helper()
    pid = process.request({"do": ""}, LONG)[0]["pid"]
    with pytest.raises(WorkerError, match="as told"):
        process.request({"do": "fail"}, LONG)
    assert process.request({"do": ""}, LONG)[0]["pid"] == pid


def test_a_process_that_ended_is_replaced(helper):
    process = helper()
    pid = process.request({"do": ""}, LONG)[0]["pid"]
    with pytest.raises(WorkerError, match=r"its process ended \(exit code 7\)"):
        process.request({"do": "crash"}, LONG)
    second = process.request({"do": ""}, LONG)[0]["pid"]
    assert second != pid
    os.kill(second, signal.SIGKILL)
    assert eventually(lambda: not process._process.alive)
    assert process.request({"do": ""}, LONG)[0]["pid"] != second


def test_a_process_that_takes_too_long_is_ended_and_replaced(helper):
    process = helper()
    pid = process.request({"do": ""}, LONG)[0]["pid"]
    with pytest.raises(WorkerError, match=r"it took longer than 0.1 s"):
        process.request({"do": "hang"}, 0.1)
    assert gone(pid)
    assert process.request({"do": ""}, LONG)[0]["pid"] != pid


def test_starting_is_no_part_of_a_requests_time(helper):
    process = helper("slow")
    with pytest.raises(WorkerError, match=r"it took longer than 0 s"):
        process.request({"do": "hang"}, 0.0)  # the request's own limit, not the start's
    with pytest.raises(WorkerError, match=r"it took longer than 0.01 s"):
        process.request({"do": ""}, LONG, start=0.01)


def test_a_helper_that_cannot_start_says_why_each_time(helper):
    process = helper("broken")
    for _ in range(2):
        with pytest.raises(WorkerError, match="nothing works"):
            process.request({"do": ""}, LONG)


def test_closing_ends_a_request_with_what_it_started_and_refuses_the_next(helper):
    process, told, children, begun = helper(), [], [], threading.Event()

    def progress(child):
        children.append(child)
        begun.set()

    def wait():
        with pytest.raises(WorkerError) as error:
            process.request({"do": "hang"}, LONG, progress)
        told.append(str(error.value))

    waits = threading.Thread(target=wait)
    waits.start()
    assert begun.wait(LONG)
    process.close()
    waits.join()
    assert told == [f"its process ended (exit code {-signal.SIGKILL})"]
    assert eventually(lambda: gone(children[0]))
    with pytest.raises(WorkerError, match="stopping"):
        process.request({"do": ""}, LONG)


def test_an_interrupted_request_ends_with_children_that_left_its_group_and_the_next_one_is_answered(helper):
    process, told, children, begun = helper(), [], [], threading.Event()

    def progress(child):
        children.append(child)
        begun.set()

    def wait():
        try:
            process.request({"do": "leave"}, LONG, progress)
        except EndedError as error:
            told.append(error)

    waits = threading.Thread(target=wait)
    waits.start()
    assert begun.wait(LONG)
    process.interrupt()
    waits.join()
    assert len(told) == 1
    assert eventually(lambda: gone(children[0]))
    assert process.request({"do": ""}, LONG)[0]["pid"]


SERVER = """
import sys
from prefero.web.worker_process import WorkerProcess
WorkerProcess("a_helper").request({"do": "leave"}, 600.0, lambda child: print(child, flush=True))
"""


def test_no_helper_outlives_the_server_even_while_it_computes(helper):
    helper()  # for its module
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as server:
        child = int(server.stdout.readline())
        started = subprocess.run(["ps", "-o", "ppid=", "-p", str(child)], capture_output=True, text=True, check=True)
        server.kill()
    assert eventually(lambda: gone(int(started.stdout)))
    assert eventually(lambda: gone(child))


def test_what_a_helper_reads_from_standard_input_is_no_message(helper):
    process = helper()
    assert process.request({"do": "listen"}, LONG)[0] == {"read": ""}
    assert process.request({"do": ""}, LONG)[0]["pid"]


def test_nothing_is_imported_from_the_working_directory(helper, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    reply, _ = helper().request({"do": ""}, LONG)
    assert str(tmp_path / "elsewhere") not in reply["path"]
    assert "" not in reply["path"]


@pytest.mark.parametrize("module", ["prefero.web.results", "prefero.web.rendering.worker"])
def test_a_library_planted_in_the_working_directory_is_not_imported(module, tmp_path, monkeypatch):
    served = tmp_path / "served"
    served.mkdir()
    (served / "beside.py").write_text("x = 3\n", encoding="utf-8")
    (served / "tuning.py").write_text(
        textwrap.dedent(
            """
            import beside
            import prefero as pf
            space = pf.Space({"x": pf.Real(0, 9)})
            def render(candidate):
                return {"beside": beside.x}
            """
        ),
        encoding="utf-8",
    )
    planted = tmp_path / "planted"
    planted.mkdir()
    for name in ("scipy", "numpy", "json"):
        (planted / f"{name}.py").write_text("raise SystemExit('planted')\n", encoding="utf-8")
    monkeypatch.chdir(planted)
    process = WorkerProcess(module, str(served / "tuning.py"))
    try:
        if module == "prefero.web.results":
            assert process.request({"job": "advice", "study": "{}"}, LONG)[0] == {"incomplete": True}
        else:
            assert process.request({"candidate": {"x": 1.0}}, LONG)[0]["numbers"] == {"beside": 3.0}
    finally:
        process.close()


def test_a_helper_whose_server_was_killed_ends_without_a_word(helper):
    helper()  # for the module and its path
    command = [sys.executable, "-P", "-m", "a_helper", "slow"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, start_new_session=True) as process:
        process.stdout.close()  # what the system does for a server that was killed; the other end may be noticed later
        assert process.stderr.read() == b""
        assert process.wait(LONG) == -signal.SIGKILL
