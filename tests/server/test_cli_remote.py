"""The command line against a server: `--store http://…`, with the key in MEMFORT_KEY."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.server.client import Service
from tests.server.running import running

from memfort.surfaces.cli.root import root


@pytest.fixture
def shell(tmp_path: Path) -> Iterator:
    service = Service(tmp_path / "memory.db")
    service.memory.member.add({"project": "apollo"}, user="alice")
    with running(service) as url:

        def run(*words: str, user: str | None = "alice", **fields):
            given = {"scopes": ("read", "write", "review", "admin"), **fields}
            key = service.memory.keys.create(user=user, **given).token if user else ""
            home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
            environment = {**home, "MEMFORT_KEY": key}
            return CliRunner().invoke(root, ["--store", url, *words], env=environment)

        yield run
    service.close()


def test_verbs_run_on_the_server(shell):
    kept = shell("remember", "I live in Berlin")
    assert kept.exit_code == 0, kept.output
    found = shell("--json", "recall", "where do I live")
    assert "I live in Berlin" in found.stdout
    id = json.loads(found.stdout)["memories"][0]["id"] if "memories" in json.loads(found.stdout) else None
    assert shell("--as", "alice", "--at", "project=apollo", "spaces").exit_code == 0
    assert "I live in Berlin" not in shell("recall", "where do I live", user="bob").output
    for words in (["list"], ["store", "info"], ["member", "list", "project=apollo"], ["policy", "show"], ["export"]):
        answer = shell(*words)
        assert answer.exit_code == 0, (words, answer.output)
    if id is not None:
        assert shell("forget", id, "--yes").exit_code == 0


def test_errors_have_their_exit_codes(shell):
    assert shell("get", "mem_" + "a" * 24).exit_code == 4
    assert shell("remember", "the token is ghp_" + "a1B2" * 9).exit_code == 3
    assert shell("--as", "bob", "spaces").exit_code == 3
    missing = shell("spaces", user=None)
    assert missing.exit_code == 2
    assert "MEMFORT_KEY" in missing.output


@pytest.mark.parametrize("words", [["doctor"], ["serve"]])
def test_commands_that_work_on_files_say_so(shell, words):
    answer = shell(*words)
    assert answer.exit_code == 2
    assert "server" in answer.output
