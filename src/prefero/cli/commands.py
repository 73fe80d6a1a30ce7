"""All commands: importing their modules registers them with the app, in the order in which the help lists them."""

from prefero.cli import new, compare, answer, rate, hint, solve, inspect, review, amend, transfer, upkeep  # noqa: I001 (the order of the help)
from prefero.cli import serve, worker, mcp, demo
from prefero.cli.app import app

__all__ = [
    "amend",
    "answer",
    "app",
    "compare",
    "demo",
    "hint",
    "inspect",
    "mcp",
    "new",
    "rate",
    "review",
    "serve",
    "solve",
    "transfer",
    "upkeep",
    "worker",
]
