"""Import an archive of another program: a chat history, saved memories, notes.

It is read as a stream and written in steps. Each step is a commit that also records how far it got, so that a process
that is killed leaves no record half done, and the next import of the same bytes goes on from there. Conversations take
the way of `observe`, records that state something that of `remember`; every gate decides on each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from memfort.capture.importers.record import Imported
from memfort.capture.importers.shapes import Shape, shape_of
from memfort.capture.messages import Message
from memfort.engine.default_place import home_of, space_with
from memfort.engine.transaction import Session, Transaction
from memfort.errors import Changed, InvalidInput
from memfort.model.decision import Outcome, Verdict
from memfort.model.item import MAX_TEXT_BYTES
from memfort.model.moment import Moment
from memfort.model.people.actor import ActorKind
from memfort.model.reason import Reason
from memfort.model.results import ImportReport, Source
from memfort.model.space import Coordinate, Level, Visibility
from memfort.operations.capture.observe import Archived, ObservedMessage, observe_archived
from memfort.operations.touched import places_of
from memfort.operations.transfer.archive_files import Archive, ArchivedFile
from memfort.operations.transfer.batches import batch_home
from memfort.operations.transfer.import_batch import (
    ImportBatch,
    import_record,
    imported_before,
    is_settled,
    is_undone,
    kind_of,
    merged,
    record_source,
    source_id,
    with_first_moment,
)
from memfort.operations.transfer.import_memories import ImportRun
from memfort.operations.transfer.import_people import import_people
from memfort.operations.transfer.imported_ids import ImportedIds
from memfort.operations.transfer.langgraph_file import langgraph_shape
from memfort.operations.transfer.people_format import PeopleInExport

_SMALL_BYTES = 32 * 1024 * 1024
_MANY = 200  # lines of a report, of problems and of what was skipped
_POSITION, _KILOBYTES_LEFT = (
    "position",
    "kilobytes_left",
)  # parts that are done, and kilobytes that are not; only while it is under way


class ArchiveOptions(Struct, frozen=True):
    """What the importer asks for."""

    platform: str | None
    filename: str | None
    visibility: Visibility | None
    further: tuple[Coordinate, ...]  # places that the host vouches for
    step: int  # messages and records of one commit
    mine: str | None  # what the file calls the importer
    bring_back: bool
    dry_run: bool


class Contents(Struct, frozen=True):
    """The files of an archive that are read, each with its shape, and those that are not."""

    files: Sequence[tuple[ArchivedFile, Shape]]
    others: Sequence[str]

    @property
    def platform(self) -> str:
        return "+".join(dict.fromkeys(shape.platform for _, shape in self.files))


def contents_of(archive: Archive, now: Moment) -> Contents:
    """Recognise the files of an archive. In the download of an account only the files that are its own count. A small
    file of rows is no archive: it is imported whole."""
    shaped = [(file, shape_of(file, now) or langgraph_shape(file)) for file in archive.files]
    if archive.is_one_file and archive.size <= _SMALL_BYTES:
        shaped = [(file, shape) for file, shape in shaped if shape is not None and not shape.is_rows]
    known = [(file, shape) for file, shape in shaped if shape is not None]
    accounts = {shape.platform for _, shape in known if shape.is_account}
    chosen = [(file, shape) for file, shape in known if not accounts or shape.platform in accounts]
    names = {file.name for file, _ in chosen}
    return Contents(chosen, [file.name for file in archive.files if file.name not in names])


def import_archive(session: Session, archive: Archive, contents: Contents, options: ArchiveOptions) -> ImportReport:
    """Import an archive from its beginning, or from where an earlier import of the same bytes stopped."""
    run = _Run(session, archive, contents, options)
    with session.view() as view:
        before = imported_before(view, run.source)
        is_over = before is not None and is_settled(view, before) and not options.bring_back
        if before is not None and _POSITION not in before.counts and not is_undone(view, before):
            run.brought = before
    if before is not None and is_over:
        return ImportReport(run.source.id, True, dict(before.counts), dry_run=options.dry_run)
    if before is not None and _POSITION in before.counts and not options.dry_run:
        run.resume(before)
    for step in run.steps():
        run.write(step)
    return run.report()


class _Step(Struct):
    """The parts of one commit."""

    first: int  # the number of its first part
    parts: list[Imported]
    size: int = 0  # of messages and records
    is_last: bool = False


class _StepResult(Struct, frozen=True):
    """How far an import is after a step, and what to report of the step."""

    counts: Counter[str]
    position: int
    problems: Sequence[str]
    skipped: Sequence[str]


class _Rehearsed(Exception):  # not an error: it undoes the transaction of a step that is only tried
    def __init__(self, done: _StepResult) -> None:
        super().__init__()
        self.done = done


class _Run:
    """One import of an archive."""

    def __init__(self, session: Session, archive: Archive, contents: Contents, options: ArchiveOptions) -> None:
        self._session, self._archive, self._contents, self._options = session, archive, contents, options
        home = batch_home(session.standpoint, session.policy)
        self.source = Source(
            source_id(home, archive.sha256),
            home,
            options.platform or contents.platform,
            options.filename,
            archive.sha256,
            session.now,
            {},
        )
        self.brought: Source | None = None  # what an earlier run of the same bytes kept
        self._position = 0
        self._counts: Counter[str] = Counter()
        self._problems = _Lines()
        self._skipped = _Lines()
        self._total = sum(file.size for file, _ in contents.files)

    def resume(self, before: Source) -> None:
        self._position = before.counts[_POSITION]
        self._counts = Counter(
            {name: n for name, n in before.counts.items() if name not in {_POSITION, _KILOBYTES_LEFT}}
        )

    def report(self) -> ImportReport:
        id = None if self._options.dry_run else self.source.id
        return ImportReport(
            id,
            False,
            _counted(self._counts),
            self._problems.lines,
            dry_run=self._options.dry_run,
            skipped=self._skipped.lines,
        )

    # -- reading -----------------------------------------------------------------------------------------------------

    def steps(self) -> Iterator[_Step]:
        """The parts that are not imported yet, as many at once as one commit takes."""
        step = _Step(self._position, [])
        for number, part in enumerate(self._parts()):
            if number < self._position:
                continue
            size = 1 if part.excerpt is None else len(part.excerpt.messages)
            if step.parts and step.size + size > self._options.step:
                yield step
                step = _Step(number, [])
            step.parts.append(part)
            step.size += size
        step.is_last = True
        yield step

    def _parts(self) -> Iterator[Imported]:
        yield from (Imported(name, skip=why) for name, why in self._archive.unread)
        yield from (Imported(name, skip="not_used") for name in self._contents.others)
        for file, shape in self._contents.files:
            file.counts = True
            for part in shape.read(file):
                yield part if self._options.visibility is None else _with_visibility(part, self._options.visibility)

    # -- writing -----------------------------------------------------------------------------------------------------

    def write(self, step: _Step) -> None:
        """Import the parts of a step in one commit, or only rehearse it. Progress is reported between commits: a
        callback inside one would keep its changes from being written together. A rehearsed step does not see the
        ones before it, so a statement that two steps repeat counts as kept in both."""
        call, report = self._session.call, self._session.call.progress
        call.progress = None
        try:
            done = self._write(step)
        except _Rehearsed as rehearsed:
            done = rehearsed.done
        finally:
            call.progress = report
        self._counts, self._position = done.counts, done.position
        self._problems.add(done.problems)
        self._skipped.add(done.skipped)
        self._session.progress(min(self._archive.bytes_read, self._total), self._total)

    def _write(self, step: _Step) -> _StepResult:
        messages, places, too_long = self._messages(step)
        if not messages:
            touched = places_of(self._session, [self.source.space])
            return self._session.write(touched, lambda tx: self._commit(tx, step, [], [], too_long))
        return observe_archived(
            self._session,
            messages,
            self._archived(),
            lambda tx, observed: self._commit(tx, step, observed, places, too_long),
        )

    def _messages(self, step: _Step) -> tuple[list[Message], list[str], list[str]]:
        """The messages of a step as `observe` takes them, and the place of each in the archive; and the places of those
        that are too long for a memory, in which nobody looks for statements."""
        messages: list[Message] = []
        places: list[str] = []
        too_long: list[str] = []
        for part in step.parts:
            for one in () if part.excerpt is None else part.excerpt.messages:
                assert part.excerpt is not None
                if len(one.text.encode(errors="replace")) > MAX_TEXT_BYTES:
                    too_long.append(part.place)
                    continue
                messages.append(
                    Message(
                        index=len(messages),
                        origin=one.origin,
                        text=one.text,
                        id=one.id,
                        speaker=one.speaker,
                        at=_past(one.at, self._session.now),
                        conversation=part.excerpt.conversation,
                        tool=one.tool,
                    )
                )
                places.append(part.place)
        return messages, places, too_long

    def _archived(self) -> Archived:
        """Where conversations go. They are private to the importer, so they are imported neither by the system nor
        from within a chat, whose members would learn of them."""
        session, visibility = self._session, self._options.visibility
        if session.actor.kind is ActorKind.SYSTEM:
            raise InvalidInput("file", "its conversations belong to a person", "import it as that user")
        if session.standpoint.get(Level.CHAT) is not None:
            raise InvalidInput("chat", "an archive is not imported into a chat", "import it as yourself")
        if visibility is Visibility.PUBLIC:
            raise InvalidInput("visibility", "a conversation is never public", "leave it out, or say private")
        home = home_of(session.standpoint, session.policy)
        space = home if visibility is None else space_with(session.standpoint, visibility, session.policy)
        return Archived(self.source.id, space, visibility is not None, self.source.space, self._options.bring_back)

    def _commit(
        self,
        tx: Transaction,
        step: _Step,
        observed: Sequence[ObservedMessage],
        places: Sequence[str],
        too_long: Sequence[str],
    ) -> _StepResult:
        before, dry_run = imported_before(tx, self.source), self._options.dry_run
        if before is not None and before.counts.get(_POSITION, step.first) != step.first and not dry_run:
            raise Changed("another process is importing the same archive; let it finish")
        batch = ImportBatch(self.source, False)
        people = import_people(tx, PeopleInExport(), batch.counts, batch.problems)
        run = ImportRun(self.source, {}, people, ImportedIds(), self._options.further, self._options.bring_back)
        for part in step.parts:
            _note_omitted(batch, part)
            batch.counts["read"] += part.fields is not None or part.problem is not None
            if part.fields is not None or part.problem is not None or part.skip is not None:
                import_record(tx, batch, run, self._claimed(part))
            else:
                batch.counts.update(part.notes)
        for message, place in zip(observed, places, strict=True):
            _note_message(batch, message, place)
        batch.counts.update(read=len(too_long), invalid=len(too_long))
        problem = f"a message has more than {MAX_TEXT_BYTES} bytes, and is left out"
        batch.problems.extend(f"{place}: {problem}" for place in too_long)
        counts, done = self._counts + batch.counts, step.first + len(step.parts)
        under_way = {} if step.is_last else {_POSITION: done, _KILOBYTES_LEFT: self._kilobytes_left()}
        kept = replace(self.source, counts=_counted(counts))
        kept = with_first_moment(before, kept) if self.brought is None else merged(self.brought, kept)
        record_source(tx, replace(kept, counts={**kept.counts, **under_way}))
        committed = _StepResult(counts, done, batch.problems, batch.skipped)
        if dry_run:
            raise _Rehearsed(committed)
        return committed

    def _kilobytes_left(self) -> int:
        return max(0, self._total - self._archive.bytes_read) // 1024 + 1

    def _claimed(self, part: Imported) -> Imported:
        """A record of the user that the file calls by another name is the importer's."""
        is_mine = part.owner is not None and part.owner == self._options.mine
        return replace(part, owner=self._session.actor.user) if is_mine else part


class _Lines:
    """The first lines of a list that may be very long, and how many follow."""

    def __init__(self) -> None:
        self._first: list[str] = []
        self._more = 0

    def add(self, lines: Sequence[str]) -> None:
        room = _MANY - len(self._first)
        self._first += lines[:room]
        self._more += max(0, len(lines) - room)

    @property
    def lines(self) -> tuple[str, ...]:
        more = [f"and {self._more} more; the counts have them all"] if self._more else []
        return (*self._first, *more)


def _with_visibility(part: Imported, visibility: Visibility) -> Imported:
    if part.fields is None or part.fields.get("space") is not None:
        return part
    return replace(part, fields={**part.fields, "visibility": visibility})


def _past(at: Moment | None, now: Moment) -> Moment | None:
    """A date in the future is none: nobody has said it yet."""
    return None if at is None or at > now else at


# -- the report --------------------------------------------------------------------------------------------------------


def _counted(counts: Counter[str]) -> dict[str, int]:
    return {"read": counts["read"], **{name: n for name, n in sorted(counts.items()) if n and name != "read"}}


def _note_omitted(batch: ImportBatch, part: Imported) -> None:
    for why, count in part.omitted.items():
        batch.counts[why] += count
        batch.skipped.append(f"{part.place}: {count} {why}")


def _note_message(batch: ImportBatch, message: ObservedMessage, place: str) -> None:
    batch.counts["read"] += 1
    if message.skipped is not None:
        batch.skip(place, str(message.skipped))
    if message.turn is not None:
        _note_outcome(batch, message.turn, place, "turns")
    for outcome in message.statements:
        _note_outcome(batch, outcome, place, "kept")


def _note_outcome(batch: ImportBatch, outcome: Outcome, place: str, kept: str) -> None:
    if outcome.reason in {Reason.DUPLICATE, Reason.ALREADY_OBSERVED}:
        batch.counts["duplicate"] += 1
        return
    kind = "invalid" if outcome.reason is Reason.INVALID else kind_of(outcome)
    batch.counts[kept if kind == "kept" else kind] += 1
    if outcome.decision.verdict is Verdict.DENIED:
        said = str(outcome.decision.detail.get("problem") or outcome.decision.explanation)
        batch.problems.append(f"{place}: {said} ({outcome.reason})")
