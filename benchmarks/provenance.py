"""Where a result comes from: the machine and the commit, written into every row of raw results."""

import os
import platform
import subprocess
from functools import cache
from pathlib import Path
from shutil import which

ROOT = Path(__file__).parents[1]
UNKNOWN = "unknown"


@cache
def machine() -> str:
    """The processor, its cores and the operating system, as "Xeon E5, 2 cores, Linux"."""
    return f"{_processor()}, {os.cpu_count()} cores, {platform.system()}"


@cache
def commit() -> str:
    """The commit that is checked out; "unknown" outside a checkout."""
    return _git("rev-parse", "--short=10", "HEAD")


@cache
def dirty() -> bool:
    """Whether files differ from the commit, or there is none; asked once, before the first run."""
    return bool(_git("status", "--porcelain", "--untracked-files=no"))


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run([which("git") or "git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN
    return done.stdout.strip()
