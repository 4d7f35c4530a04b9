"""`--json` everywhere: exactly one document on stdout, for every command there is, and for every error."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from memfort.surfaces.cli.reference import commands

POLICIES = Path(__file__).parents[1] / "policies"

# Every command with a run of it that goes well. A command that is not here fails the first test below.
RUNS: dict[str, list[str]] = {
    "remember": ["--as", "alice", "remember", "rivers run to the sea"],
    "recall": ["--as", "alice", "recall", "tea"],
    "get": ["--as", "alice", "get", "{memory}"],
    "list": ["--as", "alice", "list"],
    "context": ["--as", "alice", "context", "tea"],
    "about": ["--as", "alice", "about", "me"],
    "related": ["--as", "alice", "related", "{memory}"],
    "edges": ["--as", "alice", "edges", "{memory}"],
    "history": ["--as", "alice", "history", "{old}"],
    "correct": ["--as", "alice", "correct", "{memory}", "Alice prefers coffee"],
    "restore": ["--as", "alice", "restore", "{old}"],
    "used": ["--as", "alice", "used", "{memory}"],
    "observe": ["--as", "alice", "observe", "../chat.jsonl"],
    "window": ["--as", "alice", "window"],
    "promote": ["--as", "alice", "--at", "project=apollo", "promote", "{memory}", "--to", "project=apollo"],
    "phase start": ["--as", "alice", "phase", "start", "a new quarter", "--name", "Q2"],
    "phase list": ["--as", "carol", "phase", "list"],
    "phase diff": ["--as", "carol", "phase", "diff", "phase-1"],
    "review list": ["--as", "alice", "review", "list"],
    "review approve": ["--as", "alice", "review", "approve", "{pending}"],
    "review reject": ["--as", "alice", "review", "reject", "{pending}"],
    "review edit": ["--as", "alice", "review", "edit", "{pending}", "call me in the morning"],
    "forget": ["--as", "alice", "forget", "{memory}", "--yes"],
    "erase": ["--as", "alice", "erase", "{memory}", "--yes"],
    "undo": ["--as", "alice", "undo", "--author", "me", "--yes"],
    "subject export": ["--as", "alice", "subject", "export", "me", "--to", "../alice"],
    "subject erase": ["--as", "alice", "subject", "erase", "me", "--yes"],
    "verify-erasure": ["--as", "alice", "verify-erasure", "{receipt}"],
    "erasures": ["--as", "alice", "erasures"],
    "finish-erasures": ["finish-erasures"],
    "trail list": ["--as", "alice", "trail", "list"],
    "compare": ["--as", "alice", "compare", "tea", "--viewer", "bob"],
    "explain": ["--as", "alice", "explain", "{memory}", "--viewer", "bob"],
    "check": ["--as", "alice", "check", "remember", "rivers run to the sea"],
    "trace show": ["--as", "alice", "trace", "show", "{trace}"],
    "trace list": ["--as", "alice", "trace", "list"],
    "spaces": ["--as", "alice", "spaces", "--at", "project=apollo"],
    "share": ["--as", "alice", "share", "--with-user", "bob"],
    "shares": ["--as", "alice", "shares"],
    "share-changes": ["--as", "bob", "share-changes"],
    "revoke": ["--as", "alice", "revoke", "{share}"],
    "export": ["--as", "alice", "export"],
    "import": ["--as", "bob", "import", "../export.jsonl", "--dry-run"],
    "sources": ["--as", "alice", "sources"],
    "agent register": ["agent", "register", "scout", "--owner", "bob"],
    "agent get": ["agent", "get", "helper"],
    "chat register": ["chat", "register", "dinner", "--kind", "private", "--participant", "alice"],
    "chat get": ["chat", "get", "lunch"],
    "member add": ["member", "add", "project=apollo", "--user", "bob"],
    "member remove": ["member", "remove", "project=apollo", "--user", "alice"],
    "member list": ["member", "list", "project=apollo"],
    "people add": ["--as", "alice", "people", "add", "Zoe", "--alias", "Z", "--relation", "friend"],
    "people find": ["--as", "bob", "people", "find", "sarah"],
    "people get": ["--as", "bob", "people", "get", "{person}"],
    "people relations": ["--as", "bob", "people", "relations", "{person}"],
    "people update": ["--as", "alice", "people", "update", "{person}", "--name", "Sarah Smith"],
    "people alias": ["--as", "alice", "people", "alias", "{person}", "Sal"],
    "people merge": ["--as", "alice", "people", "merge", "{person}", "{twin}"],
    "people link": ["--as", "system", "people", "link", "{person}", "--user", "carol"],
    "people relate": ["--as", "alice", "people", "relate", "me", "friend", "{person}"],
    "people unrelate": ["--as", "alice", "people", "unrelate", "me", "wife", "{person}"],
    "people drop": ["--as", "alice", "people", "drop", "{twin}"],
    "people forget": ["--as", "alice", "people", "forget", "{person}", "--which", "both", "--yes"],
    "people list": ["--as", "carol", "people", "list"],
    "trail verify": ["trail", "verify", "--anchors", "../anchors.json"],
    "trail export": ["--as", "system", "trail", "export"],
    "trail checkpoint": ["trail", "checkpoint"],
    "store gc": ["store", "gc"],
    "store reindex": ["store", "reindex"],
    "store reembed": ["store", "reembed"],
    "store judge": ["store", "judge"],
    "store relearn": ["store", "relearn"],
    "extraction list": ["--as", "alice", "extraction", "list"],
    "extraction retry": ["--as", "alice", "extraction", "retry"],
    "extraction drop": ["--as", "alice", "extraction", "drop"],
    "store backup": ["store", "backup", "../memory.backup", "--with-key"],
    "store restore": ["--store", "../restored.db", "store", "restore", "../whole.backup"],
    "store copy": ["store", "copy", "../store/memory.db", "../copied.db"],
    "store info": ["store", "info"],
    "doctor": ["doctor"],
    "config show": ["config", "show"],
    "config path": ["config", "path"],
    "policy show": ["policy", "show"],
    "policy check": ["policy", "check", "../policy.toml"],
    "policy diff": ["policy", "diff", "default", "../policy.toml"],
    "policy presets": ["policy", "presets"],
    "policy test": ["policy", "test", str(POLICIES / "default.yaml")],
    "policy simulate": ["--as", "alice", "policy", "simulate", "../policy.toml"],
    "policy use": ["policy", "use", "../policy.toml", "--yes"],
    "keys create": ["keys", "create", "--user", "alice"],
    "keys list": ["keys", "list"],
    "keys rotate": ["keys", "rotate", "{key}"],
    "keys revoke": ["keys", "revoke", "{key}"],
    "mcp install": ["--as", "alice", "mcp", "install", "--client", "cursor", "--scope", "project"],
    "hooks install": ["--as", "alice", "hooks", "install", "claude-code", "--scope", "project"],
    "hermes install": ["hermes", "install", "--home", "hermes"],
    "openclaw install": ["openclaw", "install", "--print", "--key-file", "agent.key"],
    "completion": ["completion", "fish"],
    "demo": ["demo"],
    "eval": ["eval"],
}


def _leaves() -> list[str]:
    return [" ".join(path) for path, command in commands() if not isinstance(command, click.Group)]


def test_every_command_is_run_here():
    # `serve` and `studio` run until they are stopped, and another program starts the hooks: tests/server and
    # tests/studio have them. A worker needs a
    # model: test_cli_worker.py.
    elsewhere = {"serve", "studio", "worker", "hooks session-start", "hooks session-end"}
    elsewhere |= {"store create", "store upgrade", "store check"}  # of a database: tests/postgres
    assert sorted(RUNS) == sorted({*_leaves()} - elsewhere)


@pytest.mark.parametrize("name", RUNS)
def test_one_document_and_no_escapes(world, name):
    run = [part.format(**world.ids) for part in RUNS[name]]
    answer = world.ok(*(["--json", *run] if len(name) % 2 else [*run, "--json"]))
    json.loads(answer.out)
    assert "\x1b" not in answer.out + answer.err


def test_the_shared_options_may_stand_after_every_command():
    shared = {"--as", "--acting-for", "--owner", "--at", "--store", "--policy", "--memberships", "--json", "--trace"}
    for path, command in commands():
        assert shared <= {option for parameter in command.params for option in parameter.opts}, path


@pytest.mark.parametrize("name", RUNS)
def test_without_json_people_get_lines(world, name):
    answer = world.ok(*(part.format(**world.ids) for part in RUNS[name]))
    assert "\x1b" not in answer.out + answer.err
    assert not answer.out.startswith(("{\n", "[\n"))


@pytest.mark.parametrize("name", RUNS)
def test_a_wrong_option_is_one_document_too(cli, name):
    answer = cli("--json", *name.split(), "--no-such-option")
    assert answer.code == 2
    assert answer.json["error"].keys() == {"code", "message", "field", "remedy"}
    assert answer.json["error"]["code"] == "usage"


@pytest.mark.parametrize("name", [name for name, run in RUNS.items() if run[0] == "--as"])
def test_a_missing_actor_is_a_usage_error_with_a_remedy(world, name):
    answer = world("--json", *(part.format(**world.ids) for part in RUNS[name][2:]))
    assert answer.code == 2
    assert answer.json["error"]["field"] == "as"
    assert "--as" in answer.json["error"]["remedy"]


def test_version_and_missing_command_in_json(cli):
    assert cli.ok("--json", "--version").json.keys() == {"version"}
    assert cli("--json").json["error"]["code"] == "usage"
    assert cli("review", "--json").json["error"]["code"] == "usage"


def test_json_by_environment_covers_errors_too(cli):
    answer = cli("recall", "tea", env={"MEMFORT_JSON": "true"})
    assert (answer.code, answer.json["error"]["field"]) == (2, "as")


def test_a_text_that_says_json_is_a_text(cli):
    answer = cli.ok("--as", "alice", "remember", "--", "--json")
    assert answer.out.startswith("kept mem_")


def test_an_exported_list_can_be_imported(world):
    listed = world.ok("--json", "--as", "alice", "export").out
    path = world.folder / "list.json"
    path.write_text(listed)
    other = str(world.folder / "store" / "other.db")
    report = world("--json", "--as", "alice", "--store", other, "import", str(path)).json
    assert report["counts"]["read"] == len(json.loads(listed)) - 1 > 0
