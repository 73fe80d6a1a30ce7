"""Small problems to try prefero on.

terminal    to be read in a terminal: something to look at, and somebody whose taste stands in for a person's
pages       to be seen and heard on the page: each is a file that `prefero serve` takes, to be copied and changed
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from prefero.cli.demos.terminal import DEMOS, Demo

__all__ = ["DEMOS", "PAGES", "Demo", "Page"]


@dataclass(frozen=True)
class Page:
    """A demo on the page: a file, and what it is about."""

    name: str
    title: str

    @property
    def source(self) -> str:
        """What is in the file."""
        return files(f"{__name__}.pages").joinpath(f"{self.name}.py").read_text(encoding="utf-8")

    @property
    def path(self) -> Path:
        """Where the file is; a package in an archive is no place to run from."""
        with as_file(files(f"{__name__}.pages").joinpath(f"{self.name}.py")) as path:
            return path


PAGES = {
    page.name: page
    for page in (
        Page("picture", "A picture of mountains, by a generator with five knobs"),
        Page("controller", "A PID controller, judged by its step responses"),
        Page("sound", "A bell of a small synthesiser, by ear"),
        Page("pareto", "A heating for a house: cost, emissions or comfort"),
        Page("classifier", "A classifier of photographs, by which mistakes it makes"),
    )
}
