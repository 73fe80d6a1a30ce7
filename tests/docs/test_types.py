"""The README's code, the examples and a few lines more pass strict type checkers, as a user's code."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FENCED = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
TYPED = """\
import numpy as np

import prefero as pf

variables = {"gain": pf.Real(0.1, 10), "taps": pf.Integer(1, 8), "window": pf.Choice(["hann", "flat"])}
study = pf.Study(pf.Space(variables), proposer="glisp")
more: dict[str, pf.Variable] = {"gain": pf.Real(0.1, 10), "taps": pf.Integer(1, 8)}
other = pf.Study(pf.Space(more), proposer=pf.Posterior())
study.tell(study.ask(), "a")
study.tell(study.ask(), -1)
study.tell(study.ask(), np.sign(np.int64(3)))
"""
WRONG = """\
import prefero as pf

study = pf.Study(pf.Space({"gain": pf.Real(0.1, 10)}))
study.tell(study.ask(), "left")
pf.Study(study.space, proposer="glips")
pf.Space({"gain": "real"})
"""


@pytest.fixture(scope="module")
def code(tmp_path_factory) -> Path:
    """A directory with code as users write it."""
    folder = tmp_path_factory.mktemp("user")
    readme = "\n".join(FENCED.findall((ROOT / "README.md").read_text(encoding="utf-8")))
    assert "prefero" in readme
    for name, text in {"readme": readme, "typed": TYPED, "wrong": WRONG}.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    for example in (ROOT / "examples").glob("*.py"):
        (folder / example.name).write_text(example.read_text(encoding="utf-8"), encoding="utf-8")
    return folder


def errors(command: list[str], folder: Path) -> set[tuple[str, int]]:
    """Return the file and line of each error that a type checker finds."""
    environ = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    ran = subprocess.run(command, cwd=folder, env=environ, capture_output=True, encoding="utf-8")
    assert ran.returncode in (0, 1), ran.stdout + ran.stderr
    found = re.findall(r"(\w+\.py):(\d+)(?::\d+)?(?: -|:) error", ran.stdout)
    print(ran.stdout)
    return {(file, int(line)) for file, line in found}


EXPECTED = {("wrong.py", line) for line in (4, 5, 6)}


def test_users_code_passes_strict_mypy(code):
    cache = ["--cache-dir", str(ROOT / ".mypy_cache" / "users")]
    flags = ["--strict", "--allow-untyped-defs", "--allow-untyped-calls", "--ignore-missing-imports"]
    files = sorted(path.name for path in code.glob("*.py"))
    assert errors([sys.executable, "-m", "mypy", *flags, *cache, *files], code) == EXPECTED


def test_users_code_passes_pyright(code):
    settings = {"typeCheckingMode": "standard", "extraPaths": [str(ROOT / "src")], "reportMissingImports": "none"}
    (code / "pyrightconfig.json").write_text(str(settings).replace("'", '"'), encoding="utf-8")
    command = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable]
    assert errors(command, code) == EXPECTED
