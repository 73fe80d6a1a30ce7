"""The page about the command line: every command and option is on it, and every transcript is what the commands print."""

import importlib.util
import re
from pathlib import Path

import pytest
import typer

from prefero.cli.commands import app

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "command-line.md").read_text(encoding="utf-8")
COMMANDS = typer.main.get_command(app).commands
RUN = set(re.findall(r"^\$ .*?\bprefero (\w+)", PAGE, re.MULTILINE))
WITHOUT_END = {"serve", "worker", "mcp"}


def transcripts():
    spec = importlib.util.spec_from_file_location("transcripts", DOCS / "transcripts.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_command_is_on_the_page_and_was_run():
    assert len(COMMANDS) > 20
    assert set(COMMANDS) - RUN == WITHOUT_END
    assert all(f"\nprefero {name} " in PAGE for name in WITHOUT_END)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_option_of_a_command_is_on_the_page(name):
    options = {option for parameter in COMMANDS[name].params for option in parameter.opts if option.startswith("--")}
    assert options
    assert {option for option in options if not re.search(rf"{option}\b", PAGE)} == set()


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_help_of_a_command_says_what_it_does_and_gives_examples(name):
    command = COMMANDS[name]
    assert command.help.strip()
    lines = command.epilog.split("\n\n")
    assert lines[0] == "Examples:"
    assert any(f"prefero {name}" in line for line in lines[1:])
    assert all(parameter.help for parameter in command.params)


def test_every_transcript_is_what_the_commands_print(monkeypatch):
    for name in ("PREFERO_STORAGE", "PREFERO_STUDY", "PREFERO_JUDGE", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    assert transcripts().transcribed(PAGE) == PAGE
