"""A new key for a store whose key file is lost. Everything that was made with the old one is made anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw

from memfort.errors import KeyMismatch
from memfort.model.item import Authority, Item, Status
from memfort.store.port import Progress, TermsOf
from memfort.store.sqlite.checkup import rebuild_index
from memfort.store.sqlite.connection import Connections, rows, translated
from memfort.store.sqlite.files import StoreFiles, settle_key, write_new_key
from memfort.store.sqlite.migrate import migrate, shipped
from memfort.store.sqlite.queries import QUERIES
from memfort.store.sqlite.rows import Row, columns, is_intact, item_of, readers_text, row_of
from memfort.store.sqlite.store import WAIT_SECONDS
from memfort.trace.keys import Keys

TextOf = Callable[[Item], str]


@dataclass(frozen=True, slots=True)
class Keyed:
    """What the store keeps about a memory under its key: words, value, and the statement a reviewer rejects."""

    terms_of: TermsOf
    value_of: TextOf
    statement_of: TextOf


def renew_key(path: Path | str, keyed: Keyed, progress: Progress | None = None) -> int:
    """Make a key file and write anew what depends on it; says how many memories there are.

    The key takes its name only after the change is committed: whatever happens before that, the store is as it was.
    """
    files = StoreFiles(Path(path).absolute())
    if files.key.exists():
        raise KeyMismatch(f"there is a key file `{files.key}`; if it is not this store's, move it away first")
    keys = write_new_key(files)
    connections = Connections(files, WAIT_SECONDS)
    try:
        with translated():
            migrate(connections.writer_outside_transaction(), shipped())
        with connections.writing(), translated():
            count = _made_anew(connections.current(), keys, keyed, progress)
    except BaseException:
        files.new_key.unlink(missing_ok=True)
        raise
    finally:
        connections.close()
    settle_key(files)
    return count


def _made_anew(connection: apsw.Connection, keys: Keys, keyed: Keyed, progress: Progress | None) -> int:
    connection.execute(QUERIES["set_meta"], ("key", keys.fingerprint))
    connection.execute("delete from checkpoint")  # nobody can check the old signatures without the old key
    for row in _intact_rows(connection):
        item = item_of(row)
        value = keys.value(keyed.value_of(item))
        connection.execute(QUERIES["change_item"], columns(item, row[1], row[3], value, {}))
    _bars_anew(connection, keys, keyed.statement_of)
    return rebuild_index(connection, keys, keyed.terms_of, progress)


def _bars_anew(connection: apsw.Connection, keys: Keys, statement_of: TextOf) -> None:
    """Bar what was rejected and not restated. Which bar had which weight is lost, so the heaviest there counts."""
    weights: dict[tuple[int, str], str] = {}
    for space, readers, authority in connection.execute("select space, readers, authority from bar"):
        weights[space, readers] = min(weights.get((space, readers), authority), authority, key=_weight)
    connection.execute("delete from bar")
    rejected, kept = set(), set()
    for row in _intact_rows(connection):
        item = item_of(row)
        place = (row[1], readers_text(item.readers), keys.value(statement_of(item)))
        if item.status is Status.REJECTED:
            rejected.add(place)
        elif item.deleted_at is None and item.status is not Status.SUPERSEDED:
            kept.add(place)
    for place in rejected - kept:
        if place[:2] in weights:
            connection.execute(QUERIES["put_bar"], (*place, weights[place[:2]]))


def _weight(authority: str) -> int:
    return list(Authority).index(Authority(authority))


def _intact_rows(connection: apsw.Connection) -> Iterator[Row]:
    found = [row_of(row) for row in rows(connection, QUERIES["all_items"])]
    return (row for row in found if is_intact(row))
