"""`memfort mcp` as a host starts it, and the commands around it."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from tests.server.client import Service
from tests.server.mcp.assistant import ERAS, PROGRAM, over_stdio, text_of
from tests.server.running import running

from memfort import Memory

ROOT = Path(__file__).parents[3]
eras = pytest.mark.parametrize("era", ERAS)


def run(*words: str, home: Path, given: str = "", code: int = 0) -> subprocess.CompletedProcess[str]:
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "XDG_CONFIG_HOME": str(home / ".config")}
    done = subprocess.run(
        [PROGRAM, *words], input=given, capture_output=True, text=True, cwd=home, env=environment, check=False
    )
    assert done.returncode == code, done.stderr
    return done


async def remember_and_recall(client: Client) -> tuple[set[str], str]:
    await client.call_tool("remember", {"text": "I live in Berlin", "origin": "user"})
    names = {tool.name for tool in (await client.list_tools()).tools}
    return names, text_of(await client.call_tool("recall", {"query": "where do I live"}))


@eras
def test_a_host_starts_it_for_one_user_at_one_place(tmp_path, era):
    store = tmp_path / "memory.db"
    names, said = over_stdio(store, "--as", "alice", "--at", "project=apollo", talk=remember_and_recall, era=era)
    assert len(names) == 9
    assert '"I live in Berlin"' in said
    with Memory.open(store) as memory:
        assert memory.as_user("alice").recall("Berlin").hits
        assert not memory.as_user("bob").recall("Berlin").hits
        events = [one["event"] for one in memory.as_system().trail.export() if "event" in one]
    assert {one["surface"] for one in events if one["action"] == "remember"} == {"mcp"}


def test_the_line_of_the_readme_works(tmp_path):
    """`claude mcp add memfort -- COMMAND` makes a host start COMMAND; the SDK's client stands in for that host."""
    line = re.search(r"^claude mcp add memfort -- (.+)$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert line is not None
    program, verb, *words = shlex.split(line[1], comments=True)
    assert (program, verb) == ("memfort", "mcp")
    _, said = over_stdio(tmp_path / "memory.db", *words, talk=remember_and_recall)
    assert "Berlin" in said


def test_tools_can_be_left_to_reading(tmp_path):
    async def talk(client: Client) -> set[str]:
        return {tool.name for tool in (await client.list_tools()).tools}

    reading = {"recall", "context", "list_memories", "explain", "search", "fetch"}
    assert over_stdio(tmp_path / "memory.db", "--as", "alice", "--tools", "read", talk=talk) == reading
    assert over_stdio(tmp_path / "memory.db", "--as", "alice", "--read-only", talk=talk) == reading
    writing = {"remember", "correct", "forget"}
    assert over_stdio(tmp_path / "memory.db", "--as", "alice", "--tools", "write", talk=talk) == writing


@pytest.mark.parametrize(
    ("words", "field"),
    [([], "as"), (["--as", "system"], "as"), (["--as", "alice", "--tools", "admin"], "tools")],
    ids=str,
)
def test_it_does_not_start_without_a_proper_caller(tmp_path, words, field):
    refused = run("mcp", *words, "--json", home=tmp_path, code=2)
    assert json.loads(refused.stdout)["error"]["field"] == field


def test_what_is_sent_is_never_logged(tmp_path):
    """Broken messages get an answer, and leave none of their words in the log."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    call = {"name": "recall", "arguments": {"query": ["walrus"], "limit": "walrus"}}
    messages: list[Any] = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": ["walrus"]}},
        {"jsonrpc": "2.0", "id": 3, "method": "walrus", "params": {"walrus": 1}},
        {"jsonrpc": "2.0", "id": 4, "method": "resources/read", "params": {"uri": {"walrus": 1}}},
        ["walrus"],
    ]
    given = "".join(json.dumps(one) + "\n" for one in messages) + '{"walrus\n'
    done = run("--store", str(tmp_path / "memory.db"), "mcp", "--as", "alice", home=tmp_path, given=given)
    answered = {one.get("id") for one in map(json.loads, done.stdout.splitlines())}
    assert 0 in answered  # what is under way when the input ends may go unanswered
    assert "walrus" not in done.stderr


def test_a_store_behind_a_server_works_too(tmp_path):
    service = Service(tmp_path / "memory.db")
    key = service.memory.keys.create(user="alice", scopes=["read", "write"]).token

    async def talk() -> tuple[set[str], str]:
        with running(service) as url:
            words = ["--store", url, "mcp"]
            program = StdioServerParameters(command=PROGRAM, args=words, env={"MEMFORT_KEY": key})
            async with Client(program) as client:
                return await remember_and_recall(client)

    names, said = asyncio.run(talk())
    assert '"I live in Berlin"' in said
    assert len(names) == 9
    assert service.memory.as_user("alice").recall("Berlin").hits
    service.close()


# -- hosts ------------------------------------------------------------------------------------------------------------

FILES = {
    "claude-code": (".claude.json", ".mcp.json"),
    "claude-desktop": (".config/Claude/claude_desktop_config.json", None),
    "cursor": (".cursor/mcp.json", ".cursor/mcp.json"),
    "vscode": (".config/Code/User/mcp.json", ".vscode/mcp.json"),
    "codex": (".codex/config.toml", ".codex/config.toml"),
    "gemini": (".gemini/settings.json", ".gemini/settings.json"),
}


def before(client: str) -> str:
    if client == "codex":
        return '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "other"\n'
    key = "servers" if client == "vscode" else "mcpServers"
    return (
        json.dumps({"mine": [1, {"ä": None}], key: {"other": {"command": "other"}}}, indent=2, ensure_ascii=False)
        + "\n"
    )


@pytest.mark.parametrize("client", FILES)
def test_install_keeps_what_is_there_and_can_be_undone(tmp_path, client):
    path = tmp_path / FILES[client][0]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(before(client))
    words = ["--as", "alice", "--at", "project=apollo", "--store", str(tmp_path / "memory.db")]
    run("mcp", "install", "--client", client, *words, home=tmp_path)
    made = path.read_text()
    again = run("mcp", "install", "--client", client, *words, "--json", home=tmp_path)
    assert json.loads(again.stdout)["changed"] is False
    printed = run("mcp", "install", "--client", client, *words, "--print", home=tmp_path).stdout
    assert '"--as"' in printed
    assert "other" in made
    command = command_of(client, made)
    assert command == [PROGRAM, "mcp", *words]
    if client == "codex":  # one is started as its program would
        names, said = over_stdio_of(command)
        assert len(names) == 9
        assert "Berlin" in said
    run("mcp", "install", "--client", client, "--undo", home=tmp_path)
    assert path.read_text() == before(client)


def command_of(client: str, text: str) -> list[str]:
    """The command as the program itself would read it."""
    if client == "codex":
        import tomllib

        entry = tomllib.loads(text)["mcp_servers"]["memfort"]
    else:
        entry = json.loads(text)["servers" if client == "vscode" else "mcpServers"]["memfort"]
    return [entry["command"], *entry["args"]]


def over_stdio_of(command: list[str]) -> Any:
    program, verb, *words = command
    assert (program, verb) == (PROGRAM, "mcp")
    store = words[words.index("--store") + 1]
    return over_stdio(Path(store), *words, talk=remember_and_recall)


@pytest.mark.parametrize("client", FILES)
def test_install_for_a_project(tmp_path, client):
    place = FILES[client][1]
    words = ["mcp", "install", "--client", client, "--as", "alice", "--scope", "project", "--json"]
    done = run(*words, home=tmp_path, code=0 if place else 2)
    if place:
        assert json.loads(done.stdout) == {"file": str(tmp_path / place), "changed": True}
        assert (tmp_path / place).is_file()


def test_a_file_that_is_not_plain_json_is_left_alone(tmp_path):
    path = tmp_path / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text('{ // mine\n "a": 1 }\n')
    refused = run("mcp", "install", "--client", "gemini", "--as", "alice", home=tmp_path, code=2)
    assert "--print" in refused.stderr
    assert path.read_text() == '{ // mine\n "a": 1 }\n'


def said(role: str, content: Any, **more: Any) -> dict[str, Any]:
    """A line of a transcript."""
    return {"type": role, "message": {"role": role, "content": content}, **more}


def test_hooks_of_claude_code_recall_and_observe(tmp_path):
    path = tmp_path / ".claude" / "settings.json"
    path.parent.mkdir()
    mine = {"model": "x", "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "echo hi"}]}]}}
    path.write_text(json.dumps(mine, indent=2) + "\n")
    store = ["--store", str(tmp_path / "memory.db")]
    run("hooks", "install", "claude-code", "--as", "alice", *store, home=tmp_path)
    run("hooks", "install", "claude-code", "--as", "alice", *store, home=tmp_path)  # once is enough
    hooks = json.loads(path.read_text())["hooks"]
    assert len(hooks["SessionStart"]) == 2
    commands = {event: shlex.split(groups[-1]["hooks"][0]["command"]) for event, groups in hooks.items()}
    transcript = tmp_path / "transcript.jsonl"
    entries = [
        said("user", "I prefer window seats.", uuid="u1", timestamp="2026-01-01T10:00:00.000Z"),
        said("assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Noted."}], uuid="u2"),
        said("user", "I prefer aisle seats.", uuid="u3", isMeta=True),
        said("user", [{"type": "tool_result", "content": "I own a yacht."}], uuid="u4"),
        {"type": "summary", "summary": "I have a boat."},
    ]
    transcript.write_text("".join(json.dumps(one) + "\n" for one in entries) + '{"half')
    given = json.dumps({"session_id": "s1", "transcript_path": str(transcript), "hook_event_name": "SessionEnd"})
    for _ in range(2):  # the same session may end twice
        run(*commands["SessionEnd"][1:], home=tmp_path, given=given)
    briefing = run(*commands["SessionStart"][1:], home=tmp_path, given=json.dumps({"source": "startup"})).stdout
    assert briefing.startswith("<memories>\n")
    assert briefing.count("window seats") == 1
    assert not {"aisle", "yacht", "boat"} & set(re.findall(r"\w+", briefing))
    run("hooks", "install", "claude-code", "--undo", home=tmp_path)
    assert json.loads(path.read_text()) == mine


def test_a_session_without_a_store_begins_with_nothing(tmp_path):
    done = run("hooks", "session-start", "--as", "alice", home=tmp_path, given="{}")
    assert done.stdout == ""
    assert not list(tmp_path.glob("**/*.db"))


def test_doctor_tries_it_as_a_client_would(tmp_path):
    store = ["--store", str(tmp_path / "memory.db"), "--as", "alice"]
    done = json.loads(run("doctor", "--mcp", *store, "--json", home=tmp_path).stdout)
    assert done["ok"] is True
    assert [check["check"] for check in done["checks"]] == ["mcp 2026-07-28", "mcp 2025-11-25"]
    (tmp_path / "broken.db").write_bytes(b"no store" * 1000)
    broken = ["--store", str(tmp_path / "broken.db"), "--as", "alice"]
    done = json.loads(run("doctor", "--mcp", *broken, "--json", home=tmp_path, code=1).stdout)
    assert done["ok"] is False
