"""API keys on the command line: a secret that goes into a file is readable by its owner alone."""

from __future__ import annotations

import os
import stat


def _mode(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_key_is_written_into_a_file_that_only_its_owner_can_read(cli):
    before = os.umask(0)  # a shell's `>` would make a file that everybody may read and write
    try:
        made = cli.json("keys", "create", "--user", "alice", "--to", "alice.key")
    finally:
        os.umask(before)
    file = cli.folder / "work" / "alice.key"
    assert _mode(file) == 0o600
    token = file.read_text().strip()
    assert token
    assert list(made) == ["key"]
    shown = cli.ok("keys", "create", "--user", "alice")
    assert shown.out.strip().startswith(token.split("_")[0])  # the same kind of token, which is printed without --to


def test_a_rotated_key_too(cli):
    id = cli.json("keys", "create", "--user", "alice")["key"]["id"]
    answer = cli.ok("keys", "rotate", id, "--to", "new.key")
    file = cli.folder / "work" / "new.key"
    assert _mode(file) == 0o600
    assert file.read_text().strip() not in answer.out + answer.err


def test_no_key_is_made_that_cannot_be_written(cli):
    taken = cli.folder / "work" / "taken.key"
    taken.write_text("something else")
    for path in (str(taken), "no-such-folder/alice.key"):
        refused = cli("keys", "create", "--user", "alice", "--to", path)
        assert refused.code == 2
        assert "--to" in refused.err
    assert taken.read_text() == "something else"
    assert cli("--json", "keys", "list").code != 0 or cli.json("keys", "list") == []
    cli.json("keys", "create", "--user", "alice", "--to", "alice.key")
    assert len(cli.json("keys", "list")) == 1


def test_a_failed_call_leaves_no_file_behind(cli):
    refused = cli("keys", "create", "--agent", "nobody-registered", "--to", "agent.key")
    assert refused.code != 0
    assert not (cli.folder / "work" / "agent.key").exists()


def test_an_unknown_kind_of_actor_is_refused(cli):
    refused = cli("--as", "agnet:helper", "remember", "I like tea")
    assert refused.code == 2
    assert "did you mean `agent`?" in refused.err
    assert "`user:agnet:helper`" in refused.err
    cli.ok("--as", "user:agnet:helper", "remember", "I like tea")
    assert cli.json("--as", "user:agnet:helper", "list")["items"]
