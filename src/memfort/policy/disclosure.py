"""Disclosure: whether the listeners may hear a memory, given how sensitive it is, who it is about, who said it, where
it was learned and who listens.

Being in sight is not enough in a chat: everyone there hears the answer. Memories of unknown origin and chats that the
directory does not know are answered with no.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from msgspec import Struct, field
from msgspec.structs import replace

from memfort.model.audience import UNKNOWN_SPEAKER, Audience, Listeners, ListenersKind, learned_of, may_disclose_from
from memfort.model.item import EVERYONE, FIRST_PHASE, NOTHING, Authority, Item, Kind, Origin, Readers, Sensitivity
from memfort.model.learned import LearnedKind
from memfort.model.people.actor import SYSTEM, Actor, ActorKind, Standpoint
from memfort.model.people.directory import Chat, ChatKind
from memfort.model.people.person import person_of_user, user_of_person
from memfort.model.reason import Reason
from memfort.model.sight import SeenSpace
from memfort.model.space import SYSTEM_ID, Level, Space
from memfort.policy.settings.sections import AboutPeople, Disclosure, DisclosureRule, Provenance

_PUBLIC, _PERSONAL, _SENSITIVE = Sensitivity.PUBLIC, Sensitivity.PERSONAL, Sensitivity.SENSITIVE
_ANYWHERE = AboutPeople.ANYWHERE
_PRIVATE_KINDS = frozenset({LearnedKind.PRIVATE, LearnedKind.RELEASED})

FindChat = Callable[[str], Chat | None]
FindOwner = Callable[[str], str | None]  # the owner of an agent


# -- the table -------------------------------------------------------------------------------------------------------


class Column(StrEnum):
    """Who hears the answer."""

    ALONE = "outside any chat"
    ONE = "private chat, one person"
    TWO = "private chat, two persons"
    GROUP = "group"


class _Memory(Struct, frozen=True):
    """What the table asks about a memory."""

    audience: Audience
    owner: str | None  # the person whose space it is in: its user, or the owner of its agent
    user: str | None  # the person of the space's user, if it has one

    @property
    def speaker(self) -> str | None:
        said_by = self.audience.stated_by or self.user
        return None if said_by == UNKNOWN_SPEAKER else said_by

    @property
    def subjects(self) -> tuple[str | None, ...]:
        """Who it is about. A statement without subjects that is not public is about its speaker."""
        if self.audience.subjects or self.audience.sensitivity is _PUBLIC:
            return self.audience.subjects
        return (self.speaker,)

    @property
    def only_subject(self) -> str | None:
        """A memory about several persons is about none of them alone."""
        return self.subjects[0] if len(self.subjects) == 1 else None


class _Case(Struct, frozen=True):
    """A memory, one listener, and who asks."""

    memory: _Memory
    listener: str
    asker: str | None
    provenance: Provenance


def _is_only_subject(case: _Case) -> bool:
    return case.listener == case.memory.only_subject


def _is_owner(case: _Case) -> bool:
    return case.listener == case.memory.owner


def _said_it(case: _Case) -> bool:
    return case.listener == case.memory.speaker


def _was_there(case: _Case) -> bool:
    return case.listener in case.memory.audience.learned.listeners


def _is_self_memory_of_asker(case: _Case) -> bool:
    memory, asker = case.memory, case.asker
    is_about_asker = memory.only_subject == asker if memory.subjects else memory.owner == asker
    return asker is not None and memory.speaker == asker and is_about_asker


def _has_no_provenance(case: _Case) -> bool:
    return case.memory.audience.learned.is_unknown and case.provenance is Provenance.OPEN


_Holds = Callable[[_Case], bool]
_Reasons = Mapping[Reason, _Holds]

_ABOUT: _Reasons = {Reason.ABOUT_LISTENER: _is_only_subject}
_OWN: _Reasons = {Reason.OWNED_BY_LISTENER: _is_owner}
_STATED: _Reasons = {Reason.STATED_BY_LISTENER: _said_it}
_DISCLOSURE_REASONS: _Reasons = {
    **_ABOUT,
    **_STATED,
    Reason.LISTENER_WAS_THERE: _was_there,
    Reason.SELF_MEMORY: _is_self_memory_of_asker,
    Reason.PROVENANCE_OPEN: _has_no_provenance,
}
_ALWAYS = None
_NEVER: _Reasons = {}

# Which reasons open a memory. In a private chat every listener needs one of them; in a group the asker does, because
# they ask aloud by choice.
TABLE: Mapping[Sensitivity, Mapping[Column, _Reasons | None]] = {
    _PUBLIC: {
        Column.ALONE: _ALWAYS,
        Column.ONE: _ALWAYS,
        Column.TWO: _DISCLOSURE_REASONS,
        Column.GROUP: _ALWAYS,
    },
    _PERSONAL: {
        Column.ALONE: _ALWAYS,
        Column.ONE: {**_ABOUT, **_OWN, **_STATED},
        Column.TWO: {**_ABOUT, **_OWN},
        Column.GROUP: _ABOUT,
    },
    _SENSITIVE: {
        Column.ALONE: _ALWAYS,
        Column.ONE: {**_ABOUT, **_STATED},
        Column.TWO: _NEVER,
        Column.GROUP: _NEVER,
    },
}

_HEARD = frozenset({Reason.VISIBLE, Reason.SAID_HERE, Reason.OWNED_BY_LISTENER, *_DISCLOSURE_REASONS})


# -- who listens -----------------------------------------------------------------------------------------------------


def listeners_at(standpoint: Standpoint, find_chat: FindChat, find_owner: FindOwner) -> Listeners:
    """Who hears what is answered at a standpoint: everyone in the chat it stands in, or only the asker."""
    actor = standpoint.actor
    asker = None if actor.user is None else person_of_user(actor.user)
    here = frozenset() if asker is None else frozenset({asker})
    listening, agents = here or _listener_of(actor.agent, find_owner), frozenset({actor.agent})
    if (id := standpoint.get(Level.CHAT)) is None:
        return Listeners(ListenersKind.ALONE, None, asker, here, listening, agents)
    if (chat := find_chat(id)) is None:
        return Listeners(ListenersKind.UNKNOWN, id, asker, here, listening, agents)
    present = here | {person_of_user(one.id) for one in chat.participants if one.kind is ActorKind.USER}
    others = [one.id for one in chat.participants if one.kind is ActorKind.AGENT and one.id != actor.agent]
    return Listeners(
        ListenersKind.PRIVATE if chat.kind is ChatKind.PRIVATE else ListenersKind.GROUP,
        id,
        asker,
        present,
        listening.union(present, *(_listener_of(agent, find_owner) for agent in others)),
        agents | (_PERSON if present - here else frozenset()) | frozenset(others),
    )


_PERSON = frozenset({None})  # who listens without an agent


def _listener_of(agent: str | None, find_owner: FindOwner) -> frozenset[str]:
    """Whom an agent listens for that acts for no one. An agent that the directory does not know listens for a person
    who is never the subject, the owner or the speaker of anything."""
    if agent is None:
        return frozenset()
    owner = find_owner(agent)
    return frozenset({f"owner of {agent}" if owner is None else person_of_user(owner)})


# -- what they may hear ----------------------------------------------------------------------------------------------


class ListenerDisclosure(Struct, frozen=True):
    """What the listeners may hear under one policy. Answers are cached: they hold as long as the directory stays as it
    is."""

    listeners: Listeners
    rules: Disclosure
    _answers: dict[tuple[SeenSpace, Audience], bool] = field(default_factory=dict)
    _disclosed: dict[tuple[str, Audience, str | None], bool] = field(default_factory=dict)

    def may_hear(self, seen: SeenSpace, readers: Readers, audience: Audience) -> bool:
        if not self.listeners.is_among(readers):
            return False
        known = (seen, audience)
        if (answer := self._answers.get(known)) is None:
            answer = self._answers[known] = self.verdict(seen, audience) in _HEARD
        return answer

    def is_disclosed(self, readers: Readers, audience: Audience, person: str, owner: str | None) -> bool:
        if not self.listeners.is_among(readers):
            return False
        known = (person, audience, owner)
        if (answer := self._disclosed.get(known)) is None:
            answer = self._disclosed[known] = self.verdict_about(audience, person, owner) in _HEARD
        return answer

    # -- memories in sight --

    def verdict(self, seen: SeenSpace, audience: Audience) -> Reason:
        """Why the listeners may hear memories with this audience in a space in sight, or why not."""
        user = seen.space.get(Level.USER)
        memory = _Memory(audience, seen.owner, None if user is None else person_of_user(user))
        match self.listeners.kind:
            case ListenersKind.CLOSED:
                return Reason.NOT_A_PARTICIPANT
            case ListenersKind.ALONE:
                is_shared = seen.reason is Reason.SHARED_WITH_YOU  # it leaves its space
                return self._by_table(Column.ONE if is_shared else Column.ALONE, memory)
            case ListenersKind.UNKNOWN:
                return self._verdict_in_unregistered_chat(audience)
            case _ if self._is_own_and_open(memory):
                return Reason.OWNED_BY_LISTENER
            case _:
                return self._verdict_in_chat(memory)

    def _is_own_and_open(self, memory: _Memory) -> bool:
        """Whether the policy shows it in any chat because it is public and the asker's own."""
        is_own = memory.owner is not None and memory.owner == self.listeners.asker
        return is_own and self.rules.own_public_everywhere and memory.audience.sensitivity is _PUBLIC

    def _verdict_in_unregistered_chat(self, audience: Audience) -> Reason:
        """Only public memories that were learned there: who listens is not known."""
        is_its_own = audience.learned.chat == self.listeners.chat
        return Reason.VISIBLE if is_its_own and audience.sensitivity is _PUBLIC else Reason.CHAT_NOT_REGISTERED

    def _verdict_in_chat(self, memory: _Memory) -> Reason:
        if self._heard_it_here(memory.audience):
            return Reason.SAID_HERE
        if (refused := self._confidential_elsewhere(memory.audience)) is not None:
            return refused
        if self._is_group and self.rules.rule is DisclosureRule.PARTICIPANTS:
            return self._by_participants(memory)
        return self._by_table(self._column, memory)

    def _heard_it_here(self, audience: Audience) -> bool:
        """Whether it was said in this same private chat while every present listener was there."""
        learned, listeners = audience.learned, self.listeners
        is_here = learned.kind in _PRIVATE_KINDS and learned.chat == listeners.chat is not None
        is_still_private = listeners.kind is ListenersKind.PRIVATE
        return is_here and is_still_private and listeners.listening <= set(learned.listeners)

    def _confidential_elsewhere(self, audience: Audience) -> Reason | None:
        """Why a memory is not said in this chat because of where it was learned."""
        learned = audience.learned
        if learned.is_unknown:
            return None if self.rules.missing_provenance is Provenance.OPEN else Reason.PROVENANCE_UNKNOWN
        if not learned.is_confidential:
            return None
        is_here = learned.kind is LearnedKind.PRIVATE and learned.chat == self.listeners.chat
        is_still_private = self.listeners.kind is ListenersKind.PRIVATE
        return None if is_here and is_still_private else Reason.LEARNED_IN_PRIVATE

    # -- memories about people, from other spaces --

    def verdict_about(self, audience: Audience, person: str, owner: str | None) -> Reason:
        """The same for memories about a person in a space out of sight. Everyone else they are about has to be present.
        `owner` is the person whose space it is."""
        listeners, memory = self.listeners, _Memory(audience, owner, owner)
        if listeners.kind is ListenersKind.CLOSED:
            return Reason.NOT_A_PARTICIPANT
        if listeners.kind is ListenersKind.UNKNOWN:
            return Reason.CHAT_NOT_REGISTERED
        if not audience.portable:
            return Reason.NOT_PORTABLE
        if (refused := self._not_from_group(memory)) is not None:
            return refused
        absent = set(audience.subjects) - listeners.present
        if not absent:
            return self._by_table(Column.ONE if self._column is Column.ALONE else self._column, memory)
        may_name = absent == {person} and self._may_name(audience)
        return Reason.VISIBLE if may_name else Reason.NOT_FOR_THIS_CHAT

    def _not_from_group(self, memory: _Memory) -> Reason | None:
        """Why others' memories are not disclosed because of where they were learned: only what was said in a group is,
        unless the policy also allows what was stated outside any chat."""
        learned, anywhere = memory.audience.learned, self.rules.about_people is _ANYWHERE
        if learned.is_group or (learned.is_outside and anywhere):
            return None
        if learned.is_unknown:
            is_open = anywhere and self.rules.missing_provenance is Provenance.OPEN
            return None if is_open else Reason.PROVENANCE_UNKNOWN
        return Reason.LEARNED_OUTSIDE if learned.is_outside else Reason.LEARNED_IN_PRIVATE

    def _may_name(self, audience: Audience) -> bool:
        """Whether something about a person who is only named may be said in this group: it is public, and the asker was
        in the group where it was learned."""
        if not self._is_group or audience.sensitivity is not _PUBLIC or not audience.learned.is_group:
            return False
        return self.rules.about_people is _ANYWHERE or self.listeners.asker in audience.learned.listeners

    # -- the cells of the table --

    @property
    def _is_group(self) -> bool:
        return self.listeners.kind is ListenersKind.GROUP

    @property
    def _column(self) -> Column:
        if self._is_group:
            return Column.GROUP
        if self.listeners.kind is ListenersKind.ALONE:
            return Column.ALONE
        return Column.TWO if len(self.listeners.present) > 1 else Column.ONE

    def _by_table(self, column: Column, memory: _Memory) -> Reason:
        reasons = TABLE[memory.audience.sensitivity][column]
        if reasons is _ALWAYS:
            return Reason.VISIBLE
        if column is Column.GROUP and not memory.audience.judged:
            return Reason.NOT_FOR_THIS_CHAT  # its sensitivity is only assumed, and may be graver
        asker = self.listeners.asker
        needed = [asker] if column is Column.GROUP else sorted(self.listeners.listening, key=lambda one: one != asker)
        found = [None if one is None else self._first_reason(reasons, memory, one) for one in needed]
        is_open = bool(found) and None not in found
        return found[0] if is_open and found[0] is not None else Reason.NOT_FOR_THIS_CHAT

    def _first_reason(self, reasons: _Reasons, memory: _Memory, listener: str) -> Reason | None:
        case = _Case(memory, listener, self.listeners.asker, self.rules.missing_provenance)
        return next((reason for reason, holds in reasons.items() if holds(case)), None)

    def _by_participants(self, memory: _Memory) -> Reason:
        """The looser rule for groups: a memory that is not public may be said if everyone it is about takes part; but
        not one whose sensitivity is only assumed."""
        takes_part = memory.audience.judged and self.listeners.present.issuperset(memory.subjects)
        is_open = memory.audience.sensitivity is _PUBLIC or takes_part
        return Reason.VISIBLE if is_open else Reason.NOT_FOR_THIS_CHAT


# -- memories about people, from other spaces ------------------------------------------------------------------------


def can_be_disclosed(item: Item, rules: Disclosure) -> bool:
    """Whether any listeners could hear the memory from outside its space. Only such memories are indexed for it, so
    another value of `about_people` needs a new index."""
    learned = learned_of(item)
    is_open = learned.is_group or learned.is_unknown or (learned.is_outside and rules.about_people is _ANYWHERE)
    return bool(item.subjects) and is_open and may_disclose_from(item.space)


def redact_for_disclosure(item: Item) -> Item:
    """A memory as it is disclosed out of another space: the statement, and nothing else about it. It is shown as if it
    were in the chat where it was learned."""
    speaker = None if item.stated_by is None else user_of_person(item.stated_by)
    place = {Level.SYSTEM.value: SYSTEM_ID} if not item.learned_in else {Level.CHAT.value: item.learned_in}
    users = tuple(one for one in item.subjects if user_of_person(one) is not None)
    return replace(
        item,
        subjects=users,
        space=Space.of(place),
        number=0,
        author=SYSTEM if speaker is None else Actor(ActorKind.USER, speaker),
        kind=Kind.SEMANTIC,
        key=None,
        tags=(),
        source=None,
        readers=EVERYONE,
        confidence=1.0,
        importance=1.0,
        pii_risk=0,
        judgement=None,
        origin=Origin.USER,
        authority=Authority.USER_ASSERTED,
        provenance=NOTHING,
        status_reason=Reason.ABOUT_PERSON.value,
        updated_at_us=item.created_at_us,
        in_force_at_us=None,
        supersedes=None,
        superseded_by=None,
        replaces=(),
        may_replace=None,
        derived_from=(),
        learned_with=(),
        conversation=None,
        evidence=None,
        meta=NOTHING,
        policy="",
        version=1,
        authority_reason="",
        importance_reasons=(),
        policy_tags=(),
        created_tick=0,
        expires_tick=None,
        phase=FIRST_PHASE,
        promoted_from=None,
        promotion_reason=None,
        approvals=(),
        uses=0,
    )
