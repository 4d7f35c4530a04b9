"""Import: a file of memories, read whole, put to every gate one by one, and kept or left out in one transaction."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memfort.capture.formats import OWN, read_import
from memfort.capture.imported import Imported
from memfort.errors import Denied, InvalidInput, NotFound, a
from memfort.memory.engine import Engine
from memfort.memory.placing import home_of
from memfort.memory.results import ImportReport
from memfort.memory.transfer.believing import is_secret
from memfort.memory.transfer.memories_in import bring_memory
from memfort.memory.transfer.people_in import PeopleHere, bring_people
from memfort.memory.transfer.person_lines import without_people
from memfort.model.actor import Standpoint
from memfort.model.decision import Outcome, Verdict
from memfort.model.item import Status
from memfort.model.names import is_short_name, short_name
from memfort.model.reason import Reason, explanation
from memfort.model.source import Source
from memfort.model.space import Space, check_id
from memfort.store.port import PutSource

Progress = Callable[[int, int], None]


def import_bytes(
    engine: Engine, standpoint: Standpoint, data: bytes, *, filename: str | None = None, platform: str | None = None,
    dry_run: bool = False, progress: Progress | None = None,
) -> ImportReport:  # fmt: skip
    """Import a file. Every record passes every gate; the same bytes a second time are a no-op."""
    if not isinstance(data, bytes):
        raise InvalidInput("data", f"{a(type(data).__name__)} is not the bytes of a file", "read the file as bytes")
    for field_name, name in (("filename", filename), ("platform", platform)):
        if name is not None and is_secret(engine, check_id(name, field_name)):
            raise InvalidInput(field_name, explanation(Reason.SECRET), "name it otherwise")
    rest, told = without_people(data)
    found, records = read_import(rest, engine.clock.now())
    sha256 = hashlib.sha256(data).hexdigest()
    home = home_of(standpoint, engine.policy)
    source = Source(_source_id(home, sha256), home, platform or found, filename, sha256, engine.clock.now(), {})
    batch = _Batch(engine, standpoint, source, told.header)
    batch.counts["read"] = read = len(records) + len(told.people) + len(told.relations)
    if damaged := _missing(told.header):
        batch.counts["damaged"] = len(damaged)
        batch.problems.append(f"header: damaged where it was exported, and so not in this file: {', '.join(damaged)}")
    try:
        with engine.writing():
            seen = engine.sight(standpoint).seen(home)
            if seen is None or not seen.writable:
                raise Denied(Reason.BORDER_WRITE, explanation(Reason.BORDER_WRITE))
            before = engine.store.sources(engine.sight(standpoint).narrowed([home]))
            if any(one.sha256 == sha256 and _is_complete(one) for one in before):
                return ImportReport(source.id, True, {"read": read})
            people = bring_people(engine, standpoint, told, batch.counts, batch.problems)
            for done, record in enumerate(_sources_first(records), start=1):
                _one(batch, record, people)
                if progress is not None:
                    progress(done, len(records))
            taken = tuple(batch.taken) if found == OWN else None
            _record_source(engine, standpoint, replace(source, counts=batch.told, items=taken))
            if dry_run:
                raise _DryRun
    except _DryRun:
        return ImportReport(None, False, batch.told, tuple(batch.problems))
    return ImportReport(source.id, False, batch.told, tuple(batch.problems))


def _sources_first(records: Sequence[Imported]) -> list[Imported]:
    """The records in their order, but each memory after those it is derived from: these are looked up."""
    items = {number: record.item for number, record in enumerate(records) if record.item is not None}
    places: dict[tuple[Space, str], int] = {}
    for number, item in items.items():
        places.setdefault((item.space, item.id), number)
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
            named = (places.get((items[number].space, id)) for id in items[number].derived_from)
            stack += [source for source in named if source is not None and source not in begun]
    return list(ordered.values())


@dataclass(frozen=True, slots=True)
class _Batch:
    """A file on its way in, and what has become of it so far."""

    engine: Engine
    standpoint: Standpoint
    source: Source
    header: Mapping[str, Any]
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    taken: list[tuple[bytes, str]] = field(default_factory=list)

    @property
    def told(self) -> dict[str, int]:
        """How many were read, even if none were, and what became of them."""
        return {name: count for name, count in self.counts.items() if count or name == "read"}


def _is_complete(source: Source) -> bool:
    """Whether everything in a batch came in. If not, the same bytes may try again: what is there is not taken twice."""
    return not (source.counts.get("denied") or source.counts.get("invalid"))


class _DryRun(Exception):  # not an error: it undoes the transaction of a rehearsal
    pass


def _missing(header: Mapping[str, Any]) -> list[str]:
    """What the header says could not be exported. Names only: a file can say anything, and a name can hide nothing."""
    named = header.get("damaged")
    names = named if isinstance(named, list) else []
    return [name for name in names if isinstance(name, str) and is_short_name("mem_", name)]


def _one(batch: _Batch, record: Imported, people: PeopleHere) -> None:
    engine, standpoint, counts = batch.engine, batch.standpoint, batch.counts
    counts.update(record.notes)
    if record.skip is not None:
        counts[record.skip] += 1
        return
    try:
        if record.source is not None:
            _bring_back_source(engine, standpoint, batch.source, record.source, record.place)
            counts["sources"] += 1
            return
        if record.problem is not None:
            raise InvalidInput(record.place, record.problem, "mend the record, or leave it out")
        if record.owner is not None and record.owner != standpoint.actor.user:
            raise InvalidInput(record.place, "it belongs to another user", "import it as that user")
        outcome, claims = bring_memory(engine, standpoint, batch.source, record, batch.header, people)
        if record.item is not None and outcome.item is not None and outcome.reason is not Reason.DUPLICATE:
            batch.taken.append((outcome.item.space.id, outcome.item.id))
    except (InvalidInput, NotFound) as error:
        counts["invalid"] += 1
        told = str(error)
        batch.problems.append(told if told.startswith(record.place) else f"{record.place}: {told}")
        return
    counts[_kind_of(outcome)] += 1
    if claims and outcome.item is not None and outcome.reason is not Reason.DUPLICATE:
        counts["unproven"] += 1
        batch.problems.extend(f"{record.place}: {claim}" for claim in claims)
    if outcome.decision.verdict is Verdict.DENIED:
        batch.problems.append(f"{record.place}: {outcome.decision.explanation} ({outcome.reason})")


def _kind_of(outcome: Outcome) -> str:
    if outcome.decision.verdict is Verdict.DENIED:
        return "denied"
    if outcome.reason is Reason.DUPLICATE:
        return "duplicate"
    assert outcome.item is not None
    return "pending" if outcome.item.status is Status.PENDING else "kept"


def _bring_back_source(engine: Engine, standpoint: Standpoint, batch: Source, source: Source, place: str) -> None:
    """An import batch of an export comes back as the importer's own, so that it can still be erased by its name."""
    names = (source.id, source.platform, source.sha256, source.filename or "", *source.counts)
    if any(is_secret(engine, name) for name in names):
        raise InvalidInput(place, explanation(Reason.SECRET), "leave it out")
    detail = {"source": source.id, "batch": batch.id}
    event = engine.asked("import", standpoint.actor, "allowed", Reason.IMPORTED, batch.imported_at, detail)
    kept = replace(source, space=batch.space)
    engine.apply([PutSource(kept)], [event, engine.batched("keep_batch", standpoint.actor, kept, batch.imported_at)])


def _record_source(engine: Engine, standpoint: Standpoint, source: Source) -> None:
    detail = {"source": source.id, "platform": source.platform, "counts": dict(source.counts)}
    event = engine.asked("import", standpoint.actor, "allowed", Reason.IMPORTED, source.imported_at, detail)
    kept = engine.batched("keep_batch", standpoint.actor, source, source.imported_at)
    engine.apply([PutSource(source)], [event, kept])


def _source_id(space: Space, sha256: str) -> str:
    return short_name("src_", b"memfort/source\x00" + space.id + bytes.fromhex(sha256))
