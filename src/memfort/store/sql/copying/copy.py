"""Copies a store table by table, a thousand rows in a transaction, and compares the copy with its source.

Until the comparison is done the copy has a mark, with which nobody opens it. The mark names the state of the source, so
that a copy which was interrupted goes on only from the same: each row that is there already is left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from memfort.errors import StoreBroken
from memfort.store.port import Progress, Scope
from memfort.store.sql.checkup import structure
from memfort.store.sql.connection import Connection
from memfort.store.sql.copying.numbers import Numbers, StoreNumbers
from memfort.store.sql.copying.tables import TABLES, Row, Table
from memfort.store.sql.index.entries import Rows
from memfort.trail.event import GENESIS, ChainId, link_hash

if TYPE_CHECKING:
    from memfort.store.sql.store import SqlStore

MARK = "copying"  # in `meta`: the state of the source, until the copy is whole
_ROWS_AT_ONCE = 1000
_COUNTED = ("memories", "index entries", "events")  # for the progress: the large tables


def state_of(connection: Connection) -> str:
    """What moves with every change of a store: its chains, and what it counts."""
    said = hashlib.sha256()
    for _, kind, key, length, head, _ in connection.rows("all_chains"):
        said.update(repr((kind, bytes(key), length, bytes(head))).encode())
    counted = (
        connection.scalar("count_items"),
        *(connection.scalar("get_meta", name) for name in ("words", "rebuilt")),
    )
    said.update(repr(counted).encode())
    return said.hexdigest()


def is_empty(connection: Connection) -> bool:
    return not connection.scalar("count_links") and not connection.scalar("count_items")


class Copy:
    """One run of copying `source` into `target`, with what each number of the one is in the other."""

    def __init__(self, source: SqlStore, target: SqlStore, progress: Progress | None) -> None:
        self._source, self._target = source, target
        self._numbers = Numbers(*(StoreNumbers(one.keys, one.current_connection) for one in (source, target)))
        self._progress = progress
        self._done = 0
        links, items = (int(source.current_connection().scalar(query)) for query in ("count_links", "count_items"))
        self._total = 2 * (links + 2 * items)

    def make(self) -> None:
        _check_sound("the store to be copied", self._source)  # or what is damaged would get a good seal
        is_begun = self._target.current_connection().scalar("get_meta", MARK) is not None
        with self._target.writing(Scope()):
            state = state_of(self._source.current_connection())
            self._target.current_connection().run("set_meta", MARK, state)
        for table in TABLES:
            there = {_digest(row) for row in table.read(self._target.current_connection())} if is_begun else ()
            self._put(table, there)

    def _put(self, table: Table, there: Collection[bytes]) -> None:
        rows = (table.translate(self._source.keys, self._numbers, row) for row in self._rows_of_source(table))
        missing = (row for row in rows if not there or _digest(row) not in there)
        while page := list(islice(missing, _ROWS_AT_ONCE)):
            with self._target.writing(Scope()):
                table.write(self._target.current_connection(), self._numbers.target, page)

    def _rows_of_source(self, table: Table) -> Iterator[Row]:
        is_counted = table.name in _COUNTED
        for row in table.read(self._source.current_connection()):
            yield row
            self._done += is_counted
            if self._progress is not None and is_counted and self._done % 256 == 0:
                self._progress(min(self._done, self._total), self._total)

    def compare(self) -> None:
        """Compare every row, follow every chain, and look the copy over."""
        for table in TABLES:
            wanted = (table.translate(self._source.keys, self._numbers, row) for row in self._rows_of_source(table))
            if _sum(wanted) != _sum(table.read(self._target.current_connection())):
                raise StoreBroken(f"the copy of the {table.name} is not what the source has; begin with an empty store")
        for name in _broken_chains(self._target.current_connection()):
            raise StoreBroken(f"the chain of {name} does not hold in the copy; look at the source with `doctor()`")
        _check_sound("the copy", self._target)
        with self._target.writing(Scope()):
            self._target.current_connection().run("drop_meta", MARK)
        if self._progress is not None:
            self._progress(self._total, self._total)


def _check_sound(what: str, store: SqlStore) -> None:
    for _, problem in structure(store.current_connection(), store.keys):
        raise StoreBroken(f"{what} is not sound: {problem}")


def _broken_chains(connection: Connection) -> Iterator[str]:
    """The chains whose links do not follow one from the other, up to the head."""
    for no, kind, key, length, head, _ in connection.rows("all_chains"):
        chain, last, number = ChainId(kind, bytes(key)), GENESIS, 0
        for number, body, hash in connection.each("events", no, 0):
            if hash != link_hash(chain, number, last, body):
                break
            last = hash
        if (number, last) != (length, head):
            yield f"{kind} {bytes(key).hex()[:16]}"


def _sum(rows: Iterable[Row]) -> Rows:
    return Rows(map(_plain, rows))


def _digest(row: Row) -> bytes:
    return hashlib.blake2b(repr(_plain(row)).encode(), digest_size=16).digest()


def _plain(row: Row) -> Row:
    """A row whose numbers and texts are of the plain types, whatever the engine gives."""
    return tuple(_plain_value(value) for value in row)


def _plain_value(value: Any) -> Any:
    if isinstance(value, int):
        return int(value)
    return str(value) if isinstance(value, str) else value
