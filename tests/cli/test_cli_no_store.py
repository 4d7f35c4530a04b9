"""A store that is not there: only what puts something in makes one. A mistyped path is not an empty memory."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

import pytest

from .test_cli_json import RUNS

# These put something in.
MAKES_ONE = {"remember", "observe", "agent register", "chat register", "member add", "import", "policy use",
             "people add", "keys create"}  # fmt: skip
OPENS_NONE = {"config show", "config path", "policy show", "policy check", "policy diff", "policy presets",
              "policy test", "completion", "mcp install", "hooks install", "hermes install",
              "openclaw install"}  # fmt: skip
OTHERWISE_TESTED = {"demo", "doctor", "eval", "store restore", "store copy"}


def _at(cli, name: str) -> tuple[list[str], Path]:
    place = cli.folder / "typo" / "memory.db"
    (cli.folder / "policy.toml").write_text('name = "own"')
    (cli.folder / "anchors.json").write_text('{"anchors": []}')
    (cli.folder / "chat.jsonl").write_text('"I prefer green tea"')
    (cli.folder / "export.jsonl").write_text('{"memfort_export": 1, "memories": 0, "sources": 0}\n')
    ids = defaultdict(lambda: "mem_none")
    run = [part.format_map(ids) for part in RUNS[name] if part != "--dry-run"]
    return [*run, "--store", str(place)], place


@pytest.mark.parametrize("name", [one for one in RUNS if one not in OPENS_NONE | OTHERWISE_TESTED | MAKES_ONE])
def test_reading_and_destroying_make_nothing(cli, name):
    run, place = _at(cli, name)
    answer = cli(*run)
    assert answer.code == 4, answer
    assert answer.err.startswith(f"memfort: there is no store at `{place}`; check `--store`")
    assert cli("--json", *run).json["error"]["code"] == "not_found"
    assert not place.parent.exists()


@pytest.mark.parametrize("name", sorted(MAKES_ONE))
def test_a_writing_command_creates_a_store_and_says_so(cli, name):
    run, place = _at(cli, name)
    assert cli(*run).code == 2, "there is no directory for it"
    assert not place.parent.exists()
    place.parent.mkdir()
    answer = cli(*run)
    assert place.exists(), answer
    assert f"made a new store: {place}" in answer.err


def test_a_missing_store_error_names_the_origin_of_its_path(cli):
    assert "check `MEMFORT_STORE`" in cli("--as", "alice", "list").err
    assert "say where it is with `--store`" in cli("--as", "alice", "list", env={"MEMFORT_STORE": None}).err
    (cli.folder / "work" / "memfort.toml").write_text('store = "typo.db"')
    assert "memfort.toml`, or make" in cli("--as", "alice", "list", env={"MEMFORT_STORE": None}).err


@pytest.mark.parametrize("path", ["/", "/dev/null"])
def test_a_store_path_that_is_not_a_file_is_refused(cli, path):
    answer = cli("--as", "alice", "--store", path, "remember", "green tea")
    assert answer.code == 2
    assert answer.err.startswith(f"memfort: --store: `{path}` is not a file")


@pytest.mark.parametrize(
    "words",
    [
        ["remember", ""],
        ["remember", "  "],
        ["remember", "green tea", "--observed-at", "yesterday"],
        ["remember", "green tea", "--ttl", "-"],
        ["remember", "--file", os.devnull],
    ],
)
def test_an_invalid_command_creates_no_store(cli, words):
    place = cli.folder / "new.db"
    answer = cli("--as", "alice", "--store", str(place), *words)
    assert answer.code == 2, answer
    assert not place.exists()
    assert cli("--as", "alice", "--store", str(place), "remember", "green tea").code == 0
    assert place.exists()


def test_an_empty_file_is_treated_as_no_store(cli):
    place = cli.folder / "empty.db"
    place.touch()
    for words in (["recall", "tea"], ["list"], ["store", "info"]):
        assert cli("--as", "alice", "--store", str(place), *words).code == 4
    assert place.stat().st_size == 0
    assert "made a new store" in cli("--as", "alice", "--store", str(place), "remember", "green tea").err
    assert cli("--as", "alice", "--store", str(place), "recall", "tea").code == 0
