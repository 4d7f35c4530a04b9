"""Checks of `memfort mcp` as an assistant's host would use it: start it, speak to it, call a tool."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from memfort.errors import InvalidInput
from memfort.model.results import CheckResult
from memfort.model.value import count_noun

_SECONDS = 30.0
_SLOW_SECONDS = 10.0  # hosts give up after 30 to 60


def check_mcp(command: list[str]) -> list[CheckResult]:
    """What is wrong with it, as far as a client can see."""
    try:
        import mcp  # noqa: F401
    except ImportError as error:
        raise InvalidInput("mcp", "MCP is not installed", "run `pip install memfort[server]`") from error
    try:
        return asyncio.run(asyncio.wait_for(_try(command), _SECONDS))
    except BaseException as error:  # of any kind, also of a group: the answer says what a host would see
        if isinstance(error, KeyboardInterrupt):
            raise
        remedy = "run the same command in a terminal, and read what it says"
        return [CheckResult("mcp", "no answer", (f"`{' '.join(command)}` does not answer",), remedy=remedy)]


async def _try(command: list[str]) -> list[CheckResult]:
    from mcp import Client, StdioServerParameters

    checks = []
    for era in ("auto", "legacy"):
        begun = time.perf_counter()
        program: Any = StdioServerParameters(command=command[0], args=command[1:])
        async with Client(program, mode=era) as client:
            tools = (await client.list_tools()).tools
            taken = time.perf_counter() - begun
            answer = await client.call_tool("recall", {"query": "memory"})
            version = str(client.protocol_version)
        checks.append(_check(f"mcp {version}", len(tools), taken, is_error=bool(answer.is_error)))
    return checks


def _check(name: str, tools: int, taken: float, *, is_error: bool) -> CheckResult:
    found = f"{count_noun(tools, 'tool')}, ready after {taken:.1f} s"
    if is_error:
        return CheckResult(name, found, ("a recall failed",), remedy="run `memfort doctor`")
    notes = ("a host may give up waiting",) if taken > _SLOW_SECONDS else ()
    return CheckResult(name, found, notes=notes)
