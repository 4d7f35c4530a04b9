"""Nobody sees through the command line what is not theirs, whatever they are called. Each no has its yes."""

from __future__ import annotations

import itertools
import re

import pytest

NAMES = [
    "alice", "Alice", "alice ", "a lice", "a:b", "a=b", "a==b", "user:x", "agent:x", "system", "a'b", 'a"b', "a\nb",
    "a\tb", "-a", "--as", "a/b", "../a", "%", "_", "' or 1=1 --", "a;drop table item", "é", "e\u0301", "🦊", "a\u202eb",
    "[bold]a[/bold]", "{a}", "null", "0",
]  # fmt: skip


def test_bob_never_sees_alices_memories(cli):
    id = cli.kept("alice", "Alice prefers green tea")
    assert "green" in cli.ok("--as", "alice", "recall", "tea").out
    assert "green" in cli.ok("--as", "alice", "get", id).out
    for words in (["recall", "tea"], ["list"], ["export"], ["review", "list"], ["spaces"], ["shares"]):
        answer = cli.ok("--as", "bob", *words)
        assert "green" not in answer.out + answer.err
        assert id not in answer.out + answer.err
    for words in (["get", id], ["history", id], ["correct", id, "x"], ["forget", id, "--yes"], ["erase", id, "--yes"]):
        answer = cli("--as", "bob", *words)
        assert answer.code == 4
        assert "green" not in answer.out + answer.err
    assert "green" not in cli("--as", "bob", "explain", id).out
    assert cli.json("--as", "bob", "erase", "--scope", "user=alice", "--yes")["items"] == []
    assert "green" in cli.ok("--as", "alice", "recall", "tea").out


def test_a_share_opens_one_space_until_it_is_revoked(cli):
    cli.kept("alice", "Alice prefers green tea")
    cli.kept("alice", "the launch is in June", "--at", "project=apollo", "--space", "project=apollo")
    share = cli.json("--as", "alice", "share", "--with-user", "bob")["id"]
    assert "green" in cli.ok("--as", "bob", "recall", "tea").out
    assert "June" not in cli.ok("--as", "bob", "recall", "launch").out
    assert cli("--as", "bob", "revoke", share).code == 4
    cli.ok("--as", "alice", "revoke", share)
    assert "green" not in cli.ok("--as", "bob", "recall", "tea").out


def test_an_agent_has_the_rights_of_the_user_it_acts_for_and_never_its_owners(cli):
    cli.kept("alice", "Alice prefers green tea")
    cli.kept("bob", "Bob prefers black tea")
    cli.ok("agent", "register", "helper", "--owner", "alice")
    for_bob = cli.ok("--as", "agent:helper", "--acting-for", "bob", "recall", "tea").out
    assert "black" in for_bob
    assert "green" not in for_bob
    for_alice = cli.ok("--as", "agent:helper", "--acting-for", "alice", "recall", "tea").out
    assert "green" in for_alice
    assert "black" not in for_alice


def test_the_system_actor_sees_no_users_memories(cli):
    cli.kept("alice", "Alice prefers green tea")
    assert "green" not in cli.ok("--as", "system", "recall", "tea").out
    cli.ok("--as", "system", "remember", "tea is served at four")
    assert "four" in cli.ok("--as", "alice", "recall", "tea").out
    assert cli("--as", "alice", "remember", "tea is off", "--space", "system=").code == 3


@pytest.fixture(scope="module")
def one_each(tmp_path_factory):
    """One store in which every name has a memory of its own, as a user and in a project."""
    from click.testing import CliRunner

    from memfort.surfaces.cli.root import root

    folder = tmp_path_factory.mktemp("names")
    common = ["--store", str(folder / "memory.db")]

    def run(*args: str) -> str:
        env = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "MEMFORT_STORE": None, "MEMFORT_AS": None}
        result = CliRunner().invoke(root, [*common, *args], env=env)
        assert result.exit_code == 0, (args, result.output)
        return result.stdout

    for number, name in enumerate(NAMES):
        place = f"project={name}"
        run("remember", f"marker u{number}u", "--as", f"user:{name}")
        run("remember", f"marker p{number}p", "--as", "writer", "--at", place, "--space", place)
    return run


@pytest.mark.parametrize("number", range(len(NAMES)), ids=[ascii(name) for name in NAMES])
def test_hostile_names_stay_distinct(one_each, number):
    mine = one_each("recall", "marker", "--limit", "100", f"--as=user:{NAMES[number]}")
    assert markers(mine) == {f"u{number}u"}
    here = one_each("recall", "marker", "--limit", "100", "--as", "reader", f"--at=project={NAMES[number]}")
    assert markers(here) == {f"p{number}p"}


def markers(said: str) -> set[str]:
    """Those of the memories that an answer shows. An id beside them may spell one too."""
    return set(re.findall(r"marker (\w+)", said))


def test_a_bare_name_is_a_user_and_a_prefix_says_otherwise(one_each):
    for name in NAMES:
        if name == "system" or ":" in name:  # before a colon stands a kind of actor
            continue
        assert f"u{NAMES.index(name)}u" in markers(one_each("recall", "marker", f"--as={name}"))
    assert f"u{NAMES.index('system')}u" not in markers(one_each("recall", "marker", "--as", "system"))
    assert one_each("recall", "marker", "--as", "user:x") == ""


def test_levels_do_not_run_into_each_other(cli):
    """A coordinate is a level and an id; no spelling of one is another."""
    places = ["project=a", "project=a=org=b", "org=a", "project=org=a", "workspace=project=a"]
    for number, place in enumerate(places):
        cli.kept("writer", f"marker m{number}m", "--at", place, "--space", place)
    for (number, place), (other, _) in itertools.product(enumerate(places), repeat=2):
        found = f"m{other}m" in markers(cli.ok("--as", "reader", "--at", place, "recall", "marker").out)
        assert found == (number == other)


@pytest.mark.parametrize(
    "place", ["user=bob", "system=", "visibility=public", "owner=bob", "acting_for=bob", "=x", "x", "project="]
)
def test_an_identity_cannot_be_taken_as_a_place(cli, place):
    cli.kept("bob", "Bob prefers black tea")
    cli.ok("agent", "register", "helper", "--owner", "alice")
    for actor in ("alice", "agent:helper"):
        answer = cli("--as", actor, "--at", place, "recall", "tea")
        assert answer.code == 2
        assert "black" not in answer.out + answer.err


def test_an_agent_reads_public_memories_of_another_agent_and_writes_none(cli):
    cli.ok("agent", "register", "helper", "--owner", "alice")
    cli.ok("agent", "register", "other", "--owner", "bob")
    public = ("--space", "agent=other", "--space", "visibility=public")
    cli.kept("agent:other", "lore for everybody", *public)
    cli.kept("agent:other", "lore that names no space")
    cli.kept("agent:other", "lore for bob", "--space", "agent=other", "--space", "visibility=private")
    seen = cli.ok("--as", "agent:helper", "--at", "agent=other", "recall", "lore").out
    assert "lore for everybody" in seen
    assert "lore for bob" not in seen
    assert "lore that names no space" not in seen
    assert cli("--as", "agent:helper", "--at", "agent=other", "remember", "more lore", *public).code == 3


def test_the_system_stands_nowhere_else(cli):
    assert cli("--as", "system", "--at", "project=apollo", "list").code == 2
