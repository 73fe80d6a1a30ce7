"""Every command, gathered: importing the groups registers them, in the order the help lists them."""

from prefero.cli import making, comparing, answering, solving, looking, amending, moving, serving, demonstrating  # noqa: I001 (the order of the help)
from prefero.cli.app import app

__all__ = [
    "amending",
    "answering",
    "app",
    "comparing",
    "demonstrating",
    "looking",
    "making",
    "moving",
    "serving",
    "solving",
]
