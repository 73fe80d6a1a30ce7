"""Run the commands on docs/command-line.md again and write down what they print: `make transcripts`.

A block of the language "console" is a transcript: after each line that begins with "$ " comes what the command printed.
A block under a comment `<!-- file: NAME -->` is a file that the commands find. All run in one directory, made for it, in the
order of the page; times are masked.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from prefero import cli

PAGE = Path(__file__).parent / "command-line.md"
BLOCK = re.compile(
    r"(?:<!-- file: (?P<file>\S+) -->\n)?```(?P<language>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
TEXT: dict[str, Any] = {"stdout": subprocess.PIPE, "encoding": "utf-8", "check": True}
TIMES = [
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d"), "2026-01-31 12:00"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:\+00:00|Z)"), "2026-01-31T12:00:00.000+00:00"),
]


def transcribed(text: str) -> str:
    """The page with every transcript as it is now."""
    with tempfile.TemporaryDirectory() as folder:
        return BLOCK.sub(lambda block: _block(block, Path(folder)), text)


def _block(block: re.Match[str], folder: Path) -> str:
    if block["file"]:
        (folder / block["file"]).write_text(block["body"], encoding="utf-8")
    if block["language"] != "console":
        return block[0]
    commands = [line[2:] for line in block["body"].splitlines() if line.startswith("$ ")]
    shown = "".join(f"$ {command}\n{_printed(command, folder)}" for command in commands)
    return f"```console\n{shown}```"


def _printed(command: str, folder: Path) -> str:
    """What a command prints, standard error and all; of the shell's language, pipes and "; " are understood."""
    text, code = "", 0
    for part in command.split("; "):
        passed = ""
        for stage in part.split(" | "):
            words = shlex.split(stage)
            if words[0] == "prefero":
                passed, code = _prefero(words[1:], passed, folder)
            else:
                ran = subprocess.run(["sh", "-c", stage.replace("$?", str(code))], input=passed, cwd=folder, **TEXT)
                passed = ran.stdout
        text += passed
    text = "".join(f"{line.rstrip()}\n" for line in text.splitlines())
    for pattern, mask in TIMES:
        text = pattern.sub(mask, text)
    return text


def _prefero(arguments: list[str], given: str, folder: Path) -> tuple[str, int]:
    """What `prefero` prints, and its exit code: in this process, since a new one imports for a second."""
    out = io.StringIO()
    stdin, sys.stdin = sys.stdin, io.StringIO(given)
    try:
        with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = cli.run(arguments)
    finally:
        sys.stdin = stdin
    return out.getvalue(), code


if __name__ == "__main__":
    os.environ["COLUMNS"] = "80"
    PAGE.write_text(transcribed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
