"""What the official client of the agents' protocol hears."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from mcp import Client


def conversation(server, calls):
    """The tools that `server` (one in this process, or a command) lists, and its reply to each call (name, arguments)."""

    async def talk():
        async with Client(server) as client:
            tools = (await client.list_tools()).tools
            return tools, [await client.call_tool(name, arguments) for name, arguments in calls]

    with ThreadPoolExecutor(1) as elsewhere:  # a browser test in this process keeps a loop running in its thread
        return elsewhere.submit(asyncio.run, talk()).result()
