"""What reaches a terminal: no foreign escapes, colour only where wanted, questions only on a terminal."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys

import pytest

HOSTILE = "red \x1b[31mtea\x1b[0m \x1b]0;title\x07 \x9b31m \x7f \u202etea\u202c [bold]x[/bold] :tea: \r over"
DANGEROUS = ("\x1b", "\x07", "\x9b", "\x7f", "\u202e", "\r")


def test_escapes_in_stored_texts_are_written_out(cli):
    id = cli.kept("alice", HOSTILE)
    assert cli.json("--as", "alice", "get", id)["text"] == HOSTILE
    for words in (["recall", "tea"], ["list"], ["get", id], ["history", id], ["export"], ["--json", "get", id]):
        answer = cli.ok("--as", "alice", *words)
        assert not any(sign in answer.out + answer.err for sign in DANGEROUS), words
        assert "[bold]x[/bold] :tea:" in answer.out


def test_escapes_in_names_are_written_out(cli):
    name = "eve\x1b[2J\u202e"
    cli.ok("--as", name, "remember", "green tea")
    cli.ok("agent", "register", name, "--owner", name)
    for words in (
        ["list"],
        ["spaces"],
        ["share", "--with-user", name + "2"],
        ["shares"],
        ["agent", "get", name],
        ["get", name],
    ):
        answer = cli("--as", name, *words)
        assert not any(sign in answer.out + answer.err for sign in DANGEROUS), words
        assert "eve\\x1b[2J" in answer.out + answer.err or words == ["get", name]


def test_a_text_of_many_lines_stays_in_its_row(cli):
    cli.kept("alice", "one tea\ntwo tea\tthree")
    out = cli.ok("--as", "alice", "recall", "tea").out
    assert out.count("\n") == 1
    assert "one tea\\ntwo tea\\tthree" in out


def test_in_a_pipe_nothing_is_cut(cli):
    cli.kept("alice", long := "tea " * 200 + "end")
    assert long in cli.ok("--as", "alice", "list").out
    assert "…" in cli.ok("--as", "alice", "list", env={"TERM": "xterm", "FORCE_COLOR": "1"}).out


def test_colour_only_where_it_is_wanted(cli):
    cli.kept("alice", HOSTILE)
    list_ = ["--as", "alice", "list"]
    assert "\x1b" not in cli.ok(*list_).out
    terminal = {"TERM": "xterm-256color", "COLUMNS": "300"}
    coloured = cli.ok(*list_, env={**terminal, "FORCE_COLOR": "1"}).out
    assert "\x1b[" in coloured
    assert "\x1b]0" not in coloured  # the text's own are written out here as well
    assert "[bold]x[/bold] :tea:" in coloured
    assert "\x1b" not in cli.ok(*list_, env={**terminal, "FORCE_COLOR": "1", "NO_COLOR": "1"}).out


def test_a_terminal_without_unicode_gets_numbers_and_json_stays_json(cli):
    cli.kept("alice", "🦊 tea")
    env = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    lines = cli.process("--as", "alice", "list", env=env)
    assert (lines.returncode, "\\U0001f98a tea" in lines.stdout) == (0, True)
    document = cli.process("--as", "alice", "list", "--json", env=env)
    assert json.loads(document.stdout)["items"][0]["text"] == "🦊 tea"


def test_version_is_plain(cli):
    assert cli.ok("--version").out.startswith("memfort 0.")


def test_a_closed_pipe_is_quiet(cli):
    lines = "\n".join(f"fact number {number} about rivers and mountains" for number in range(1500))
    cli.ok("--as", "alice", "remember", "--file", "-", stdin=lines)
    command = [sys.executable, "-m", "memfort", "--as", "alice", "export"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    assert json.loads(process.stdout.readline())["memfort_export"]
    process.stdout.close()
    err = process.stderr.read()
    process.wait(timeout=120)
    process.stderr.close()
    assert err == ""


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_hook_that_closes_its_output_still_remembers(cli, closed):
    script = f'exec "$0" -m memfort --as alice remember "green tea" {closed}'
    done = subprocess.run(["sh", "-c", script, sys.executable], capture_output=True, text=True, check=False)
    assert (done.returncode, "memfort:" in done.stderr) == (0, False)
    assert cli.json("--as", "alice", "list")["items"][0]["text"] == "green tea"
    refused = subprocess.run(["sh", "-c", f'exec "$0" -m memfort lst {closed}', sys.executable], check=False)
    assert refused.returncode == 2


def test_texts_come_through_pipes(cli):
    run = cli.process("--as", "alice", "remember", "-", input="green tea\n")
    assert run.stdout.startswith("kept ")
    assert cli.json("--as", "alice", "list")["items"][0]["text"] == "green tea"
    assert cli("--as", "alice", "remember", "-", stdin=b"\xff\xfe tea").code == 2


@pytest.mark.parametrize(("reply", "code", "left"), [("n\n", 1, 1), ("y\n", 0, 0)])
def test_on_a_terminal_it_asks(cli, reply, code, left):
    cli.kept("alice", HOSTILE)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "memfort", "--as", "alice", "erase", "--scope", "user=alice"],
        stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True,
    )  # fmt: skip
    os.close(theirs)
    os.write(ours, reply.encode())
    seen = b""
    try:
        while chunk := os.read(ours, 4096):
            seen += chunk
    except OSError:  # the other end is closed
        pass
    finally:
        os.close(ours)
    assert process.wait(timeout=120) == code
    assert b"this would erase 1 memory, " in seen  # the counts come before the question
    assert b"erase 1 memory for good? [y/N]" in seen
    assert len(cli.json("--as", "alice", "list")["items"]) == left
