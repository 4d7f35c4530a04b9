"""Looking a store's structures over, and putting right what can be put right. Shows nobody any contents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import apsw

from memfort.model.item import Item
from memfort.model.moment import Moment
from memfort.store.sqlite.connection import scalar
from memfort.store.sqlite.files import StoreFiles
from memfort.store.sqlite.queries import QUERIES
from memfort.store.sqlite.rows import Row, columns, is_indexed, is_intact, item_of, row_of, text_of, unpack_terms
from memfort.trace.keys import Keys

Problem = tuple[str, str]


def permissions(files: StoreFiles) -> Iterator[Problem]:
    for path in (files.database, files.key, files.wal):
        if path.exists() and path.stat().st_mode & 0o077:
            yield "permissions", f"`{path}` can be read by others; run `chmod 600 {path}`"


def structure(connection: apsw.Connection) -> Iterator[Problem]:
    """Everything that is not as it should be: pages, seals, statistics, index entries."""
    for (answer,) in connection.execute("pragma integrity_check"):
        if answer != "ok":
            yield "pages", str(answer)
    yield from _seals(connection)
    for no, count, length, real_count, real_length in connection.execute(QUERIES["shelf_totals"]):
        if (count, length) != (real_count, real_length):
            yield "index", f"the statistics of shelf {no} are off; run `memfort reindex`"
    if strangers := scalar(connection, QUERIES["postings_of_strangers"]):
        yield "index", f"{strangers} index entries belong to no memory; run `memfort reindex`"
    for id, terms, *found in connection.execute(QUERIES["postings_per_item"]):
        if list(_sums(terms)) != found:
            yield "index", f"`{text_of(id)}` is not wholly in the index; run `memfort reindex`"


def _sums(blob: object) -> tuple[int, int, int]:
    terms = unpack_terms(blob) if isinstance(blob, bytes) and len(blob) % 8 == 0 else ()
    return len(terms), sum(term >> 32 for term in terms), sum(term & 0xFFFFFFFF for term in terms)


def quarantine(connection: apsw.Connection, now: Moment) -> list[str]:
    """Take damaged memories out of the index and note their names."""
    names = []
    for row in list(_all_rows(connection)):
        if not is_intact(row):
            connection.execute(QUERIES["quarantine"], (row[0], row[2], now))
            take_out(connection, row[0])
            names.append(row[2])
    return sorted(names)


def take_out(connection: apsw.Connection, no: int) -> None:
    """Take a damaged memory out of the index. Its row cannot be trusted to say where its entries are: look at all."""
    connection.execute(QUERIES["drop_postings_of_item"], (no,))
    connection.execute(QUERIES["unindex_item"], (no,))
    connection.execute(QUERIES["recount_shelves"])


def rebuild_index(
    connection: apsw.Connection,
    keys: Keys,
    terms_of: Callable[[Item], Mapping[str, int]],
    progress: Callable[[int, int], None] | None,
) -> int:
    """Write every index entry anew, from the memories themselves."""
    total = int(scalar(connection, QUERIES["count_items"]))
    connection.execute("delete from posting")
    connection.execute("update shelf set count = 0, length = 0")
    done = 0
    for row in list(_all_rows(connection)):
        done += 1
        if is_intact(row):
            _index_again(connection, keys, row[0], row[1], row[3], row[9], item_of(row), terms_of)
        else:
            connection.execute(QUERIES["unindex_item"], (row[0],))
        if progress is not None and (done % 256 == 0 or done == total):
            progress(done, total)
    return done


def _index_again(
    connection: apsw.Connection,
    keys: Keys,
    no: int,
    space: int,
    shelf: int,
    value: bytes,
    item: Item,
    terms_of: Callable[[Item], Mapping[str, int]],
) -> None:
    terms = (
        {keys.term(term): frequency for term, frequency in sorted(terms_of(item).items())} if is_indexed(item) else {}
    )
    connection.execute(QUERIES["change_item"], columns(item, space, shelf, value, terms))
    if terms:
        length = sum(terms.values())
        postings = [(shelf, term, no, frequency, length) for term, frequency in terms.items()]
        connection.executemany(QUERIES["add_posting"], postings)
    if is_indexed(item):
        connection.execute(QUERIES["grow_shelf"], (shelf, 1, sum(terms.values())))


def _seals(connection: apsw.Connection) -> Iterator[Problem]:
    for row in _all_rows(connection):
        if not is_intact(row):
            yield "damaged", f"the stored bytes of `{row[2]}` no longer match their seal; it is not served"


def _all_rows(connection: apsw.Connection) -> Iterator[Row]:
    return map(row_of, connection.execute(QUERIES["all_items"]))
