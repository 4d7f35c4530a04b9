"""Replaying the trail gives the directory too: a line added, changed or taken away behind its back is named."""

from __future__ import annotations

import json

import pytest

from memfort.model.people.actor import Actor, ActorKind
from memfort.testing.strategies import HOSTILE_NAMES
from memfort.trail.event import DIRECTORY_CHAIN, ChainId, next_link

READER = Actor(ActorKind.USER, "mallory")


def settle(memory):
    """Agents, chats, groups and shares, some of them changed and ended again."""
    alice = memory.as_user("alice")
    memory.agent.register("helper", owner="alice")
    memory.chat.register("tea", kind="group", participants=["alice", "bob"], agents=["helper"])
    memory.chat.register("tea", kind="private", participants=["alice", "carol"])
    memory.chat.register("closed", kind="group")
    for user in ("alice", "bob"):
        memory.member.add({"project": "apollo"}, user=user)
    memory.member.remove({"project": "apollo"}, user="bob")
    memory.member.add({"org": "acme"}, agent="helper")
    memory.member.remove({"org": "acme"}, agent="helper")
    memory.member.add({"chat": "tea"}, agent="helper")
    alice.share(user="bob")
    alice.revoke(alice.share(user="carol").id)
    return alice


def broken(memory):
    return [one.problem.removesuffix(" differs from the trail") for one in memory.trail.verify().broken]


# -- it holds --------------------------------------------------------------------------------------------------------


def test_the_trail_tells_the_whole_directory(memory):
    alice = settle(memory)
    (share,) = alice.shares()
    lines = dict(memory._engine.store.directory())
    assert set(lines) == {
        ("agent", "helper"),
        ("chat", "tea"),
        ("chat", "closed"),
        ("group", "chat", "tea"),
        ("group", "chat", "closed"),
        ("group", "project", "apollo"),
        ("group", "org", "acme"),
        ("member", "chat", "tea", "user", "alice"),
        ("member", "chat", "tea", "user", "carol"),
        ("member", "chat", "tea", "agent", "helper"),
        ("member", "project", "apollo", "user", "alice"),
        ("share", share.id),
    }
    assert memory.trail.verify().ok


def test_names_of_any_kind_are_told_apart(memory):
    for name in HOSTILE_NAMES:
        memory.agent.register(name, owner=name)
        memory.chat.register(name, kind="group", participants=[name], agents=[name])
        memory.member.add({"project": name}, user=name)
        memory.as_user(name).share(agent=name)
    for name in HOSTILE_NAMES[::2]:
        memory.member.remove({"project": name}, user=name)
    assert memory.trail.verify().ok
    assert len(dict(memory._engine.store.directory())) > 6 * len(HOSTILE_NAMES)


def test_the_event_of_a_chat_says_who_takes_part(memory, events):
    settle(memory)
    told = [one["detail"]["participants"] for one in events() if one["action"] == "register_chat"]
    assert told == [
        [["agent", "helper"], ["user", "alice"], ["user", "bob"]],
        [["user", "alice"], ["user", "carol"]],
        [],
    ]


# -- it breaks where it was touched ----------------------------------------------------------------------------------

RECORD = "(select record from share)"
TOUCHED = {
    "agent-inserted": ("insert into agent values ('spy', 'mallory')", "agent `spy`"),
    "agent-changed": ("update agent set owner = 'mallory'", "agent `helper`"),
    "agent-deleted": ("delete from agent", "agent `helper`"),
    "chat-inserted": ("insert into chat values ('other', 'group')", "chat `other`"),
    "chat-changed": ("update chat set kind = 'group' where id = 'tea'", "chat `tea`"),
    "chat-changed-to-nonsense": ("update chat set kind = 'x' where id = 'tea'", "chat `tea`"),
    "chat-deleted": ("delete from chat where id = 'closed'", "chat `closed`"),
    "member-inserted": (
        "insert into member values ('project', 'apollo', 'user', 'bob', 'contributor')",
        "member `user:bob` of project `apollo`",
    ),
    "member-inserted-nonsense": (
        "insert into member values ('project', 'apollo', '', 'bob', '')",
        "member `:bob` of project `apollo`",
    ),
    "member-changed": (
        "update member set kind = 'agent' where name = 'alice' and id = 'tea'",
        "member `agent:alice` of chat `tea`",
    ),
    "member-trusted-more": (
        "update member set trust = 'owner' where name = 'alice' and id = 'apollo'",
        "member `user:alice` of project `apollo`",
    ),
    "group-mark-changed": ("update member set trust = 'owner' where id = 'acme'", "org `acme`"),
    "member-deleted": ("delete from member where name = 'carol'", "member `user:carol` of chat `tea`"),
    "group-inserted": ("insert into member values ('role', 'cook', '', '', '')", "role `cook`"),
    "group-deleted": ("delete from member where id = 'acme'", "org `acme`"),
    "group-mark-deleted": ("delete from member where id = 'apollo' and kind = ''", "project `apollo`"),
    "share-inserted": (
        "insert into share select 'shr_x', space, reader_kind, 'mallory', "
        "replace(replace(record, 'bob', 'mallory'), id, 'shr_x') from share",
        "share `shr_x`",
    ),
    "share-changed": ("update share set reader = 'mallory', record = replace(record, 'bob', 'mallory')", None),
    "share-changed-reader-column": ("update share set reader = 'mallory'", None),
    "share-changed-space-column": ("update share set space = zeroblob(32)", None),
    "share-changed-grantor": ("update share set record = replace(record, 'alice', 'mallory')", None),
    "share-changed-to-nonsense": ("update share set record = 'x'", None),
    "share-deleted": ("delete from share", None),
}


@pytest.mark.parametrize("touch", TOUCHED)
def test_a_touched_line_is_named(on_disk, touch):
    memory, raw = on_disk
    (share,) = memory.as_user("alice").shares()
    statement, name = TOUCHED[touch]
    raw.execute(statement)
    assert raw.changes() >= 1
    name = name or f"share `{share.id}`"
    assert name in broken(memory)
    assert any(
        what == "trail" and name in problem
        for what, problem in memory.as_system().doctor(checks=["integrity"]).problems
    )


def test_a_revoked_share_put_back_is_named(on_disk):
    memory, raw = on_disk
    alice = memory.as_user("alice")
    row = raw.execute("select * from share").fetchone()
    alice.revoke(row[0])
    assert memory.trail.verify().ok
    raw.execute("insert into share values (?, ?, ?, ?, ?)", row)
    assert broken(memory) == [f"share `{row[0]}`"]


# -- nor can the trail be made to tell it ----------------------------------------------------------------------------


def forge(raw, chain, body):
    """Put one more event on a chain as somebody would who has the file, knows the format and lacks the key."""
    no, length, head = raw.execute(
        "select no, length, head from chain where kind = ? and key = ?", (chain.kind, chain.key)
    ).fetchone()
    link = next_link(chain, length + 1, head, body)
    raw.execute("insert into event values (?, ?, ?, ?)", (no, link.number, link.body, link.hash))
    raw.execute("update chain set length = ?, head = ? where no = ?", (link.number, link.hash, no))


@pytest.fixture
def forged(on_disk):
    memory, raw = on_disk
    body = json.dumps({"action": "register_agent", "detail": {"agent": "spy", "owner": "mallory"}}).encode()
    raw.execute("insert into agent values ('spy', 'mallory')")
    forge(raw, DIRECTORY_CHAIN, body)
    return memory


def test_an_event_that_the_store_did_not_write_is_found(forged):
    (one,) = forged.trail.verify().broken
    assert (one.chain, one.problem) == (
        "directory:",
        "the chain's head does not match its seal: another program wrote it",
    )


def test_going_on_from_a_forged_event_does_not_make_it_genuine(forged):
    forged.agent.register("other", owner="bob")
    signed = forged.trail.checkpoint().checkpoints
    assert "directory" not in {one.chain.kind for one in signed}
    assert [one.chain for one in forged.trail.verify().broken] == ["directory:"]
    assert signed  # the other chains are


def test_a_forged_chain_is_found(on_disk):
    memory, raw = on_disk
    chain = ChainId("actor", READER.key)
    raw.execute(
        "insert into chain (kind, key, length, head, seal) values ('actor', ?, 0, zeroblob(32), x'')", (READER.key,)
    )
    forge(raw, chain, b'{"action": "recall", "detail": {}}')
    assert [one.chain for one in memory.trail.verify().broken] == [str(chain)]
