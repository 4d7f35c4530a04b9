"""The command line, run for real: in this process, on stores in a temporary folder, with a home of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from memfort.surfaces.cli.root import root

SECRET = "AKIAQ3EGRVFJ7WKPZT5M"  # shaped like an AWS key id, but made up

# An import of one record: a row of seed 000.
ROWS = [{"user_id": "alice", "kind": "preference", "content": "Alice reads about volcanoes", "scope_type": "global"}]


@dataclass(frozen=True)
class Answer:
    """What came back from one run."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Shell:
    """A folder to stand in, an environment, and a way to run `memfort` there."""

    folder: Path
    env: dict[str, str]
    ids: dict[str, str] = field(default_factory=dict)

    def __call__(self, *args: str, stdin: str | bytes = "", env: dict[str, str] | None = None) -> Answer:
        result = CliRunner().invoke(root, list(args), input=stdin, env=env)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Answer(result.exit_code, result.stdout, result.stderr)

    def ok(self, *args: str, stdin: str | bytes = "", env: dict[str, str] | None = None) -> Answer:
        answer = self(*args, stdin=stdin, env=env)
        assert answer.code == 0, answer
        return answer

    def json(self, *args: str, stdin: str | bytes = "") -> Any:
        """The document of a run that went well."""
        return self.ok("--json", *args, stdin=stdin).json

    def kept(self, actor: str, text: str, *options: str) -> str:
        """Remember a text and give its id."""
        return str(self.json("--as", actor, "remember", *options, "--", text)["item"]["id"])

    def modules(self, *args: str) -> set[str]:
        """What a run in a process of its own has imported by its end."""
        script = (
            "import atexit, sys\nfrom memfort.surfaces.cli import main\n"
            "atexit.register(lambda: print('', *sys.modules, file=sys.stderr))\nmain()"
        )
        command = [sys.executable, "-c", script, *args]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
        assert done.returncode == 0, done
        return set(done.stderr.splitlines()[-1].split())

    def process(self, *args: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run it as a process of its own."""
        command = [sys.executable, "-m", "memfort", *args]
        return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, **options)

    @property
    def store(self) -> Path:
        return self.folder / "store" / "memory.db"


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A shell in an empty folder, which uses the store of that folder and nothing of the real home."""
    return _shell(tmp_path, monkeypatch)


def _shell(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    for name in [name for name in os.environ if name.startswith("MEMFORT_")]:
        monkeypatch.delenv(name)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    home = folder / "home"
    for directory in (home, folder / "store", folder / "work"):
        directory.mkdir(exist_ok=True, mode=0o700)
    settings = {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "MEMFORT_STORE": str(folder / "store" / "memory.db"),
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(folder / "work")
    return Shell(folder, dict(os.environ))


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A store with something of everything in it, made once."""
    folder = tmp_path_factory.mktemp("furnished")
    with pytest.MonkeyPatch.context() as monkeypatch:
        cli = _shell(folder, monkeypatch)
        ids = {
            "memory": cli.kept("alice", "Alice prefers green tea"),
            "old": cli.kept("alice", "the launch is in May"),
            "pending": cli.kept("alice", "call me at +49 170 1234567"),
            "bob": cli.kept("bob", "Bob prefers black tea"),
        }
        cli.ok("--as", "alice", "correct", ids["old"], "the launch is in June")
        ids["share"] = cli.json("--as", "alice", "share", "--with-user", "carol")["id"]
        gone = cli.kept("alice", "a passing remark")
        ids["receipt"] = cli.json("--as", "alice", "erase", gone, "--yes")["id"]
        (folder / "export.jsonl").write_text(cli.ok("--as", "bob", "export").out)
        (folder / "rows.json").write_text(json.dumps(ROWS))
        (folder / "chat.jsonl").write_text('"I prefer green tea"\n{"role": "assistant", "content": "Noted."}\n')
        ids["source"] = cli.json("--as", "alice", "import", str(folder / "rows.json"))["source"]
        ids["trace"] = cli.json("--as", "alice", "recall", "tea")["trace"]
        cli.ok("--as", "carol", "phase", "start", "a new start")
        cli.ok("agent", "register", "helper", "--owner", "alice")
        ids["key"] = cli.json("keys", "create", "--user", "alice")["key"]["id"]
        cli.ok("chat", "register", "lunch", "--kind", "group", "--participant", "alice", "--participant", "bob")
        cli.ok("member", "add", "project=apollo", "--user", "alice", "--trust", "owner")
        sarah = cli.json("--as", "alice", "people", "add", "Sarah", "--relation", "wife", "--listed")
        ids["person"] = sarah["id"]
        ids["twin"] = cli.json("--as", "alice", "people", "add", "Sally", "--listed")["id"]
        (folder / "anchors.json").write_text(cli.ok("trail", "checkpoint", "--json").out)
        cli.ok("store", "backup", str(folder / "whole.backup"), "--with-key")
    return folder, ids


@pytest.fixture
def world(furnished: tuple[Path, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The furnished store, in a copy of one's own."""
    folder, ids = furnished
    cli = _shell(tmp_path, monkeypatch)
    # The ballast is four megabytes of nothing, and is made again at once.
    shutil.copytree(
        folder / "store", tmp_path / "store", dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.ballast")
    )
    for name in ("export.jsonl", "rows.json", "anchors.json", "chat.jsonl", "whole.backup"):
        shutil.copy(folder / name, tmp_path / name)
    (tmp_path / "policy.toml").write_text('name = "own"\n')
    cli.ids = ids
    return cli
