"""The protocol: a desk's functions as tools, over standard input and output."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from prefero import __version__
from prefero.errors import PreferoError
from prefero.web.agents.desk import Desk

INSTRUCTIONS = {
    "owner": "Create studies, have them answered, and look at what is best.",
    "judge": "Ask, compare the candidates, answer honestly, and ask again. Skip what you cannot judge.",
    "viewer": "Look at studies and their results. Nothing can be changed.",
}


def server_of(desk: Desk) -> MCPServer[Any]:
    """Return a server whose tools are what the desk's role may do."""
    instructions = (
        f"prefero finds the setting a judge likes best by asking which of two is better. {INSTRUCTIONS[desk.role]}"
    )
    if desk.study is not None:
        instructions += f" The study is {desk.study!r}."
    server: MCPServer[Any] = MCPServer("prefero", version=__version__, instructions=instructions, log_level="WARNING")
    for tool in desk.tools:
        server.add_tool(_told(tool))
    return server


def _told(tool: Callable[..., Any]) -> Callable[..., Any]:
    """Return a tool whose mistakes are told to the agent; any other error is logged, and the agent only hears of a failure."""

    @wraps(tool)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return tool(*args, **kwargs)
        except PreferoError as error:
            raise ToolError(str(error)) from None

    return call
