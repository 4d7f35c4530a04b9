"""A row that is not what was written is never served: it is named, taken out of the index, and can be erased."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from memfort.errors import CorruptMemory
from memfort.model.item import EVERYONE, Item, Kind, Readers
from memfort.model.space import Space
from memfort.store.port import Erase, Quarantine, Reindex
from memfort.store.sqlite import SqliteStore
from memfort.testing.conformance import (
    ALICE,
    BOB,
    HOME,
    LATER,
    NEXT_DOOR,
    NOW,
    found,
    handles,
    listed,
    memory,
    put,
    sight_on,
    statistics,
    texts,
    updated,
    value_of,
)
from memfort.testing.conformance.inspection import partitions
from memfort.testing.conformance.samples import entry_of

DAMAGED = memory(
    text="green tea",
    id="mem_damaged",
    expires_at_us=LATER,
    derived_from=("mem_parent",),
    source="src_1",
    expires_tick=1,
)
SOUND = memory(text="black tea", number=2, derived_from=("mem_parent",), expires_at_us=LATER, expires_tick=1)
NEIGHBOUR = memory(NEXT_DOOR, "tea next door")

# What is done to the row, and where it can be found by name afterwards: None where it cannot.
DAMAGE = {
    "space": ("space = (select no from space where no <> item.space)", None),
    "id": ("id = 'mem_other'", None),
    "partition": ("partition = (select no from partition where no <> item.partition)", None),
    "partition-unknown": ("partition = 999", None),
    "status": ("status = 'pending'", HOME),
    "deleted": ("deleted = 1", HOME),
    "created_at": ("created_at = created_at + 1", HOME),
    "expires_at": ("expires_at = expires_at + 1", HOME),
    "expires_at-never": ("expires_at = null", HOME),
    "source": ("source = 'src_2'", HOME),
    "value": ("value = x'00'", HOME),
    "indexed": ("indexed = 0", HOME),
    "indexed-elsewhere": ("indexed = indexed + 1", HOME),
    "record": ("record = replace(record, 'green', 'white')", HOME),
    "record-readers": ("""record = replace(record, '"readers":{}', '"readers":{"users":["bob"]}')""", HOME),
    "record-empty": ("record = ''", HOME),
    "record-no-text": ("record = cast(x'7bff' as text)", HOME),
    "source-no-text": ("source = cast(x'ff' as text)", HOME),
    "status-no-text": ("status = cast(x'ff' as text)", HOME),
    "record-not-json": ("record = 'x'", HOME),
    "seal": ("seal = zeroblob(16)", HOME),
    "seal-empty": ("seal = x''", HOME),
}
# The handle is the row's own number: it says nothing about the memory, and no other column can be kept in step with it.
# The partition group follows from the partition, and is counted.
UNSEALED = {"conversation", "no", "partition_group"}

EVERYWHERE = sight_on(HOME, NEXT_DOOR, whole=True)
SIGHTS = (sight_on(HOME), sight_on(HOME, NEXT_DOOR), sight_on(NEXT_DOOR), EVERYWHERE)


@pytest.fixture
def store(store: SqliteStore) -> SqliteStore:
    put(store, DAMAGED, SOUND, NEIGHBOUR)
    return store


def damage(path: Path, how: str) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(f"update item set {how} where id = 'mem_damaged'")
    assert connection.changes() == 1
    connection.close()


def served(store: SqliteStore, known: list[int]) -> list[Item]:
    """Everything that any read shows, through any sight."""
    shown: list[Item] = []
    for sight in SIGHTS:
        shown += store.items_by_handle(sight, [*known, *range(1, 10)]).values()
        shown += listed(store, sight)
        shown += store.rivals(sight, HOME, EVERYONE, value_of("green tea"))
        shown += store.derived(sight, ["mem_parent"])
        shown += store.overdue(sight, LATER)
        shown += store.due_by_tick(sight, HOME, EVERYONE, 1)
        shown += store.least_important(sight, HOME, EVERYONE, ALICE.key, list(Kind), 9)
        for id in ("mem_damaged", "mem_other"):
            try:
                shown += store.items(sight, [id])
            except CorruptMemory as error:
                assert id in str(error)  # noqa: PT017  # in some sights it is there, in others it is not
    return shown


def test_every_column_is_damaged_here(store: SqliteStore) -> None:
    columns = {name for _, name, *_ in store._connection.raw.execute("select * from pragma_table_info('item')")}
    assert columns == {how.split("-")[0] for how in DAMAGE} | UNSEALED


def test_a_sound_row_is_served_by_every_read(store: SqliteStore) -> None:
    known = handles(store, EVERYWHERE, "tea")
    assert served(store, known).count(DAMAGED) == 8 * 3
    assert store.damaged(EVERYWHERE) == []


@pytest.mark.parametrize("column", DAMAGE)
def test_a_damaged_row_is_never_served_and_always_named(store: SqliteStore, path: Path, column: str) -> None:
    known = handles(store, EVERYWHERE, "tea")
    how, place = DAMAGE[column]
    damage(path, how)
    shown = served(store, known)
    assert {item.text for item in shown} == {"black tea", "tea next door"}
    if place is not None:
        with pytest.raises(CorruptMemory, match="the stored bytes of `mem_damaged` are damaged, so it is not shown"):
            store.items(sight_on(place), ["mem_damaged"])
    name = "mem_other" if column == "id" else "mem_damaged"
    assert store.damaged(EVERYWHERE) == [name]
    assert [problem for what, problem in store.checkup() if what == "damaged" and name in problem]


@pytest.mark.parametrize("column", DAMAGE)
def test_quarantine_takes_it_out_of_the_index_and_the_statistics(store: SqliteStore, path: Path, column: str) -> None:
    known = handles(store, EVERYWHERE, "tea")
    damage(path, DAMAGE[column][0])
    assert list(store.all_damaged()) == ["mem_other" if column == "id" else "mem_damaged"]
    assert store.quarantined(EVERYWHERE) == []
    store.apply([Quarantine(NOW)], [])
    assert store.quarantined(EVERYWHERE) == store.damaged(EVERYWHERE) == list(store.all_damaged())
    for sight in SIGHTS:
        assert store.quarantined(sight) == store.damaged(sight)
    assert handles(store, EVERYWHERE, "green") == []
    assert found(store, sight_on(HOME), "tea") == ["black tea"]
    assert statistics(partitions(store, sight_on(HOME), ["tea"], NOW)) == [(0, 1, 2)]
    assert {what for what, _ in store.checkup()} == {"damaged"}
    assert {item.text for item in served(store, known)} == {"black tea", "tea next door"}
    assert store.count_by_kind(sight_on(HOME), HOME, EVERYONE, ALICE.key) == {Kind.SEMANTIC: 1}
    assert store.authored_count(ALICE) == 2


@pytest.mark.parametrize("quarantined", [False, True])
@pytest.mark.parametrize("column", DAMAGE)
def test_a_damaged_row_can_be_erased_without_a_trace(
    store: SqliteStore, path: Path, column: str, quarantined: bool
) -> None:
    damage(path, DAMAGE[column][0])
    if quarantined:
        store.apply([Quarantine(NOW)], [])
    space: Space = NEXT_DOOR if column == "space" else HOME
    store.apply([Erase(space, "mem_other" if column == "id" else "mem_damaged")], [])
    assert store.checkup() == []
    assert store.damaged(EVERYWHERE) == store.quarantined(EVERYWHERE) == []
    assert texts(listed(store, EVERYWHERE)) == ["black tea", "tea next door"]
    assert statistics(partitions(store, EVERYWHERE, ["tea"], NOW)) == [(0, 1, 2), (1, 1, 3)]
    connection = store._connection.raw
    for left in ("select count(*) from quarantine", "select count(*) - 1 from lineage"):
        assert connection.execute(left).get == 0
    assert connection.execute("select count(*) from entry").get == 2
    assert connection.execute("select count(*) from tick_expiry").get == 1
    assert store.count_by_kind(EVERYWHERE, HOME, EVERYONE, ALICE.key) == {Kind.SEMANTIC: 1}


def test_a_damaged_row_can_be_restored(store: SqliteStore, path: Path) -> None:
    damage(path, "record = 'x'")
    store.apply([Quarantine(NOW)], [])
    store.apply([updated(DAMAGED)], [])
    assert store.quarantined(EVERYWHERE) == []
    assert store.items(sight_on(HOME), ["mem_damaged"]) == [DAMAGED]
    assert found(store, sight_on(HOME), "green") == ["green tea"]
    assert store.count_by_kind(sight_on(HOME), HOME, EVERYONE, ALICE.key) == {Kind.SEMANTIC: 2}
    assert store.checkup() == []


def test_reindexing_leaves_out_damaged_rows(store: SqliteStore, path: Path) -> None:
    damage(path, "record = 'x'")
    store.apply([Reindex(entry_of)], [])
    assert found(store, sight_on(HOME), "tea") == ["black tea"]
    assert {what for what, _ in store.checkup()} == {"damaged"}


@pytest.mark.parametrize("bit", range(8))
def test_one_flipped_bit_in_the_file_is_noticed(store: SqliteStore, path: Path, bit: int) -> None:
    store.scrub()
    store.close()
    contents = bytearray(path.read_bytes())
    assert contents.count(b"green tea") == 1
    contents[contents.index(b"green tea") + 2] ^= 1 << bit
    path.write_bytes(contents)
    reopened = SqliteStore(path, ballast_bytes=0)
    assert texts(listed(reopened, sight_on(HOME))) == ["black tea"]
    assert reopened.damaged(sight_on(HOME)) == ["mem_damaged"]
    with pytest.raises(CorruptMemory, match="mem_damaged"):
        reopened.items(sight_on(HOME), ["mem_damaged"])
    reopened.close()


def test_damage_in_another_space_affects_no_one_else(store: SqliteStore, path: Path) -> None:
    damage(path, "record = 'x'")
    assert store.damaged(sight_on(NEXT_DOOR)) == []
    assert store.items(sight_on(NEXT_DOOR), ["mem_damaged"]) == []
    assert found(store, sight_on(NEXT_DOOR), "tea") == ["tea next door"]


def test_damage_to_an_unreadable_memory_is_not_reported(store: SqliteStore, path: Path) -> None:
    put(store, memory(text="tea for bob", id="mem_for_bob", readers=Readers.of(users=["bob"])))
    connection = apsw.Connection(str(path))
    connection.execute("update item set record = 'x' where id = 'mem_for_bob'")
    connection.close()
    assert store.items(sight_on(HOME), ["mem_for_bob"]) == []
    assert store.damaged(sight_on(HOME)) == []
    with pytest.raises(CorruptMemory, match="mem_for_bob"):
        store.items(sight_on(HOME, actor=BOB), ["mem_for_bob"])
    assert store.damaged(sight_on(HOME, actor=BOB)) == ["mem_for_bob"]
