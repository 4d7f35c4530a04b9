"""Export and import: everything a standpoint owns, as JSON lines, there and back."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from memfort.capture.formats import EXPORT_VERSION, OWN, read_import
from memfort.capture.imported import Imported
from memfort.errors import Denied, InvalidInput, NotFound
from memfort.memory.describing import described
from memfort.memory.engine import Engine
from memfort.memory.input import candidate_of, space_of
from memfort.memory.lifetimes import in_force
from memfort.memory.reading import damaged_in
from memfort.memory.results import ImportReport
from memfort.memory.writing import write
from memfort.model.actor import Actor, ActorKind, Standpoint
from memfort.model.canonical import canonical_json
from memfort.model.decision import Outcome, Verdict
from memfort.model.directory import principal_of
from memfort.model.hearing import OUTSIDE, label_of, label_text
from memfort.model.item import Authority, Candidate, Item, Status, is_live, memory_id, outweighs
from memfort.model.moment import Moment
from memfort.model.names import is_short_name, short_name
from memfort.model.reason import Reason, explanation
from memfort.model.record import item_to_dict
from memfort.model.sight import Sight
from memfort.model.source import Source, source_to_dict
from memfort.model.space import Level, Space, check_id
from memfort.policy.admit import HIGH_RISK, earliest, lowest
from memfort.policy.secrets import find_secrets
from memfort.policy.settings import Policy
from memfort.policy.sight import own_private_sight, own_spaces_sight
from memfort.store.port import Filter, PutSource
from memfort.trace.keys import is_signed

Progress = Callable[[int, int], None]
_OWNED = Filter(statuses=frozenset(Status))


def export(engine: Engine, standpoint: Standpoint) -> Iterator[dict[str, Any]]:
    """A header, then the import batches and every memory that the standpoint owns, oldest first: all of its private
    spaces, and elsewhere what it wrote itself. The header names what is damaged and therefore missing, and proves
    which personal data a person approved here."""
    now = engine.clock.now()
    with engine.store.reading():
        items, damaged = _owned(engine, standpoint)
        home = engine.sight(standpoint).narrowed([space_of(standpoint, None)])
        sources = [source for source in engine.store.sources(home) if source.items is None]  # not what only came back
    # Outside the snapshot: a caller may take the lines when it likes, and must not hold an old view of the store by it.
    engine.note_sight_of("export", standpoint.actor, [item.id for item in items], now)
    header = {"memfort_export": EXPORT_VERSION, "actor": str(standpoint.actor)}
    reviewed = {item.id: _proof(engine, item) for item in items if _was_reviewed(item)}
    told = {name: value for name, value in (("damaged", damaged), ("reviewed", reviewed)) if value}
    yield {**header, "memories": len(items), "sources": len(sources), **told}
    for source in sources:
        yield {"source": source_to_dict(source)}
    for item in sorted(items, key=lambda item: (item.created_at, item.number, item.id)):
        yield {"memory": item_to_dict(item)}


def import_bytes(
    engine: Engine, standpoint: Standpoint, data: bytes, *, filename: str | None = None, platform: str | None = None,
    dry_run: bool = False, progress: Progress | None = None,
) -> ImportReport:  # fmt: skip
    """Import a file. Every record passes every gate; the same bytes a second time are a no-op."""
    if not isinstance(data, bytes):
        raise InvalidInput("data", f"a {type(data).__name__} is not the bytes of a file", "read the file as bytes")
    for field, name in (("filename", filename), ("platform", platform)):
        if name is not None and _is_secret(engine, check_id(name, field)):
            raise InvalidInput(field, explanation(Reason.SECRET), "name it otherwise")
    found, records = read_import(data, engine.clock.now())
    header = _header(data) if found == OWN else {}
    sha256 = hashlib.sha256(data).hexdigest()
    home = space_of(standpoint, None)
    source = Source(_source_id(home, sha256), home, platform or found, filename, sha256, engine.clock.now(), {})
    counts: Counter[str] = Counter(read=len(records))
    problems: list[str] = []
    if damaged := _missing(header):
        counts["damaged"] = len(damaged)
        problems.append(f"header: damaged where it was exported, and so not in this file: {', '.join(damaged)}")
    taken: list[tuple[bytes, str]] = []
    try:
        with engine.writing():
            seen = engine.sight(standpoint).seen(home)
            if seen is None or not seen.writable:
                raise Denied(Reason.BORDER_WRITE, explanation(Reason.BORDER_WRITE))
            before = engine.store.sources(engine.sight(standpoint).narrowed([home]))
            if any(one.sha256 == sha256 and _is_complete(one) for one in before):
                return ImportReport(source.id, True, {"read": len(records)})
            for done, record in enumerate(records, start=1):
                _one(engine, standpoint, source, record, header, counts, problems, taken)
                if progress is not None:
                    progress(done, len(records))
            _record_source(
                engine, standpoint, replace(source, counts=dict(counts), items=tuple(taken) if found == OWN else None)
            )
            if dry_run:
                raise _DryRun
    except _DryRun:
        return ImportReport(None, False, dict(counts), tuple(problems))
    return ImportReport(source.id, False, dict(counts), tuple(problems))


def _is_complete(source: Source) -> bool:
    """Whether everything in a batch came in. If not, the same bytes may try again: what is there is not taken twice."""
    return not (source.counts.get("denied") or source.counts.get("invalid"))


class _DryRun(Exception):  # not an error: it undoes the transaction of a rehearsal
    pass


def _owned(engine: Engine, standpoint: Standpoint) -> tuple[list[Item], list[str]]:
    """What a standpoint owns, and the names of what is damaged there: whose it was cannot be told any more."""
    actor = standpoint.actor
    held = engine.sight(standpoint).writable
    own = own_spaces_sight(actor, engine.own_spaces(actor), hearing=held.hearing)
    rest = held.narrowed([seen.space for seen in held.spaces if seen.space.id not in own.by_id])
    mine = [item for item in engine.everything(rest, _OWNED) if item.space.is_private or item.author.key == actor.key]
    return [*engine.everything(own, _OWNED), *mine], sorted({*damaged_in(engine, own), *damaged_in(engine, rest)})


def _header(data: bytes) -> Mapping[str, Any]:
    """The first record of an export of ours, which is known to be whole."""
    text = data.decode("utf-8-sig").lstrip()
    header = json.loads(text)[0] if text.startswith("[") else json.loads(text.split("\n", 1)[0])
    return dict(header)


def _missing(header: Mapping[str, Any]) -> list[str]:
    """What the header says could not be exported. Names only: a file can say anything, and a name can hide nothing."""
    named = header.get("damaged")
    names = named if isinstance(named, list) else []
    return [name for name in names if isinstance(name, str) and is_short_name("mem_", name)]


def _was_reviewed(item: Item) -> bool:
    """Whether it is in force because a person approved it in spite of the personal data in it."""
    return item.status is Status.APPROVED and item.pii_risk >= HIGH_RISK and item.status_reason == Reason.APPROVED


def _proof(engine: Engine, item: Item) -> str:
    return engine.store.keys.sign(_reviewed_record(item)).hex()


def _is_proven(engine: Engine, header: Mapping[str, Any], item: Item) -> bool:
    """Whether this very store says that a person approved this very record."""
    reviewed = header.get("reviewed")
    proof = reviewed.get(item.id) if isinstance(reviewed, Mapping) else None
    try:
        signature = bytes.fromhex(proof) if isinstance(proof, str) else b""
    except ValueError:
        return False
    return _was_reviewed(item) and is_signed(engine.store.keys.public, _reviewed_record(item), signature)


def _reviewed_record(item: Item) -> bytes:
    """What is signed. A signature and not a keyed digest: those stand in the trail of whoever had a text digested."""
    return b"memfort/review\x00" + canonical_json(item_to_dict(item))


def _one(
    engine: Engine, standpoint: Standpoint, source: Source, record: Imported, header: Mapping[str, Any],
    counts: Counter[str], problems: list[str], taken: list[tuple[bytes, str]],
) -> None:  # fmt: skip
    counts.update(record.notes)
    if record.skip is not None:
        counts[record.skip] += 1
        return
    try:
        if record.source is not None:
            _bring_back_source(engine, standpoint, source, record.source, record.place)
            counts["sources"] += 1
            return
        if record.problem is not None:
            raise InvalidInput(record.place, record.problem, "mend the record, or leave it out")
        if record.owner is not None and record.owner != standpoint.actor.user:
            raise InvalidInput(record.place, "it belongs to another user", "import it as that user")
        outcome = _write(engine, standpoint, source, record, header)
        if record.item is not None and outcome.item is not None and outcome.reason is not Reason.DUPLICATE:
            taken.append((outcome.item.space.id, outcome.item.id))
    except (InvalidInput, NotFound) as error:
        counts["invalid"] += 1
        told = str(error)
        problems.append(told if told.startswith(record.place) else f"{record.place}: {told}")
        return
    counts[_kind_of(outcome)] += 1
    if outcome.decision.verdict is Verdict.DENIED:
        problems.append(f"{record.place}: {outcome.decision.explanation} ({outcome.reason})")


def _write(
    engine: Engine, standpoint: Standpoint, source: Source, record: Imported, header: Mapping[str, Any]
) -> Outcome:
    if record.item is not None and any(_is_secret(engine, name) for name in _names(record.item.author)):
        raise InvalidInput(record.place, explanation(Reason.SECRET), "leave it out")
    fields = _fields(record.item) if record.item is not None else dict(record.fields or {})
    if record.item is None:
        fields["source"] = source.id
    candidate = candidate_of(standpoint.actor, fields)
    space = space_of(standpoint, candidate.space)
    sight = engine.sight(standpoint)
    if space.get(Level.USER) is not None and space.get(Level.USER) == standpoint.actor.user:
        sight = own_spaces_sight(standpoint.actor, [space])
    candidate = _told_by_file(engine, standpoint, sight, candidate, space, record.item)
    now = engine.clock.now()

    def finish(made: Item) -> Item:
        kept = (
            _dated(record, now)
            if record.item is None
            else _kept(standpoint.actor, made, record.item, engine.policy, now)
        )
        if "id" in kept and not _is_free(engine, sight, made, kept["id"]):
            kept = {name: value for name, value in kept.items() if name not in {"id", "number", "author"}}
        return replace(made, **kept)

    outcome = write(engine, standpoint.actor, sight, candidate, space, now, finish=finish, is_described=True)
    waits = outcome.item is not None and outcome.reason is Reason.PERSONAL_REVIEW
    if waits and record.item is not None and _is_proven(engine, header, record.item):
        return _settled(engine, standpoint.actor, sight, outcome, record.item, now)
    return outcome


def _told_by_file(
    engine: Engine, standpoint: Standpoint, sight: Sight, candidate: Candidate, space: Space, item: Item | None
) -> Candidate:
    """The statement with what the file says of people. That the importer said it, in a chat where the importer takes
    part, can be believed; otherwise nobody knows, and it is not said in a chat."""
    actor = standpoint.actor
    # A file names people by their ids, and whoever is not known here stays just that.
    unnamed = candidate.filled(subjects=())
    known = described(engine, actor, sight, unnamed, space, item, engine.clock.now()).candidate
    if item is None:
        return known.filled(stated_by=None, learned_in=None)
    is_own = item.stated_by == known.stated_by or _may_speak_for(actor, item.author)
    chat = None if not item.learned_in else engine.store.chat(item.learned_in)
    was_there = chat is not None and principal_of(actor) in chat.participants
    return known.filled(
        subjects=item.subjects,
        stated_by=item.stated_by if is_own else None,
        learned_in=item.learned_in if was_there or item.learned_in == OUTSIDE else None,
    )


def _settled(engine: Engine, actor: Actor, sight: Sight, outcome: Outcome, item: Item, now: Moment) -> Outcome:
    """What waits for a review that it has had is in force again, on record with the reason. Not for an agent, which
    brings no approvals; and not where it would replace another memory, for that is for a person to decide."""
    rivals = engine.store.rivals(sight, item.space, item.readers, engine.value(item))
    if actor.kind is ActorKind.AGENT or any(is_live(rival, now) for rival in rivals):
        return outcome
    assert outcome.item is not None
    after = replace(outcome.item, status=item.status, status_reason=item.status_reason)
    after = in_force(engine, sight, after, now)
    event = engine.changed("approve", actor, after, Reason.REVIEW_PROVEN, now)
    engine.apply([engine.update(after)], [event])
    return replace(outcome, item=after)


def _names(author: Actor) -> list[str]:
    return [name for name in (author.id, author.acting_for, author.owner) if name is not None]


def _fields(item: Item) -> dict[str, Any]:
    """An exported memory as a statement for the gates."""
    return {
        "text": item.text,
        "space": item.space.as_dict(),
        "kind": item.kind,
        "type": item.type,
        "key": item.key,
        "tags": item.tags,
        "origin": item.origin,
        "source": item.source,
        "observed_at": item.observed_at,
        "sensitivity": item.sensitivity,
        "access": item.readers,
        "confidence": item.confidence,
        "importance": item.importance,
        "status": item.status if item.status is not Status.SUPERSEDED else Status.APPROVED,
        "expires_at": item.expires_at,
        "derived_from": item.derived_from,
        "provenance": item.provenance,
        "meta": item.meta,
        "event_type": item.event_type,
        "is_correction": item.is_correction,
        "subjects": item.subjects,
        "portable": item.portable,
        "importance_reasons": item.importance_reasons,
    }


def _kept(actor: Actor, made: Item, item: Item, policy: Policy, now: Moment) -> dict[str, Any]:
    """What an exported memory keeps beside its statement. Its id only if it is provably from its author's own
    sequence, and the importer may speak for the author."""
    kept: dict[str, Any] = {
        "created_at": min(item.created_at, now),
        "updated_at": min(item.updated_at, now),
        "supersedes": item.supersedes,
        "superseded_by": item.superseded_by,
        "replaces": item.replaces,
        "version": item.version,
        "expires_at": earliest(item.expires_at, [made] if item.derived_from else []),
        "authority_reason": item.authority_reason,
        "policy_tags": item.policy_tags,
        "in_force_at": None if item.in_force_at is None else min(item.in_force_at, now),
        "promoted_from": item.promoted_from,
        "promotion_reason": item.promotion_reason,
    }
    if item.space.get(Level.USER) is not None and item.space.get(Level.USER) == actor.user:
        # Only in one's own space: elsewhere a tick out of a file would age what others wrote.
        kept |= {"created_tick": item.created_tick, "expires_tick": item.expires_tick, "ended_phase": item.ended_phase}
    label = label_text(label_of(made))  # as it is here: a file can say anything
    verifies = item.id == memory_id(item.space, item.readers, item.author, item.kind, item.number, label)
    if verifies and _may_speak_for(actor, item.author):
        kept |= {"id": item.id, "number": item.number, "author": item.author}
    if item.status is Status.SUPERSEDED:
        kept["status"] = item.status
    if item.status in {made.status, Status.SUPERSEDED}:
        kept["status_reason"] = item.status_reason
    if not outweighs(item.authority, Authority.TOOL_VERIFIED) or actor.kind is ActorKind.SYSTEM:
        kept["authority"] = lowest(item.authority, [made], policy)
    return kept


def _may_speak_for(actor: Actor, author: Actor) -> bool:
    """Whose words an importer may bring back as theirs: its own, and for a user those of agents that act for it or are
    its own. So nobody can take an id that is to be somebody else's, or put words in their mouth."""
    if actor.kind is ActorKind.SYSTEM or author.key == actor.key:
        return True
    return actor.kind is ActorKind.USER and actor.id in {author.user, author.owner}


def _is_free(engine: Engine, sight: Sight, made: Item, id: str) -> bool:
    """Whether nothing has this id yet, and the importer may know that. Otherwise the memory gets a new one."""
    here = own_private_sight(sight, made.space)
    return here.admits_readers(made.readers) and not engine.store.items(here, [id])


def _dated(record: Imported, now: Moment) -> dict[str, Any]:
    """A record from elsewhere keeps its date, unless that lies in the future, and its end: what had none gets none."""
    kept: dict[str, Any] = {"expires_at": (record.fields or {}).get("expires_at")}
    if record.created_at is not None and record.created_at <= now:
        kept["created_at"] = record.created_at
    return kept


def _kind_of(outcome: Outcome) -> str:
    if outcome.decision.verdict is Verdict.DENIED:
        return "denied"
    if outcome.reason is Reason.DUPLICATE:
        return "duplicate"
    assert outcome.item is not None
    return "pending" if outcome.item.status is Status.PENDING else "kept"


def _is_secret(engine: Engine, name: str) -> bool:
    return bool(find_secrets(name, extra_patterns=tuple(engine.policy.privacy.deny_patterns.items())))


def _bring_back_source(engine: Engine, standpoint: Standpoint, batch: Source, source: Source, place: str) -> None:
    """An import batch of an export comes back as the importer's own, so that it can still be erased by its name."""
    names = (source.id, source.platform, source.sha256, source.filename or "", *source.counts)
    if any(_is_secret(engine, name) for name in names):
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


def dumps(line: Mapping[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False, sort_keys=True)
