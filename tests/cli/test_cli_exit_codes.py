"""Exit codes: 0 ok, 1 failure, 2 usage, 3 denied, 4 not found, 130 interrupted. Scripts rely on them."""

from __future__ import annotations

import fcntl
import signal
import subprocess
import sys

import pytest

from .conftest import SECRET


def test_ok_and_pending_are_zero_and_pending_says_why(cli):
    assert cli.ok("--as", "alice", "remember", "green tea").out.startswith("kept ")
    answer = cli.ok("--as", "alice", "remember", "call me at +49 170 1234567")
    assert answer.out.startswith("pending ")
    assert "in user=alice, waits for review by alice: " in answer.out
    assert "(personal_review)" in answer.out


def test_recall_without_hits_is_zero_and_says_so_on_stderr(cli):
    cli.kept("alice", "green tea")
    answer = cli.ok("--as", "alice", "recall", "volcano")
    assert (answer.out, "nothing found" in answer.err) == ("", True)
    assert cli.json("--as", "alice", "recall", "volcano")["hits"] == []


def test_context_distinguishes_nothing_fits_from_nothing_found(cli):
    cli.kept("alice", "green tea")
    asked = ("--as", "alice", "context", "tea", "--budget-tokens")
    assert cli.ok(*asked, "10").err.endswith("1 memory found, and none fits; give more with `--budget-tokens`\n")
    assert cli.ok(*asked, "100").err.startswith("1 memory, about ")
    assert cli.ok("--as", "alice", "context", "volcano").err == "nothing found\n"


def test_a_refused_memory_is_denied_and_nothing_of_it_is_shown(cli):
    for flags in ([], ["--json"]):
        answer = cli(*flags, "--as", "alice", "remember", f"the key is {SECRET}")
        assert answer.code == 3
        assert SECRET not in answer.out + answer.err
    assert answer.json["error"]["code"] == "denied"
    assert answer.json["error"]["reason"] == answer.json["decision"]["reason"] == "secret"
    assert answer.json["state"] == "refused"


@pytest.mark.parametrize("place", ["--tag", "--key", "--meta", "--provenance"])
def test_a_secret_in_any_field_is_denied_unseen(cli, place):
    value = f'{{"note": "{SECRET}"}}' if place in {"--meta", "--provenance"} else SECRET
    answer = cli("--as", "alice", "remember", "green tea", place, value)
    assert answer.code == 3
    assert SECRET not in answer.out + answer.err


@pytest.mark.parametrize(
    "words",
    [
        ["remember", f"-----BEGIN PRIVATE KEY----- {SECRET}"],
        ["remember", f"--{SECRET}"],
        ["get", "mem_x", f"the key is {SECRET}"],
        ["remember", "tea", "--meta", SECRET],
        [f"the key is {SECRET}"],
        ["review", SECRET],
    ],
)
def test_a_usage_error_does_not_repeat_a_text(cli, words):
    answer = cli("--as", "alice", *words)
    assert answer.code == 2
    assert SECRET not in answer.out + answer.err


def test_another_persons_space_is_denied(cli):
    answer = cli("--as", "bob", "remember", "hello", "--space", "user=alice")
    assert answer.code == 3
    assert "border_write" in answer.err
    assert cli("--as", "bob", "share", "--space", "user=alice", "--with-user", "bob").code == 3
    assert cli("--as", "bob", "check", "share", "--space", "user=alice").code == 3


@pytest.mark.parametrize(
    "words",
    [
        ["get", "mem_none"],
        ["history", "mem_none"],
        ["correct", "mem_none", "text"],
        ["forget", "mem_none", "--yes"],
        ["erase", "mem_none", "--yes"],
        ["erase", "--source", "src_none", "--yes"],
        ["explain", "mem_none"],
        ["explain", "trc_none"],
        ["check", "get", "mem_none"],
        ["review", "approve", "mem_none"],
        ["revoke", "shr_none"],
        ["verify-erasure", "era_none"],
        ["agent", "get", "nobody"],
        ["chat", "get", "nothing"],
        ["member", "remove", "project=apollo", "--user", "nobody"],
    ],
)
def test_missing_ids_are_not_found(world, words):
    answer = world("--as", "alice", *words)
    assert answer.code == 4, answer
    assert "there is no" in answer.err + answer.out


def test_another_users_memory_gives_the_same_error_as_a_missing_one(world):
    mine, theirs, none = (world("--as", "alice", "get", id) for id in (world.ids["memory"], world.ids["bob"], "mem_x"))
    assert mine.code == 0
    assert theirs.code == none.code == 4
    assert theirs.err.replace(world.ids["bob"], "mem_x") == none.err


@pytest.mark.parametrize(
    "words",
    [
        ["recall", "tea", "--limit", "0"],
        ["recall", "tea", "--limit", "many"],
        ["recall", "tea", "--type", "nonsense"],
        ["list", "--cursor", "garbage"],
        ["list", "--status", "lost"],
        ["remember"],
        ["remember", "a text", "--file", "x"],
        ["remember", ""],
        ["remember", "tea", "--confidence", "2"],
        ["remember", "tea", "--expires-at", "soon"],
        ["remember", "tea", "--space", "apollo"],
        ["remember", "tea", "--space", "planet=mars"],
        ["remember", "tea", "--space", "project=a", "--space", "project=b"],
        ["remember", "--file", "no-such-file"],
        ["import", "no-such-file"],
        ["erase"],
        ["erase", "mem_x", "--scope", "user=alice"],
        ["erase", "mem_x", "--no-cascade"],
        ["explain", "mem_x", "--viewer-at", "project=a"],
        ["check", "levitate"],
        ["share"],
        ["share", "--with-user", "bob", "--with-agent", "helper"],
        ["member", "add", "apollo", "--user", "bob"],
        ["member", "add", "user=alice", "--user", "bob"],
        ["chat", "register", "c", "--kind", "crowd"],
        ["trail", "verify", "--anchors", "no-such-file"],
        ["doctor", "--fix", "--new-key"],
        ["completion", "tcsh"],
        ["levitate"],
    ],
)
def test_bad_input_is_a_usage_error_in_one_line(world, words):
    answer = world("--as", "alice", *words)
    assert answer.code == 2, answer
    assert answer.out == ""
    assert answer.err.startswith("memfort: ")
    assert answer.err.count("\n") == 1
    assert "Traceback" not in answer.err


@pytest.mark.parametrize("name", ["", " ", "*", "user:", "agent:", "a\x00b"])
def test_an_unusable_identity_is_a_usage_error_and_makes_no_store(cli, name):
    assert cli("--as", name, "list").code == 2
    assert not cli.store.exists()


def test_a_misspelt_command_suggests_the_right_one(cli):
    assert "remember" in cli("remembr", "tea").err


@pytest.mark.parametrize("words", [["forget", "{memory}"], ["erase", "{memory}"], ["erase", "--scope", "user=alice"]])
def test_destructive_commands_require_yes_without_a_terminal(world, words):
    run = ["--as", "alice", *(word.format(**world.ids) for word in words)]
    answer = world(*run)
    assert answer.code == 2
    assert "--yes" in answer.err
    assert "--dry-run" in answer.err
    assert world.ok(*run, "--dry-run").out.startswith("would ")
    assert world("--as", "alice", "get", world.ids["memory"]).code == 0
    assert world.ok(*run, "--yes").code == 0
    assert world("--as", "alice", "get", world.ids["memory"]).code == 4


def test_upkeep_makes_no_store_where_there_is_none(cli):
    for words in (
        ["store", "info"],
        ["store", "gc"],
        ["store", "reindex"],
        ["store", "reembed"],
        ["trail", "verify"],
        ["agent", "get", "x"],
        ["doctor", "--new-key"],
    ):
        assert cli(*words).code == 4, words
    assert not cli.store.exists()
    assert "made a new store" in cli.ok("--as", "alice", "remember", "green tea").err


def test_a_broken_store_is_a_failure_without_a_traceback(cli):
    cli.store.write_bytes(b"this is not a database" * 100)
    answer = cli("--as", "alice", "list")
    assert answer.code == 1
    assert answer.err.startswith("memfort: ")
    assert "Traceback" not in answer.err


def test_an_unexpected_error_is_one_line_and_a_traceback_only_on_request(world, monkeypatch):
    from memfort.client import BoundMemory

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError(f"about {SECRET}")

    monkeypatch.setattr(BoundMemory, "run", fail)
    answer = world("--as", "alice", "list")
    assert answer.code == 1
    assert answer.err == ("memfort: unexpected RuntimeError; set MEMFORT_DEBUG=1 to see where, and please report it\n")
    assert world("--json", "--as", "alice", "list").json["error"]["code"] == "unexpected"
    assert "Traceback" in world("--as", "alice", "list", env={"MEMFORT_DEBUG": "1"}).err


def test_real_processes_have_the_same_codes(world):
    def code(*words: str) -> int:
        return world.process("--as", "alice", *words).returncode

    assert code("recall", "tea") == 0
    assert code("recall", "--nonsense") == 2
    assert code("remember", f"the key is {SECRET}") == 3


def test_ctrl_c_ends_it_quietly(world):
    process = subprocess.Popen(
        [sys.executable, "-m", "memfort", "--as", "alice", "remember", "-"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # where this runs it may be ignored
    )  # fmt: skip
    assert process.stdin is not None
    fcntl.fcntl(process.stdin, fcntl.F_SETPIPE_SZ, 4096)
    process.stdin.write("tea " * 2048)  # more than the pipe holds: it reads, and waits for the rest
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["list"], 1, "No space left on device"),
        (["get", "mem_none"], 4, "there is no memory `mem_none` that you can see"),
        (["list", "--nonsense"], 2, "there is no option `--nonsense`"),
    ],
)
def test_an_error_that_stdout_cannot_take_is_said_on_stderr(cli, words, code, said):
    cli.kept("alice", "green tea")
    command = [sys.executable, "-m", "memfort", "--as", "alice", "--json", *words]
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123  # a device that is always full
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr.startswith(f"memfort: {said}")) == (code, True), done
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1
