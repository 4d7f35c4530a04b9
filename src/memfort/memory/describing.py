"""What a statement says of people: whom it is about, who said it and where, and so who may hear of it.

It is worked out before the gates decide, from the words, the speaker and the room. A caller can say more than the words
do, but not who is speaking, nor where.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from memfort.capture.mentions import Mentions, mentions
from memfort.capture.portable import is_portable
from memfort.capture.sensitivity import at_least, classify, dm_floor
from memfort.memory.engine import Engine
from memfort.memory.gleaning import Gleaned
from memfort.memory.guessing import has_passed, known_type, shown_type
from memfort.memory.people.meaning import recognised, resolve_subjects
from memfort.memory.people.strangers import stranger
from memfort.model.actor import Actor, Standpoint
from memfort.model.hearing import OUTSIDE, Label, RoomKind, label
from memfort.model.item import Candidate, Item, Kind, Origin, Readers, Sensitivity
from memfort.model.moment import Moment
from memfort.model.person import is_made, person_of_user
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.store.port import Change
from memfort.trace.event import Event

RELATIONSHIP = "relationship"  # a statement of this type is about the other one, and not about who says it


class Described(Struct, frozen=True):
    """A statement with everything about people filled in, and what makes those known whom it mentions first."""

    candidate: Candidate
    changes: Sequence[Change] = ()
    events: Sequence[Event] = ()


def described(
    engine: Engine, actor: Actor, sight: Sight, candidate: Candidate, space: Space, earlier: Item | None, now: Moment,
    gleaned: Gleaned | None = None,
) -> Described:  # fmt: skip
    """The statement as it is decided upon. `earlier` is the memory that it is a new wording of."""
    shown = _type(engine, candidate, gleaned)
    type = None if candidate.type is None and _has_passed(engine, candidate, shown, now) else shown
    known = candidate.filled(
        type=type,
        stated_by=None if actor.user is None else person_of_user(actor.user),
        learned_in=_learned_in(sight, earlier),
        portable=_portable(candidate, gleaned),
        sensitivity=_sensitivity(engine, actor, sight, candidate, shown, earlier, gleaned),
    )
    return _about(engine, actor, sight, known, space, earlier, now, gleaned)


def names_nobody(candidate: Candidate, gleaned: Gleaned) -> bool:
    """Whether nobody has to be looked up to describe a statement."""
    return not candidate.subjects and not _references(gleaned.mentions)


def who_may_know(actor: Actor, known: Candidate, space: Space) -> Readers:
    """For whom somebody is made known who is mentioned for the first time: for whoever may read the statement. But if
    not everybody there may hear it, for the speaker alone, because the name would tell of it."""
    if space.is_private or known.sensitivity is Sensitivity.PUBLIC or actor.user is None:
        return known.readers
    return Readers.of([actor.user])


def gravest(found: Iterable[Sensitivity | None]) -> Sensitivity:
    """What is made from several things is as private as the most private of them."""
    gravest = Sensitivity.PUBLIC
    for one in found:
        if one is not None:
            gravest = at_least(gravest, one)
    return gravest


def label_of_candidate(candidate: Candidate) -> Label:
    sensitivity = candidate.sensitivity or Sensitivity.PUBLIC
    portable = candidate.portable is not False
    return label(sensitivity, candidate.learned_in, candidate.subjects, candidate.stated_by, portable)


def _type(engine: Engine, candidate: Candidate, gleaned: Gleaned | None) -> str | None:
    """The type that the words show, where nobody has named one."""
    is_asked_for = candidate.kind is Kind.SEMANTIC and not candidate.captured and candidate.event_type is None
    if candidate.type is not None or not is_asked_for or not engine.policy.infer_types:
        return candidate.type
    return shown_type(engine.policy, candidate.text) if gleaned is None else known_type(engine.policy, gleaned.type)


def _has_passed(engine: Engine, candidate: Candidate, shown: str | None, now: Moment) -> bool:
    """Who says how long a statement is to be kept has it kept, of whatever type."""
    is_asked_for = candidate.expires_at is not None or candidate.ttl_seconds is not None
    return not is_asked_for and has_passed(engine.policy, shown, candidate.text, candidate.observed_at, now)


def _portable(candidate: Candidate, gleaned: Gleaned | None) -> bool:
    if candidate.portable is not None:
        return candidate.portable
    return is_portable(candidate.text) if gleaned is None else gleaned.is_portable


def chat_of(sight: Sight) -> str:
    """The chat that whatever is said now is learned in."""
    room = None if sight.hearing is None else sight.hearing.room
    return OUTSIDE if room is None or room.chat is None else room.chat


def _learned_in(sight: Sight, earlier: Item | None) -> str:
    """What was learned in a chat is still from there in other words."""
    return earlier.learned_in if earlier is not None and earlier.learned_in else chat_of(sight)


def _sensitivity(
    engine: Engine, actor: Actor, sight: Sight, candidate: Candidate, type: str | None, earlier: Item | None,
    gleaned: Gleaned | None,
) -> Sensitivity:  # fmt: skip
    """As private as its words are, and as what it is a new wording of. Only a person can say that it is less."""
    given = candidate.sensitivity
    is_a_persons = candidate.origin is Origin.USER and engine.policy.origins.allows(actor.kind, Origin.USER)
    if given is not None and is_a_persons:
        return given
    found = gravest([given, None if earlier is None else earlier.sensitivity])
    if not engine.policy.disclosure.classify:
        return found
    in_private = sight.hearing is not None and sight.hearing.room.kind is RoomKind.PRIVATE
    type = engine.policy.resolve_type(type)
    shown = classify(candidate.text)[0] if gleaned is None else gleaned.sensitivity
    return dm_floor(type, at_least(found, shown), learned_in_private=in_private)


def _about(
    engine: Engine, actor: Actor, sight: Sight, known: Candidate, space: Space, earlier: Item | None, now: Moment,
    gleaned: Gleaned | None,
) -> Described:  # fmt: skip
    """Whom it is about: those who are named, else those whom the words name beyond doubt, else the speaker."""
    if known.subjects:
        standpoint = _standpoint(actor, sight)
        gone = _dropped(engine, sight, known.subjects, earlier)
        still = [one for one in known.subjects if one not in gone]
        subjects, changes, events = resolve_subjects(
            engine, standpoint, sight, still, space, now, who_may_know(actor, known, space)
        )
        subjects += [stranger(space, known.text)] if gone else []
        return Described(known.filled(subjects=tuple(subjects)), changes, events)
    if known.kind is Kind.SHORT_TERM:
        return Described(known)
    named = mentions(known.text) if gleaned is None else gleaned.mentions
    found: Sequence[str] = ()
    if references := _references(named):
        found = recognised(engine, _standpoint(actor, sight), sight, references, space, known.readers)
    if not found and _is_about_speaker(known, named):
        found = [str(known.stated_by)]
    return Described(known.filled(subjects=tuple(found)) if found else known)


def _references(named: Mentions) -> list[str]:
    """The ways in which a statement names people."""
    by_name = [*named.handles, *named.names]
    return by_name + [f"my {one.term}" for one in named.relations] if named.relations else by_name


def _standpoint(actor: Actor, sight: Sight) -> Standpoint:
    return Standpoint(actor, () if sight.hearing is None else sight.hearing.room.places)


def _dropped(engine: Engine, sight: Sight, subjects: Sequence[str], earlier: Item | None) -> frozenset[str]:
    """Whom a new wording is no longer about: it has them from an earlier one, and there is nobody of that name any
    more. It is about somebody all the same, and not about whomever else its words would mean."""
    made = {one for one in subjects if is_made(one)}
    if earlier is None or not made:
        return frozenset()
    gone = made - {person.id for person in engine.store.people(sight, sorted(made))}
    return frozenset(gone & _subjects_so_far(engine, sight, earlier) if gone else ())


def _subjects_so_far(engine: Engine, sight: Sight, latest: Item) -> set[str]:
    """Whom a memory is about, and whom the wordings before it were."""
    here, line = sight.narrowed([latest.space]), {latest.id: latest}
    while latest.supersedes is not None and latest.supersedes not in line:
        found = engine.store.items(here, [latest.supersedes])
        if not found:
            break
        latest = line[found[0].id] = found[0]
    return {one for item in line.values() for one in item.subjects}


def _is_about_speaker(known: Candidate, named: Mentions) -> bool:
    is_own_word = known.origin is Origin.USER and known.stated_by is not None
    return is_own_word and named.first_person and known.type != RELATIONSHIP
