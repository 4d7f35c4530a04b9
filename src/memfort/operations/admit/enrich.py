"""Fill in the people of a statement: its subjects, its speaker and place, and so its audience.

This happens before the gates decide, from the text, the speaker and the room. A caller can add to the text, but cannot
choose the speaker or the place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from memfort.capture.turns import ROLES
from memfort.engine.indexing.statement_text import StatementText
from memfort.engine.view import View
from memfort.language.beside import sentences_beside, speak_of_the_same
from memfort.language.dates.event import event_time
from memfort.language.mentions import PERHAPS_SOMEBODY, SOMEBODY, THE_SPEAKER, Mentions, Spoken, mentions
from memfort.language.sensitivity import judge_words, private_chat_floor, stricter
from memfort.language.sharing import is_about_no_person, is_about_the_group
from memfort.model.audience import Audience, audience, is_understood, learned_of
from memfort.model.item import Candidate, Item, Kind, Origin, Readers, Sensitivity
from memfort.model.judgement import NOT_CLASSIFIED, SensitivityJudgement, SensitivityReason
from memfort.model.learned import OUTSIDE_ANY_CHAT, Learned, LearnedKind, strictest
from memfort.model.moment import Moment, to_moment
from memfort.model.occurred import Occurred
from memfort.model.people.actor import Actor
from memfort.model.people.person import is_made, person_of_user
from memfort.model.sight import Sight
from memfort.model.space import Level, Space
from memfort.operations.admit.infer_type import type_in_policy
from memfort.operations.people.edits import KnownTo, PeopleEdits
from memfort.operations.people.resolve.names import resolve_subjects
from memfort.operations.people.resolve.spoken_of import people_called, people_spoken_of
from memfort.operations.people.resolve.unknown_person import unknown_person_id
from memfort.policy.admission import Placement
from memfort.policy.sensitivity import judge_at_write, judge_beside, judge_turn

RELATIONSHIP = "relationship"  # a statement of this type is about the other person, not about the speaker


def enrich(view: View, placement: Placement, text: StatementText | None = None) -> tuple[Placement, PeopleEdits]:
    """The statement as the gates decide on it, and a draft that enters the people it mentions first."""
    candidate, actor = placement.candidate, view.actor
    text = StatementText(candidate.text) if text is None else text
    found, learned = _type(view, candidate, text), _learned(view.sight, placement)
    sensitivity, judgement = _sensitivity(view, placement, found, text)
    known = candidate.filled(
        type=found,
        type_inferred=_is_inferred(placement, found),
        stated_by=candidate.stated_by if placement.has_speaker else _person_of(actor),
        **origin_fields(learned),
        portable=_portable(view, placement, text),
        occurred=_occurred(candidate, view.now, text),
        sensitivity=sensitivity,
        judgement=judgement,
    )
    draft = PeopleEdits(view)
    subjects = _subjects(draft, with_inherited_sensitivity(view, known, placement.space), placement, text)
    known = known.filled(subjects=subjects) if subjects else known
    return replace(placement, candidate=known, is_enriched=True), draft


def _person_of(actor: Actor) -> str | None:
    return None if actor.user is None else person_of_user(actor.user)


def names_nobody(placement: Placement, text: StatementText) -> bool:
    """Whether a statement can be enriched without looking up a person."""
    candidate = placement.candidate
    is_public, people = text.judgement.level is Sensitivity.PUBLIC, text.mentions.people
    if candidate.kind is Kind.SHORT_TERM and not candidate.subjects:
        return True  # a turn is about nobody: its statements are
    if text.mentions.perhaps or candidate.derived_from:  # it may be more private than its words
        return False
    is_labelled = text.turn.speaker is not None and (not is_public or placement.has_speaker)
    return not candidate.subjects and not is_labelled and all(is_public and one.is_bare for one in people)


def readers_of_person(actor: Actor, known: Candidate, space: Space) -> Readers:
    """Who may know a person that this statement mentions first: its readers. If it is not for all readers of the space,
    only the speaker, because the name would reveal the statement."""
    if space.is_private or known.sensitivity is Sensitivity.PUBLIC or actor.user is None:
        return known.readers
    return Readers.of([actor.user])


def with_inherited_sensitivity(view: View, candidate: Candidate, space: Space) -> Candidate:
    """A statement with the sensitivity that its memory ends with: at least that of the memories it is derived from. The
    people it mentions are known to no more than those who may hear it."""
    if not candidate.derived_from:
        return candidate
    sources = find_sources(view, space, candidate)
    return candidate.filled(sensitivity=most_private([candidate.sensitivity, *(one.sensitivity for one in sources)]))


def find_sources(view: View, space: Space, candidate: Candidate) -> list[Item]:
    """The memories a statement is derived from that are in sight, and in the same space. An actor may also derive from
    its own memories that may not be shown to others present."""
    if not candidate.derived_from:
        return []
    here = view.within(space)
    stored = here.decision_view.items(candidate.derived_from)
    return [item for item in stored if here.sight.admits(item) or item.author.key == view.actor.key]


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
    return audience(
        space,
        sensitivity,
        learned_of(candidate),
        candidate.subjects,
        candidate.stated_by,
        portable,
        judged=is_understood(candidate),
    )


def origin_fields(learned: Learned) -> dict[str, Any]:
    """Where a statement was learned, as fields of a candidate."""
    return {"learned_in": learned.chat, "learned_kind": learned.kind, "learned_with": learned.listeners}


def _type(view: View, candidate: Candidate, text: StatementText) -> str | None:
    """The type that the caller names, else the one inferred from the text."""
    is_asked_for = candidate.kind is Kind.SEMANTIC and not candidate.captured and candidate.event_type is None
    if candidate.type is not None or not is_asked_for or not view.policy.infer_types:
        return candidate.type
    return type_in_policy(view.policy, text.type)


def _is_inferred(placement: Placement, type: str | None) -> bool:
    """Whether nobody named the type: it was inferred, or taken over from an earlier wording that fades."""
    candidate, earlier = placement.candidate, placement.words_of or placement.supersedes
    if earlier is not None and earlier.fades_at_us is not None and earlier.type == type:
        return True
    return candidate.captured or (candidate.type is None and type is not None)


def _portable(view: View, placement: Placement, text: StatementText) -> bool:
    """Whether it may leave the chat where it is said; outside of any chat nothing keeps it. What a group says of
    itself, and what is about no person, stays where it was said."""
    candidate = placement.candidate
    if candidate.portable is not None:
        return candidate.portable
    if not _said_in(view.sight, placement).chat:
        return True
    return text.is_portable and not _has_no_person(view, placement, text.mentions)


def _has_no_person(view: View, placement: Placement, named: Mentions) -> bool:
    """Whether a statement has no person as its subject: its caller says so; in a chat also where its words speak of
    "we", or of a thing, a rule or a process."""
    candidate = placement.candidate
    if candidate.subjects or candidate.about_nobody:
        return not candidate.subjects
    if not _said_in(view.sight, placement).chat:
        return False
    return is_about_the_group(candidate.text) or is_about_no_person(candidate.text, named)


def _occurred(candidate: Candidate, now: Moment, text: StatementText) -> Occurred | None:
    """When its event takes place: what the caller says, else what its words say. A turn is found by the day it was
    said; what is taken from it by the day it means."""
    if candidate.occurred is not None or candidate.kind is Kind.SHORT_TERM:
        return candidate.occurred_span
    turn = text.turn
    said_at = now if candidate.observed_at_us is None else candidate.observed_at_us
    return event_time(turn.body, said_at if turn.day is None else _noon(turn.day))


def _noon(day: int) -> Moment:
    return to_moment(datetime.combine(date.fromordinal(day), time(12), UTC), "said_at")


def learned_here(sight: Sight) -> Learned:
    """The origin of a statement that is made now."""
    return OUTSIDE_ANY_CHAT if sight.disclosure is None else sight.disclosure.listeners.learned_here


def _said_in(sight: Sight, placement: Placement) -> Learned:
    """Where a statement is made. One that is taken later from words that were said opens no more than it did then: who
    has joined since was not there."""
    here = learned_here(sight)
    return here if placement.learned is None else strictest([placement.learned, here])


def _learned(sight: Sight, placement: Placement) -> Learned:
    """The origin of a statement. Putting a statement into a wider space releases it from the private chat it is made
    in. A new wording names no space, so it releases nothing: it opens no more than where it is said, and no more than
    the earlier one."""
    here, earlier = _said_in(sight, placement), placement.words_of or placement.supersedes
    if earlier is not None:
        return strictest([learned_of(earlier), here])
    is_wider = not placement.space.is_private and placement.space.get(Level.CHAT) is None
    return here.released if is_wider else here


_SAYS_NOTHING = frozenset({"unsettled", SensitivityReason.LANGUAGE_NOT_SUPPORTED.value})


class _Stated(Struct, frozen=True):
    """The sensitivity that a statement has from others: its caller, and the memories whose words it takes up."""

    level: Sensitivity = Sensitivity.PUBLIC
    is_final: bool = False  # a person stated it, or it is not judged here
    waits: bool = False  # an earlier wording is not judged yet
    is_judged: bool = False  # an earlier wording was stated or judged to be private


def _sensitivity(
    view: View, placement: Placement, type: str | None, text: StatementText
) -> tuple[Sensitivity, SensitivityJudgement | None]:
    """At least as private as its words, and as the memory that it rewords. Only a person can declare it less private;
    what nobody has labelled is judged by its words, and what they do not settle waits for the encoder."""
    policy, candidate, stated = view.policy, placement.candidate, _stated_sensitivity(view, placement)
    if stated.is_final:
        return stated.level, None
    is_labelled = candidate.sensitivity is not None and (
        placement.is_imported or candidate.sensitivity is not Sensitivity.PUBLIC
    )
    if is_labelled and text.judgement.reason in _SAYS_NOTHING and not stated.waits:
        return stated.level, None
    rules, has_encoder = policy.sensitivity.in_space(placement.space), view.engine.has_classifier
    level, judgement = judge_at_write(text.judgement, rules, has_encoder=has_encoder)
    if beside := _sentences_beside(placement):
        others = (judge_at_write(judge_words(one), rules, has_encoder=has_encoder) for one in beside)
        is_settled, is_shared = text.judgement.reason == "harmless", speak_of_the_same(candidate.text, beside)
        level, judgement = judge_beside((level, judgement), others, is_settled=is_settled, is_shared=is_shared)
    if placement.states:
        states = (judge_at_write(judge_words(one), rules, has_encoder=has_encoder) for one in placement.states)
        level, judgement = judge_turn((level, judgement), states)
    in_private = _said_in(view.sight, placement).kind is LearnedKind.PRIVATE
    level = private_chat_floor(policy.resolve_type(type), stricter(stated.level, level), learned_in_private=in_private)
    judgement = NOT_CLASSIFIED if stated.waits else judgement
    if stated.is_judged and judgement is not None and not judgement.is_understood:
        judgement = replace(NOT_CLASSIFIED, category=_REWORDED)  # as private as before, until something graver is found
    return level, judgement


_REWORDED = "reworded"


def _sentences_beside(placement: Placement) -> list[str]:
    """What is said beside a statement in the message that it was taken from."""
    turn, evidence = placement.quotes, placement.candidate.evidence
    return [] if turn is None or evidence is None else sentences_beside(turn.text, evidence.words)


def _stated_sensitivity(view: View, placement: Placement) -> _Stated:
    policy, candidate = view.policy, placement.candidate
    given, earlier = candidate.sensitivity, [one for one in (placement.supersedes, placement.words_of) if one]
    is_from_person = candidate.origin is Origin.USER and policy.origins.allows(view.actor.kind, Origin.USER)
    if given is not None and is_from_person and not placement.is_imported:
        kept = [] if _may_declassify(view, placement) else [one.sensitivity for one in earlier]
        return _Stated(most_private([given, *kept]), is_final=True)
    found = most_private([given, *(one.sensitivity for one in earlier)])
    waits = any(one.judgement is not None and one.judgement.waits for one in earlier)
    is_judged = any(is_understood(one) and one.sensitivity is not Sensitivity.PUBLIC for one in earlier)
    return _Stated(found, is_final=not policy.disclosure.classify, waits=waits, is_judged=is_judged)


def _may_declassify(view: View, placement: Placement) -> bool:
    """Whether the actor may say that an earlier wording is less private than it was: its owner, whom it is about, or
    who said it."""
    earlier, user = placement.supersedes, view.actor.user
    if earlier is None or user is None:
        return True
    me = person_of_user(user)
    return earlier.space.get(Level.USER) == user or me == earlier.stated_by or earlier.subjects == (me,)


def _subjects(draft: PeopleEdits, known: Candidate, placement: Placement, text: StatementText) -> tuple[str, ...]:
    """The persons it is about: those the caller names, else those whom the words speak of, and the speaker if they
    speak of themselves. A statement that says something of another is never about the speaker alone."""
    if known.subjects:
        return _named_subjects(draft, known, placement)
    if known.kind is Kind.SHORT_TERM or _has_no_person(draft.view, placement, text.mentions):
        return ()
    named = _mentions(known, placement, draft.actor, text)
    is_own_fact = bool(named.people or named.perhaps) and _is_own_fact(known, placement.space)
    if is_own_fact and _only_spells_a_name(known, named):
        return (str(known.stated_by),)
    found: list[str] = []
    if named.people or named.perhaps:
        space, readers = placement.space, readers_of_person(draft.actor, known, placement.space)
        called = people_called(draft, named.perhaps, known, space, readers) if named.perhaps else []
        # "Ruby lost her tooth": where somebody is named, "her" is nobody else.
        people = [one for one in named.people if one != PERHAPS_SOMEBODY] if called else named.people
        found = [*people_spoken_of(draft, people, known, space, readers), *called]
    if not found and named.is_of_self and known.type == RELATIONSHIP:  # "we are separated": from somebody
        found = [unknown_person_id(placement.space, known.text)]
    if (
        (is_own_fact and found)
        or _is_about_speaker(known, named, is_about_others=bool(found))
        or (not found and _is_of_speaker(draft.view, known, named, placement))
    ):
        found.append(str(known.stated_by))
    return tuple(dict.fromkeys(found))


def _is_own_fact(known: Candidate, space: Space) -> bool:
    """Whether it is a profile fact of whoever says it: what is under a key of one's own is about oneself."""
    user = space.get(Level.USER)
    return known.kind is Kind.PROFILE and user is not None and known.stated_by == person_of_user(user)


def _only_spells_a_name(known: Candidate, named: Mentions) -> bool:
    """Whether the value of a profile fact says nothing of anybody it names: "Ada", "Charlotte Hornets". The key can say
    that it names somebody else: "wife"."""
    if known.key is not None and mentions(f"my {known.key.replace('_', ' ')}").people:
        return False
    is_bare = bool(named.people) and all(one.is_bare for one in named.people)
    return is_bare or not any(word[0].islower() for word in known.text.split())


def _is_of_speaker(view: View, known: Candidate, named: Mentions, placement: Placement) -> bool:
    """Whether a statement that was taken from a user's own message and names nobody is about who said it: "moved to
    Ghent", "Tocamos el sábado". What several share about a thing is about nobody. In a group this stays open: other
    groups are told what is known about their members, and a guess must not tell them more."""
    is_own_word = known.captured and known.origin is Origin.USER and known.stated_by is not None
    is_of_thing = known.type == "observation" or (known.type == "knowledge" and not placement.space.is_private)
    is_in_group = _said_in(view.sight, placement).is_group
    return is_own_word and not named.people and not is_of_thing and not is_in_group


def _mentions(known: Candidate, placement: Placement, actor: Actor, text: StatementText) -> Mentions:
    """Whom the words speak of. In "Bob: I am ill" that is Bob, whoever writes it down, and "my wife" is his."""
    named, label = text.mentions, text.turn.speaker
    if label is None or label.lower() in ROLES:
        return named
    if person_of_user(label.lower()) == known.stated_by:
        is_own = actor.user is None or _person_of(actor) == known.stated_by
        return named if is_own else named._replace(people=_of_another(named, SOMEBODY))
    if placement.has_speaker and known.stated_by is None:  # somebody who takes part in the conversation, by their name
        speaker = Spoken(label)
        people = _of_another(named, speaker)
        return named._replace(
            people=(*people, speaker) if named.first_person else people,
            first_person=False,
            is_company=False,
            perhaps=tuple(one for one in named.perhaps if one != label),
        )
    people = tuple(one for one in _of_another(named, SOMEBODY) if one.name != label)
    if named.first_person and known.sensitivity is not Sensitivity.PUBLIC:
        people = (*people, Spoken(label, is_sure=False))
    return named._replace(people=people, first_person=False, is_company=False)


def _of_another(named: Mentions, speaker: Spoken) -> tuple[Spoken, ...]:
    """The people of words that another than the caller speaks: "my wife" is the wife of that speaker. Whose wife she is
    is not known if nobody knows who speaks."""
    people = (_owned(one, speaker) if one.is_of_speaker else one for one in named.people if one.name != speaker.name)
    return tuple(dict.fromkeys(people))


def _owned(one: Spoken, speaker: Spoken) -> Spoken:
    if speaker == SOMEBODY:
        return SOMEBODY
    if one.owner is None:
        return one
    return one._replace(owner=speaker if one.owner == THE_SPEAKER else _owned(one.owner, speaker))


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
