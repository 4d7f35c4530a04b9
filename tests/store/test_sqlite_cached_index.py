"""Partition groups of the index in memory: whatever was read before and whoever has written since, they say what the
file says."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from memfort.errors import StoreBroken
from memfort.model.audience import Audience, Listeners, ListenersKind
from memfort.model.item import Item, Readers, Status
from memfort.model.moment import Moment
from memfort.model.sight import SeenSpace, Sight
from memfort.store.port import Change, Entry, Erase
from memfort.store.port.values.columns import Columns
from memfort.store.sql.index import cached
from memfort.store.sql.index import entries as index
from memfort.store.sql.index.cached import CachedIndexes
from memfort.store.sqlite import SqliteStore
from memfort.testing.conformance import HOME, LATER, NEXT_DOOR, NOW, memory, put, sight_on, updated
from memfort.testing.conformance.inspection import Partition, partitions
from memfort.testing.conformance.samples import inserted, with_audience

WORDS = ["tea", "milk", "jam", "ink"]
SIGHT = sight_on(HOME)
PEOPLE = ((), ("@alice",), ("@bob",))


def read(store: SqliteStore) -> list[Partition]:
    return partitions(store, SIGHT, WORDS, NOW)


def read_anew(path: Path) -> list[Partition]:
    """What a process sees that has read nothing before."""
    other = SqliteStore(path, ballast_bytes=0)
    try:
        return read(other)
    finally:
        other.close()


steps = st.lists(st.tuples(st.sampled_from(["add", "change", "end", "erase"]), st.integers(0, 99)), max_size=25)


@settings(max_examples=40, deadline=None)
@given(steps, st.sampled_from([3, 1024]))
def test_a_cached_index_follows_the_file(
    tmp_path_factory: pytest.TempPathFactory, made: list[tuple[str, int]], kept: int
) -> None:
    """Two processes, one of which writes; the other reads now and then, and has to follow."""
    path = tmp_path_factory.mktemp("image") / "memories.db"
    patch = pytest.MonkeyPatch()
    patch.setattr(index, "_GONE_KEPT", kept)
    writer, reader = SqliteStore(path, ballast_bytes=0), SqliteStore(path, ballast_bytes=0)
    try:
        known = [_said(number) for number in range(1, 4)]
        writer.apply([inserted(item) for item in known], [])
        for place, (step, which) in enumerate(made):
            known = _after(writer, known, step, which, number=place + 4)
            if which % 3 == 0:
                assert read(reader) == read_anew(path)
        assert read(reader) == read(writer) == read_anew(path)
    finally:
        patch.undo()
        writer.close()
        reader.close()


def _said(number: int) -> Item:
    text, ends = f"{WORDS[number % 4]} {WORDS[number % 3]}", LATER if number % 5 == 0 else None
    return with_audience(text=text, number=number, subjects=PEOPLE[number % 3], expires_at_us=ends)


def _after(store: SqliteStore, known: list[Item], step: str, which: int, number: int) -> list[Item]:
    if step == "add" or not known:
        item = _said(number)
        store.apply([inserted(item)], [])
        return [*known, item]
    item = known.pop(which % len(known))
    changes: dict[str, Change] = {
        "change": updated(replace(item, importance=which / 100)),
        "end": updated(replace(item, status=Status.SUPERSEDED)),
        "erase": Erase(HOME, item.id),
    }
    store.apply([changes[step]], [])
    return [*known, item] if step == "change" else known


def test_an_older_view_is_answered_as_of_then(store: SqliteStore, path: Path) -> None:
    put(store, memory(text="tea"), memory(text="milk", number=2))
    writer = SqliteStore(path, ballast_bytes=0)
    with store.reading():
        before = read(store)
        writer.apply([Erase(HOME, memory().id), inserted(memory(text="jam", number=3))], [])
        there: list[list[Partition]] = []
        thread = threading.Thread(target=lambda: there.append(read(store)))  # a newer view, of the same images
        thread.start()
        thread.join()
        assert there == [read_anew(path)] != [before]
        assert read(store) == before
    assert read(store) == there[0]
    writer.close()


def test_an_older_read_view_shows_a_memory_written_and_erased_since(store: SqliteStore, path: Path) -> None:
    put(store, memory(text="tea"))
    read(store)
    writer = SqliteStore(path, ballast_bytes=0)
    writer.apply([inserted(memory(text="milk", number=2))], [])
    with store.reading():
        assert store._connection.raw.execute("select count(*) from item").get == 2  # the view begins here
        writer.apply([Erase(HOME, memory(number=2).id)], [])
        thread = threading.Thread(target=lambda: read(store))
        thread.start()
        thread.join()
        (partition,) = read(store)
        assert len(partition.postings["milk"]) == 1
    (partition,) = read(store)
    assert partition.postings["milk"] == []
    writer.close()


def test_a_rolled_back_write_leaves_nothing(store: SqliteStore) -> None:
    put(store, memory(text="tea"))
    before = read(store)

    def write_and_fail() -> None:
        with store.writing():
            store.apply([inserted(memory(text="milk tea", number=2))], [])
            assert read(store) != before
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_and_fail()
    assert read(store) == before
    put(store, memory(text="jam", number=2))
    assert [len(partition.postings["jam"]) for partition in read(store)] == [1]


def columns(store: SqliteStore, sight: Sight = SIGHT, now: Moment = NOW) -> Columns:
    [found] = store.columns(sight, now)
    return found


def texts(store: SqliteStore, now: Moment) -> list[str]:
    found = columns(store, now=now)
    return sorted(item.text for item in store.items_by_handle(SIGHT, found.handles[found.shown].tolist()).values())


def test_a_view_is_kept_until_something_changes(store: SqliteStore) -> None:
    put(store, memory(text="tea"))
    first = columns(store)
    assert columns(store) is first
    put(store, memory(text="milk", number=2))
    second = columns(store)
    assert (second is not first, first.count, second.count) == (True, 1, 2)
    assert columns(store) is second


def test_a_kept_view_ends_when_something_in_it_expires_and_a_clock_set_back_sees_it_again(store: SqliteStore) -> None:
    put(store, memory(text="tea"), memory(text="milk", number=2, expires_at_us=LATER))
    before, at_last = Moment(LATER - 1), Moment(LATER + 9)
    for _ in range(2):
        assert texts(store, before) == ["milk", "tea"]
        assert texts(store, LATER) == texts(store, at_last) == ["tea"]
    assert columns(store, now=at_last) is columns(store, now=LATER)


def test_each_chat_has_its_own_view_and_few_are_cached(store: SqliteStore) -> None:
    put(store, *(with_audience(text=f"tea {no}", number=no + 1, subjects=(f"@user-{no}",)) for no in range(6)))
    rooms = [replace(SIGHT, disclosure=_Hears(frozenset({f"@user-{no}"}))) for no in range(6)]
    for _ in range(2):
        for sight in rooms:
            assert [columns(store, sight).count, columns(store).count] == [1, 6]
    seen = {int(handle) for sight in rooms for handle in columns(store, sight).handles[columns(store, sight).shown]}
    assert len(seen) == 6
    assert store._cached_indexes is not None
    [kept] = store._cached_indexes._kept.values()
    assert len(kept._views) == cached._VIEWS


@dataclass(frozen=True)
class _Hears:
    """A room that hears what is about some people."""

    people: frozenset[str]
    listeners = Listeners(ListenersKind.GROUP)

    def may_hear(self, seen: SeenSpace, readers: Readers, audience: Audience) -> bool:
        return not self.people.isdisjoint(audience.subjects)

    def is_disclosed(self, readers: Readers, audience: Audience, person: str) -> bool:
        return False


def test_cached_indexes_stay_within_their_size_limit(store: SqliteStore) -> None:
    put(store, memory(text="tea"), memory(NEXT_DOOR, "milk"))
    store._cached_indexes = images = CachedIndexes(store.keys, bytes_kept=1)
    for _ in range(2):
        for space in (HOME, NEXT_DOOR):
            assert len(partitions(store, sight_on(space), WORDS, NOW)) == 1
            assert len(images._kept) == 1
    store._cached_indexes = CachedIndexes(store.keys)
    for space in (HOME, NEXT_DOOR):
        partitions(store, sight_on(space), WORDS, NOW)
    assert len(store._cached_indexes._kept) == 2


def test_growth_of_a_cached_index_can_evict_another(store: SqliteStore) -> None:
    put(store, memory(text="tea"), memory(NEXT_DOOR, "milk"))
    store._cached_indexes = images = CachedIndexes(store.keys)
    for space in (HOME, NEXT_DOOR):
        partitions(store, sight_on(space), WORDS, NOW)
    before = images._total
    assert before == sum(one.size for one in images._kept.values()) > 0
    images._bytes_kept = before  # what is there just fits
    put(store, *(memory(NEXT_DOOR, f"milk {no}", number=no + 2) for no in range(200)))
    assert len(images._kept) == 2
    partitions(store, sight_on(NEXT_DOOR), WORDS, NOW)
    [kept] = images._kept.values()
    assert images._total == kept.size
    assert len(kept._items) == 201


@pytest.mark.parametrize("damage", ["terms = x'00'", "counts = x''", "terms = zeroblob(16)"])
def test_a_damaged_entry_is_an_error_with_a_remedy(store: SqliteStore, path: Path, damage: str) -> None:
    put(store, memory(text="tea"), memory(text="milk", number=2))
    assert store.checkup() == []
    connection = apsw.Connection(str(path))
    connection.execute(f"update entry set {damage} where stamp = 1")
    connection.close()
    with pytest.raises(StoreBroken, match=r"an index entry does not match its seal; run `store.reindex\(\)`"):
        read(store)
    assert {what for what, _ in store.checkup()} == {"index"}


def test_the_first_numbers_of_vectors_are_kept_apart_once_there_are_many(
    path: Path, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever comes and goes, they are the first numbers of the vectors beside them."""
    monkeypatch.setattr(cached, "ROUGH_FROM", 5)
    monkeypatch.setattr(cached, "ROUGH_WIDTH", 2)
    mark, writer = b"mark", SqliteStore(path, ballast_bytes=0)

    def add(number: int) -> None:
        entry = Entry({"tea": 1}, vector=mark + bytes([number, 2 * number, 3 * number, 4]))
        writer.apply([replace(inserted(memory(number=number)), entry=entry)], [])

    def looked_at() -> int:
        (found,) = store.columns(SIGHT, NOW, mark)
        if len(found.handles) < 5:
            assert found.rough is None
        else:
            assert found.rough is not None
            assert found.rough.tolist() == found.vectors[:, :2].tolist()
            assert found.rough.flags.c_contiguous
        return found.count

    for number in range(1, 5):
        add(number)
    assert looked_at() == 4
    for number in range(5, 9):
        add(number)
        assert looked_at() == number
    writer.apply([Erase(HOME, memory(number=3).id)], [])
    add(9)
    assert looked_at() == 8
    with store.reading():
        assert looked_at() == 8
        add(10)
        assert looked_at() == 8
    assert looked_at() == 9
    assert all(one.rough is None for one in store.columns(SIGHT, NOW, b"else"))
    writer.close()


def test_a_cached_empty_overdue_is_invalidated_by_another_process(path: Path, store: SqliteStore) -> None:
    """That nothing is due is cached only until the next write."""
    other, sight = SqliteStore(path, ballast_bytes=0), sight_on(HOME)
    try:
        assert store.overdue(sight, LATER) == []
        brief = with_audience(text="tea", number=1, expires_at_us=LATER)
        other.apply([inserted(brief)], [])
        assert store.overdue(sight, NOW) == []
        assert [item.id for item in store.overdue(sight, LATER)] == [brief.id]
        other.apply([Erase(brief.space, brief.id)], [])
        assert store.overdue(sight, LATER) == []
    finally:
        other.close()
