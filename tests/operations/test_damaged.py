"""Damaged memories are named to those who could see them and never shown: in listings, exports and imports."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from memfort import FixedClock, InvalidInput, Memory, NotFound, Policy
from memfort.errors import CorruptMemory, StoreBroken, StoreError
from memfort.model.space import Level
from memfort.policy.settings.sections import Promotion, Spaces
from memfort.store.sqlite import SqliteStore

Damage = Callable[..., None]


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    with Memory(SqliteStore(tmp_path / "memory.db", ballast_bytes=0), clock=clock) as made:
        yield made


@pytest.fixture
def damage(memory: Memory, tmp_path: Path) -> Damage:
    def do(id: str, how: str = "record = replace(record, 'tea', 'tee')") -> None:
        connection = apsw.Connection(str(tmp_path / "memory.db"))
        connection.execute(f"update item set {how} where id = ?", (id,))
        assert connection.changes() == 1
        connection.close()

    return do


@pytest.fixture
def open_fresh(tmp_path: Path, clock: FixedClock) -> Iterator[Callable[[], Memory]]:
    made: list[Memory] = []

    def fresh() -> Memory:
        path = tmp_path / f"fresh{len(made)}" / "memory.db"
        made.append(Memory(SqliteStore(path, ballast_bytes=0), clock=clock))
        return made[-1]

    yield fresh
    for one in made:
        one.close()


def texts(lines):
    return [line["memory"]["text"] for line in lines if "memory" in line]


def test_a_listing_names_damaged_memories(alice, damage):
    id = alice.remember("likes tea").id
    alice.remember("likes jam")
    assert alice.list().damaged == ()
    damage(id)
    page = alice.list()
    assert ([item.text for item in page], page.damaged) == (["likes jam"], (id,))
    assert alice.list(types=["preference"]).damaged == (id,)


def test_a_listing_in_pages_names_it_once_at_its_end(alice, damage, clock):
    ids = []
    for number in range(5):
        ids.append(alice.remember(f"tea {number}").id)
        clock.advance(1)
    damage(ids[1])
    first = alice.list(limit=3)
    last = alice.list(limit=3, cursor=first.cursor)
    assert [len(page) for page in (first, last)] == [3, 1]
    assert [page.damaged for page in (first, last)] == [(), (ids[1],)]


def test_damage_is_reported_to_those_who_could_see_the_memory(memory, damage):
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    for_all = alice.remember("tea for all", space={"project": "apollo"}).id
    for_alice = alice.remember("tea for alice", space={"project": "apollo"}, access={"users": ["alice"]}).id
    own = alice.remember("tea of alice").id
    for id in (for_all, for_alice, own):
        damage(id)
    assert alice.list().damaged == tuple(sorted([for_all, for_alice, own]))
    assert bob.list().damaged == (for_all,)
    assert bob.list(space={"user": "bob"}).damaged == ()
    assert memory.as_user("carol").list().damaged == ()


def test_damage_to_a_reader_list_is_reported_to_the_owner_of_the_space_only(memory, damage):
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    own, common = alice.remember("likes tea").id, alice.remember("more tea", space={"project": "apollo"}).id
    for id in (own, common):
        damage(id, "partition = 999")
    assert alice.list().damaged == (own,)
    assert bob.list().damaged == ()
    assert memory.store.quarantine() == sorted([own, common])


def test_a_share_reader_is_warned_of_damaged_memories_it_could_read(alice, bob, damage):
    id = alice.remember("likes tea").id
    alice.share(user="bob")
    hidden = alice.remember("tea for alice", access={"users": ["alice"]}).id
    damage(id)
    damage(hidden)
    assert bob.list().damaged == (id,)
    assert bob.list(deleted=True).damaged == ()  # what is not in force is listed only where one may write


def test_after_quarantine_a_listing_still_names_it(memory, alice, damage):
    id = alice.remember("likes tea").id
    damage(id)
    memory.store.quarantine()
    assert alice.list().damaged == (id,)
    alice.erase(id)
    assert alice.list().damaged == ()


def test_every_recall_reports_quarantined_memories_to_those_who_could_see_them(memory, damage):
    """No word finds it any more, so it may be what was looked for."""
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    for_all = alice.remember("tea for all", space={"project": "apollo"}).id
    for_alice = alice.remember("tea for alice", space={"project": "apollo"}, access={"users": ["alice"]}).id
    own = alice.remember("tea of alice").id
    alice.remember("likes jam")
    for id in (for_all, for_alice, own):
        damage(id)
    assert alice.recall("jam").damaged == ()
    assert set(alice.recall("tea").damaged) == {for_all, for_alice, own}
    memory.store.quarantine()
    found = alice.recall("jam")
    assert (found.texts, found.damaged) == (["likes jam"], tuple(sorted([for_all, for_alice, own])))
    assert alice.recall("jam", space={"user": "alice"}).damaged == (own,)
    assert bob.recall("jam").damaged == (for_all,)
    assert bob.recall("jam", space={"user": "bob"}).damaged == ()
    assert memory.as_user("carol").recall("tea").damaged == ()
    alice.erase(own)
    assert alice.recall("jam").damaged == tuple(sorted([for_all, for_alice]))


@pytest.mark.parametrize("quarantined", [False, True])
def test_asked_for_by_name_it_is_damaged_and_not_absent(memory, damage, quarantined):
    alice, bob = memory.as_user("alice"), memory.as_user("bob")
    id = alice.remember("likes tea").id
    assert alice.get(id).text == "likes tea"
    damage(id)
    if quarantined:
        memory.store.quarantine()
    for ask in (alice.get, alice.history, alice.forget, alice.explain):
        with pytest.raises(CorruptMemory, match=f"the stored bytes of `{id}` are damaged, so it is not shown"):
            ask(id)
    assert (bob.get(id), bob.explain(id).reason) == (None, "not_found")
    for ask in (bob.history, bob.forget):
        with pytest.raises(NotFound):
            ask(id)


def test_a_memory_without_its_reader_list_is_reported_by_no_recall(memory, damage):
    """Its readers are unknown; a listing names it to the owner of the space, and so does the doctor."""
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    own, common = alice.remember("likes tea").id, alice.remember("more tea", space={"project": "apollo"}).id
    for id in (own, common):
        damage(id, "partition = 999")
    assert memory.store.quarantine() == sorted([own, common])
    assert alice.recall("tea").damaged == bob.recall("tea").damaged == ()
    assert (alice.list().damaged, bob.list().damaged) == ((own,), ())


def test_the_reviewer_of_a_copy_does_not_learn_that_its_source_is_damaged(tmp_path, clock, damage):
    way = Promotion(Level.USER, Level.PROJECT, approvals=1)
    store = SqliteStore(tmp_path / "memory.db", ballast_bytes=0)
    with Memory(store, clock=clock, policy=Policy(spaces=Spaces(promotions=(way,)))) as memory:
        alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
        source = alice.remember("we decided on tea", type="decision").id
        copy = alice.promote(source, {"project": "apollo"}).id
        damage(source)
        assert [entry.item.id for entry in bob.review.list()] == [copy]
        with pytest.raises(InvalidInput, match=f"the source of `{copy}` no longer exists") as raised:
            bob.review.approve(copy)
        assert source not in str(raised.value)


def test_an_export_names_missing_memories_and_an_import_reports_them(memory, open_fresh, alice, damage):
    id = alice.remember("likes tea").id
    elsewhere = memory.as_user("alice", session="s1").remember("tea at night", space={"session": "s1"}).id
    alice.remember("likes jam")
    for one in (id, elsewhere):
        damage(one)
    lines = list(alice.export())
    assert (lines[0]["memories"], lines[0]["damaged"]) == (1, sorted([id, elsewhere]))
    assert texts(lines) == ["likes jam"]
    report = open_fresh().as_user("alice").import_("\n".join(map(json.dumps, lines)).encode())
    assert report.counts == {"read": 1, "damaged": 2, "kept": 1}
    (problem,) = report.problems
    assert id in problem
    assert elsewhere in problem


def test_an_export_of_sound_memories_reports_no_damage(alice, bob, damage):
    alice.remember("likes jam")
    damage(bob.remember("likes tea").id)
    assert "damaged" not in next(alice.export())
    assert "damaged" in next(bob.export())


@pytest.mark.parametrize("named", [None, 7, "mem_x", {"a": 1}, [None, 7, "ghp_secret", "mem_", ["mem_x"]]])
def test_a_header_cannot_say_anything_but_names(alice, named):
    header = {"memfort_export": 1, "memories": 0, "damaged": named, "reviewed": named}
    report = alice.import_(json.dumps(header).encode())
    assert (report.counts, report.problems) == ({"read": 0}, ())


@pytest.mark.parametrize("table", ["partition", "partition_reader", "partition_group", "space"])
def test_an_erase_of_a_scope_that_a_lost_row_hides_is_an_error_until_it_is_mended(memory, alice, tmp_path, table):
    alice.remember("likes tea")
    raw = apsw.Connection(str(tmp_path / "memory.db"))
    raw.execute(f"delete from {table}")
    for eraser in (alice, memory.as_system()):
        with pytest.raises(StoreBroken, match=r"run `store.reindex\(\)`"):
            eraser.erase(scope={"user": "alice"})
    assert raw.execute("select count(*) from item").get == 1
    raw.close()
    memory.store.reindex()
    assert [item.text for item in alice.list()] == alice.recall("tea").texts == ["likes tea"]
    assert memory.as_system().doctor(checks=["integrity"]).problems == []
    assert len(memory.as_system().erase(scope={"user": "alice"}).items) == 1


def test_a_write_beside_a_lost_partition_is_an_error_until_it_is_mended(memory, alice, tmp_path):
    alice.remember("likes tea")
    alice.remember("likes milk", access={"users": ["alice"]})
    raw = apsw.Connection(str(tmp_path / "memory.db"))
    raw.execute("delete from partition where readers = ''")
    raw.execute("delete from partition_reader where reader = '' and partition > 0")
    raw.execute("update partition_reader set (next_reader, next_partition) = ('user:alice', 2) where partition = 0")
    raw.close()
    memory.close()
    with Memory(SqliteStore(tmp_path / "memory.db", ballast_bytes=0)) as again:
        other = again.as_user("alice")
        with pytest.raises(StoreError, match=r"run `store.reindex\(\)`"):
            other.remember("likes jam")
        assert {what for what, _ in again.as_system().doctor(checks=["integrity"]).problems} == {"index"}
        again.store.reindex()
        other.remember("likes jam")
        assert sorted(other.recall("likes").texts) == ["likes jam", "likes milk", "likes tea"]
        assert again.as_system().doctor(checks=["integrity"]).problems == []


@pytest.mark.parametrize("table", ["author_sequence", "partition", "partition_group", "meta", "chain", "event"])
def test_no_write_to_a_damaged_store_fails_without_a_word(memory, alice, tmp_path, table):
    """Whatever is lost: a write is kept whole, or an error of the store's own."""
    alice.remember("likes tea")
    memory.close()
    raw = apsw.Connection(str(tmp_path / "memory.db"))
    raw.execute(f"delete from {table}")
    raw.close()
    with suppress(StoreError), Memory(SqliteStore(tmp_path / "memory.db", ballast_bytes=0)) as again:
        assert again.as_user("alice").remember("likes jam").item.text == "likes jam"
