"""Every command, gathered: importing the groups registers them, in the order the help lists them."""

from prefero.cli import amend, answer, compare, demo, inspect, new, serve, solve, transfer
from prefero.cli.app import app

__all__ = ["amend", "answer", "app", "compare", "demo", "inspect", "new", "serve", "solve", "transfer"]
