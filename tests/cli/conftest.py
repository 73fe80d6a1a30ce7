"""The command line as a person or a script meets it: a directory of its own, commands, what they print and how they end."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from prefero import cli

COFFEE = """\
name = "coffee"
question = "Which cup is better?"
comparisons = 12
seed = 1

[variables.dose]
lower = 12
upper = 22
unit = "g"

[variables.degrees]
kind = "integer"
lower = 85
upper = 98

[variables.milk]
levels = ["none", "oat"]
"""


@dataclass
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """What it printed, read as JSON."""
        return json.loads(self.out)

    def fine(self) -> "Ended":
        """It went well."""
        assert (self.code, self.err) == (0, ""), self
        return self

    def refused(self, *words: str, code: int = 2) -> "Ended":
        """It complained in one line that holds these words, and printed nothing else."""
        assert self.code == code, self
        assert self.err.startswith("prefero: ")
        assert self.err.endswith("\n")
        assert self.err.count("\n") == 1, self.err
        assert [word for word in words if word not in self.err] == [], self.err
        return self


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """A directory to work in, where nobody has set anything."""
    for name in ("PREFERO_STORAGE", "PREFERO_STUDY", "PREFERO_JUDGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def prefero(here, monkeypatch, capsys) -> Callable[..., Ended]:
    """Run a command in this process."""

    def ran(*arguments: object, stdin: str = "") -> Ended:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        capsys.readouterr()
        code = cli.run([str(argument) for argument in arguments])
        return Ended(code, *capsys.readouterr())

    return ran


@pytest.fixture
def program(here) -> Callable[..., Ended]:
    """Run a command as a process of its own."""

    def ran(
        *arguments: object, stdin: str = "", code: str = "from prefero.cli import main; main()", **environ: str
    ) -> Ended:
        command = [sys.executable, "-c", code, *map(str, arguments)]
        environment = os.environ | {"PYTHONIOENCODING": "utf-8"} | environ
        ended = subprocess.run(command, input=stdin, capture_output=True, text=True, encoding="utf-8", env=environment)
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    return ran


@pytest.fixture
def coffee(here, prefero) -> Path:
    """A study of three variables, and the file that it was made from."""
    file = here / "coffee.toml"
    file.write_text(COFFEE, encoding="utf-8")
    prefero("new", file).fine()
    return file


@pytest.fixture
def answered(coffee, prefero):
    """Four answers: a, b, same, and a skip."""
    for words in (("answer", "a"), ("answer", "b"), ("answer", "same"), ("skip",)):
        prefero("ask").fine()
        prefero(*words).fine()
