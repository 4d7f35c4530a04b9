"""A memory of a file as it is kept here: past every gate, with what can be believed of the rest."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from memfort.capture.imported import Imported
from memfort.errors import InvalidInput
from memfort.memory.describing import described, who_may_know
from memfort.memory.engine import Engine
from memfort.memory.input import candidate_of
from memfort.memory.lifetimes import in_force
from memfort.memory.placing import place_of
from memfort.memory.transfer.believing import as_registered, is_secret, may_speak_for, names_of
from memfort.memory.transfer.people_in import PeopleHere
from memfort.memory.transfer.proofs import REVIEWED, STATED, is_anothers, is_proven, was_reviewed
from memfort.memory.writing import write
from memfort.model.actor import Actor, ActorKind, Standpoint
from memfort.model.decision import Outcome
from memfort.model.directory import principal_of
from memfort.model.hearing import OUTSIDE, label_of
from memfort.model.item import Authority, Candidate, Item, Status, is_live, memory_id
from memfort.model.moment import Moment
from memfort.model.reason import Reason, explanation
from memfort.model.sight import Sight
from memfort.model.source import Source
from memfort.model.space import Level, Space
from memfort.policy.admit import earliest
from memfort.policy.sight import own_private_sight, own_spaces_sight


class Claim(StrEnum):
    """What a file says that its importer could not have said. It is not believed, and reported in these words."""

    AUTHOR = "it names the author as somebody you may not speak for; kept as yours"
    SPEAKER = "it says that somebody else said so, which cannot be checked; kept as a guess of nobody's"


class Brought(NamedTuple):
    """What became of a memory of a file, and what was not believed of it."""

    outcome: Outcome
    claims: tuple[Claim, ...]


def bring_memory(
    engine: Engine, standpoint: Standpoint, source: Source, record: Imported, header: Mapping[str, Any],
    people: PeopleHere,
) -> Brought:  # fmt: skip
    """Keep what one record says, if policy admits it."""
    if record.item is not None and any(is_secret(engine, name) for name in names_of(record.item.author)):
        raise InvalidInput(record.place, explanation(Reason.SECRET), "leave it out")
    fields = _fields(record.item) if record.item is not None else dict(record.fields or {})
    if record.item is None:
        fields["source"] = source.id
    candidate = candidate_of(standpoint.actor, fields)
    space = place_of(standpoint, candidate, engine.policy)
    sight = engine.sight(standpoint)
    if space.get(Level.USER) is not None and space.get(Level.USER) == standpoint.actor.user:
        sight = own_spaces_sight(standpoint.actor, [space])
    claims = () if record.item is None else _claims(engine, standpoint.actor, record.item, header)
    candidate = _told_by_file(engine, standpoint, sight, candidate, space, record.item, people, claims)
    now = engine.clock.now()

    def finish(made: Item) -> Item:
        kept = (
            _dated(record, now)
            if record.item is None
            else _kept(engine, standpoint.actor, made, record.item, claims, now)
        )
        if "id" in kept and not _is_free(engine, sight, made, kept["id"]):
            kept = {name: value for name, value in kept.items() if name not in {"id", "number", "author"}}
        return made.but(**kept)

    outcome = write(
        engine, standpoint.actor, sight, candidate, space, now,
        finish=finish, is_described=True, at_most=None if record.item is None else _most(record.item, claims),
    )  # fmt: skip
    waits = outcome.item is not None and outcome.reason is Reason.PERSONAL_REVIEW
    if waits and record.item is not None and _is_reviewed(engine, header, record.item):
        outcome = _settled(engine, standpoint.actor, sight, outcome, record.item, now)
    return Brought(outcome, claims)


def _is_reviewed(engine: Engine, header: Mapping[str, Any], item: Item) -> bool:
    return was_reviewed(item) and is_proven(engine, header, item, REVIEWED)


def _claims(engine: Engine, actor: Actor, item: Item, header: Mapping[str, Any]) -> tuple[Claim, ...]:
    """What a file says of a memory that its importer could not have said."""
    found = []
    is_own = may_speak_for(engine.store, actor, item.author)
    if not is_own:
        found.append(Claim.AUTHOR)
    is_believed = actor.kind is ActorKind.SYSTEM or (is_own and is_proven(engine, header, item, STATED))
    if is_anothers(item, actor) and not is_believed:
        found.append(Claim.SPEAKER)
    return tuple(found)


def _most(item: Item, claims: Collection[Claim]) -> Authority:
    """The most weight that a memory of a file can have here: what it had there, and a guess where the words are said to
    be somebody else's."""
    return Authority.AI_INFERRED if Claim.SPEAKER in claims else item.authority


def _told_by_file(
    engine: Engine, standpoint: Standpoint, sight: Sight, candidate: Candidate, space: Space, item: Item | None,
    people: PeopleHere, claims: Collection[Claim],
) -> Candidate:  # fmt: skip
    """The statement with what the file says of people. That the importer said it, in a chat where the importer takes
    part, can be believed; otherwise nobody knows, and it is not said in a chat."""
    actor = standpoint.actor
    unnamed = candidate.filled(subjects=())
    known = described(engine, actor, sight, unnamed, space, item, engine.clock.now()).candidate
    if item is None:
        return known.filled(stated_by=None, learned_in=None)
    chat = None if not item.learned_in else engine.store.chat(item.learned_in)
    was_there = chat is not None and principal_of(actor) in chat.participants
    return known.filled(
        subjects=people.subjects(item, space, who_may_know(actor, known, space)),
        stated_by=None if Claim.SPEAKER in claims else item.stated_by,
        learned_in=item.learned_in if was_there or item.learned_in == OUTSIDE else None,
    )


def _settled(engine: Engine, actor: Actor, sight: Sight, outcome: Outcome, item: Item, now: Moment) -> Outcome:
    """What waits for a review that it has had is in force again, on record with the reason. Not for an agent, which
    brings no approvals; and not where it would replace another memory, for that is for a person to decide."""
    rivals = engine.store.rivals(sight, item.space, item.readers, engine.value(item))
    if actor.kind is ActorKind.AGENT or any(is_live(rival, now) for rival in rivals):
        return outcome
    assert outcome.item is not None
    after = outcome.item.but(status=item.status, status_reason=item.status_reason)
    after = in_force(engine, sight, after, now)
    event = engine.changed("approve", actor, after, Reason.REVIEW_PROVEN, now)
    engine.apply([engine.update(after)], [event])
    return outcome.but(item=after)


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


def _kept(
    engine: Engine, actor: Actor, made: Item, item: Item, claims: Collection[Claim], now: Moment
) -> dict[str, Any]:
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
        "policy_tags": item.policy_tags,
        "in_force_at": None if item.in_force_at is None else min(item.in_force_at, now),
        "promoted_from": item.promoted_from,
        "promotion_reason": item.promotion_reason,
    }
    if item.space.get(Level.USER) is not None and item.space.get(Level.USER) == actor.user:
        # Only in one's own space: elsewhere a tick out of a file would age what others wrote.
        kept |= {"created_tick": item.created_tick, "expires_tick": item.expires_tick, "ended_phase": item.ended_phase}
    label = label_of(made).text  # as it is here: a file can say anything
    verifies = item.id == memory_id(item.space, item.readers, item.author, item.kind, item.number, label)
    if verifies and Claim.AUTHOR not in claims:
        kept |= {"id": item.id, "number": item.number, "author": as_registered(engine.store, item.author)}
    if item.status is Status.SUPERSEDED:
        kept["status"] = item.status
    if item.status in {made.status, Status.SUPERSEDED}:
        kept["status_reason"] = item.status_reason
    if made.authority is item.authority and Claim.SPEAKER not in claims:
        kept["authority_reason"] = item.authority_reason
    return kept


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
