"""The container recipes: what they name exists, and their command runs as a user without rights. No engine builds them here."""

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
import typer
import yaml

import prefero as pf
from prefero.cli.commands import app

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
COMMANDS = typer.main.get_command(app).commands
WAIT = 120


def instructions():
    """The instructions of the Containerfile: their name, and the rest of the line."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Containerfile").read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [tuple(line.split(maxsplit=1)) for line in lines]


STEPS = instructions()
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))


def last(name):
    return [rest for step, rest in STEPS if step == name][-1]


def environment():
    return dict(word.split("=", 1) for word in shlex.split(last("ENV")))


def test_the_containerfile_has_known_instructions_and_two_stages():
    known = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"}
    assert {step for step, _ in STEPS} == known
    images = [rest.split()[0] for step, rest in STEPS if step == "FROM"]
    assert images == ["docker.io/library/python:3.12-slim"] * 2
    low = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert tuple(map(int, low.split("."))) <= (3, 12)


def test_what_it_copies_exists_and_is_sent_to_the_engine():
    copied = [word for step, rest in STEPS if step == "COPY" and "--from" not in rest for word in rest.split()[:-1]]
    assert {"src", "pyproject.toml", "requirements.lock", "LICENSE"} <= set(copied)
    assert all((ROOT / name).exists() for name in copied)
    ignored = (ROOT / ".containerignore").read_text(encoding="utf-8")
    assert ignored == (ROOT / ".dockerignore").read_text(encoding="utf-8")
    assert {line[1:] for line in ignored.splitlines() if line.startswith("!")} == set(copied)
    needed = {PROJECT["project"]["readme"], *PROJECT["project"]["license-files"]}  # the build reads them
    assert needed <= set(copied)


def test_the_lock_has_what_the_service_and_the_database_need():
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert all(
        re.search(rf"^{name}==", lock, re.MULTILINE) for name in ("starlette", "uvicorn", "sqlalchemy", "psycopg")
    )


def test_it_runs_without_root_and_keeps_its_data_in_a_volume():
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", last("USER"))
    steps = [step for step, _ in STEPS]
    assert steps.index("USER") < steps.index("ENTRYPOINT")
    assert last("VOLUME") == last("WORKDIR") == environment()["HOME"] == "/data"
    assert environment()["PREFERO_STORAGE"].startswith("sqlite:////data/")
    assert f"--owner {last('USER').split(':')[0]}" in " ".join(rest for step, rest in STEPS if step == "RUN")


def options_exist(words):
    """The words are a command of ours and options of it."""
    command = COMMANDS[words[0]]
    known = {option for parameter in command.params for option in parameter.opts}
    return {word for word in words[1:] if word.startswith("--")} <= known


def test_the_commands_and_variables_exist():
    assert json.loads(last("ENTRYPOINT")) == ["prefero"]
    assert "prefero" in PROJECT["project"]["scripts"]
    assert options_exist(json.loads(last("CMD")))
    variables = {name for command in COMMANDS.values() for p in command.params for name in [p.envvar] if name}
    given = set(environment()) | {name for each in COMPOSE["services"].values() for name in each["environment"]}
    assert {name for name in given if name.startswith("PREFERO_")} <= variables


def test_compose_starts_several_servers_on_one_database():
    services = COMPOSE["services"]
    ours = {name: each for name, each in services.items() if name != "db"}
    assert set(ours) == {"first", "second", "worker"}
    assert all(options_exist(each["command"]) for each in ours.values() if "command" in each)
    storages = {each["environment"]["PREFERO_STORAGE"] for each in ours.values()}
    assert len(storages) == 1
    database = services["db"]["environment"]
    user, name, secret = (database[f"POSTGRES_{part}"] for part in ("USER", "DB", "PASSWORD"))
    assert storages == {f"postgresql://{user}:{secret}@db:5432/{name}"}
    for each in ours.values():
        assert (ROOT / each["build"]["dockerfile"]).exists()
        assert each["read_only"]
        assert each["cap_drop"] == ["ALL"]
        assert all(needed in services for needed in each["depends_on"])
    ports = [port for each in services.values() for port in each.get("ports", [])]
    assert all(port.startswith("127.0.0.1:") and port.endswith(f":{last('EXPOSE')}") for port in ports)
    assert len(set(ports)) == len(ports) == 2
    volumes = {volume.split(":")[0] for each in services.values() for volume in each.get("volumes", [])}
    assert volumes == set(COMPOSE["volumes"])


# The command runs ------------------------------------------------------------------------------------------------------

UNPRIVILEGED = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
# Python may be installed where only root reads. This capability lets the user read everything, and write nothing more.
UNPRIVILEGED += ["--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search"]


def without_rights():
    """How to run a command as a user without rights; such a user needs nothing."""
    if os.geteuid() != 0:
        return []
    assert shutil.which("setpriv"), "this test needs util-linux's setpriv if root runs it"
    return UNPRIVILEGED


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextmanager
def running(storage, home, port):
    """The image's command on another port, as the image's environment and user have it."""
    command = [str(port) if word == last("EXPOSE") else word for word in json.loads(last("CMD"))]
    own = {name: value for name, value in environment().items() if name != "PATH"}
    own |= {"HOME": str(home), "PREFERO_STORAGE": storage, "MPLCONFIGDIR": str(home / "matplotlib")}
    with (Path(home) / "log").open("wb") as log:
        program = [*without_rights(), sys.executable, "-m", "prefero", *command]
        process = subprocess.Popen(program, cwd=home, env={"PATH": os.environ["PATH"]} | own, stdout=log, stderr=log)
        try:
            yield process
        finally:
            process.terminate()
            process.wait(WAIT)


def healthy(port, process, home):
    """Wait until the image's own health check passes."""
    check = json.loads(last("HEALTHCHECK").partition("CMD ")[2])
    assert check[0] == "python"
    probe = [sys.executable, *check[1:2], check[2].replace(last("EXPOSE"), str(port))]
    end = time.monotonic() + WAIT
    while subprocess.run(probe, capture_output=True).returncode:
        assert process.poll() is None, (home / "log").read_text()
        assert time.monotonic() < end, (home / "log").read_text()
        time.sleep(0.3)


@pytest.fixture
def home():
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() == 0:
            os.chown(folder, 65534, 65534)
        yield Path(folder)


def test_the_command_runs_without_rights_until_its_health_check_passes(home):
    port = free_port()
    with running(f"sqlite:///{home}/prefero.db", home, port) as process:
        healthy(port, process, home)
        if os.geteuid() == 0:
            assert os.stat(f"/proc/{process.pid}").st_uid == 65534
        # The port outside may be another one: a browser names that one.
        with urlopen(Request(f"http://127.0.0.1:{port}/healthz", headers={"Host": "localhost:8478"})) as reply:
            assert json.load(reply)["status"] == "ok"
    assert re.search(r"/enter\?token=prefero_", (home / "log").read_text())
    assert (home / "prefero.db").exists()
    assert pf.studies(str(home / "prefero.db")) == []
