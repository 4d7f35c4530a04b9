"""API keys: who holds one, what it opens, and that nothing but a digest of it is kept."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from memfort import Denied, InvalidInput, KeyScope, Memory, NotFound
from memfort.clock import FixedClock
from memfort.model.people.access_key import has_digest, id_of_token


@pytest.fixture(params=["sqlite", "memory"])
def memory(request, tmp_path: Path):
    path = ":memory:" if request.param == "memory" else tmp_path / "memory.db"
    with Memory.open(path, clock=FixedClock(1_000_000)) as opened:
        yield opened


def test_a_key_is_shown_once_and_only_its_digest_is_kept(tmp_path: Path):
    with Memory.open(tmp_path / "memory.db") as memory:
        made = memory.keys.create(user="alice", note="for the bot")
        assert id_of_token(made.token) == made.key.id
        assert memory.keys.list() == [made.key]
        assert made.token not in str(memory.keys.list()[0].to_dict())
    secret = made.token.rpartition("_")[2].encode()
    files = [file for file in tmp_path.iterdir() if file.is_file()]
    assert any(b"for the bot" in file.read_bytes() for file in files)  # what is kept is found by the same search
    assert not any(secret in file.read_bytes() for file in files)


def test_only_the_right_key_has_the_digest(memory: Memory):
    made, other = memory.keys.create(user="alice"), memory.keys.create(user="alice")
    kept = memory._engine.store.access_key(made.key.id)
    assert has_digest(made.token, kept)
    assert not has_digest(other.token, kept)
    assert not has_digest(made.token + "a", kept)
    assert not has_digest(made.token, None)


@pytest.mark.parametrize("text", ["", "mfk_", "mfk_abc_def", "key_" + "a" * 24, "mfk_" + "a" * 24 + "_" + "A" * 52])
def test_what_has_another_shape_is_no_key(text: str):
    assert id_of_token(text) is None


def test_a_rotated_key_ends_and_the_new_one_has_its_rights(memory: Memory):
    old = memory.keys.create(user="alice", scopes=["read", "act_for"], space={"user": "alice"})
    new = memory.keys.rotate(old.key.id, overlap_seconds=60)
    before, after = (memory._engine.store.access_key(one.key.id).key for one in (old, new))
    assert (after.holder, after.scopes, after.spaces) == (before.holder, before.scopes, before.spaces)
    assert before.is_valid(1_000_000 + 59_000_000)
    assert not before.is_valid(1_000_000 + 60_000_000)
    assert after.is_valid(1_000_000 + 60_000_000)


def test_a_revoked_key_is_ended_for_good(memory: Memory):
    made = memory.keys.create(agent=memory.agent.register("helper", owner="alice").id, scopes=["read"])
    assert not memory.keys.revoke(made.key.id).is_valid(1_000_000)
    for verb in (memory.keys.revoke, memory.keys.rotate):
        with pytest.raises(NotFound):
            verb(made.key.id)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"user": "alice", "agent": "helper"},
        {"agent": "unknown"},
        {"user": "alice", "scopes": []},
        {"user": "alice", "scopes": ["all"]},
        {"user": "alice", "expires_at": "1970-01-01T00:00:01Z"},
        {"user": "alice", "scopes": ["admin"], "space": {"user": "alice"}},
        {"user": "alice", "note": "x" * 201},
    ],
)
def test_a_key_that_makes_no_sense_is_refused(memory: Memory, fields):
    with pytest.raises(InvalidInput):
        memory.keys.create(**fields)
    assert memory.keys.list() == []


def test_the_trail_tells_of_keys_and_finds_one_that_was_added_behind_its_back(tmp_path: Path):
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        made = memory.keys.create(user="alice", scopes=[KeyScope.READ])
        memory.keys.rotate(made.key.id)
        actions = [line["event"]["action"] for line in memory.as_system().trail.export()]
        assert [action for action in actions if action.endswith("_key")] == ["create_key", "rotate_key"]
        assert memory.trail.verify().ok
    with sqlite3.connect(path) as database:  # a row without the store's seal, and one that is gone
        database.execute("insert into access_key select 'key_forged', record, seal, null from access_key limit 1")
        database.execute("delete from access_key where id = ?", (made.key.id,))
    with Memory.open(path) as memory:
        assert memory._engine.store.access_key("key_forged") is None
        assert any("API key" in broken.problem for broken in memory.trail.verify().broken)
        assert any("key_forged" in str(check.to_dict()) for check in memory.as_system().doctor().checks)


def test_a_key_is_a_secret_that_is_not_remembered(memory: Memory):
    outcome = memory.as_user("bob").remember(f"the key is {memory.keys.create(user='alice').token}")
    assert (outcome.kept, outcome.reason) == (False, "secret")
    assert memory.as_user("bob").remember("the key is under the mat").kept


def test_a_user_registers_agents_of_their_own_alone(memory: Memory):
    alice = memory.as_user("alice")
    assert alice.agent.register("helper", owner="alice").owner == "alice"
    assert alice.agent.register("helper", owner="alice").owner == "alice"
    memory.agent.register("taken", owner="bob")
    for id, owner in (("other", "bob"), ("taken", "alice")):
        with pytest.raises(Denied) as refused:
            alice.agent.register(id, owner=owner)
        assert refused.value.reason == "not_your_identity"
    assert memory.agent.get("other") is None
