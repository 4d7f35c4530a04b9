"""The command line against a server: `--store http://…`, with the key in MEMFORT_KEY."""

from __future__ import annotations

import json
import re
import shlex
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.server.client import Service
from tests.server.running import running

from memfort import Memory
from memfort.model.people.access_key import KeyScope
from memfort.operations.table import TABLE, Cli, Effect
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


@pytest.mark.parametrize("words", [["doctor"], ["serve"], ["store", "backup", "copy.backup"]])
def test_commands_that_work_on_files_say_so(shell, words):
    answer = shell(*words)
    assert answer.exit_code == 2
    assert "server" in answer.output


# -- every command ----------------------------------------------------------------------------------------------------

# By verb: the words of its command. `{memory}` and its like are taken from the answers before.
COMMANDS = [
    ("member.add", "member add project=apollo --user alice --trust owner"),
    ("member.list", "member list project=apollo"),
    ("agent.register", "agent register helper --owner alice"),
    ("agent.get", "agent get helper"),
    ("chat.register", "chat register c1 --kind group --participant alice --participant bob"),
    ("chat.get", "chat get c1"),
    ("remember", "remember 'I live in Berlin'"),
    ("used", "used {memory}"),
    ("get", "get {memory}"),
    ("related", "related {memory}"),
    ("edges", "edges {memory}"),
    ("recall", "recall 'where do I live'"),
    ("context", "context 'where do I live'"),
    ("list", "list"),
    ("about", "about me"),
    ("history", "history {memory}"),
    ("explain", "explain {memory}"),
    ("compare", "compare tea --viewer alice --viewer bob"),
    ("check", "check recall"),
    ("spaces", "spaces"),
    ("correct", "correct {memory} 'I live in Rome'"),
    ("restore", "restore {memory}"),
    ("remember", "remember 'the launch is in May'"),
    ("promote", "--at project=apollo promote {latest} --to project=apollo"),
    ("people.add", "people add Ann"),
    ("people.find", "people find Ann"),
    ("people.get", "people get {person}"),
    ("people.list", "people list"),
    ("people.update", "people update {person} --name Anna"),
    ("people.alias", "people alias {person} Annie"),
    ("people.relate", "people relate me sister {person}"),
    ("people.relations", "people relations {person}"),
    ("people.unrelate", "people unrelate me sister {person}"),
    ("people.forget", "people forget {person} --yes"),
    ("people.add", "people add Tom"),
    ("people.merge", "people merge {person} {latest}"),
    ("people.drop", "people drop {person}"),
    ("people.add", "people add Bobby"),
    ("people.link", "people link {latest} --user bob"),
    ("remember", "remember 'it may be so' --confidence 0.1"),
    ("extraction.list", "extraction list"),
    ("extraction.retry", "extraction retry"),
    ("extraction.drop", "extraction drop"),
    ("review.list", "review list"),
    ("review.edit", "review edit {latest} 'it is so'"),
    ("remember", "remember 'it could be blue' --confidence 0.1"),
    ("review.approve", "review approve {latest}"),
    ("remember", "remember 'it could be red' --confidence 0.1"),
    ("review.reject", "review reject {latest}"),
    ("observe", "observe {messages}"),
    ("window", "window"),
    ("export", "export"),
    ("import", "import {file}"),
    ("sources", "sources"),
    ("undo", "undo --source {source} --yes"),
    ("undo", "undo {undo} --yes"),
    ("phase.start", "phase start 'a new year'"),
    ("phase.list", "phase list"),
    ("phase.diff", "phase diff phase-1 phase-2"),
    ("share", "share --with-user bob"),
    ("shares", "shares"),
    ("share_changes", "share-changes"),
    ("revoke", "revoke {share}"),
    ("policy.show", "policy show"),
    ("policy.diff", "policy diff default chat"),
    ("policy.presets", "policy presets"),
    ("policy.simulate", "policy simulate chat"),
    ("policy.use", "policy use default --yes"),
    ("trail.export", "trail export"),
    ("trail.verify", "trail verify"),
    ("trail.list", "trail list"),
    ("trail.checkpoint", "trail checkpoint"),
    ("trace.list", "trace list"),
    ("trace.show", "trace show"),
    ("keys.create", "keys create --user carol"),
    ("keys.list", "keys list"),
    ("keys.rotate", "keys rotate --overlap 3600 {key}"),
    ("keys.revoke", "keys revoke {key}"),
    ("store.info", "store info"),
    ("store.gc", "store gc --yes"),
    ("store.reindex", "store reindex"),
    ("store.reembed", "store reembed"),
    ("store.judge", "store judge"),
    ("store.relearn", "store relearn"),
    ("forget", "forget {memory} --yes"),
    ("erase", "erase {memory} --yes"),
    ("erasures", "erasures"),
    ("finish_erasures", "finish-erasures"),
    ("verify_erasure", "verify-erasure {receipt}"),
    ("subject.export", "subject export me"),
    ("subject.erase", "subject erase me --yes"),
    ("member.remove", "member remove project=apollo --user alice"),
]
# Commands that do not go to a server, and why.
ON_FILES = {
    "doctor": "it checks the files of a store; `doctor --server` checks a server from outside",
    "store.backup": "it writes a file where it runs",
    "policy.check": "it reads a file where it runs, and needs no store",
}
IDS = {
    "memory": "mem",
    "person": "per",
    "share": "shr",
    "key": "key",
    "receipt": "era|rcp",
    "source": "src",
    "undo": "und",
}


class Shell:
    """Runs the commands on one store, and keeps the ids that they show: the first of each kind, and the latest made."""

    def __init__(self, folder: Path, store: str, key: str) -> None:
        self._store = store
        self._environment = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), str(folder))
        self._environment |= {"MEMFORT_KEY": key, "MEMFORT_MEMBERSHIPS": "registered"}
        self.known = {"file": str(folder / "rows.json"), "messages": str(folder / "messages.json")}
        row = {"user_id": "alice", "kind": "preference", "content": "the sea is salty", "scope_type": "global"}
        Path(self.known["file"]).write_text(json.dumps([row]))
        Path(self.known["messages"]).write_text('[{"role": "user", "content": "My cat is called Tom."}]')

    def run(self, verb: str, words: str):
        line = shlex.split(words.format_map(defaultdict(lambda: "x_absent", self.known)))
        who = [] if TABLE[verb].effect is Effect.ADMIN else ["--as", "alice"]
        done = CliRunner().invoke(root, ["--store", self._store, "--json", *who, *line], env=self._environment)
        for name, start in IDS.items():
            if found := re.search(rf'"((?:{start})_[a-z2-7]{{24}})"', done.stdout):
                self.known.setdefault(name, found[1])
                if verb in {"remember", "people.add"}:
                    self.known["latest"] = found[1]
        return done


def test_every_command_of_the_table_is_tried():
    offered = {row.name for row in TABLE.values() if isinstance(row.cli, Cli)}
    tried = {verb for verb, _ in COMMANDS}
    assert tried | ON_FILES.keys() == offered
    assert not tried & ON_FILES.keys()


def test_every_command_answers_the_same_on_a_server_as_on_its_file(tmp_path: Path):
    for name in ("local", "remote"):
        (tmp_path / name).mkdir()
    service = Service(tmp_path / "remote" / "memory.db", requests_per_minute=10**6)
    key = service.memory.keys.create(user="alice", scopes=[*KeyScope]).token
    with Memory.open(tmp_path / "local" / "memory.db", memberships="registered") as memory:
        memory.keys.create(user="alice", scopes=[*KeyScope])
    problems = []
    with running(service) as url:
        local = Shell(tmp_path / "local", str(tmp_path / "local" / "memory.db"), key)
        remote = Shell(tmp_path / "remote", url, key)
        for verb, words in COMMANDS:
            one, other = local.run(verb, words), remote.run(verb, words)
            if (one.exit_code, other.exit_code) != (0, 0) or shape(one.stdout) != shape(other.stdout):
                problems.append(f"{words}: {one.exit_code} {one.output[:600]}\n{other.exit_code} {other.output[:600]}")
    service.close()
    assert local.known.keys() == remote.known.keys() >= IDS.keys()
    assert not problems, "\n".join(problems)


def shape(text: str) -> object:
    """The answer as far as it does not depend on which store gave it: the names of fields, and what kind of value."""
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        return _shape(json.loads(text))
    except ValueError:
        return [_shape(json.loads(line)) for line in lines if line.startswith("{")] or text


def _shape(value: object) -> object:
    if isinstance(value, dict):  # only a server notes the use of a key
        return {name: _shape(one) for name, one in value.items() if name != "last_used_at"}
    if isinstance(value, list):
        return sorted((_shape(one) for one in value), key=str)  # keys are listed by their ids
    return type(value).__name__
