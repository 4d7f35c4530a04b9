"""The trail: everything that happened, nothing that was said, and no way to change it unnoticed."""

from __future__ import annotations

import json

import apsw
import pytest
from msgspec.structs import replace

from memfort import Memory, Policy
from memfort.policy.sight import maintenance_sight
from memfort.store.memory import MemoryStore
from memfort.store.sqlite import SqliteStore
from memfort.trail.verify import ReplayedState, replay
from whole import whole

SECRETS = {
    "openai": "sk-proj-" + "Ab3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cF" * 2,
    "github": "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a",
    "aws": "AKIA" + "IOSFODNN7REALKEY",
    "password": "my password is " + "tr0ub4dor&3xyz",
    "card": "card 4111 1111 " + "1111 1111",
}


def live(memory):
    """A little of everything, by several actors."""
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    first = alice.remember("likes tea")
    alice.correct(first.id, "likes coffee")
    alice.review.approve(alice.remember("likes jam", confidence=0.1).id)
    alice.review.reject(alice.remember("likes ink", confidence=0.1).id)
    alice.review.edit(alice.remember("teh", confidence=0.1).id, "the")
    alice.remember("shared words", space={"project": "apollo"})
    bob.remember("more words", space={"project": "apollo"}, ttl_seconds=1)
    bob.remember("words of bob")
    alice.forget(alice.remember("forgotten").id)
    alice.erase(alice.remember("erased").id)
    alice.share(user="bob")
    memory._engine.clock.advance(1)
    memory.store.gc()
    bob.recall("words")
    return alice, bob


# -- it holds ---------------------------------------------------------------------------------------------------------


def test_a_whole_life_verifies(memory):
    live(memory)
    found = memory.trail.verify()
    assert found.ok
    assert found.events > 20
    assert found.chains >= 5


def test_replaying_the_trail_gives_the_state_of_the_store(memory):
    live(memory)
    store, replayed, state, statuses = memory._engine.store, ReplayedState(), {}, set()
    for chain, _, _ in store.chains():
        replay(store.links(chain), replayed)
    for space in store.spaces():
        place = json.dumps(space.to_dict(), sort_keys=True)
        for id, record in store.records(maintenance_sight([space])):
            state[place, id] = store.keys.digest(record.decode())
            statuses.add(json.loads(record)["status"])
    assert replayed.memories == state
    assert len(state) > 8
    assert statuses == {"approved", "rejected", "superseded"}


def test_a_checkpoint_anchors_everything_before_it(memory):
    live(memory)
    assert memory.trail.verify().unanchored > 0
    anchors = memory.trail.checkpoint()
    assert memory.trail.verify(anchors=anchors).unanchored == 0
    memory.as_user("alice").remember("later")
    assert memory.trail.verify(anchors=anchors).unanchored == 1


@pytest.mark.fails_closed
def test_every_event_has_actor_time_surface_decision_reason_and_policy(memory, events):
    live(memory)
    for event in events():
        assert event["actor"]["id"] in {"alice", "bob", "system"}
        assert event["at"] > 0
        assert event["surface"] == "python"
        assert event["decision"] in {"allowed", "pending", "denied"}
        assert event["reason"]
        assert event["policy"] == Policy().digest


def test_no_event_holds_any_contents(memory, events):
    alice = memory.as_user("alice", session="s1")
    alice.remember("zanzibar", tags=["zanzibar"], meta={"zanzibar": "zanzibar"}, kind="profile", key="zanzibar",
                   provenance={"source": "zanzibar"}, space={"session": "s1"})  # fmt: skip
    alice.recall("zanzibar")
    alice.remember("zanzibar is at bob@zanzibar.org")
    alice.import_(json.dumps([{"user_id": "alice", "kind": "note", "content": "zanzibar notes"}]).encode())
    assert len(events()) >= 5
    assert "zanzibar" not in json.dumps(events())
    assert alice.recall("zanzibar")


# -- it breaks where it was touched -----------------------------------------------------------------------------------


def space_chain(store):
    chain, length, _ = max((one for one in store.chains() if one[0].kind == "space"), key=lambda one: one[1])
    return chain, length


@pytest.mark.parametrize("tamper", ["rewritten", "dropped", "swapped", "cut"])
def test_a_touched_link_is_named(clock, tamper):
    store = MemoryStore()
    memory = Memory(store, clock=clock)
    live(memory)
    memory.trail.checkpoint()
    assert memory.trail.verify().ok
    chain, _ = space_chain(store)
    links = list(store._state.chains[chain])
    if tamper == "rewritten":
        links[2] = replace(links[2], body=links[2].body.replace(b'"allowed"', b'"denied!"'))
    elif tamper == "dropped":
        del links[2]
    elif tamper == "swapped":
        links[2], links[3] = replace(links[3], number=3), replace(links[2], number=4)
    else:
        del links[-1]
    store._state.chains[chain] = tuple(links)
    [broken] = memory.trail.verify().broken
    assert broken.chain == str(chain)
    assert broken.number == (3 if tamper != "cut" else len(links) + 1)


@pytest.fixture
def on_disk(tmp_path, clock):
    """A memory in a file, and a way past Memfort into that file."""
    path = tmp_path / "memory.db"
    memory = Memory(SqliteStore(path, ballast_bytes=0), clock=clock)
    live(memory)
    memory.trail.checkpoint()
    assert memory.trail.verify().ok
    raw = apsw.Connection(str(path))
    yield memory, raw
    raw.close()
    memory.close()


def tables(raw):
    return {name: [row[1] for row in raw.execute(f"pragma table_info({name})")]
            for (name,) in raw.execute("select name from sqlite_master where type = 'table'")}  # fmt: skip


def trail_table(raw):
    return next(name for name, columns in tables(raw).items() if {"body", "hash", "number"} <= set(columns))


@pytest.mark.parametrize("tamper", ["rewritten", "dropped", "cut"])
def test_a_touched_row_of_the_trail_is_found(on_disk, tamper):
    memory, raw = on_disk
    table = trail_table(raw)
    _, length = space_chain(memory._engine.store)
    rows = f"chain = (select chain from {table} group by chain having count(*) = {length} limit 1)"
    at = f"{rows} and number = {length if tamper == 'cut' else 3}"
    if tamper == "rewritten":
        raw.execute(
            f"update {table} set body = cast(replace(cast(body as text), 'allowed', 'refused') as blob) where {at}"
        )
    else:
        raw.execute(f"delete from {table} where {at}")
    assert raw.changes() == 1
    assert not memory.trail.verify().ok


def test_a_memory_changed_behind_the_trails_back_is_found(on_disk):
    memory, raw = on_disk
    item = next(name for name, columns in tables(raw).items() if {"record", "seal"} <= set(columns))
    raw.execute(f"delete from {item} where no = (select min(no) from {item} where status = 'approved')")
    assert raw.changes() == 1
    assert not memory.trail.verify().ok


# -- who sees it ------------------------------------------------------------------------------------------------------


def test_a_user_is_shown_only_its_own_doings(memory, events):
    alice, bob = live(memory)
    mine = [line["event"] for line in alice.trail.export()]
    assert {event["actor"]["id"] for event in mine} == {"alice"}
    assert {event["actor"]["id"] for event in (line["event"] for line in bob.trail.export())} == {"bob"}
    assert {event["actor"]["id"] for event in events()} == {"alice", "bob", "system"}
    assert len(mine) < len(events())


def test_an_agents_doings_for_two_people_are_two_ledgers(memory):
    for user in ("alice", "bob"):
        memory.as_agent("helper", owner="alice", acting_for=user).remember(f"words of {user}")
    trails = [list(memory.as_agent("helper", acting_for=user).trail.export()) for user in ("alice", "bob")]
    assert [len(trail) for trail in trails] == [1, 1]
    assert {trail[0]["event"]["actor"]["acting_for"] for trail in trails} == {"alice", "bob"}


def test_a_refusal_is_recorded_in_the_callers_chain_only(memory, alice, bob):
    alice.remember("likes tea")
    before = list(alice.trail.export())
    bob.remember("likes jam", space={"user": "alice"})
    assert list(alice.trail.export()) == before
    assert [line["event"]["reason"] for line in bob.trail.export()] == ["border_write"]


# -- reads ------------------------------------------------------------------------------------------------------------


def stored_reads(memory):
    """Reads that are in the store by now, without writing down the waiting ones."""
    store = memory._engine.store
    bodies = [json.loads(link.body) for chain, _, _ in store.chains() for link in store.links(chain)]
    return [body["action"] for body in bodies if body["action"] in {"recall", "get", "list", "history"}]


@pytest.mark.parametrize(("mode", "at_once", "after_a_write"), [("off", 0, 0), ("batched", 0, 4), ("durable", 4, 4)])
def test_reads_are_recorded_as_the_policy_says(open_memory, mode, at_once, after_a_write):
    memory = open_memory(policy=Policy(audit={"reads": mode}))
    alice = memory.as_user("alice")
    id = alice.remember("likes tea").id
    alice.recall("tea"), alice.get(id), alice.list(), alice.history(id)
    assert len(stored_reads(memory)) == at_once
    alice.remember("likes jam")
    assert len(stored_reads(memory)) == after_a_write
    assert memory.trail.verify().ok


def test_batched_reads_are_written_down_before_there_are_too_many(memory, alice):
    id = alice.remember("likes tea").id
    for _ in range(256):
        alice.get(id)
    assert len(stored_reads(memory)) == 256


def test_closing_writes_the_last_reads_down(tmp_path, clock):
    with Memory(SqliteStore(tmp_path / "m.db", ballast_bytes=0), clock=clock) as memory:
        memory.as_user("alice").recall("tea")
    with Memory(SqliteStore(tmp_path / "m.db", ballast_bytes=0), clock=clock) as again:
        assert stored_reads(again) == ["recall"]


def test_a_recall_is_recorded_with_ids_and_scores_and_a_digest_of_the_query(memory, alice):
    id = alice.remember("likes tea").id
    answer = alice.recall("tea please")
    event = next(line["event"] for line in alice.trail.export() if line["event"]["action"] == "recall")
    assert event["detail"]["recalled"] == [[id, answer.hits[0].score, "user", ["matches_query", "importance"]]]
    assert event["detail"]["trace"] == answer.trace
    assert event["digest"] == memory._engine.store.keys.digest("tea please")


# -- nothing of what was refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS.keys())
def test_a_refused_secret_is_in_no_event_error_log_or_file(memory, tmp_path, caplog, capfd, secret):
    caplog.set_level(0)
    alice = memory.as_user("alice", project="apollo")
    kept = alice.remember("control words")
    waits = alice.remember("waiting words", confidence=0.1)
    answers = [
        alice.remember(f"note {secret}"),
        alice.remember(f"note {secret}", space={"project": "apollo"}),
        alice.remember(f"note {secret}", space={"user": "bob"}),
        alice.remember(f"note {secret}", confidence=0.1),
        alice.remember_many([{"text": "note", "meta": {"field": secret}}, {"text": "note", "tags": [secret]}]),
        alice.correct(kept.id, f"note {secret}"),
        alice.review.edit(waits.id, f"note {secret}"),
        alice.check("remember", text=f"note {secret}"),
        alice.import_(json.dumps([{"user_id": "alice", "kind": "note", "content": f"note {secret}"}]).encode()),
        list(alice.export()),
        list(memory.as_system().trail.export()),
        alice.explain(kept.id),
        memory.store.info(),
    ]
    memory.trail.checkpoint()
    core = secret[-9:] if " " in secret else secret[8:28]
    written = whole(answers) + caplog.text + "".join(capfd.readouterr())
    assert "control words" in written
    assert secret not in written
    assert core not in written
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or core.encode() not in path.read_bytes(), path
        assert core not in path.name
