"""The ways to a verb: the library, async, HTTP, the command line and MCP. Each takes the fields of a request and gives
back what the caller is told. To add one: a function, and a row in `SURFACES`."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from tests.entry_points.attempts import Fields
from tests.entry_points.scene import PROJECT, Scene, Write

from memfort import AsyncMemory, FixedClock, MemfortError, Memory
from memfort.model.people.access_key import KeyScope
from memfort.model.value import plain
from memfort.operations.table import TABLE, Cli, Http, Mcp, NotOnCli, Operation
from memfort.store.memory import MemoryStore
from memfort.store.sqlite import SqliteStore
from memfort.surfaces.cli.root import root
from memfort.surfaces.mcp.standing import Standing
from memfort.surfaces.mcp.tools import offered_tools

Send = Callable[[Scene, Write, Operation, Fields], str]


@contextmanager
def told() -> Iterator[list[str]]:
    """The answer, or the error with its reason."""
    said: list[str] = []
    try:
        yield said
    except MemfortError as error:
        said.append(f"{type(error).__name__} {getattr(error, 'reason', '')} {error}")


def in_python(scene: Scene, write: Write, row: Operation, fields: Fields) -> str:
    with told() as said:
        said.append(json.dumps(plain(scene.caller(write).run(row, fields)), default=str))
    return said[0]


def in_async_python(scene: Scene, write: Write, row: Operation, fields: Fields) -> str:
    async def run() -> Any:
        memory = AsyncMemory(scene.memory, threads=1)
        if write.by_agent:
            bound = await memory.as_agent("bot", acting_for="alice", **PROJECT)
        else:
            bound = memory.as_user("alice", **PROJECT)
        group = getattr(bound, row.group) if row.group else bound
        positional = [fields.pop(name) for name in ("ids",) if name in fields]
        return await getattr(group, row.method)(*(positional[0] if positional else ()), **fields)

    with told() as said:
        said.append(json.dumps(plain(asyncio.run(run())), default=str))
    return said[0]


def over_http(scene: Scene, write: Write, row: Operation, fields: Fields) -> str:
    return ask_http(scene, write, row.path, fields)


def ask_http(scene: Scene, write: Write, path: str, body: Mapping[str, Any]) -> str:
    from tests.server.client import Client

    from memfort.surfaces.http.app import make_app
    from memfort.surfaces.http.server import Server
    from memfort.surfaces.http.settings import ServerSettings

    scopes = ("read", "write", "review")
    if write.by_agent:
        key = scene.memory.keys.create(agent="bot", scopes=(*scopes, "act_for"))
    else:
        key = scene.memory.keys.create(user="alice", scopes=scopes)
    sent = {
        name: base64.b64encode(value).decode() if isinstance(value, bytes) else value for name, value in body.items()
    }
    with asyncio.Runner() as runner:
        client = Client(make_app(Server(scene.memory, ServerSettings())), key.token, runner)
        headers = {"memfort_at": "project=apollo", **({"x_requester_id": "alice"} if write.by_agent else {})}
        answer = client.at(**headers).post(path, sent)
    return answer.body.decode()


def on_the_command_line(scene: Scene, write: Write, row: Operation, fields: Fields) -> str:
    """The command, with the options that the table gives it. Long values come from a file."""
    row, fields = (TABLE["remember"], {"file": fields["memories"]}) if isinstance(row.cli, NotOnCli) else (row, fields)
    assert isinstance(row.cli, Cli)
    folder = scene.path.parent
    words: list[str] = []
    if "file" in fields:
        words += ["--file", in_a_file(folder, "\n".join(json.dumps(one) for one in fields.pop("file")).encode())]
    for name in ("data", "messages"):
        if name in fields:
            value = fields.pop(name)
            words.append(in_a_file(folder, value if isinstance(value, bytes) else json.dumps(value).encode()))
    given = [fields.pop(name) for name in row.cli.arguments if name in fields]
    for name, value in fields.items():
        flag = row.cli.flags.get(name, f"--{name.replace('_', '-')}")
        values = [f"{level}={id}" for level, id in value.items()] if isinstance(value, Mapping) else value
        for one in values if isinstance(values, list) else [values]:
            words += [flag, str(one)]
    words += ["--yes"] if row.cli.confirm else []
    texts = [text for one in given for text in (one if isinstance(one, list) else [one])]
    return run_command(scene, write, *row.command, *words, *(["--", *texts] if texts else []))


def run_command(scene: Scene, write: Write, *words: str, stdin: str = "") -> str:
    who = ["--as", "agent:bot", "--acting-for", "alice"] if write.by_agent else ["--as", "alice"]
    common = ["--store", str(scene.path), "--memberships", "registered", "--at", "project=apollo", "--json"]
    done = CliRunner().invoke(
        root, [*common, *who, *words], input=stdin, env={"MEMFORT_STORE": None, "MEMFORT_AS": None}
    )
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return f"{done.stdout} {done.stderr}"


def in_a_file(folder: Path, data: bytes) -> str:
    path = folder / "given.json"
    path.write_bytes(data)
    return str(path)


def through_mcp(scene: Scene, write: Write, row: Operation, fields: Fields) -> str:
    """The tool of the verb's name, with the fields that it takes; it has no say in where a memory goes."""
    tool = offered_tools()[row.name]
    arguments = {name: value for name, value in fields.items() if name in tool.takes}
    arguments |= {} if write.by_agent else {"origin": "user"}
    with told() as said:
        answer = tool.call(Standing(scene.caller(write), scene.memory, frozenset(KeyScope)), arguments)
        said.append(json.dumps(plain(answer), default=str))
    return said[0]


def has_tool(row: Operation) -> bool:
    return isinstance(row.on_mcp, Mcp) and row.name in row.on_mcp.tools


# By name: how it is sent, which verbs it offers, and the store that it needs.
SURFACES: dict[str, tuple[Send, Callable[[Operation], bool], Callable[[Path], Any]]] = {
    "python on the memory store": (in_python, lambda _: True, lambda _: MemoryStore()),
    "python on SQLite": (in_python, lambda _: True, lambda path: SqliteStore(path, ballast_bytes=0)),
    "async": (in_async_python, lambda _: True, lambda _: MemoryStore()),
    "http": (over_http, lambda row: isinstance(row.http, Http), lambda _: MemoryStore()),
    "command line": (on_the_command_line, lambda _: True, lambda path: SqliteStore(path, ballast_bytes=0)),
    "mcp": (through_mcp, has_tool, lambda _: MemoryStore()),
}


def open_scene(surface: str, path: Path, clock: FixedClock) -> Scene:
    """A scene on the store that the surface needs."""
    return Scene(Memory(SURFACES[surface][2](path), clock=clock, memberships="registered"), path)
