"""Import a file of memories: read it whole, pass each memory through every gate, and write those admitted in one
transaction."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from memfort.capture.importers.formats import OWN, read_import
from memfort.capture.importers.record import Imported
from memfort.engine.default_place import home_of
from memfort.engine.transaction import Session, Transaction
from memfort.errors import Denied, InvalidInput, NotFound
from memfort.model.decision import Outcome, Verdict
from memfort.model.item import Status
from memfort.model.moment import Moment
from memfort.model.reason import Reason, explanation
from memfort.model.results import ImportReport, Source
from memfort.model.serialize.encoding import is_short_name, short_name
from memfort.model.space import Space, Visibility, check_id
from memfort.operations.requests import Request
from memfort.operations.touched import place_named, places_of
from memfort.operations.transfer.import_memories import import_memory
from memfort.operations.transfer.import_people import LocalPeople, import_people
from memfort.operations.transfer.imported_ids import ImportedIds, earlier_ids, link_successors
from memfort.operations.transfer.people_format import PeopleInExport, split_people
from memfort.operations.transfer.trust import is_secret
from memfort.store.port import PutSource


class ImportRequest(Request, frozen=True):
    """A file to import."""

    data: Annotated[bytes, Meta(description="The file: an export, or records of a known format.")]
    filename: Annotated[str | None, Meta(description="The file's name; kept as provenance.")] = None
    platform: Annotated[
        str | None, Meta(description="Where it came from; kept as provenance, never used to filter.")
    ] = None
    visibility: Annotated[
        Visibility | None, Meta(description="For records that name no space: private, public or shared.")
    ] = None
    bring_back: Annotated[
        bool, Meta(description="Also keep what was forgotten or erased here after the file was written.")
    ] = False
    dry_run: Annotated[bool, Meta(description="Show what would happen, and keep nothing.")] = False

    def __repr__(self) -> str:
        """Without the file's bytes: a call is named after its request, and a file is long."""
        given = (self.filename, self.platform, self.visibility, self.bring_back, self.dry_run)
        return f"ImportRequest({_digest(self.data)}, {', '.join(map(repr, given))})"


def handle(session: Session, request: ImportRequest) -> ImportReport:
    """Import a file in one transaction. Every record passes every gate; the same bytes a second time are a no-op."""
    for name, value in (("filename", request.filename), ("platform", request.platform)):
        if value is not None and is_secret(session.policy, check_id(value, name)):
            raise InvalidInput(name, explanation(Reason.SECRET), "give it another name")
    rest, in_file = split_people(request.data)
    now = session.now
    platform, records = read_import(rest, now)
    if request.visibility is not None:
        if platform == OWN:
            raise InvalidInput("visibility", "an export names the space of every memory", "leave it out")
        records = [_with_visibility(record, request.visibility) for record in records]
    home, sha256 = home_of(session.standpoint, session.policy), _digest(request.data)
    source = Source(_source_id(home, sha256), home, request.platform or platform, request.filename, sha256, now, {})
    try:
        return session.write(
            _touched(session, home, records, in_file),
            lambda tx: _import(tx, _batch(source, records, in_file, is_own=platform == OWN), records, in_file, request),
        )
    except _DryRun as rehearsal:
        return rehearsal.report


def _with_visibility(record: Imported, visibility: Visibility) -> Imported:
    fields = record.fields
    if fields is None or fields.get("space") is not None:
        return record
    return replace(record, fields={**fields, "visibility": visibility})


def _touched(session: Session, home: Space, records: Sequence[Imported], in_file: PeopleInExport) -> list[Space]:
    """The spaces that the records and the people of a file are for, and where the batch is kept."""
    homes = [
        *(person.home for _, person in in_file.people.values()),
        *(relation.home for _, relation in in_file.relations),
    ]
    named = [one.item.space if one.item is not None else _place_named(one.fields or {}) for one in records]
    return places_of(session, [home, *(one for one in homes if one is not None), *named])


def _place_named(fields: Mapping[str, Any]) -> Any:
    return place_named(fields.get("space"), fields.get("visibility"))


def _was_imported(tx: Transaction, source: Source) -> bool:
    """Whether the same bytes have been imported here completely."""
    seen = tx.sight.seen(source.space)
    if seen is None or not seen.writable:
        raise Denied(Reason.BORDER_WRITE, explanation(Reason.BORDER_WRITE))
    before = tx.store.sources(tx.sight.narrowed([source.space]))
    return any(one.sha256 == source.sha256 and _is_complete(one) for one in before)


def _import(
    tx: Transaction, batch: _Batch, records: Sequence[Imported], in_file: PeopleInExport, request: ImportRequest
) -> ImportReport:
    source = batch.source
    if _was_imported(tx, source) and not request.bring_back:
        return ImportReport(source.id, True, {"read": batch.counts["read"]}, dry_run=request.dry_run)
    people = import_people(tx, in_file, batch.counts, batch.problems)
    for done, record in enumerate(_sources_first(records), start=1):
        _import_record(tx, batch, record, people, bring_back=request.bring_back)
        tx.progress(done, len(records))
    link_successors(tx, batch.ids, [record.item for record in records if record.item is not None])
    taken = tuple(batch.taken) if batch.is_own else None
    _record_source(tx, replace(source, counts=batch.report, items=taken))
    if request.dry_run:
        raise _DryRun(ImportReport(None, False, batch.report, tuple(batch.problems), dry_run=True))
    return ImportReport(source.id, False, batch.report, tuple(batch.problems))


def _batch(source: Source, records: Sequence[Imported], in_file: PeopleInExport, *, is_own: bool) -> _Batch:
    batch = _Batch(source, in_file.header, is_own)
    batch.counts["read"] = len(records) + len(in_file.people) + len(in_file.relations)
    if damaged := _damaged_in_export(in_file.header):
        batch.counts["damaged"] = len(damaged)
        batch.problems.append(f"header: damaged where it was exported, and so not in this file: {', '.join(damaged)}")
    return batch


def _sources_first(records: Sequence[Imported]) -> list[Imported]:
    """The records in their order, but each memory after those that it links to, whose ids here it then names."""
    items = {number: record.item for number, record in enumerate(records) if record.item is not None}
    places: dict[str, int] = {}
    for number, item in items.items():
        places.setdefault(item.id, number)
    ordered: dict[int, Imported] = {}
    begun: set[int] = set()
    for first in range(len(records)):
        stack = [first]
        while stack:
            number = stack[-1]
            if number in begun or number not in items:
                ordered.setdefault(stack.pop(), records[number])
                continue
            begun.add(number)
            named = (places.get(id) for id in earlier_ids(items[number]))
            stack += [source for source in named if source is not None and source not in begun]
    return list(ordered.values())


class _Batch(Struct, frozen=True):
    """A file during its import, and the results so far."""

    source: Source
    header: Mapping[str, Any]
    is_own: bool  # whether it is an export of ours
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    taken: list[tuple[bytes, str]] = field(default_factory=list)
    ids: ImportedIds = field(default_factory=ImportedIds)

    @property
    def report(self) -> dict[str, int]:
        """How many records were read, and their outcomes."""
        return {name: count for name, count in self.counts.items() if count or name == "read"}


def _is_complete(source: Source) -> bool:
    """Whether a batch was imported completely. If not, the same bytes may be imported again: existing memories are not
    duplicated."""
    return not (source.counts.get("denied") or source.counts.get("invalid"))


class _DryRun(Exception):  # not an error: it undoes the transaction of a rehearsal
    def __init__(self, report: ImportReport) -> None:
        super().__init__()
        self.report = report


def _damaged_in_export(header: Mapping[str, Any]) -> list[str]:
    """The memories that the header lists as damaged. Ids only: a file can claim anything, and an id can hide no
    text."""
    named = header.get("damaged")
    names = named if isinstance(named, list) else []
    return [name for name in names if isinstance(name, str) and is_short_name("mem_", name)]


def _import_record(tx: Transaction, batch: _Batch, record: Imported, people: LocalPeople, *, bring_back: bool) -> None:
    counts = batch.counts
    counts.update(record.notes)
    if record.skip is not None:
        counts[record.skip] += 1
        return
    try:
        if record.source is not None:
            _restore_source(tx, batch.source, record.source, record.place)
            counts["sources"] += 1
            return
        if record.problem is not None:
            raise InvalidInput(record.place, record.problem, "fix the record, or leave it out")
        if record.owner is not None and record.owner != tx.actor.user:
            raise InvalidInput(record.place, "it belongs to another user", "import it as that user")
        outcome, claims = import_memory(
            tx, batch.source, record, batch.header, people, batch.ids, bring_back=bring_back
        )
        if record.item is not None and outcome.item is not None:
            is_new = outcome.reason is not Reason.DUPLICATE
            batch.ids.note(record.item, outcome.item, is_new=is_new)
            if is_new:
                batch.taken.append((outcome.item.space.id, outcome.item.id))
    except (InvalidInput, NotFound) as error:
        counts["invalid"] += 1
        problem = str(error)
        batch.problems.append(problem if problem.startswith(record.place) else f"{record.place}: {problem}")
        return
    counts[_kind_of(outcome)] += 1
    if claims and outcome.item is not None and outcome.reason is not Reason.DUPLICATE:
        counts["unproven"] += 1
        batch.problems.extend(f"{record.place}: {claim}" for claim in claims)
    if outcome.decision.verdict is Verdict.DENIED:
        remedy = "; `bring_back` keeps it" if outcome.reason is Reason.ENDED_BEFORE else ""
        batch.problems.append(f"{record.place}: {outcome.decision.explanation} ({outcome.reason}){remedy}")


def _kind_of(outcome: Outcome) -> str:
    if outcome.reason is Reason.ENDED_BEFORE:
        return "ended"
    if outcome.decision.verdict is Verdict.DENIED:
        return "denied"
    if outcome.reason is Reason.DUPLICATE:
        return "duplicate"
    assert outcome.item is not None
    return "pending" if outcome.item.status is Status.PENDING else "kept"


def _restore_source(tx: Transaction, batch: Source, source: Source, place: str) -> None:
    """An import batch of an export becomes the importer's own, so that it can still be erased by its name."""
    names = (source.id, source.platform, source.sha256, source.filename or "", *source.counts)
    if any(is_secret(tx.policy, name) for name in names):
        raise InvalidInput(place, explanation(Reason.SECRET), "leave it out")
    kept = replace(source, space=batch.space)
    _put_source(tx, kept, batch.imported_at_us, {"source": source.id, "batch": batch.id})


def _record_source(tx: Transaction, source: Source) -> None:
    detail = {"source": source.id, "platform": source.platform, "counts": dict(source.counts)}
    _put_source(tx, source, source.imported_at_us, detail)


def _put_source(tx: Transaction, source: Source, at: Moment, detail: Mapping[str, Any]) -> None:
    recorder = tx.engine.recorder(tx.actor, at, tx.call.via)
    events = [
        recorder.actor_event("import", "allowed", Reason.IMPORTED, detail),
        recorder.batch_event("keep_batch", source),
    ]
    tx.apply([PutSource(source)], events)


def _source_id(space: Space, sha256: str) -> str:
    return short_name("src_", b"memfort/source\x00" + space.id + bytes.fromhex(sha256))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
