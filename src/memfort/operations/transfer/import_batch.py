"""What an import brings, record by record: its outcome in the report, and the batch as it is on record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from memfort.capture.importers.record import Imported
from memfort.engine.engine import ALL_STATES
from memfort.engine.transaction import Transaction
from memfort.engine.view import View
from memfort.errors import Denied, InvalidInput, NotFound
from memfort.model.decision import Outcome, Verdict
from memfort.model.item import Status
from memfort.model.moment import Moment
from memfort.model.reason import Reason, explanation
from memfort.model.results import ImportReport, Source
from memfort.model.serialize.encoding import is_short_name, short_name
from memfort.model.space import Space
from memfort.operations.ending.lineage import by_space
from memfort.operations.ending.selection import reach_of
from memfort.operations.transfer.batches import batches_sight
from memfort.operations.transfer.import_memories import ImportedMemory, ImportRun, import_memory
from memfort.operations.transfer.trust import is_secret
from memfort.store.port import PutSource


def imported_before(view: View, source: Source) -> Source | None:
    """The record of an earlier import of the same bytes."""
    sight = batches_sight(view)
    seen = sight.seen(source.space)
    if seen is None or not seen.writable:
        raise Denied(Reason.BORDER_WRITE, explanation(Reason.BORDER_WRITE))
    before = view.store.sources(sight.narrowed([source.space]))
    return next((one for one in before if one.sha256 == source.sha256), None)


class ImportBatch(Struct, frozen=True):
    """The results of an import so far."""

    source: Source
    is_own: bool  # whether it is an export of ours
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    taken: list[tuple[bytes, str]] = field(default_factory=list)

    def skip(self, place: str, why: str) -> None:
        self.counts[why] += 1
        self.skipped.append(f"{place}: {why}")

    def note_damaged(self, header: Mapping[str, Any]) -> None:
        if damaged := _damaged_in_export(header):
            self.counts["damaged"] = len(damaged)
            self.problems.append(
                f"header: damaged where it was exported, and so not in this file: {', '.join(damaged)}"
            )

    def note_embeddings(self, tx: Transaction) -> None:
        """Embeddings of another program are of no use here: nobody knows which embedder made them."""
        if dropped := self.counts["embeddings_dropped"]:
            embedder = tx.engine.embedding.name
            self.problems.append(f"{dropped} embeddings were dropped; the embedder in use is `{embedder}`")

    @property
    def report(self) -> dict[str, int]:
        """How many records were read, and their outcomes."""
        return {name: count for name, count in self.counts.items() if count or name == "read"}

    def import_report(self, source: str | None, *, dry_run: bool = False) -> ImportReport:
        return ImportReport(
            source, False, self.report, tuple(self.problems), dry_run=dry_run, skipped=tuple(self.skipped)
        )


def is_settled(view: View, source: Source) -> bool:
    """Whether importing the same bytes again could bring nothing. What a run did not keep, a later one may, and so it
    may what was undone since; existing memories are not duplicated."""
    is_complete = not any(source.counts.get(name) for name in ("denied", "invalid", "left", "position"))
    return is_complete and not is_undone(view, source)


def is_undone(view: View, source: Source) -> bool:
    """Whether an undo took something of a batch that is not here again."""
    reach, live, undone = reach_of(view), set[str](), set[str]()
    listed = by_space(source.items or ())
    found = [*view.engine.all_items(reach, replace(ALL_STATES, source=source.id))]
    for seen in [seen for seen in reach.spaces if seen.space.id in listed]:
        found += view.store.items(reach.narrowed([seen.space]), listed[seen.space.id])
    for item in found:
        if item.deleted_at_us is None:
            live.add(item.text)
        elif item.deleted_reason == Reason.UNDONE:
            undone.add(item.text)
    return not undone <= live


_BROUGHT = ("kept", "pending", "turns", "people", "relations", "phases")


def merged(before: Source, again: Source) -> Source:
    """The record of a batch whose file was imported again: memories that it had brought are duplicates now, and count
    as brought by it all the same."""
    counts = Counter(again.counts)
    brought = {name: before.counts.get(name, 0) for name in _BROUGHT}
    counts["duplicate"] -= min(counts["duplicate"], brought["kept"] + brought["pending"] + brought["turns"])
    counts["recognised"] -= min(counts["recognised"], brought["people"] + brought["relations"])
    counts.update(brought)
    items = None if again.items is None else tuple(dict.fromkeys((*(before.items or ()), *again.items)))
    return with_first_moment(before, replace(again, counts={k: n for k, n in counts.items() if n}, items=items))


class DryRun(Exception):  # not an error: it undoes the transaction of a rehearsal
    def __init__(self, report: ImportReport) -> None:
        super().__init__()
        self.report = report


def _damaged_in_export(header: Mapping[str, Any]) -> list[str]:
    """The memories that the header lists as damaged. Ids only: a file can claim anything, and an id can hide no
    text."""
    named = header.get("damaged")
    names = named if isinstance(named, list) else []
    return [name for name in names if isinstance(name, str) and is_short_name("mem_", name)]


def import_record(tx: Transaction, batch: ImportBatch, run: ImportRun, record: Imported) -> None:
    """Every record of every file passes here."""
    counts = batch.counts
    counts.update(record.notes)
    if record.skip is not None:
        batch.skip(record.place, record.skip)
        return
    expires_at = (record.fields or {}).get("expires_at")
    if isinstance(expires_at, int) and expires_at <= tx.now:
        batch.skip(record.place, "expired")
        return
    if record.phase is not None:
        return
    try:
        if record.source is not None:
            _restore_source(tx, batch.source, record.source, record.place)
            counts["sources"] += 1
            return
        if record.problem is not None:
            raise InvalidInput(record.place, record.problem, "fix the record, or leave it out")
        imported = import_memory(tx, run, record)
    except (InvalidInput, NotFound) as error:
        counts["invalid"] += 1
        problem = str(error)
        batch.problems.append(problem if problem.startswith(record.place) else f"{record.place}: {problem}")
        return
    _note_outcome(batch, run, record, imported)


def _note_outcome(batch: ImportBatch, run: ImportRun, record: Imported, imported: ImportedMemory) -> None:
    outcome, counts = imported.outcome, batch.counts
    is_new = outcome.reason is not Reason.DUPLICATE
    if record.item is not None and outcome.item is not None:
        run.ids.note(record.item, outcome.item, is_new=is_new)
        if is_new:
            batch.taken.append((outcome.item.space.id, outcome.item.id))
    if not is_new:
        batch.skip(record.place, "duplicate")
        return
    counts[kind_of(outcome)] += 1
    if outcome.item is not None:
        counts["unproven"] += bool(imported.claims)
        counts.update(note.value for note in imported.notes)
        batch.problems.extend(f"{record.place}: {remark}" for remark in imported.remarks)
    if outcome.decision.verdict is Verdict.DENIED:
        remedy = "; import with `bring_back` to keep it" if outcome.reason is Reason.ENDED_BEFORE else ""
        batch.problems.append(f"{record.place}: {outcome.decision.explanation} ({outcome.reason}){remedy}")


def kind_of(outcome: Outcome) -> str:
    if outcome.reason is Reason.ENDED_BEFORE:
        return "ended"
    if outcome.decision.verdict is Verdict.DENIED:
        return "denied"
    assert outcome.item is not None
    return "pending" if outcome.item.status is Status.PENDING else "kept"


def _restore_source(tx: Transaction, batch: Source, source: Source, place: str) -> None:
    """An import batch of an export becomes the importer's own, so that it can still be erased by its name."""
    names = (source.id, source.platform, source.sha256, source.filename or "", *source.counts)
    if any(is_secret(tx.policy, name) for name in names):
        raise InvalidInput(place, explanation(Reason.SECRET), "leave it out")
    kept = replace(source, space=batch.space)
    _put_source(tx, kept, batch.imported_at_us, {"source": source.id, "batch": batch.id})


def record_source(tx: Transaction, source: Source) -> None:
    detail = {"source": source.id, "platform": source.platform, "counts": dict(source.counts)}
    _put_source(tx, source, source.imported_at_us, detail)


def _put_source(tx: Transaction, source: Source, at: Moment, detail: Mapping[str, Any]) -> None:
    recorder = tx.engine.recorder(tx.actor, at, tx.call.via)
    events = [
        recorder.actor_event("import", "allowed", Reason.IMPORTED, detail),
        recorder.batch_event("keep_batch", source),
    ]
    tx.apply([PutSource(source)], events)


def source_id(space: Space, sha256: str) -> str:
    return short_name("src_", b"memfort/source\x00" + space.id + bytes.fromhex(sha256))


def with_first_moment(before: Source | None, source: Source) -> Source:
    return source if before is None else replace(source, imported_at_us=before.imported_at_us)
