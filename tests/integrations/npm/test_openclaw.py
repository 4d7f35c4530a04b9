"""OpenClaw with the plugin that `memfort openclaw install` puts into it: whole turns of an agent with a scripted model
on loopback. `make test-integrations NPM=1` installs OpenClaw; a turn takes about half a minute."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.npm.scripted_model import Script, scripted_model
from tests.server import processes

from memfort import Memory

PACKAGES = Path(os.environ.get("MEMFORT_TEST_NPM", ""))
PLUGIN = Path(__file__).parents[3] / "src/memfort/integrations/openclaw"
SECRET = "hunter2-Xk9Q"
UNGOVERNED = {"memory_search", "memory_get"}


class OpenClaw:
    """OpenClaw with a home of its own, a server of Memfort, and a model that follows a script."""

    def __init__(self, home: Path, address: str, script: Script) -> None:
        self.home, self.address, self.script = home, address, script
        self.store = home / "memory.db"
        self._environment = {"HOME": str(home), "PATH": os.environ["PATH"], "OPENCLAW_HOME": str(home), "NO_COLOR": "1"}

    def run(self, *words: str) -> str:
        program = str(PACKAGES / "node_modules/.bin/openclaw")
        return self._done([program, *words])

    def install(self, *words: str) -> str:
        program = str((PACKAGES / "node_modules/.bin/openclaw").absolute())
        memfort = [sys.executable, "-m", "memfort", "--store", str(self.store), "--as", "alice", "openclaw", "install"]
        return self._done([*memfort, "--program", program, *words])

    def say(self, text: str) -> None:
        self.run("agent", "--local", "--agent", "main", "--message", text, "--json")

    def texts(self, user: str = "alice") -> list[str]:
        with Memory.open(self.store) as memory:
            return [item.text for item in memory.as_user(user).list(limit=1000).items]

    def _done(self, command: list[str]) -> str:
        done = subprocess.run(
            command, capture_output=True, text=True, env=self._environment, cwd=self.home, timeout=300, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout


@pytest.fixture
def openclaw(tmp_path: Path) -> Iterator[OpenClaw]:
    store, key = tmp_path / "memory.db", tmp_path / "key"
    with Memory.open(store) as memory:
        memory.agent.register("openclaw", owner="alice")
        key.write_text(memory.keys.create(agent="openclaw", scopes=["read", "write", "act_for"]).token)
    with processes.served(store) as (_, port, _log), scripted_model() as script:
        found = OpenClaw(tmp_path, f"http://127.0.0.1:{port}", script)
        provider = {"baseUrl": script.address, "api": "openai-completions", "apiKey": "none"}
        settings = {
            "models.providers.fake": {**provider, "models": [{"id": "m", "name": "m"}]},
            "agents.defaults.model.primary": "fake/m",
            "tools.toolSearch": False,
        }
        for name, value in settings.items():
            found.run("config", "set", name, json.dumps(value), "--strict-json")
        found.install("--server", found.address, "--key-file", str(key))
        yield found


def test_whole_turns_of_an_agent(openclaw: OpenClaw) -> None:
    script = openclaw.script
    with Memory.open(openclaw.store) as memory:
        memory.as_user("bob").remember("My favourite tea is Assam")
    inspected = json.loads(_json_of(openclaw.run("plugins", "inspect", "memfort", "--runtime", "--json")))
    assert "memfort_recall" in json.dumps(inspected)

    script.to_call = [
        ("memfort_remember", {"text": "My favourite tea is Darjeeling", "origin": "user"}),
        ("memfort_remember", {"text": f"my password is {SECRET}"}),
        ("memfort_recall", {"query": "favourite tea"}),
    ]
    openclaw.say("My favourite tea is Darjeeling. I live in Lisbon.")
    offered = {tool["function"]["name"] for tool in script.asked[0]["tools"]}
    assert {"memfort_recall", "memfort_remember", "memfort_correct", "memfort_forget"} <= offered
    assert not offered & UNGOVERNED
    assert "Kept as mem_" in script.read_of_tools
    assert "never stored" in script.read_of_tools
    assert "Darjeeling" in script.read_of_tools
    assert "Assam" not in script.read_of_tools
    assert "I live in Lisbon" in " ".join(openclaw.texts())

    about_tea = sum("Darjeeling" in text for text in openclaw.texts())
    openclaw.say("Which tea do I like? Is it Assam or Darjeeling?")
    assert "What follows was remembered." in script.prompt
    assert "My favourite tea is Darjeeling" in script.prompt
    assert "My favourite tea is Assam" not in script.prompt
    assert sum("My favourite tea is Darjeeling" in text for text in openclaw.texts()) <= about_tea  # not captured again
    assert SECRET.encode() not in openclaw.store.read_bytes()

    openclaw.install("--undo")
    openclaw.say("Which tea do I like?")
    assert "What follows was remembered." not in script.prompt


def test_who_speaks() -> None:
    script = Path(__file__).with_name("openclaw_identity.test.mjs")
    environment = {**os.environ, "MEMFORT_IDENTITY": str(PLUGIN / "identity.js")}
    done = subprocess.run(["node", "--test", str(script)], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stdout
    assert "pass 5" in done.stdout


def _json_of(text: str) -> Any:
    return text[text.index("{") : text.rindex("}") + 1]
