"""A new key for a store whose key file is lost. Everything that was made with the old one is made anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memfort.errors import KeyMismatch
from memfort.model.audience import audience_of
from memfort.model.item import Authority, Status
from memfort.model.moment import Moment
from memfort.model.reason import Reason
from memfort.store.port import Keyed, Progress, PutPolicy, RejectedValue, TextOf
from memfort.store.sql import records, trail
from memfort.store.sql.connection import Connection
from memfort.store.sql.index import entries as index
from memfort.store.sql.rows import Row, columns, is_undamaged, item_of, readers_text
from memfort.store.sql.writing.counters import Counters
from memfort.store.sqlite.backup import ERASED_LINES
from memfort.store.sqlite.connection import SqliteConnections, translate_errors
from memfort.store.sqlite.erased_list import append_lines, digests_of_erasures
from memfort.store.sqlite.files import StoreFiles, settle_key, write_new_key
from memfort.store.sqlite.migrate import migrate, shipped_migrations
from memfort.store.sqlite.store import WAIT_SECONDS
from memfort.trail.keys import Keys

# The records that only get a new seal: how they are read, and written again.
_RECORDS = {
    "phase": ("all_phases", "put_phase"),
    "policy": ("all_policies", "put_policy"),
    "access_key": ("all_access_keys", "put_access_key"),
    "source": ("all_sources", "put_source"),
    "queued_turn": ("all_queued_turns", "put_queued_turn"),
    "erasure": ("erasures", "put_erasure"),
    "person": ("all_people", "put_person"),
    "relation": ("all_relations", "put_relation"),
}


def renew_key(path: Path | str, keyed: Keyed, at: Moment, progress: Progress | None = None) -> int:
    """Make a key file and write anew what depends on it, and what the trail tells; says how many memories there are.

    The key takes its name only after the change is committed: whatever happens before that, the store is as it was.
    """
    files = StoreFiles(Path(path).absolute())
    if files.key.exists():
        raise KeyMismatch(f"there is a key file `{files.key}`; if it is not this store's, move it away first")
    keys = write_new_key(files)
    connections = SqliteConnections(files, WAIT_SECONDS)
    try:
        with translate_errors():
            migrate(connections.writer_outside_transaction().raw, shipped_migrations())
        with connections.writing(keys), translate_errors():
            write = connections.current_write()
            assert write is not None
            count = _made_anew(write.connection, write.counters, keys, keyed, at, progress)
            _list_erased(connections.current(), keys, files.erased)
    except BaseException:
        files.new_key.unlink(missing_ok=True)
        raise
    finally:
        connections.close()
    settle_key(files)
    return count


def _list_erased(connection: Connection, keys: Keys, list: Path) -> None:
    """Name what was erased once more under the new key: digests of the old one cannot be made any more."""
    erasures = [records.read_erasure(row[3]) for row in connection.rows("erasures")]
    if digests := digests_of_erasures(keys, erasures):
        known = int(connection.scalar("get_meta", ERASED_LINES) or 0)
        connection.run("set_meta", ERASED_LINES, append_lines(list, keys, digests, after=known, at=None))


def _made_anew(
    connection: Connection, counters: Counters, keys: Keys, keyed: Keyed, at: Moment, progress: Progress | None
) -> int:
    connection.run("set_meta", "key", keys.fingerprint)
    connection.run("clear_checkpoints")  # nobody can check the old signatures without the old key
    items = []
    for row in _undamaged_rows(connection):
        items.append(item := item_of(row))
        value = keys.value(keyed.value_of(item))
        connection.run("change_item", *columns(keys, item, row[1], row[3], value, 0), None)
    _renew_rejected_values(connection, keys, keyed.rejected_text)
    _renew_ended_values(connection, keys, keyed.ended_text)
    _renew_records(connection, keys)
    count = index.rebuild(connection, keys, counters, keyed.entry_of, keyed.disclosed_entry_of, progress)
    trail.reseal_chains(connection, keys)
    trail.append(connection, counters, keyed.events_of(keys, items, _policy_in_use(connection)), keys)
    trail.sign_grown_chains(connection, counters, keys, at)
    return count


def _policy_in_use(connection: Connection) -> PutPolicy | None:
    for digest, document, _ in connection.rows("policy", None):
        return PutPolicy(digest, document)
    return None


def _renew_records(connection: Connection, keys: Keys) -> None:
    """Seal the other records as they are: whether they are as they were, only the old key could tell."""
    for table, (read, write) in _RECORDS.items():
        for row in connection.rows(read):
            connection.run(write, *records.with_seal(keys, table, *row[:-1]))


def _renew_rejected_values(connection: Connection, keys: Keys, rejected_text: TextOf) -> None:
    """Reject again what was rejected and not restated. Which value was rejected with which authority is lost, so the
    highest authority there counts."""
    weights: dict[tuple[int, str], str] = {}
    for space, readers, _, authority, _ in connection.rows("all_rejected_values"):
        weights[space, readers] = min(weights.get((space, readers), authority), authority, key=_weight)
    connection.run("clear_rejected_values")
    rejected, kept = set(), set()
    for row in _undamaged_rows(connection):
        item = item_of(row)
        place = (row[1], readers_text(item.readers), keys.value(rejected_text(item)))
        if item.status is Status.REJECTED:
            rejected.add(place)
        elif item.deleted_at_us is None and item.status is not Status.SUPERSEDED:
            kept.add(place)
    for place in rejected - kept:
        if place[:2] in weights:
            connection.run("put_rejected_value", *records.with_seal(keys, "rejected", *place, weights[place[:2]]))


def _renew_ended_values(connection: Connection, keys: Keys, ended_text: TextOf) -> None:
    """Note again the words of the forgotten memories that are still stored. Of erased ones no words are left: with the
    old key, what kept them from coming back is lost."""
    connection.run("clear_ended_values")
    for row in _undamaged_rows(connection):
        item = item_of(row)
        if item.deleted_at_us is not None and item.deleted_reason == Reason.FORGOTTEN:
            named = (item.space, item.readers, keys.value(ended_text(item)), Authority.USER_ASSERTED)
            ended = RejectedValue(*named, Moment(item.deleted_at_us), audience_of(item))
            connection.run("put_ended_value", *records.ended_value_row(keys, row[1], ended))


def _weight(authority: str) -> int:
    return list(Authority).index(Authority(authority))


def _undamaged_rows(connection: Connection) -> Iterator[Row]:
    return filter(is_undamaged, index.all_rows(connection))
