"""All commands: importing their modules registers them with the app."""

from prefero.cli import amend, answer, compare, demo, inspect, new, serve, solve, transfer
from prefero.cli.app import app

__all__ = ["amend", "answer", "app", "compare", "demo", "inspect", "new", "serve", "solve", "transfer"]
