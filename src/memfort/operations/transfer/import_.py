"""Import a file of memories: pass each memory through every gate, and write those admitted in one transaction. An
archive of another program is streamed instead, and written in steps: `import_archive.py`."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import replace

from memfort.capture.importers.formats import OWN, read_import
from memfort.capture.importers.record import Imported
from memfort.engine.transaction import Session, Transaction
from memfort.errors import Changed, InvalidInput
from memfort.model.reason import Reason, explanation
from memfort.model.results import ImportReport, Source
from memfort.model.space import Coordinate, Space, Visibility, check_id
from memfort.operations.admit.batch import CHUNK
from memfort.operations.requests import FilePath, OneWord, Request
from memfort.operations.touched import place_named, places_of
from memfort.operations.transfer.archive_files import MAX_WHOLE_BYTES, open_archive
from memfort.operations.transfer.batches import batch_home, batches_sight
from memfort.operations.transfer.import_archive import ArchiveOptions, contents_of, import_archive
from memfort.operations.transfer.import_batch import (
    DryRun,
    ImportBatch,
    import_record,
    imported_before,
    is_settled,
    is_undone,
    merged,
    record_source,
    source_id,
    with_first_moment,
)
from memfort.operations.transfer.import_memories import ImportRun
from memfort.operations.transfer.import_people import import_people
from memfort.operations.transfer.import_phases import import_phases
from memfort.operations.transfer.imported_ids import ImportedIds, earlier_ids, link_successors
from memfort.operations.transfer.importer import read_places
from memfort.operations.transfer.people_format import PeopleInExport, split_people
from memfort.operations.transfer.trust import is_secret


class ImportRequest(Request, frozen=True):
    """A file to import."""

    data: Annotated[
        bytes | None,
        Meta(
            description="The file: an export, an archive, or records of a known format.",
            extra={"or_path": "path", "longest": MAX_WHOLE_BYTES},
        ),
    ] = None
    path: Annotated[
        FilePath | None, Meta(description="In place of the bytes: a file, a folder or a zip on this machine.")
    ] = None
    filename: Annotated[str | None, Meta(description="The file's name; kept as provenance.")] = None
    platform: Annotated[
        str | None, Meta(description="Where it came from; kept as provenance, never used to filter.")
    ] = None
    visibility: Annotated[Visibility | None, Meta(description="Where records go that name no space.")] = None
    also_at: Annotated[
        tuple[str, ...],
        Meta(
            description="A further group where you stand, for records there: `project=borealis`.",
            extra={"metavar": "LEVEL=ID", "most": 100},
        ),
    ] = ()
    commit_every: Annotated[
        int | None,
        Meta(description="Commit every so many records; an import that is interrupted goes on where it stopped."),
    ] = None
    mine: Annotated[
        OneWord | None, Meta(description="What the file calls you, if its records name a user: `user_17`.")
    ] = None
    bring_back: Annotated[
        bool, Meta(description="Also keep what was forgotten or erased here after the file was written.")
    ] = False
    dry_run: Annotated[bool, Meta(description="Show what would happen, and keep nothing.")] = False

    def __repr__(self) -> str:
        """Without the file's bytes: a call is named after its request, and a file is long."""
        given = (self.path, self.filename, self.platform, self.visibility, self.also_at, self.commit_every, self.mine)
        shown = ", ".join(map(repr, (*given, self.bring_back, self.dry_run)))
        return f"ImportRequest({None if self.data is None else _digest(self.data)}, {shown})"


def handle(session: Session, request: ImportRequest) -> ImportReport:
    """Import a file in one transaction, or in several that can be resumed. Every record passes every gate; the same
    bytes a second time are a no-op."""
    with open_archive(request.data, request.path) as archive:
        request = replace(request, filename=archive.name if request.filename is None else request.filename)
        for name, value in (("filename", request.filename), ("platform", request.platform)):
            if value is not None and is_secret(session.policy, check_id(value, name)):
                raise InvalidInput(name, explanation(Reason.SECRET), "give it another name")
        if request.commit_every is not None and request.commit_every < 1:
            raise InvalidInput("commit_every", "it is less than 1", "use 500, or leave it out")
        contents = contents_of(archive, session.now)
        if contents.files:
            options = ArchiveOptions(
                request.platform,
                request.filename,
                request.visibility,
                read_places(request.also_at),
                min(request.commit_every or CHUNK, CHUNK),
                request.mine,
                request.bring_back,
                request.dry_run,
            )
            return import_archive(session, archive, contents, options)
        data = archive.read_only_file()
    return _import_whole(session, replace(request, data=data))


def _import_whole(session: Session, request: ImportRequest) -> ImportReport:
    file = _read_file(session, request)
    if request.commit_every is not None and not request.dry_run:
        return _import_in_steps(session, file, request)
    try:
        return session.write(_touched(session, file), lambda tx: _import(tx, file, request))
    except DryRun as rehearsal:
        return rehearsal.report


class _File(Struct, frozen=True):
    """A file, read whole."""

    source: Source  # the batch it is imported as
    records: Sequence[Imported]
    in_file: PeopleInExport
    further: tuple[Coordinate, ...]  # places that the host vouches for
    is_own: bool  # whether it is an export of ours

    @property
    def size(self) -> int:
        return len(self.records) + len(self.in_file.people) + len(self.in_file.relations)


def _read_file(session: Session, request: ImportRequest) -> _File:
    assert request.data is not None
    further, now = read_places(request.also_at), session.now
    rest, in_file = split_people(request.data)
    platform, records = read_import(rest, now)
    if request.visibility is not None:
        if platform == OWN:
            raise InvalidInput("visibility", "an export names the space of every memory", "leave it out")
        records = [_with_visibility(record, request.visibility) for record in records]
    records = [_claimed(record, request.mine, session.actor.user) for record in records]
    if request.commit_every is not None and platform == OWN:
        raise InvalidInput("commit_every", "an export is imported in one commit", "leave it out")
    home, sha256 = batch_home(session.standpoint, session.policy), _digest(request.data)
    source = Source(source_id(home, sha256), home, request.platform or platform, request.filename, sha256, now, {})
    return _File(source, records, in_file, further, platform == OWN)


def _with_visibility(record: Imported, visibility: Visibility) -> Imported:
    fields = record.fields
    if fields is None or fields.get("space") is not None:
        return record
    return replace(record, fields={**fields, "visibility": visibility})


def _claimed(record: Imported, mine: str | None, user: str | None) -> Imported:
    """A record of the user that the file calls by another name is the importer's, in the importer's own space."""
    if mine is None or user is None or record.owner != mine:
        return record
    fields = dict(record.fields or {})
    if (fields.get("space") or {}).get("user") == mine:
        fields["space"] = {**fields["space"], "user": user}
    return replace(record, owner=user, fields=fields)


def _touched(session: Session, file: _File, records: Sequence[Imported] | None = None) -> list[Space]:
    """The spaces that the records and the people of a file are for, and where the batch is kept."""
    in_file = file.in_file
    homes = [
        *(person.home for _, person in in_file.people.values()),
        *(relation.home for _, relation in in_file.relations),
    ]
    chosen = file.records if records is None else records
    named = [one.item.space if one.item is not None else _place_named(one.fields or {}) for one in chosen]
    return places_of(session, [file.source.space, *(one for one in homes if one is not None), *named])


def _place_named(fields: Mapping[str, Any]) -> Any:
    return place_named(fields.get("space"), fields.get("visibility"))


def _import(tx: Transaction, file: _File, request: ImportRequest) -> ImportReport:
    source, before = file.source, imported_before(tx, file.source)
    if before is not None and is_settled(tx, before) and not request.bring_back:
        return ImportReport(source.id, True, {"read": file.size}, dry_run=request.dry_run)
    brought = None if before is None or is_undone(tx, before) else before
    batch = ImportBatch(source, file.is_own)
    batch.counts["read"] = file.size
    batch.note_damaged(file.in_file.header)
    people = import_people(tx, file.in_file, batch.counts, batch.problems)
    phased = import_phases(tx, file.records, batch.counts)
    run = ImportRun(source, file.in_file.header, people, ImportedIds(), file.further, request.bring_back, phased)
    for done, record in enumerate(_sources_first(file.records), start=1):
        import_record(tx, batch, run, record)
        tx.progress(done, len(file.records))
    link_successors(tx, run.ids, [record.item for record in file.records if record.item is not None])
    batch.note_embeddings(tx)
    kept = replace(source, counts=batch.report, items=tuple(batch.taken) if file.is_own else None)
    record_source(tx, with_first_moment(before, kept) if brought is None else merged(brought, kept))
    if request.dry_run:
        raise DryRun(batch.import_report(None, dry_run=True))
    return batch.import_report(source.id)


def _import_in_steps(session: Session, file: _File, request: ImportRequest) -> ImportReport:
    """Each step is a commit that also records how far it got, so that a process that is killed leaves no record half
    done, and none is imported twice."""
    assert request.commit_every is not None
    problems: list[str] = []
    skipped: list[str] = []
    while True:
        step = session.write(*_step(session, file, request))
        problems += step.problems
        skipped += step.skipped
        if step.counts.get("left", 0) == 0:
            return replace(step, problems=tuple(problems), skipped=tuple(skipped))


def _step(
    session: Session, file: _File, request: ImportRequest
) -> tuple[list[Space], Callable[[Transaction], ImportReport]]:
    with session.view() as view:
        known = [one for one in view.store.sources(batches_sight(view)) if one.id == file.source.id]
    first = known[0].counts["read"] if known and "left" in known[0].counts else 0
    records = file.records[first : first + (request.commit_every or 1)]
    return _touched(session, file, records), lambda tx: _import_step(tx, file, request, first)


def _import_step(tx: Transaction, file: _File, request: ImportRequest, first: int) -> ImportReport:
    source, before = file.source, imported_before(tx, file.source)
    if before is not None and is_settled(tx, before) and not request.bring_back:
        return ImportReport(source.id, True, {"read": file.size})
    is_resumed = before is not None and "left" in before.counts
    if is_resumed and before is not None and before.counts["read"] != first:
        raise Changed("another process is importing the same file; let it finish")
    batch, records = ImportBatch(source, file.is_own), file.records[first : first + (request.commit_every or 1)]
    people = import_people(tx, file.in_file, batch.counts, batch.problems)
    run = ImportRun(source, {}, people, ImportedIds(), file.further, request.bring_back)
    for done, record in enumerate(records, start=first + 1):
        import_record(tx, batch, run, record)
        tx.progress(done, len(file.records))
    batch.note_embeddings(tx)
    counts = batch.counts + Counter(before.counts if is_resumed and before is not None else {})
    read = first + len(records)
    counted = {"read": read, **{name: count for name, count in counts.items() if count and name not in _POSITION}}
    if left := len(file.records) - read:
        counted["left"] = left
    record_source(tx, with_first_moment(before, replace(source, counts=counted)))
    return ImportReport(source.id, False, counted, tuple(batch.problems), skipped=tuple(batch.skipped))


_POSITION = frozenset({"read", "left"})  # how far an import in steps has come


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


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
