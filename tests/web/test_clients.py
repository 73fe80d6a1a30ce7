"""The clients of the examples: run against a server, where the machine can; of the others, every address is looked up."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from prefero.web.operation import PREFIX
from prefero.web.routes import OPERATIONS
from tests.web.conftest import XY
from tests.web.test_server import fetch, serving

CLIENTS = Path(__file__).parents[2] / "examples" / "clients"
COMMANDS = {"client.py": [sys.executable], "client.sh": ["bash"]}


@pytest.mark.parametrize("client", sorted(COMMANDS))
def test_a_client_takes_part_with_plain_http(tmp_path, client):
    missing = [program for program in ("bash", "curl", "awk", "sed") if shutil.which(program) is None]
    if client.endswith(".sh") and missing:
        pytest.skip(f"this machine has no {missing[0]}")
    with serving(tmp_path) as (port, token, _):
        fetch(port, token, "/api/v1/studies", {"name": "bench", "variables": XY, "seed": 3, "comparisons": 8})
        command = [*COMMANDS[client], str(CLIENTS / client), f"http://127.0.0.1:{port}", token, "bench", "8"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout.splitlines()[-1]) == fetch(port, token, "/api/v1/studies/bench/result")["best"]
        history = fetch(port, token, "/api/v1/studies/bench/history")["history"]
        assert len(history) == 8
        for entry in history:
            a, b = (sum((value - 0.3) ** 2 for value in entry[side].values()) for side in "ab")
            assert entry["answer"] == ("a" if a < b else "b")
        wrong = subprocess.run(
            [*command[:-3], "prefero_wrong", *command[-2:]], capture_output=True, text=True, timeout=60
        )
        assert wrong.returncode != 0


@pytest.mark.parametrize("client", ["client.py", "client.sh", "client.m"])
def test_every_address_of_a_client_is_a_route(client):
    text = (CLIENTS / client).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 40
    assert f"{PREFIX}/studies/" in text
    paths = {operation.path for operation in OPERATIONS}
    for last in ("question", "answers", "result"):
        assert re.search(rf"\b{last}\b", text)
        assert f"/studies/{{study}}/{last}" in paths
    for word in ("answer_id", "step", "Bearer"):
        assert word in text
