"""A virtual environment for each peer under `.peers/`, made when first needed, with every version pinned."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / ".peers"
REQUIREMENTS = Path(__file__).resolve().parent / "peers"
TORCH = "torch=="  # installed first and alone: together with others pip may choose a build of several gigabytes


def python_of(environment: str) -> Path:
    """The interpreter of this peer's environment, which is created if it is missing or its pins have changed."""
    folder = PEERS / environment
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    pins = (REQUIREMENTS / f"{environment}.txt").read_text()
    stamp = folder / "installed.txt"
    if not (stamp.exists() and stamp.read_text() == pins):
        _create(environment, folder, python, pins)
        stamp.write_text(pins)
    return python


def requirement_groups(pins: str) -> list[list[str]]:
    """The pins in the order in which they are installed: torch alone, then the rest together."""
    lines = [line.split("#")[0].strip() for line in pins.splitlines()]
    wanted = [line for line in lines if line]
    first = [line for line in wanted if line.startswith(TORCH)]
    return [group for group in (first, [line for line in wanted if line not in first]) if group]


def _create(environment: str, folder: Path, python: Path, pins: str) -> None:
    groups = requirement_groups(pins)
    steps = [[sys.executable, "-m", "venv", "--clear", str(folder)]]
    steps += [
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *group] for group in groups
    ]
    for number, step in enumerate(steps, start=1):
        what = "creating it" if number == 1 else f"installing {', '.join(groups[number - 2][:3])} ..."
        print(f"environment of {environment}, step {number} of {len(steps)}: {what}", file=sys.stderr, flush=True)
        outcome = subprocess.run(step, capture_output=True, text=True, check=False)
        if outcome.returncode != 0:
            tail = "\n".join(outcome.stderr.strip().splitlines()[-5:])
            raise OSError(f"the environment of {environment} could not be made:\n{tail}")
