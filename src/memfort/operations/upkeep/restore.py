"""Make a store from a backup, without what was erased after the backup was made.

The store is made under another name: erased memories are erased again, everything is checked, and only then it gets its
own name. So nobody reads a memory in it that was erased, and a process that is killed leaves no store at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from memfort.clock import Clock
from memfort.engine.call import Progress
from memfort.engine.engine import ALL_STATES, Engine, policy_in_use
from memfort.engine.transaction import Session
from memfort.errors import BackupFailed, InvalidInput, KeyMismatch
from memfort.model.moment import Moment
from memfort.model.people.person import Person, Relation
from memfort.model.reason import Reason
from memfort.model.results import Receipt, RestoreReport, Source
from memfort.model.sight import Sight
from memfort.operations.ending import finish_erasures
from memfort.operations.ending.lineage import ErasureTarget, find_damaged
from memfort.operations.ending.removal import PeopleRemoval, Selection, erase_selection
from memfort.operations.people.edits import PeopleEdits
from memfort.operations.upkeep.checks.copy_checks import problems_of, session_on
from memfort.policy.settings.policy import Policy
from memfort.policy.sight import maintenance_sight
from memfort.policy.standing import Memberships
from memfort.store.port import Backup, DropSource, Store
from memfort.store.port.key_text import key_from_text
from memfort.store.sqlite.backup import check_key, read_note, unpack
from memfort.store.sqlite.erased_list import (
    ErasedNames,
    digest_of_memory,
    digest_of_record,
    read_list,
)
from memfort.store.sqlite.files import StoreFiles, settle_key, write_key
from memfort.store.sqlite.part_file import part_file, publish
from memfort.store.sqlite.store import SqliteStore
from memfort.trail.keys import Keys

_PAGE = 1000


class RestoreOrder(Struct, frozen=True):
    """What to restore, and with what."""

    backup: Path
    store: Path
    key: Path | None = None  # for a backup without its key, unless the key lies where the store will
    erased: Path | None = None  # the list of erased memories, unless it lies where the store will


def restore_store(order: RestoreOrder, clock: Clock, surface: str, progress: Progress | None = None) -> RestoreReport:
    """Make a store from a backup. A store that is there already is never overwritten."""
    files = StoreFiles(order.store.absolute())
    _check_no_log(files)
    note, in_backup = read_note(order.backup)
    keys = _find_keys(order, files, note, in_backup)
    lists = _find_lists(order, files)
    with part_file(files.database) as part:
        unpack(order.backup, part, progress)
        beside = StoreFiles(part)
        _copy_lists(lists, beside.erased)
        erased = read_list(beside.erased, keys, after=note.erased_lines)
        store = SqliteStore(part, keys=keys, ballast_bytes=0)
        try:
            engine = Engine(store, clock, policy_in_use(store) or Policy(), Memberships.TRUSTED, surface)
            restored = _erase_again(session_on(store, engine), erased, note)
            if problems := problems_of(store, engine):
                raise BackupFailed(f"the restored store is not sound, so it was not kept: {problems[0]}")
            counts = store.info()
        finally:
            store.close()
        if beside.wal.exists():
            raise BackupFailed("the restored store could not be closed, so it was not kept; try again")
        _put_in_place(part, files, keys)
    return RestoreReport(
        str(files.database),
        note.at,
        int(counts["memories"]),
        int(counts["spaces"]),
        erased=restored.memories,
        receipt=None if restored.receipt is None else restored.receipt.id,
        not_promised=tuple(_not_promised(note, lists, erased)),
    )


def _check_no_log(files: StoreFiles) -> None:
    """Refuse a place with the log of another store: SQLite would apply it to this one."""
    for path in (files.wal, files.shm):
        if path.exists():
            raise InvalidInput("store", f"`{path}` belongs to a store that was here", "move it to where that store is")


def _find_keys(order: RestoreOrder, files: StoreFiles, note: Backup, in_backup: Keys | None) -> Keys:
    """The key of the store: from the backup, from the file that was named, or from where the store will be."""
    if files.key.exists():  # it stays there, so it must be the right one
        here = key_from_text(files.key.read_text(), files.key)
        if here.fingerprint != note.key:
            raise KeyMismatch(f"`{files.key}` belongs to another store; move it away, or restore under another name")
    if order.key is not None:
        if not order.key.is_file():
            raise InvalidInput("key", f"there is no file `{order.key}`", "name the key file of the store")
        given = key_from_text(order.key.read_text(), order.key)
        check_key(note, given, f"in `{order.key}`")
        return given
    if in_backup is not None:
        check_key(note, in_backup, "in the backup")
        return in_backup
    if files.key.exists():
        return here
    raise KeyMismatch(
        f"the backup is without its key; name the store's key file with `key`, or put it at `{files.key}`"
    )


def _find_lists(order: RestoreOrder, files: StoreFiles) -> list[Path]:
    """The lists of erased memories: the one that was named, and the one where the store will be."""
    if order.erased is not None and not order.erased.is_file():
        raise InvalidInput("erased", f"there is no file `{order.erased}`", "name the list: `memory.db.erased`")
    named = [] if order.erased is None else [order.erased.absolute()]
    return [*named, *([files.erased] if files.erased.exists() and files.erased not in named else [])]


def _copy_lists(lists: Sequence[Path], target: Path) -> None:
    """Both lists as one: the restored store goes on with it."""
    lines = dict.fromkeys(line for path in lists for line in path.read_bytes().splitlines() if line.strip())
    if lines:
        target.touch(mode=0o600)
        target.write_bytes(b"".join(line + b"\n" for line in lines))


class _ErasedAgain(Struct, frozen=True):
    memories: int = 0
    receipt: Receipt | None = None


def _erase_again(session: Session, erased: ErasedNames, note: Backup) -> _ErasedAgain:
    """Erase what the list says was erased after the backup was made, and record the restoration."""
    finish_erasures.handle(session, finish_erasures.FinishErasuresRequest())
    now = session.now
    receipt = _erase_memories(session, erased, now) if erased.digests else None
    memories = 0 if receipt is None else len(receipt.items)
    detail = {"backed_up_at": note.at, "erased": memories}
    event = session.engine.recorder(session.actor, now).directory_event("restore", Reason.RESTORED, detail=detail)
    session.apply([], [event])
    return _ErasedAgain(memories, receipt)


def _erase_memories(session: Session, erased: ErasedNames, now: Moment) -> Receipt | None:
    store, whole = session.store, maintenance_sight(session.store.spaces())
    chosen = list(_memories(session, whole, erased))
    people = _people(session, whole, erased)
    sources = [one for one in store.sources(whole) if digest_of_record(store.keys, one.id) in erased.digests]
    if not (chosen or people.changes or sources):
        return None
    _drop_sources(session, sources, now)
    receipt = erase_selection(session, Selection({"restore": True}, whole, chosen, people=people), dry_run=False)
    if receipt.pending is not None:
        raise BackupFailed(f"what was erased before could not be erased again: {receipt.pending}")
    return receipt


def _memories(session: Session, whole: Sight, erased: ErasedNames) -> Iterator[ErasureTarget]:
    keys = session.store.keys
    everything: Iterator[ErasureTarget] = session.engine.all_items(whole, ALL_STATES)
    for found in (everything, find_damaged(session.store, whole)):
        yield from (one for one in found if digest_of_memory(keys, one.space.id, one.id) in erased.digests)


def _people(session: Session, whole: Sight, erased: ErasedNames) -> PeopleRemoval:
    keys = session.store.keys
    with session.view() as view:
        edits = PeopleEdits(view)
        for one in _all_people(session.store, whole):
            if digest_of_record(keys, one.id) in erased.digests:
                edits.drop(one, "drop_person" if isinstance(one, Person) else "unrelate", Reason.ERASED)
    return PeopleRemoval(edits.changes, edits.events, {"people": len(edits.changes)} if edits.changes else {})


def _all_people(store: Store, whole: Sight) -> Iterator[Person | Relation]:
    after: str | None = None
    while page := store.all_people(whole, after, _PAGE):
        yield from page
        after = page[-1].id
    yield from store.all_relations(whole)


def _drop_sources(session: Session, sources: Sequence[Source], now: Moment) -> None:
    recorder = session.engine.recorder(session.actor, now)
    for source in sources:
        session.apply([DropSource(source)], [recorder.batch_event("drop_batch", source)])


def _put_in_place(part: Path, files: StoreFiles, keys: Keys) -> None:
    """The database gets its name last: until then there is no store, and what lies there does no harm."""
    beside = StoreFiles(part)
    if not files.key.exists():
        write_key(files, keys)
    if beside.erased.exists():
        beside.erased.replace(files.erased)
    publish(part, files.database)
    settle_key(files)


def _not_promised(note: Backup, lists: Sequence[Path], erased: ErasedNames) -> Iterator[str]:
    """What a restore cannot rule out, and why."""
    if not lists:
        yield (
            "no list of erased memories was given, so what was erased after the backup was made is back; "
            "erase it again, or restore with the list `memory.db.erased` of the store"
        )
        return
    if erased.last_number < note.erased_lines:
        yield (
            f"the list is older than the backup: it ends at line {erased.last_number}, and the backup knows "
            f"{note.erased_lines}; what was erased after the list was copied is back"
        )
    if erased.of_other_keys:
        yield (
            f"{erased.of_other_keys} lines of the list were written with another key and could not be compared; "
            "what they name may be back"
        )
    if erased.unreadable:
        yield f"{erased.unreadable} lines of the list could not be read; what they name may be back"
