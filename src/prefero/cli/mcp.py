"""`prefero mcp`: studies for agents that speak the Model Context Protocol; it needs the extra `mcp`."""

from __future__ import annotations

from typing import Annotated

import typer

from prefero.cli.app import STORAGE, JudgeOption, StorageOption, StudyArgument, command


@command(
    "mcp",
    "More",
    "prefero mcp",
    "prefero mcp espresso --role judge --as model",
    "prefero mcp espresso --role viewer",
)
def mcp(
    study: StudyArgument = None,
    role: Annotated[
        str, typer.Option("--role", metavar="ROLE", help="What the agent may do: owner, judge or viewer.")
    ] = "owner",
    judge: JudgeOption = "",
    storage: StorageOption = STORAGE,
) -> None:
    """Let an agent, such as a language model, work with studies: an MCP server on standard input and output.

    With a study's name, the agent may use that study only. A judge needs one, and a name by --as.
    """
    from prefero.errors import PreferoError
    from prefero.storage import open_storage

    try:
        from prefero.web.agents.desk import Desk
        from prefero.web.agents.tools import server_of
    except ModuleNotFoundError as error:
        raise PreferoError(f"the MCP server needs {error.name}: pip install 'prefero[mcp]'") from None
    opened, _ = open_storage(storage, create=role == "owner" and study is None)
    try:
        server_of(Desk(opened, role, study, judge)).run()
    finally:
        opened.close()
