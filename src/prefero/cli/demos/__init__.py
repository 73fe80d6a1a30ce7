"""Small examples to try prefero on.

terminal    demos that run in a terminal, with a simulated person
pages       demos that run on the page: each is a file for `prefero serve`, which you can copy and change
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from prefero.cli.demos.terminal import DEMOS, Demo

__all__ = ["DEMOS", "PAGES", "Demo", "Page"]


@dataclass(frozen=True)
class Page:
    """A demo on the page: the name of its file, and a title."""

    name: str
    title: str

    @property
    def source(self) -> str:
        """The text of the file."""
        return files(f"{__name__}.pages").joinpath(f"{self.name}.py").read_text(encoding="utf-8")

    @property
    def path(self) -> Path:
        """The path of the file, unpacked if the package is in an archive."""
        with as_file(files(f"{__name__}.pages").joinpath(f"{self.name}.py")) as path:
            return path


PAGES = {
    page.name: page
    for page in (
        Page("picture", "A picture of mountains from a generator with five parameters"),
        Page("controller", "A PID controller, judged by its step responses"),
        Page("sound", "The bell of a small synthesiser, judged by ear"),
        Page("pareto", "A heating system for a house: cost, emissions and comfort"),
        Page("classifier", "A classifier of photographs, judged by its mistakes"),
    )
}
