"""The MCP reference memory server's tools: `memfort mcp --tools graph`, asked as a host of assistants asks it. The calls
follow a script in place of a model."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

TEA = {"name": "tea", "entityType": "drink", "observations": ["the favourite is Darjeeling"]}
PASSWORD = {"entityName": "tea", "contents": ["my password is hunter2-Xk9Q"]}


async def asked(store: Path, user: str, *calls: tuple[str, dict[str, Any]]) -> None:
    words = ["-m", "memfort", "--store", str(store), "--as", user, "mcp", "--tools", "graph"]
    print(f"{user}:")
    program = StdioServerParameters(command=sys.executable, args=words)
    async with Client(stdio_client(program, errlog=sys.__stderr__)) as client:
        for tool, arguments in calls:
            result = await client.call_tool(tool, arguments)
            print("refused:" if result.is_error else f"{tool}:", result.content[0].text)


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store, search = Path(folder) / "memory.db", ("search_nodes", {"query": "favourite"})
        create, secret = ("create_entities", {"entities": [TEA]}), ("add_observations", {"observations": [PASSWORD]})
        await asked(store, "alice", create, search, secret)
        await asked(store, "bob", search)
        print("counts: one store, two graphs")


if __name__ == "__main__":
    asyncio.run(main())
