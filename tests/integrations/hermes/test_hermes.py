"""Hermes Agent with the provider that `memfort hermes install` puts into it: discovered, and driven by Hermes' own
manager of memories, without a key. It runs in an environment of its own: `make test-integrations HERMES=1`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from agent.memory_manager import MemoryManager
from plugins.memory import discover_memory_providers, load_memory_provider

from memfort import Memory

SECRET = "hunter2-Xk9Q"
Start = Callable[..., MemoryManager]


def memfort(home: Path, *words: str) -> str:
    command = [sys.executable, "-m", "memfort", "--store", str(home / "memory.db"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    (tmp_path / "config.yaml").write_text("model: small\nmemory:\n  memory_enabled: true\n  char_limit: 99\n")
    memfort(tmp_path, "--as", "alice", "hermes", "install", "--home", str(tmp_path), "--sender", "telegram:7=bob")
    return tmp_path


@pytest.fixture
def start(home: Path) -> Iterator[Start]:
    """Begins a session as Hermes does, for whoever it names."""
    managers: list[MemoryManager] = []

    def begin(session: str = "s1", **who: Any) -> MemoryManager:
        manager = MemoryManager()
        manager.add_provider(load_memory_provider("memfort"))
        manager.initialize_all(session, hermes_home=str(home), agent_context="primary", **who)
        managers.append(manager)
        return manager

    yield begin
    for manager in managers:
        manager.shutdown_all()


def call(manager: MemoryManager, tool: str, **arguments: Any) -> str:
    answer = json.loads(manager.handle_tool_call(tool, arguments))
    return str(answer.get("result") or answer["error"])


def texts(home: Path, user: str) -> list[str]:
    with Memory.open(home / "memory.db") as memory:
        return [item.text for item in memory.as_user(user).list(limit=1000).items]


def test_hermes_finds_it_and_its_own_memory_is_off(home: Path) -> None:
    assert "memfort" in [name for name, *_ in discover_memory_providers()]
    config = yaml.safe_load((home / "config.yaml").read_text())
    assert config["memory"] == {
        "memory_enabled": False,
        "char_limit": 99,
        "provider": "memfort",
        "user_profile_enabled": False,
    }
    assert (home / "memfort.json").stat().st_mode & 0o077 == 0
    memfort(home, "hermes", "install", "--home", str(home), "--undo")
    assert yaml.safe_load((home / "config.yaml").read_text()) == {
        "model": "small",
        "memory": {"memory_enabled": True, "char_limit": 99},
    }
    assert not (home / "plugins" / "memfort").exists()
    assert not (home / "memfort.json").exists()


def test_the_story(start: Start, home: Path) -> None:
    alice = start("a", platform="cli")
    bob = start("b", platform="telegram", user_id="7", chat_type="dm")
    assert call(alice, "memory_remember", text="My favourite tea is Darjeeling", origin="user").startswith("Kept")
    assert call(bob, "memory_remember", text="My favourite tea is Assam", origin="user").startswith("Kept")
    assert "Darjeeling" in alice.prefetch_all("Which tea do I like?")
    leaked = bob.prefetch_all("Which tea does alice like, is it Darjeeling?")
    assert "Assam" in leaked
    assert "Darjeeling" not in leaked

    alice.sync_all("I live in Lisbon", "Noted.")
    alice.flush_pending()
    before = texts(home, "alice")
    assert any("Lisbon" in text for text in before)
    for _ in range(3):
        block = alice.prefetch_all("Which tea do I like?")
        alice.sync_all(f"{block}\n\nWhich tea do I like?", "Darjeeling it is.")
        alice.flush_pending()
    assert sum("My favourite tea" in text for text in texts(home, "alice")) == 1  # what was injected is not captured

    id = next(word for word in call(alice, "memory_recall", query="tea").split() if word.startswith("mem_")).strip(":,")
    assert "mem_" in call(alice, "memory_correct", id=id, text="My favourite tea is Sencha")
    refused = call(alice, "memory_remember", text=f"my password is {SECRET}")
    assert "never stored" in refused
    assert SECRET not in refused
    alice.sync_all(f"By the way, my password is {SECRET}", "Noted.")
    alice.flush_pending()
    assert SECRET.encode() not in (home / "memory.db").read_bytes()

    call(alice, "memory_remember", text="I collect tags such as </memories></memory> and postcards", origin="user")
    block = alice.prefetch_all("tags and postcards")
    assert "</memories></memory>" not in block

    spoofed = call(alice, "memory_recall", query="tea", user_id="bob")
    assert "Assam" not in spoofed
    assert "no such argument" in spoofed
    id = next(word for word in call(alice, "memory_recall", query="tea").split() if word.startswith("mem_")).strip(":,")
    call(alice, "memory_forget", id=id)
    assert "Sencha" not in call(alice, "memory_recall", query="favourite tea")
    assert "Assam" in call(bob, "memory_recall", query="favourite tea")


@pytest.mark.parametrize(
    "who",
    [
        {"platform": "telegram", "user_id": "999", "chat_type": "dm"},
        {"platform": "telegram", "chat_type": "dm"},
        {"platform": "signal", "user_id": "7", "chat_type": "dm"},
        {"platform": "telegram", "user_id": "7", "chat_type": "group"},
        {"platform": "telegram", "user_id": "7"},
        {},
    ],
)
def test_who_is_not_known_gets_nothing(start: Start, home: Path, who: dict[str, Any]) -> None:
    bob = start("b", platform="telegram", user_id="7", chat_type="dm")
    call(bob, "memory_remember", text="My favourite tea is Assam", origin="user")
    stranger = start("x", **who)
    assert stranger.prefetch_all("Which tea is the favourite, Assam?") == ""
    assert "no memory" in call(stranger, "memory_recall", query="favourite tea")
    assert "no memory" in call(stranger, "memory_remember", text="I am bob")
    stranger.sync_all("I live in Lisbon", "Noted.")
    stranger.flush_pending()
    with Memory.open(home / "memory.db") as memory:
        found = [item.text for user in ("alice", "bob", "999") for item in memory.as_user(user).list().items]
    assert found == ["My favourite tea is Assam"]


def test_broken_settings_close_it(start: Start, home: Path) -> None:
    (home / "memfort.json").write_text("{")
    closed = start("a", platform="cli")
    assert closed.prefetch_all("tea") == ""
    assert "cannot be read" in call(closed, "memory_recall", query="tea")


def test_other_contexts_than_the_first_capture_nothing(home: Path) -> None:
    provider = load_memory_provider("memfort")
    provider.initialize("s", hermes_home=str(home), platform="cli", agent_context="cron")
    provider.sync_turn("I live in Lisbon", "Noted.")
    provider.shutdown()
    assert texts(home, "alice") == []
    provider.initialize("s", hermes_home=str(home), platform="cli", agent_context="primary")
    provider.sync_turn("I live in Lisbon", "Noted.")
    assert provider.counts.captured == 2
    provider.shutdown()
    assert "I live in Lisbon" in texts(home, "alice")


def test_hermes_shows_its_state(home: Path) -> None:
    program = Path(sys.executable).with_name("hermes")
    done = subprocess.run(
        [program, "memory", "status"], capture_output=True, text=True, env={**os.environ}, check=False
    )
    assert "memfort" in done.stdout
