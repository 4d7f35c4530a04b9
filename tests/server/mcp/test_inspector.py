"""The command line of the official Inspector, in strict mode, in both eras, over stdio and HTTP."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.server.client import Service
from tests.server.mcp.assistant import PROGRAM
from tests.server.mcp.node import run_node
from tests.server.running import running

from memfort import Memory

eras = pytest.mark.parametrize("era", ["legacy", "modern"])


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("inspector") / "memory.db"
    with Memory.open(path) as memory:
        memory.as_user("alice").remember("I live in Berlin")
    return path


def inspect(store: Path, era: str, *words: str) -> str:
    command = ["--cli", PROGRAM, "--store", str(store), "mcp", "--as", "alice"]
    done = run_node("mcp-inspector", *command, "--protocol-era", era, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@eras
def test_the_schemas_are_portable(store, era):
    listed = json.loads(inspect(store, era, "--method", "tools/list", "--strict", "--format", "json"))
    assert len(listed["result"]["tools"]) == 9


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("tools/call", "--tool-name", "recall", "--tool-arg", "query=where do I live"), "I live in Berlin"),
        (("resources/read", "--uri", "memfort://spaces"), "user=alice"),
        (("prompts/get", "--prompt-name", "recall", "--prompt-args", "topic=Berlin"), "I live in Berlin"),
    ],
    ids=["tool", "resource", "prompt"],
)
def test_it_calls_reads_and_fills(store, words, expected):
    assert expected in inspect(store, "modern", "--method", *words)


def test_it_lists_over_http_with_a_key(tmp_path):
    service = Service(tmp_path / "memory.db")
    key = service.memory.keys.create(user="alice", scopes=["read"]).token
    with running(service) as url:
        words = [
            "--cli",
            f"{url}/mcp",
            "--transport",
            "http",
            "--stored-auth-only",
            "--method",
            "tools/list",
            "--strict",
        ]
        done = run_node("mcp-inspector", *words, "--header", f"Authorization: Bearer {key}")
        refused = run_node("mcp-inspector", *words, "--header", "Authorization: Bearer wrong")
    service.close()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "list_memories" in done.stdout
    assert "remember" not in json.dumps([tool["name"] for tool in json.loads(done.stdout)["tools"]])
    assert refused.returncode != 0
