"""What is said to people: in the words of the command line, in numbers that agree, with what to do next."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

import memfort
from memfort.model.value import count_noun
from memfort.surfaces.cli.failure import PYTHON_WORDS

SOURCE = Path(memfort.__file__).parent


@pytest.mark.parametrize("words", PYTHON_WORDS)
def test_every_translated_message_still_exists(words):
    said = "\n".join(path.read_text() for path in SOURCE.rglob("*.py") if "cli" not in path.parts)
    assert re.sub(r"\{\w+\}", "{", words) in said


@pytest.mark.parametrize(
    ("words", "flag", "remedy"),
    [
        (["remember", "x", "--ttl", "0"], "--ttl", "more than zero"),
        (["remember", "x", "--ttl", "5", "--expires-at", "2099-01-01T00:00:00Z"], "--expires-at", "`--ttl` is given"),
        (["remember", "x", "--tag", ""], "--tag", "non-empty"),
        (["remember", "x", "--type", "preferense"], "--type", "`preference`"),
        (["remember", "x", "--reader-user", ""], "--reader-user", "non-empty"),
        (["remember", "x", "--space", "proect=a"], "--space", "did you mean `project`?"),
        (["remember", "x", "--space", "agent=helper"], "--space", "`visibility=private`"),
        (["remember", "x", "--space", "system=a"], "--space", "`system=`"),
        (["remember", "x", "--kind", "profile"], "--key", "name the fact"),
        (["remember", "x", "--kind", "semntic"], "--kind", "did you mean `semantic`?"),
        (["remember", "x", "--derived-from", ""], "--derived-from", "non-empty"),
        (["recall", "x", "--type", "nope"], "--type", "`note`"),
        (["recall", "x", "--at", "proect=a"], "--at", "did you mean `project`?"),
        (["recall", "x", "--at", "visibility=public"], "--at", "`visibility` is not a place"),
        (["recall", "x", "--at", "user=bob"], "--at", "say who asks with `--as`"),
        (["list", "--status", "pendng"], "--status", "did you mean `pending`?"),
        (["share"], "--with-user", "either `--with-user` or `--with-agent`"),
        (["member", "add", "project=a"], "member", "either `--user` or `--agent`"),
        (["member", "add", "proect=a", "--user", "x"], "group", "did you mean `project`?"),
        (["erase", "--scope", "proect=a", "--yes"], "--scope", "did you mean `project`?"),
        (["export", "--output", "/no/such/x"], "--output", "`/no/such/x` cannot be written"),
        (
            ["explain", "mem_x", "--viewer", "bob", "--viewer-acting-for", "eve"],
            "--viewer-acting-for",
            "--viewer agent:",
        ),
        (["explain", "mem_x", "--viewer", "bob", "--viewer-at", "user=eve"], "--viewer-at", "with `--viewer`"),
        (["explain", "mem_x", "--limit", "3"], "--query", "say what was asked for with `--query`"),
        (["check", "get"], "what", "give the id"),
        (["check", "rember", "x"], "verb", "did you mean `remember`?"),
        (["recall", "x", "--memberships", "registerd"], "--memberships", "did you mean `registered`?"),
        (["trail", "verify", "--anchors", "/no/such"], "--anchors", "cannot be read"),
    ],
)
def test_an_error_names_the_option_and_the_remedy(world, words, flag, remedy):
    answer = world("--as", "alice", *words)
    assert answer.code == 2, answer
    assert answer.err.startswith(f"memfort: {flag}: ")
    assert remedy in answer.err
    assert "None" not in answer.err
    assert world("--as", "alice", "--json", *words).json["error"]["field"] == flag.removeprefix("--")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--as", "agent:scout", "list"], "`--owner`, or use `memfort agent register`"),
        (["--as", "agent:scout", "--owner", "bob", "--memberships", "registered", "list"], "`memfort agent register`"),
        (["--as", "alice", "recall", "x", "--limit", "many"], "`many` is not a whole number"),
        (["--as", "alice", "remember", "x", "--confidence", "high"], "`high` is not a number"),
        (["--as", "alice", "recall", "x", "--limt", "3"], "there is no option `--limt`; did you mean `--limit`?"),
        (["recal", "x"], "there is no command `recal`; did you mean `recall`?"),
        (["review", "approv", "x"], "there is no command `approv`; did you mean `approve`?"),
        (["store", "gc", "x"], "1 argument too many"),
    ],
)
def test_no_error_speaks_python(world, words, said):
    answer = world(*words)
    assert (answer.code, said in answer.err) == (2, True), answer


def test_numbers_agree():
    assert [count_noun(count, "memory") for count in (0, 1, 2)] == ["0 memories", "1 memory", "2 memories"]
    assert [count_noun(count, "event") for count in (1, 2)] == ["1 event", "2 events"]
    assert [count_noun(count, "key") for count in (1, 2)] == ["1 key", "2 keys"]


def test_one_memory_is_one_memory_everywhere(cli):
    id = cli.kept("alice", "green tea")
    answers = [
        cli.ok(*words).out for words in (["store", "reindex"], ["doctor"], ["--as", "alice", "erase", id, "--dry-run"])
    ]
    answers.append(cli.ok("--as", "alice", "export", "--output", str(cli.folder / "out.jsonl")).out)
    for said in answers:
        assert re.search(r"\b1 (memory|memories)\b", said)
        assert not re.search(r"\b1 \w+s\b(?! at)", said.replace("1 memory matches", ""))


def test_an_unseen_memory_says_why_to_its_owner_and_to_no_one_else(world):
    world.ok("--as", "alice", "share", "--with-user", "dora")  # dora may read alice's, and not write there
    why = {"pending": "waits for review", "old": "another memory replaced it"}
    forgotten = world.kept("alice", "a passing remark about tea")
    world.ok("--as", "alice", "forget", forgotten, "--yes")
    for id, said in [*((world.ids[name], said) for name, said in why.items()), (forgotten, "it was forgotten")]:
        mine = world("--as", "alice", "get", id)
        assert (mine.code, said in mine.err, f"memfort explain {id}" in mine.err) == (4, True, True)
        assert said in world("--as", "alice", "--json", "get", id).json["error"]["remedy"]
        for other in ("bob", "dora", "system"):
            theirs, none = (world("--as", other, "get", one) for one in (id, "mem_none"))
            assert theirs.err.replace(id, "mem_none") == none.err
            as_json = [world("--as", other, "--json", "get", one).out.replace(one, "x") for one in (id, "mem_none")]
            assert as_json[0] == as_json[1]
    assert "another memory replaced it" in world("--as", "alice", "correct", world.ids["old"], "tea").err
    assert "trace of a recall" in world("--as", "alice", "get", world.ids["trace"]).err
    assert "trace" not in world("--as", "bob", "get", world.ids["trace"]).err.replace(world.ids["trace"], "")


def test_a_redaction_is_reported(cli):
    (cli.folder / "work" / "policy.toml").write_text('[privacy]\npersonal_private = "redact"\n')
    answer = cli.ok("--as", "alice", "--policy", "policy.toml", "remember", "call me at +49 170 1234567")
    assert answer.out.startswith("kept ")
    assert "personal data in it was replaced" in answer.out
    assert "1234567" not in answer.out
    assert "replaced" not in cli.ok("--as", "alice", "--policy", "policy.toml", "remember", "green tea").out


def test_an_unexplainable_id_also_gives_an_error_document(world):
    answer = world("--as", "alice", "--json", "explain", "mem_none")
    assert (answer.code, answer.json["error"]["code"], answer.json["shown"]) == (4, "not_found", False)
    assert "error" not in world.json("--as", "alice", "explain", world.ids["memory"])


def test_anchors_signed_with_an_earlier_key_are_not_called_forged(world):
    anchors = world.folder / "anchors.json"
    assert world.ok("trail", "verify", "--anchors", str(anchors)).code == 0
    forged = world.folder / "forged.json"
    forged.write_text(re.sub(r'("signature": ")..', r"\g<1>00", anchors.read_text()))
    assert "not genuine" in world("trail", "verify", "--anchors", str(forged)).out
    world.store.with_name(world.store.name + ".key").unlink()
    world.ok("doctor", "--new-key", "--yes")
    answer = world("trail", "verify", "--anchors", str(anchors))
    assert (answer.code, "signed with an earlier key" in answer.out) == (1, True)
    assert "not genuine" not in answer.out
    anchors.write_text(world.ok("trail", "checkpoint", "--json").out)
    assert world.ok("trail", "verify", "--anchors", str(anchors)).code == 0


def test_the_advice_about_a_key_can_be_followed(world):
    key = world.store.with_name(world.store.name + ".key")
    key.write_text("{}")
    wrong = world("doctor").out
    assert f"move `{key}` away, then memfort doctor --new-key" in wrong
    assert world("doctor", "--new-key", "--yes").code == 1
    key.rename(key.with_name("put-away"))
    assert "lost for good: memfort doctor --new-key" in world("doctor").out
    assert world.ok("doctor", "--new-key", "--yes").code == 0


def test_a_way_to_say_it_is_named_as_it_is_given(cli):
    cli.kept("alice", "tea")
    answer = cli("--as", "alice", "erase", "--yes")
    ways = "ID, --query, --since, --until, --author, --source, --person, --scope"
    assert (answer.code, answer.err) == (2, f"memfort: ids: nothing is named; give one of {ways}\n")


def test_an_option_with_one_dash_suggests_two(cli):
    answer = cli("-as", "alice", "list")
    assert (answer.code, answer.err) == (
        2,
        "memfort: there is no option `-a`; options begin with two dashes; see `memfort --help`\n",
    )


def test_the_help_begins_with_commands_that_work(cli):
    shown = cli.ok("--help").out
    [remember, recall] = [shlex.split(line)[1:] for line in shown.splitlines() if line.startswith("  memfort --as")]
    cli.ok(*remember)
    assert remember[-1] in cli.ok(*recall).out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--at", "squad=x", "recall", "tea"], "--at: `squad` is not a level; use one of agent, chat, org"),
        (["--at", "projct=x", "recall", "tea"], "--at: `projct` is not a level; did you mean `project`?"),
        (["recall", "tea", "--limit", "0"], "--limit: `0` is too small; give at least 1"),
        (["related", "mem_x", "--hops", "9"], "--hops: `9` is too large; give at most 2"),
        (["store", "gc", "--compact-days", "-1", "--yes"], "--compact-days: `-1.0` is too small; give at least 0"),
        (["store", "gc", "--every", "0"], "invalid value for `--every`: 0.0 is not more than 0"),
        (["export", "--output", "."], "--output: `.` is not a file; name the file to write"),
        (
            ["trail", "verify", "--anchors", os.devnull],
            "--anchors: it is not JSON; give what `memfort trail checkpoint",
        ),
        (["policy", "use", "zz", "--yes"], "POLICY: `zz` is neither a file nor a preset; use one of agents"),
        (["policy", "simulate", "zz"], "POLICY: `zz` is neither a file nor a preset; use one of agents"),
        (["policy", "simulate"], "missing argument `POLICY`"),
        (["policy", "diff", "default", "zz"], "after: `zz` is neither a file nor a preset; use one of agents"),
    ],
)
def test_usage_errors_name_the_given_argument(cli, words, said):
    cli.kept("alice", "green tea")
    answer = cli("--as", "alice", *words)
    assert (answer.code, answer.err.startswith(f"memfort: {said}")) == (2, True), answer


def test_check_takes_the_options_of_remember_by_the_same_names(cli):
    cli.kept("alice", "green tea")
    for verb in (["remember"], ["check", "remember"]):
        cli.ok("--as", "alice", *verb, "I like jam", "--ttl", "60", "--stays-here")
