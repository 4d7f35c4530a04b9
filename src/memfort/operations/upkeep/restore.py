"""Make a store from a backup, without what was erased after the backup was made.

The store is made under another name: erased memories are erased again, everything is checked, and only then it gets its
own name. So nobody reads a memory in it that was erased, and a process that is killed leaves no store at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from memfort.clock import Clock
from memfort.engine.call import Progress
from memfort.engine.engine import ALL_STATES, Engine, policy_in_use
from memfort.engine.transaction import Session
from memfort.errors import BackupFailed
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
from memfort.store.opening import engine_at
from memfort.store.port import Backup, Capability, DropSource, Erased, RestoreOrder, Store, refuse

_PAGE = 1000


def restore_store(order: RestoreOrder, clock: Clock, surface: str, progress: Progress | None = None) -> RestoreReport:
    """Make a store from a backup. A store that is there already is never overwritten."""
    engine = engine_at(str(order.store))
    if engine.backups is None:
        refuse(engine, Capability.BACKUP)
    with engine.backups.restoring(order, progress) as restored:
        store, note = restored.store, restored.note
        host = Engine(store, clock, policy_in_use(store) or Policy(), Memberships.TRUSTED, surface)
        again = _erase_again(session_on(store, host), restored.erased, note)
        if problems := problems_of(store, host):
            raise BackupFailed(f"the restored store is not sound, so it was not kept: {problems[0]}")
        counts = store.info()
        restored.publish()
    return RestoreReport(
        restored.place,
        note.at,
        int(counts["memories"]),
        int(counts["spaces"]),
        erased=again.memories,
        receipt=None if again.receipt is None else again.receipt.id,
        not_promised=restored.not_promised,
    )


class _ErasedAgain(Struct, frozen=True):
    memories: int = 0
    receipt: Receipt | None = None


def _erase_again(session: Session, erased: Erased, note: Backup) -> _ErasedAgain:
    """Erase what the list says was erased after the backup was made, and record the restoration."""
    finish_erasures.handle(session, finish_erasures.FinishErasuresRequest())
    now = session.now
    receipt = _erase_memories(session, erased, now) if erased.digests else None
    memories = 0 if receipt is None else len(receipt.items)
    detail = {"backed_up_at": note.at, "erased": memories}
    event = session.engine.recorder(session.actor, now).directory_event("restore", Reason.RESTORED, detail=detail)
    session.apply([], [event])
    return _ErasedAgain(memories, receipt)


def _erase_memories(session: Session, erased: Erased, now: Moment) -> Receipt | None:
    store, whole = session.store, maintenance_sight(session.store.spaces())
    chosen = list(_memories(session, whole, erased))
    people = _people(session, whole, erased)
    sources = [one for one in store.sources(whole) if erased.has_record(one.id)]
    if not (chosen or people.changes or sources):
        return None
    _drop_sources(session, sources, now)
    receipt = erase_selection(session, Selection({"restore": True}, whole, chosen, people=people), dry_run=False)
    if receipt.pending is not None:
        raise BackupFailed(f"what was erased before could not be erased again: {receipt.pending}")
    return receipt


def _memories(session: Session, whole: Sight, erased: Erased) -> Iterator[ErasureTarget]:
    everything: Iterator[ErasureTarget] = session.engine.all_items(whole, ALL_STATES)
    for found in (everything, find_damaged(session.store, whole)):
        yield from (one for one in found if erased.has_memory(one.space.id, one.id))


def _people(session: Session, whole: Sight, erased: Erased) -> PeopleRemoval:
    with session.view() as view:
        edits = PeopleEdits(view)
        for one in _all_people(session.store, whole):
            if erased.has_record(one.id):
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
