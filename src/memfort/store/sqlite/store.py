"""The SQLite store: the port of `memfort.store.port` over one file, for any number of threads and processes."""

from __future__ import annotations

import heapq
import json
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import apsw

from memfort.errors import CorruptMemory, KeyMismatch, StoreBroken, StoreFull
from memfort.model.actor import Actor, Standpoint
from memfort.model.directory import Agent, Chat, DirectoryState, Facts, Principal, Share, Trust
from memfort.model.hearing import PLAIN, Label
from memfort.model.item import EVERYONE, Authority, Item, Kind, Readers
from memfort.model.marks import Marks
from memfort.model.moment import Moment
from memfort.model.person import Person, Relation
from memfort.model.phase import Phase
from memfort.model.sight import Sight
from memfort.model.source import Source
from memfort.model.space import Coordinate, Space
from memfort.store.marks import asked_numbers
from memfort.store.port import (
    ANALYZER,
    Bar,
    Change,
    Erase,
    Erasure,
    Filter,
    Insert,
    Position,
    PutErasure,
    Scrub,
)
from memfort.store.sqlite import checkup, directory, index, people, records, told, trail
from memfort.store.sqlite.changes import Desk, append, insert, make, undivided
from memfort.store.sqlite.connection import Connections, check_engine, rows, scalar, translated
from memfort.store.sqlite.files import (
    BALLAST_BYTES,
    StoreFiles,
    prepare,
    put_ballast,
    read_or_make_key,
    release_ballast,
    settle_key,
)
from memfort.store.sqlite.held import Held
from memfort.store.sqlite.migrate import check_is_ours, migrate, shipped
from memfort.store.sqlite.queries import QUERIES
from memfort.store.sqlite.rows import (
    Row,
    is_intact,
    item_of,
    readers_text,
    row_of,
    text_of,
)
from memfort.store.sqlite.scrub import dirty_spans, overwrite_unused
from memfort.store.sqlite.visible import Visible, readers_of, until_written, visible
from memfort.trace.checkpoint import Checkpoint
from memfort.trace.event import ChainId, Event, Link
from memfort.trace.keys import Keys

if TYPE_CHECKING:
    from memfort.store.columns import Columns
    from memfort.store.sqlite.image import Images

WAIT_SECONDS = 30.0
_FACTS_KEPT = 4096
_VeryLate = 2**62
_Made = TypeVar("_Made")
_A_FEW = 16
_AT_ONCE = 1000
_WORDS_BEFORE = "words-2"  # the last that stores did not note


class SqliteStore:
    """Memories in one SQLite file."""

    keys: Keys

    def __init__(
        self,
        path: Path | str,
        *,
        keys: Keys | None = None,
        wait_seconds: float = WAIT_SECONDS,
        ballast_bytes: int = BALLAST_BYTES,
    ) -> None:
        check_engine(apsw.sqlite_lib_version())
        self._files = StoreFiles(Path(path).absolute())
        self._ballast_bytes = ballast_bytes
        prepare(self._files)
        self._with_room(self._check_is_ours)
        self._connections = Connections(self._files, wait_seconds, Held())
        self._images: Images | None = None  # of the index, once somebody recalls
        self._known_facts: tuple[int, dict[Standpoint, Facts]] = (-1, {})  # as of a version of the directory
        try:
            self._with_room(lambda: self._set_up(keys))
        except BaseException:
            self._connections.close()
            raise

    def reading(self) -> AbstractContextManager[None]:
        return self._connections.reading()

    def writing(self) -> AbstractContextManager[None]:
        return self._connections.writing()

    def apply(self, changes: Sequence[Change], events: Sequence[Event]) -> None:
        try:
            self._apply(changes, events)
        except StoreFull:
            erases = any(isinstance(change, Erase | PutErasure) for change in changes)
            if not erases or self._connections.is_writing:
                raise
            self._make_room()
            self._apply(changes, events)

    # -- directory ---------------------------------------------------------------------------------------------------

    def facts(self, standpoint: Standpoint) -> Facts:
        if self._connections.is_writing:  # what is written now may be taken back, and its version be used again
            kept = self._connections.counters.facts
            if (facts := kept.get(standpoint)) is None:
                facts = kept[standpoint] = directory.facts(self._uncounted, standpoint)
            return facts
        with translated():
            version = directory.version(self._connection)
        of_version, known = self._known_facts
        if of_version == version and (facts := known.get(standpoint)) is not None:
            return facts
        with self.reading():
            version = directory.version(self._connection)
            # The version and what is known of it change hands together: a thread with an older view must never put
            # its facts where a thread with a newer one looks.
            of_version, known = self._known_facts
            if of_version != version or len(known) > _FACTS_KEPT:
                known = {}
                self._known_facts = (version, known)
            facts = known[standpoint] = directory.facts(self._connection, standpoint)
            return facts

    def agent(self, id: str) -> Agent | None:
        with translated():
            return directory.agent(self._connection, id)

    def chat(self, id: str) -> Chat | None:
        with self.reading():
            return directory.chat(self._connection, id)

    def members(self, coordinate: Coordinate) -> list[Principal]:
        with translated():
            return directory.members(self._connection, coordinate)

    def trust(self, coordinate: Coordinate, member: Principal) -> Trust | None:
        with translated():
            return directory.trust(self._connection, coordinate, member)

    def policy(self, digest: str | None = None) -> str | None:
        with translated():
            found = records.genuine(self.keys, "policy", rows(self._connection, QUERIES["policy"], (digest,)))
            in_use = scalar(self._connection, QUERIES["get_meta"], ("policy",))
        if not found and digest is None and in_use is not None:  # no policy at all would be a weaker one
            remedy = "put one to use with `memfort policy use`, or name the one to open the store with"
            raise StoreBroken(f"the record of the policy in use is damaged; {remedy}")
        return found[0][1] if found else None

    def shares_of(self, spaces: Sequence[Space]) -> list[Share]:
        with translated():
            return directory.shares_of(self._connection, spaces)

    def directory(self) -> DirectoryState:
        with self.reading():
            return directory.state(self._connection)

    # -- memories ----------------------------------------------------------------------------------------------------

    def columns(self, sight: Sight, now: Moment, mark: bytes = b"", length: int | None = None) -> list[Columns]:
        with translated(), self.reading():
            connection, version = self._connection, self._connections.version()
            racks = [*self._visible(sight).racks, *told.racks(connection, sight, version)]
            if (images := self._images) is None:
                from memfort.store.sqlite.image import Images

                images = self._images = Images()
            is_writing = self._connections.is_writing
            found = [images.columns(connection, rack, now, mark, length, is_writing=is_writing) for rack in racks]
        return [columns for columns in found if columns.count]

    def unembedded(self, sight: Sight, mark: bytes, length: int | None = None) -> list[int]:
        with translated(), self.reading():
            seen = self._visible(sight)
            racks, shelves = json.dumps([rack.no for rack in seen.racks]), json.dumps(list(seen.shelves))
            return [no for (no,) in rows(self._connection, QUERIES["unembedded"], (racks, shelves, mark, length))]

    def stamps(self, sight: Sight, handles: Sequence[int]) -> dict[int, Position]:
        with translated():
            shelves = self._visible(sight).shelves
            also = told.numbers(self._connection, sight, handles, self._connections.version())
            found = rows(self._connection, QUERIES["stamps"], (json.dumps(list(handles)),))
        return {
            no: Position(Moment(at), text_of(id), space)
            for no, shelf, at, id, space in found
            if shelf in shelves or no in also
        }

    def opened(self, sight: Sight, handles: Sequence[int]) -> dict[int, Item]:
        rows = self._intact_rows("items_by_no", str(list(handles)))
        return {row[0]: item for row in rows if sight.admits(item := item_of(row))}

    def items(self, sight: Sight, ids: Sequence[str]) -> list[Item]:
        visible = self._visible(sight).shelves
        rows = [row for row in self._rows("items_by_id", self._space_numbers(sight), json.dumps(list(ids)))
                if row[3] in visible]  # fmt: skip
        for row in rows:
            if not is_intact(self.keys, row):
                raise CorruptMemory(
                    f"the stored bytes of `{row[2]}` are damaged, so it is not shown; erase or restore it"
                )
        if sight.about:
            rows += self._intact_rows("items_told", json.dumps(sorted(sight.about)), json.dumps(list(ids)))
        return self._in_order(sight, {row[0]: row for row in rows}.values())

    def about(self, sight: Sight, persons: Sequence[str], filter: Filter, limit: int, now: Moment) -> list[Item]:
        with translated(), self.reading():
            where = told.all_open(self._connection, sight, self._connections.version())
            shelves = json.dumps(list(self._visible(sight).shelves))
            asked = (json.dumps(sorted(set(persons))), shelves, json.dumps(sorted(sight.about)), json.dumps(where))
            stored = map(row_of, self._connection.execute(QUERIES["items_about"], asked))
            items = (item_of(row) for row in stored if is_intact(self.keys, row))
            return list(islice((one for one in items if sight.admits(one) and filter.admits(one, now)), limit))

    def concerning(self, sight: Sight, persons: Sequence[str]) -> list[int]:
        asked = (json.dumps(list(persons)), json.dumps(list(self._visible(sight).shelves)))
        with translated():
            return [no for (no,) in rows(self._connection, QUERIES["about_in_sight"], asked)]

    def page(self, sight: Sight, filter: Filter, after: Position | None, limit: int, now: Moment) -> list[Item]:
        with translated(), self.reading():
            shelves = self._visible(sight).shelves
            streams = [self._from_newest(sight, space, shelves, after) for space in self._numbered_spaces(sight)]
            found: list[Item] = []
            for _, item in heapq.merge(*streams, key=lambda pair: pair[0]):
                if len(found) >= limit:
                    break
                if filter.admits(item, now):
                    found.append(item)
            return found

    def starting(self, sight: Sight, beginning: str, limit: int) -> list[str]:
        found: set[str] = set()
        for space in self._numbered_spaces(sight):
            rows = self._intact_rows("items_by_beginning", space, beginning)
            found |= {row[2] for row in rows if row[2].startswith(beginning) and sight.admits(item_of(row))}
        return sorted(found)[:limit]

    def marked(self, sight: Sight, space: Space, readers: Readers, marks: Marks, limit: int) -> list[Item]:
        if sight.seen(space) is None or not sight.admits_readers(readers):
            return []
        with translated():
            writer, place = self._connections.of_write(), (space.id, readers_text(readers))
            rack = self._numbered(writer, place, "rack_at", *place)
            if rack is None:
                return []
            asked = asked_numbers(self.keys, marks)
            counters = self._connections.counters
            if writer is not None and not counters.knows_marks(rack[0]):
                writer = self._connection  # in which nothing is held back
            if writer is not None and not counters.may_have(writer, rack[0], asked):
                return []
            found = index.marked(self._connection, rack[0], asked, limit)
        return self._in_order(sight, self._intact_rows("items_by_no", json.dumps(found))) if found else []

    def rivals(self, sight: Sight, space: Space, readers: Readers, value: bytes) -> list[Item]:
        writer = self._connections.of_write()
        number = self._space_in_sight(writer, sight, space)
        if number is None or not sight.admits_readers(readers):
            return []
        if writer is not None and not self._connections.counters.may_have_value(writer, number, value):
            return []
        alike = self._intact_rows("items_by_value", number, value)
        return [item for item in self._in_order(sight, alike) if item.readers == readers] if alike else []

    def bar(self, sight: Sight, space: Space, readers: Readers, value: bytes) -> Bar | None:
        writer = self._connections.of_write()
        number = self._space_in_sight(writer, sight, space)
        if number is None or not sight.admits_readers(readers):
            return None
        if writer is not None and not self._connections.counters.has_bars(writer, number):
            return None
        place = (number, readers_text(readers), value)
        found = [(*place, *row) for row in rows(self._uncounted, QUERIES["bar"], place)]
        for *_, authority, _ in records.genuine(self.keys, "bar", found):
            return Bar(space, readers, value, Authority(authority))
        return None

    def next_number(
        self, sight: Sight, space: Space, readers: Readers, author: bytes, kind: Kind, label: Label = PLAIN
    ) -> int:
        writer = self._connections.of_write()
        shelf = None if sight.seen(space) is None else self._shelf_number(writer, space, readers, label)
        if shelf is None:
            return 1
        if writer is not None:
            return self._connections.counters.next_number(writer, shelf, author, kind)
        found = scalar(self._connection, QUERIES["number"], (shelf, author, kind))
        return 1 if found is None else int(found)

    def derived(self, sight: Sight, ids: Sequence[str]) -> list[Item]:
        wanted = (self._space_numbers(sight), json.dumps(list(ids)))
        made = self._in_order(sight, self._intact_rows("items_derived", *wanted))
        copies = map(item_of, self._intact_rows("items_promoted", *wanted)) if sight.whole else ()
        return [*made, *sorted(copies, key=lambda item: (item.id, item.space.id))]

    def origins(self, sight: Sight, item: Item) -> list[tuple[Space, str]]:
        number = self._space_in_sight(self._connections.of_write(), sight, item.space)
        if number is None or not sight.whole:
            return []
        with translated():
            found = rows(self._connection, QUERIES["origins"], (number, item.id))
        return [(records.read_space(coordinates), id) for coordinates, id in found]

    def tick(self, sight: Sight, space: Space, readers: Readers = EVERYONE, label: Label = PLAIN) -> int:
        writer = self._connections.of_write()
        shelf = self._shelf_in_sight(writer, sight, space, readers, label)
        if shelf is None:
            return 0
        if writer is not None:
            return self._connections.counters.tick(writer, shelf)
        return int(scalar(self._connection, QUERIES["tick"], (shelf,)))

    def faded(self, sight: Sight, space: Space, readers: Readers, tick: int, label: Label = PLAIN) -> list[Item]:
        writer = self._connections.of_write()
        shelf = self._shelf_in_sight(writer, sight, space, readers, label)
        if shelf is None:
            return []
        if writer is not None and self._connections.counters.next_to_fade(writer, shelf) > tick:
            return []
        return self._in_order(sight, self._intact_rows("items_faded", shelf, tick))

    def population(
        self, sight: Sight, space: Space, readers: Readers, author: bytes, label: Label = PLAIN
    ) -> Mapping[Kind, int]:
        shelf = self._shelf_in_sight(self._connections.of_write(), sight, space, readers, label)
        return {Kind(kind): live for kind, live in rows(self._connection, QUERIES["population"], (shelf, author))}

    def authored(self, author: Actor) -> int:
        with translated():
            found = rows(self._connection, QUERIES["authored"], (author.key,))
        return sum(live for readers, live in found if readers_of(readers).admits(author))

    def places(self, author: Actor) -> list[Space]:
        with translated():
            found = rows(self._connection, QUERIES["places_of_author"], (author.key,))
        read = {coordinates for coordinates, readers in found if readers_of(readers).admits(author)}
        return sorted(map(records.read_space, read), key=lambda space: space.id)

    def least(
        self, sight: Sight, space: Space, readers: Readers, author: bytes, kinds: Sequence[Kind], count: int,
        *, oldest: bool = False, before: Moment | None = None, label: Label = PLAIN,
    ) -> list[Item]:  # fmt: skip
        shelf = self._shelf_in_sight(self._connections.of_write(), sight, space, readers, label)
        asked = (shelf, oldest, _VeryLate if before is None else before)
        with translated():
            stored = map(row_of, self._connection.execute(QUERIES["items_by_importance"], asked))
            items = (item_of(row) for row in stored if is_intact(self.keys, row))
            own = (item for item in items if item.author.key == author and item.kind in kinds and sight.admits(item))
            return list(islice(own, count))

    def spare(
        self, sight: Sight, author: Actor, *, oldest: bool = False, before: Moment | None = None
    ) -> Iterator[Item]:
        asked = (author.key, oldest, _VeryLate if before is None else before, author.id)
        with translated():
            numbers = [no for (no,) in rows(self._connection, QUERIES["items_of_author"], asked)]
        for start in range(0, len(numbers), _A_FEW):
            few = numbers[start : start + _A_FEW]
            found = {row[0]: item_of(row) for row in self._intact_rows("items_by_no", json.dumps(few))}
            for item in (found[no] for no in few if no in found):
                lasts = item.author.key == author.key and item.kind is not Kind.SHORT_TERM
                if lasts and sight.seen(item.space) is not None and sight.admits(item):
                    yield item

    def phases(self, sight: Sight) -> Mapping[bytes, tuple[Phase, ...]]:
        with translated():
            numbers = self._numbered_spaces(sight)
            found = rows(self._connection, QUERIES["phases_in"], (json.dumps(list(numbers)),))
        phases: dict[bytes, tuple[Phase, ...]] = {}
        for number, _, record, _ in records.genuine(self.keys, "phase", found):
            space = numbers[number]
            phases[space] = (*phases.get(space, ()), records.read_phase(record))
        return phases

    def overdue(self, sight: Sight, now: Moment, limit: int | None = None) -> list[Item]:
        with translated(), self.reading():
            if now < self._until_written(sight, "overdue from", lambda: self._first_overdue(sight)):
                return []  # as nearly always, and every read asks
            # Damaged ones stay overdue for ever, so they are passed over before the limit and not after.
            stored = map(row_of, self._connection.execute(QUERIES["items_overdue"], (_named(sight), now)))
            due = (row for row in stored if is_intact(self.keys, row) and sight.admits(item_of(row)))
            found = list(islice(due, limit))
        return self._in_order(sight, found)

    def records(self, sight: Sight) -> Iterator[tuple[str, bytes]]:
        for space in self._numbered_spaces(sight) if sight.whole else ():
            after: str | bytes = ""
            while page := self._rows("items_of_space", space, after, _AT_ONCE):
                yield from ((row[2], row[11]) for row in page if is_intact(self.keys, row))
                after = page[-1][2]

    def sources(self, sight: Sight) -> list[Source]:
        with translated():
            found = rows(self._connection, QUERIES["sources_in"], (self._space_numbers(sight),))
        sources = [records.read_source(row[2]) for row in records.genuine(self.keys, "source", found)]
        return sorted(sources, key=lambda one: (one.imported_at, one.id))

    def damaged(self, sight: Sight) -> list[str]:
        if sight.whole:  # those too whose damage has torn them from their shelf
            rows = self._rows("items_in_spaces", self._space_numbers(sight))
        else:
            rows = self._rows("items_on_shelves", json.dumps(list(self._visible(sight).shelves)))
        return sorted(row[2] for row in rows if not is_intact(self.keys, row))

    def quarantined(self, sight: Sight) -> list[str]:
        return list(self._until_written(sight, "quarantined", lambda: self._quarantined(sight)))

    def _quarantined(self, sight: Sight) -> list[str]:
        rows = self._rows("items_in_quarantine")
        if not rows:  # as nearly always
            return []
        numbers, shelves = self._numbered_spaces(sight), self._visible(sight).shelves
        seen = [row for row in rows if (row[1] in numbers if sight.whole else row[3] in shelves)]
        return sorted(row[2] for row in seen if not is_intact(self.keys, row))

    def unsound(self) -> list[str]:
        with translated():
            return sorted(row[2] for row in checkup.unsound(self._connection, self.keys))

    def spaces(self, user: str | None = None) -> list[Space]:
        with translated():
            asked = ("all_spaces", ()) if user is None else ("spaces_of_user", (user,))
            found = rows(self._connection, QUERIES[asked[0]], asked[1])
            return [records.read_space(coordinates) for (coordinates,) in found]

    # -- people ------------------------------------------------------------------------------------------------------

    def people(self, sight: Sight, ids: Sequence[str]) -> list[Person]:
        with translated():
            return people.by_id(self._uncounted, self.keys, sight, self._homes(sight), ids)

    def knows_people(self, sight: Sight) -> bool:
        return self._until_written(
            sight, "people", lambda: bool(scalar(self._uncounted, QUERIES["any_person"], (self._homes(sight),)))
        )

    def named(self, sight: Sight, *names: str) -> list[Person]:
        with translated():
            return people.named(self._uncounted, self.keys, sight, self._homes(sight), names)

    def all_people(self, sight: Sight, after: str | None, limit: int) -> list[Person]:
        with translated(), self.reading():
            return people.after(self._uncounted, self.keys, sight, self._homes(sight), after or "", limit)

    def relations(self, sight: Sight, persons: Sequence[str]) -> list[Relation]:
        wanted = (self._homes(sight), json.dumps(list(persons)))
        with translated():
            return people.relations(self._uncounted, self.keys, sight, "relations_of", *wanted)

    def all_relations(self, sight: Sight) -> list[Relation]:
        with translated():
            return people.relations(self._uncounted, self.keys, sight, "relations_in", self._homes(sight))

    def next_person(self, sight: Sight, home: Space | None, readers: Readers, creator: bytes) -> int:
        number = people.LISTED if home is None else self._space_in_sight(self._connections.of_write(), sight, home)
        if number is None or not sight.spaces:
            return 1
        return people.next_number(self._connection, number, readers, creator)

    def _homes(self, sight: Sight) -> str:
        return people.homes(sight, self._numbered_spaces(sight))

    # -- trail -------------------------------------------------------------------------------------------------------

    def chains(self) -> list[tuple[ChainId, int, bytes]]:
        with translated():
            return trail.chains(self._connection, self.keys)

    def links(self, chain: ChainId, after: int = 0) -> Iterator[Link]:
        with translated():
            yield from trail.links(self._connection, chain, after)

    def checkpoints(self, chain: ChainId) -> list[Checkpoint]:
        with translated():
            return trail.checkpoints(self._connection, chain)

    # -- erasing -----------------------------------------------------------------------------------------------------

    def erasures(self) -> list[Erasure]:
        with translated():
            found = rows(self._connection, QUERIES["erasures"])
        return [records.read_erasure(row[3]) for row in records.genuine(self.keys, "erasure", found)]

    def scrub(self) -> Scrub:
        """The one write that is no change and has no event: it changes no byte that means anything. The note it leaves
        is read by nobody; it is there because only a commit makes other connections drop their cached pages."""
        with self._alone() as why_not:
            if why_not is not None:
                return Scrub(why_not)
            with self._connections.noting_failure(), self._connections.standstill() as connection:
                if connection is None:
                    return Scrub("another program wrote at that moment; run `memfort erasures --finish` again")
                with translated():
                    in_log = self._wal_bytes()
                    overwritten, left = overwrite_unused(self._files.database)
                    connection.execute(QUERIES["set_meta"], ("scrubbed", overwritten))
        with self._alone():
            put_ballast(self._files, self._ballast_bytes)
        places = {"log_bytes_left": in_log, "unused_bytes_left": left, "unused_bytes_overwritten": overwritten}
        return Scrub(None if not left else "the disk gave back other bytes than were written", places)

    def residue(self) -> Mapping[str, int]:
        with self._alone() as why_not:
            if why_not is not None:
                return {"log_bytes": self._wal_bytes()}
            unused = sum(end - start for start, end in dirty_spans(self._files.database))
        return {"unused_bytes": unused} if unused else {}

    # -- upkeep ------------------------------------------------------------------------------------------------------

    def checkup(self) -> list[tuple[str, str]]:
        with self.reading():
            return [*checkup.permissions(self._files), *checkup.structure(self._connection, self.keys)]

    def info(self) -> Mapping[str, Any]:
        return {
            "engine": f"sqlite {apsw.sqlite_lib_version()}",
            "file": str(self._files.database),
            "bytes": self._files.database.stat().st_size + self._wal_bytes(),
            "memories": scalar(self._connection, QUERIES["count_items"]),
            "spaces": scalar(self._connection, QUERIES["count_spaces"]),
            "schema": shipped()[-1].number,
            "key": self.keys.fingerprint,
            "words": scalar(self._connection, QUERIES["get_meta"], ("words",)) or _WORDS_BEFORE,
            "ballast_bytes": self._files.ballast.stat().st_size if self._files.ballast.exists() else 0,
        }

    def close(self) -> None:
        self._connections.close()

    # -- inside: setting up ------------------------------------------------------------------------------------------

    @property
    def _connection(self) -> apsw.Connection:
        return self._connections.current()

    @property
    def _uncounted(self) -> apsw.Connection:
        """The same for a statement that reads no stamp, no tick, no sequence, no chain and no entry."""
        return self._connections.uncounted()

    def _with_room(self, work: Callable[[], None]) -> None:
        """A process needs a little room only to read, and without it could not erase either."""
        try:
            work()
        except StoreFull:
            if not release_ballast(self._files):
                raise
            work()

    def _check_is_ours(self) -> None:
        with translated():
            check_is_ours(self._files.database)

    def _set_up(self, keys: Keys | None) -> None:
        lock = self._connections.lock
        lock.acquire()
        try:
            with translated():
                writer = self._connections.writer_outside_transaction()
                is_new = scalar(writer, "select count(*) from sqlite_schema") == 0
                self.keys = keys or read_or_make_key(self._files, is_new=is_new)
                migrate(writer, shipped())
                self._check_key(writer)
                settle_key(self._files)
            put_ballast(self._files, self._ballast_bytes)
            put_ballast(self._files, self._ballast_bytes * 3 // 4)  # if there is no room for the whole
        finally:
            lock.release()

    def _check_key(self, writer: apsw.Connection) -> None:
        known = scalar(writer, QUERIES["get_meta"], ("key",))
        if known is None:
            writer.execute(QUERIES["set_meta"], ("words", ANALYZER))
            writer.execute(QUERIES["set_meta"], ("key", self.keys.fingerprint))
        elif known != self.keys.fingerprint:
            raise KeyMismatch(f"the key file `{self._files.key}` belongs to another store; put the right one back")

    # -- inside: what is in sight ------------------------------------------------------------------------------------

    def _visible(self, sight: Sight) -> Visible:
        with translated():
            return visible(self._connection, sight, self._connections.version())

    def _until_written(self, sight: Sight, name: str, make: Callable[[], _Made]) -> _Made:
        with translated():
            return until_written(self._connection, sight, name, make, self._connections.version())

    def _first_overdue(self, sight: Sight) -> float:
        """From when on anything in these spaces has expired and is to be swept."""
        first = scalar(self._connection, QUERIES["first_overdue"], (_named(sight),))
        if first is None:
            return math.inf
        return first if isinstance(first, int) else 0  # what is no time any more is looked at, and fails its seal

    def _space_in_sight(self, writer: apsw.Connection | None, sight: Sight, space: Space) -> int | None:
        if sight.seen(space) is None:
            return None
        found = self._numbered(writer, space.id, "space_no", space.id)
        return None if found is None else found[0]

    def _shelf_in_sight(
        self, writer: apsw.Connection | None, sight: Sight, space: Space, readers: Readers, label: Label
    ) -> int | None:
        seen = sight.seen(space)
        if seen is None or not sight.admits_shelf(seen, readers, label):
            return None
        return self._shelf_number(writer, space, readers, label)

    def _shelf_number(self, writer: apsw.Connection | None, space: Space, readers: Readers, label: Label) -> int | None:
        place = (space.id, readers_text(readers), label.text)
        found = self._numbered(writer, place, "shelf_at", *place)
        return None if found is None else found[1]

    def _numbered(
        self, writer: apsw.Connection | None, name: Hashable, query: str, *values: Any
    ) -> tuple[int, ...] | None:
        """The numbers that a query gives to a name, if there are any. Whoever writes asks for each only once."""
        numbers = self._connections.numbers
        if writer is not None and (known := numbers.find(name)) is not None:
            return known
        found: tuple[int, ...] | None = (writer or self._uncounted).execute(QUERIES[query], values).fetchone()
        return numbers.note(name, found) if writer is not None and found is not None else found

    def _space_numbers(self, sight: Sight) -> str:
        return json.dumps(list(self._numbered_spaces(sight)))

    def _numbered_spaces(self, sight: Sight) -> dict[int, bytes]:
        writer = self._connections.of_write()
        found = {id: self._numbered(writer, id, "space_no", id) for id in sight.by_id}
        return {number[0]: id for id, number in found.items() if number is not None}

    def _rows(self, query: str, *values: Any) -> list[Row]:
        with translated():
            return [row_of(row) for row in rows(self._uncounted, QUERIES[query], values)]

    def _intact_rows(self, query: str, *values: Any) -> list[Row]:
        return [row for row in self._rows(query, *values) if is_intact(self.keys, row)]

    def _in_order(self, sight: Sight, rows: Iterable[Row]) -> list[Item]:
        """The memories in these rows that the sight admits, by id and then in the order of recall."""
        places = {seen.space.id: place for place, seen in enumerate(sight.spaces)}
        found = [item for row in rows if sight.admits(item := item_of(row))]
        return sorted(found, key=lambda item: (item.id, places.get(item.space.id, len(places)), item.space.id))

    def _from_newest(
        self, sight: Sight, space: int, shelves: frozenset[int], after: Position | None
    ) -> Iterator[tuple[tuple[int, str, bytes], Item]]:
        start = (_VeryLate, "") if after is None else (after.created_at, after.id)
        for row in map(row_of, self._connection.execute(QUERIES["items_by_age"], (space, *start))):
            if row[3] not in shelves or not is_intact(self.keys, row) or not sight.admits(item := item_of(row)):
                continue
            place = (-item.created_at, item.id, item.space.id)
            if after is None or place > (-after.created_at, after.id, after.space):
                yield place, item

    # -- inside: changing --------------------------------------------------------------------------------------------

    def _apply(self, changes: Sequence[Change], events: Sequence[Event]) -> None:
        connections = self._connections
        inserts = undivided(connections.numbers, changes) if connections.is_writing else None
        if inserts is not None:
            with translated():
                connections.undivided(lambda writer: self._apply_undivided(writer, inserts, events))
            return
        with self.writing(), translated():
            desk = self._desk(self._uncounted)
            append(desk, events)  # first, so that a signature covers them
            for change in changes:
                make(desk, change)

    def _apply_undivided(self, writer: apsw.Connection, inserts: Sequence[Insert], events: Sequence[Event]) -> None:
        desk = self._desk(writer)
        entered = [one for change in inserts for one in insert(desk, change)]  # first: they alone can still be refused
        self._connections.held.hold(self.keys, entered, events)

    def _desk(self, writer: apsw.Connection) -> Desk:
        return Desk(writer, self.keys, self._connections.numbers, self._connections.counters)

    # -- inside: the files -------------------------------------------------------------------------------------------

    def _make_room(self) -> None:
        """Give the ballast back to the disk, and the log's space too if nobody reads from it."""
        release_ballast(self._files)
        with suppress(StoreFull), self._alone():
            pass

    @contextmanager
    def _alone(self) -> Iterator[str | None]:
        """Hold the write lock over an emptied log; yields why the log could not be emptied, if it could not."""
        lock = self._connections.lock
        self._connections.check_sound()
        lock.acquire()
        try:
            with self._connections.noting_failure(), translated():
                busy = self._truncate_log(self._connections.writer_outside_transaction())
            yield (
                "a reader is still open on an older view of the store; run `memfort erasures --finish` later"
                if busy
                else None
            )
        finally:
            lock.release()

    def _truncate_log(self, writer: apsw.Connection) -> bool:
        self._connections.be_patient(writer, patient=False)
        try:
            busy, _, _ = writer.execute("pragma wal_checkpoint(truncate)").fetchall()[0]
        except apsw.BusyError:
            return True
        finally:
            self._connections.be_patient(writer, patient=True)
        return bool(busy)

    def _wal_bytes(self) -> int:
        return self._files.wal.stat().st_size if self._files.wal.exists() else 0


def _named(sight: Sight) -> str:
    """The spaces of a sight, as a statement takes them."""
    return json.dumps([seen.space.id.hex() for seen in sight.spaces])
