"""Fill in the people of a statement: its subjects, its speaker and place, and so its audience.

This happens before the gates decide, from the text, the speaker and the room. A caller can add to the text, but cannot
choose the speaker or the place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from memfort.capture.turns import ROLES, parse_turn
from memfort.engine.indexing.text_analysis import TextAnalysis
from memfort.engine.view import View
from memfort.language.mentions import SOMEBODY, Mentions, Spoken, mentions
from memfort.language.sensitivity import classify, private_chat_floor, stricter
from memfort.language.sharing import is_portable
from memfort.model.audience import Audience, ListenersKind, audience, learned_of
from memfort.model.item import Candidate, Item, Kind, Origin, Readers, Sensitivity
from memfort.model.learned import OUTSIDE_ANY_CHAT, Learned, strictest
from memfort.model.people.actor import Actor
from memfort.model.people.person import is_made, person_of_user
from memfort.model.sight import Sight
from memfort.model.space import Level, Space
from memfort.operations.admit.infer_type import has_passed, type_from_text, type_in_policy
from memfort.operations.people.edits import KnownTo, PeopleEdits
from memfort.operations.people.resolve.names import resolve_subjects
from memfort.operations.people.resolve.spoken_of import people_spoken_of
from memfort.operations.people.resolve.unknown_person import unknown_person_id
from memfort.policy.admission import Placement

RELATIONSHIP = "relationship"  # a statement of this type is about the other person, not about the speaker


def enrich(view: View, placement: Placement, analysis: TextAnalysis | None = None) -> tuple[Placement, PeopleEdits]:
    """The statement as the gates decide on it, and a draft that enters the people it mentions first."""
    candidate, actor = placement.candidate, view.actor
    found, learned = _type(view, candidate, analysis), _learned(view.sight, placement)
    known = candidate.filled(
        type=None if candidate.type is None and _has_passed(view, candidate, found) else found,
        stated_by=None if actor.user is None else person_of_user(actor.user),
        **origin_fields(learned),
        portable=_portable(candidate, analysis),
        sensitivity=_sensitivity(view, placement, found, analysis),
    )
    draft = PeopleEdits(view)
    subjects = _subjects(draft, known, placement, analysis)
    known = known.filled(subjects=subjects) if subjects else known
    return replace(placement, candidate=known, is_enriched=True), draft


def names_nobody(candidate: Candidate, analysis: TextAnalysis) -> bool:
    """Whether a statement can be enriched without looking up a person."""
    is_public, people = analysis.sensitivity is Sensitivity.PUBLIC, analysis.mentions.people
    is_labelled = analysis.turn.speaker is not None and not is_public
    return not candidate.subjects and not is_labelled and all(is_public and one.is_bare for one in people)


def readers_of_person(actor: Actor, known: Candidate, space: Space) -> Readers:
    """Who may know a person that this statement mentions first: its readers. If it is not for all readers of the space,
    only the speaker, because the name would reveal the statement."""
    if space.is_private or known.sensitivity is Sensitivity.PUBLIC or actor.user is None:
        return known.readers
    return Readers.of([actor.user])


def most_private(found: Iterable[Sensitivity | None]) -> Sensitivity:
    """The most private of several, which is the sensitivity of anything derived from them."""
    most_private = Sensitivity.PUBLIC
    for one in found:
        if one is not None:
            most_private = stricter(most_private, one)
    return most_private


def audience_of_candidate(candidate: Candidate, space: Space) -> Audience:
    sensitivity = candidate.sensitivity or Sensitivity.PUBLIC
    portable = candidate.portable is not False
    return audience(space, sensitivity, learned_of(candidate), candidate.subjects, candidate.stated_by, portable)


def origin_fields(learned: Learned) -> dict[str, Any]:
    """Where a statement was learned, as fields of a candidate."""
    return {"learned_in": learned.chat, "learned_kind": learned.kind, "learned_with": learned.listeners}


def _type(view: View, candidate: Candidate, analysis: TextAnalysis | None) -> str | None:
    """The type that the caller names, else the one inferred from the text."""
    is_asked_for = candidate.kind is Kind.SEMANTIC and not candidate.captured and candidate.event_type is None
    if candidate.type is not None or not is_asked_for or not view.policy.infer_types:
        return candidate.type
    return (
        type_from_text(view.policy, candidate.text) if analysis is None else type_in_policy(view.policy, analysis.type)
    )


def _has_passed(view: View, candidate: Candidate, found: str | None) -> bool:
    """Whether a memory of the inferred type would have expired already. A lifetime given by the caller applies to any
    type."""
    is_asked_for = candidate.expires_at is not None or candidate.ttl_seconds is not None
    return not is_asked_for and has_passed(view.policy, found, candidate.text, candidate.observed_at_us, view.now)


def _portable(candidate: Candidate, analysis: TextAnalysis | None) -> bool:
    if candidate.portable is not None:
        return candidate.portable
    return is_portable(candidate.text) if analysis is None else analysis.is_portable


def learned_here(sight: Sight) -> Learned:
    """The origin of a statement that is made now."""
    return OUTSIDE_ANY_CHAT if sight.disclosure is None else sight.disclosure.listeners.learned_here


def _learned(sight: Sight, placement: Placement) -> Learned:
    """The origin of a statement; that of a new wording opens no more than that of the earlier one. Putting a statement
    into a wider space releases it from the private chat it is made in."""
    here, earlier = learned_here(sight), placement.words_of or placement.supersedes
    if not placement.space.is_private and placement.space.get(Level.CHAT) is None:
        here = here.released
    return here if earlier is None else strictest([learned_of(earlier), here])


def _sensitivity(view: View, placement: Placement, type: str | None, analysis: TextAnalysis | None) -> Sensitivity:
    """At least as private as its text, and as the memory that it rewords. Only a person can declare it less private."""
    policy, candidate, earlier = view.policy, placement.candidate, placement.supersedes
    given = candidate.sensitivity
    is_from_person = candidate.origin is Origin.USER and policy.origins.allows(view.actor.kind, Origin.USER)
    if given is not None and is_from_person:
        return given
    found = most_private([given, None if earlier is None else earlier.sensitivity])
    if not policy.disclosure.classify:
        return found
    disclosure = view.sight.disclosure
    in_private = disclosure is not None and disclosure.listeners.kind is ListenersKind.PRIVATE
    shown = classify(candidate.text)[0] if analysis is None else analysis.sensitivity
    return private_chat_floor(policy.resolve_type(type), stricter(found, shown), learned_in_private=in_private)


def _subjects(
    draft: PeopleEdits, known: Candidate, placement: Placement, analysis: TextAnalysis | None
) -> tuple[str, ...]:
    """The persons it is about: those the caller names, else those whom the words speak of, and the speaker if they
    speak of themselves. A statement that says something of another is never about the speaker alone."""
    if known.subjects:
        return _named_subjects(draft, known, placement)
    if known.kind is Kind.SHORT_TERM:
        return ()
    named = _mentions(known, analysis)
    found: list[str] = []
    if named.people:
        readers = readers_of_person(draft.actor, known, placement.space)
        found = people_spoken_of(draft, named.people, known, placement.space, readers)
    if _is_about_speaker(known, named, is_about_others=bool(found)):
        found.append(str(known.stated_by))
    return tuple(dict.fromkeys(found))


def _mentions(known: Candidate, analysis: TextAnalysis | None) -> Mentions:
    """Whom the words speak of. In "Bob: I am ill" that is Bob, whoever writes it down, and "my wife" is his."""
    if analysis is None:
        named, label = mentions(known.text), parse_turn(known.text).speaker
    else:
        named, label = analysis.mentions, analysis.turn.speaker
    if label is None or label.lower() in ROLES or person_of_user(label.lower()) == known.stated_by:
        return named
    people = [SOMEBODY if one.is_of_speaker else one for one in named.people if one.name != label]
    if named.first_person and known.sensitivity is not Sensitivity.PUBLIC:
        people.append(Spoken(label, is_sure=False))
    return named._replace(people=tuple(dict.fromkeys(people)), first_person=False, is_company=False)


def _named_subjects(draft: PeopleEdits, known: Candidate, placement: Placement) -> tuple[str, ...]:
    view, space = draft.view, placement.space
    gone = _dropped_subjects(view, known.subjects, placement.supersedes)
    still = [one for one in known.subjects if one not in gone]
    subjects = resolve_subjects(draft, still, KnownTo(space, readers_of_person(view.actor, known, space)))
    return tuple([*subjects, unknown_person_id(space, known.text)] if gone else subjects)


def _dropped_subjects(view: View, subjects: Sequence[str], earlier: Item | None) -> frozenset[str]:
    """The persons of an earlier wording who are no longer in the directory. The new wording is still about that person,
    and not about another person whom its text could mean."""
    made = {one for one in subjects if is_made(one)}
    if earlier is None or not made:
        return frozenset()
    gone = made - {person.id for person in view.store.people(view.sight, sorted(made))}
    return frozenset(gone & _subjects_so_far(view, earlier) if gone else ())


def _subjects_so_far(view: View, latest: Item) -> set[str]:
    """The persons that a memory is about, and those of the wordings before it."""
    here, line = view.sight.narrowed([latest.space]), {latest.id: latest}
    while latest.supersedes is not None and latest.supersedes not in line:
        found = view.store.items(here, [latest.supersedes])
        if not found:
            break
        latest = line[found[0].id] = found[0]
    return {one for item in line.values() for one in item.subjects}


def _is_about_speaker(known: Candidate, named: Mentions, *, is_about_others: bool) -> bool:
    """Whether the speaker is one of those it is about: alone, or with others that they speak of beside themselves."""
    if known.origin is not Origin.USER or known.stated_by is None:
        return False
    if is_about_others:
        return named.first_person or named.is_company
    return named.first_person and known.type != RELATIONSHIP
