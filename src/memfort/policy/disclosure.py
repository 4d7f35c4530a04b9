"""Disclosure: whether the listeners may hear a memory, given how sensitive it is, who it is about, who said it, where
it was learned and who listens.

Being in sight is not enough in a chat: everyone there hears the answer. What they all heard when it was said is asked
first; then where it was learned; then the table. Memories of unknown origin and chats that the directory does not know
are answered with no.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from msgspec import Struct, field
from msgspec.structs import replace

from memfort.model.audience import UNKNOWN_SPEAKER, Audience, Listeners, ListenersKind, learned_of, may_disclose_from
from memfort.model.item import EVERYONE, FIRST_PHASE, NOTHING, Authority, Item, Kind, Origin, Readers, Sensitivity
from memfort.model.learned import Learned, LearnedKind
from memfort.model.people.actor import SYSTEM, Actor, ActorKind, Standpoint
from memfort.model.people.directory import Chat, ChatKind
from memfort.model.people.person import person_of_user, user_of_person
from memfort.model.reason import Reason
from memfort.model.sight import SeenSpace
from memfort.model.space import SYSTEM_ID, Level, Space
from memfort.policy.settings.sections import AboutPeople, Disclosure, DisclosureRule, Provenance

_ANYWHERE = AboutPeople.ANYWHERE
_PRIVATE_KINDS = frozenset({LearnedKind.PRIVATE, LearnedKind.RELEASED})
_AGAIN = frozenset({LearnedKind.HEARD_AGAIN, LearnedKind.RELEASED_AGAIN})
_STAYS = frozenset({LearnedKind.PARTLY, LearnedKind.HEARD_AGAIN})  # in its private chat, by the table

FindChat = Callable[[str], Chat | None]
FindOwner = Callable[[str], str | None]  # the owner of an agent


# -- the table -------------------------------------------------------------------------------------------------------


class Column(StrEnum):
    """Who hears the answer."""

    ALONE = "outside any chat"
    ONE = "private chat, one person"
    TWO = "private chat, two persons"
    GROUP = "group"


class Row(StrEnum):
    """How private a memory is. Unjudged: its words settle nothing and nothing else has judged it."""

    PUBLIC = "public"
    UNJUDGED = "unjudged"
    PERSONAL = "personal"
    SENSITIVE = "sensitive"


def row_of(audience: Audience) -> Row:
    """What is assumed to be sensitive although nothing judged it stays sensitive."""
    is_unjudged = not audience.judged and audience.sensitivity is Sensitivity.PERSONAL
    return Row.UNJUDGED if is_unjudged else Row(audience.sensitivity.value)


def _reads_nothing(person: str, space: Space) -> bool:  # noqa: ARG001
    return False


MayRead = Callable[[str, Space], bool]  # whether a person may read a space by themselves


class _Memory(Struct, frozen=True):
    """What the table asks about a memory."""

    audience: Audience
    owner: str | None  # the person whose space it is in: its user, or the owner of its agent
    user: str | None  # the person of the space's user, if it has one
    space: Space | None = None  # `None`: out of sight

    @property
    def speaker(self) -> str | None:
        said_by = self.audience.stated_by or self.user
        return None if said_by == UNKNOWN_SPEAKER else said_by

    @property
    def only_subject(self) -> str | None:
        """A memory about several persons is about none of them alone."""
        return self.audience.subjects[0] if len(self.audience.subjects) == 1 else None

    @property
    def is_about_speaker(self) -> bool:
        return self.only_subject is not None and self.only_subject == self.speaker


class _Case(Struct, frozen=True):
    """A memory, one listener, and who asks."""

    memory: _Memory
    listener: str
    asker: str | None
    provenance: Provenance
    may_read: MayRead


def _is_only_subject(case: _Case) -> bool:
    return case.listener == case.memory.only_subject


def _is_owner(case: _Case) -> bool:
    return case.listener == case.memory.owner


def _said_it(case: _Case) -> bool:
    return case.listener == case.memory.speaker


def _was_there(case: _Case) -> bool:
    learned = case.memory.audience.learned
    return learned.kind is not LearnedKind.PARTLY and case.listener in learned.listeners


def _is_self_memory_of_asker(case: _Case) -> bool:
    memory, asker = case.memory, case.asker
    is_about_asker = memory.only_subject == asker if memory.audience.subjects else memory.owner == asker
    return asker is not None and memory.speaker == asker and is_about_asker


def _has_no_provenance(case: _Case) -> bool:
    return case.memory.audience.learned.is_unknown and case.provenance is Provenance.OPEN


def _reads_it_anyway(case: _Case) -> bool:
    return case.memory.space is not None and case.may_read(case.listener, case.memory.space)


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
    **_OWN,
    Reason.PROVENANCE_OPEN: _has_no_provenance,
    Reason.READ_BY_LISTENER: _reads_it_anyway,
}
_ALWAYS = None
_NEVER: _Reasons = {}
_AS_PERSONAL: Mapping[Column, _Reasons | None] = {
    Column.ALONE: _ALWAYS,
    Column.ONE: {**_ABOUT, **_OWN, **_STATED},
    Column.TWO: {**_ABOUT, **_OWN},
    Column.GROUP: _ABOUT,
}

# Which reasons open a memory. In a private chat every listener needs one of them; in a group the asker does, because
# they ask aloud by choice.
TABLE: Mapping[Row, Mapping[Column, _Reasons | None]] = {
    Row.PUBLIC: {
        Column.ALONE: _ALWAYS,
        Column.ONE: _ALWAYS,
        Column.TWO: _DISCLOSURE_REASONS,
        Column.GROUP: _ALWAYS,
    },
    Row.UNJUDGED: _AS_PERSONAL,
    Row.PERSONAL: _AS_PERSONAL,
    Row.SENSITIVE: {
        Column.ALONE: _ALWAYS,
        Column.ONE: {**_ABOUT, **_STATED},
        Column.TWO: _NEVER,
        Column.GROUP: _NEVER,
    },
}

# What was said in a group is said again to those who all heard it there. What was judged follows the table even then.
HEARD_IN_GROUPS = frozenset({Row.PUBLIC, Row.UNJUDGED})

# Where nothing is said about people that comes from spaces out of sight.
_CLOSED_TO_PEOPLE = {
    ListenersKind.CLOSED: Reason.NOT_A_PARTICIPANT,
    ListenersKind.UNKNOWN: Reason.CHAT_NOT_REGISTERED,
}

_HEARD = frozenset({Reason.VISIBLE, Reason.SAID_HERE, *_DISCLOSURE_REASONS})


# -- who listens -----------------------------------------------------------------------------------------------------


def listeners_at(standpoint: Standpoint, find_chat: FindChat, find_owner: FindOwner) -> Listeners:
    """Who hears what is answered at a standpoint: everyone in the chat it stands in, or only the asker."""
    actor = standpoint.actor
    user = None if actor.user is None else person_of_user(actor.user)
    here = frozenset() if user is None else frozenset({user})
    listening, agents = here or _listener_of(actor.agent, find_owner), frozenset({actor.agent})
    asker = next(iter(listening), None)
    if (id := standpoint.get(Level.CHAT)) is None:
        return Listeners(ListenersKind.ALONE, None, asker, here, listening, agents, user)
    if (chat := find_chat(id)) is None:
        return Listeners(ListenersKind.UNKNOWN, id, asker, here, listening, agents, user)
    present = here | {person_of_user(one.id) for one in chat.participants if one.kind is ActorKind.USER}
    others = [one.id for one in chat.participants if one.kind is ActorKind.AGENT and one.id != actor.agent]
    # The agents in a private chat with one person are that person's; the owner of an agent that asks for nobody counts.
    is_theirs = chat.kind is ChatKind.PRIVATE and len(present | listening) == 1
    return Listeners(
        ListenersKind.PRIVATE if chat.kind is ChatKind.PRIVATE else ListenersKind.GROUP,
        id,
        asker,
        present,
        listening.union(present, *(() if is_theirs else (_listener_of(agent, find_owner) for agent in others))),
        agents | (_PERSON if present - here else frozenset()) | frozenset(others),
        user,
    )


_PERSON = frozenset({None})  # who listens without an agent


def _listener_of(agent: str | None, find_owner: FindOwner) -> frozenset[str]:
    """Whom an agent listens for that acts for no one: its owner. An agent that the directory does not know listens for
    a person who is never the subject, the owner or the speaker of anything."""
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
    may_read: MayRead = _reads_nothing
    _answers: dict[tuple[SeenSpace, Audience], bool] = field(default_factory=dict)
    _disclosed: dict[tuple[str, Audience, str | None, bool], bool] = field(default_factory=dict)

    def may_hear(self, seen: SeenSpace, readers: Readers, audience: Audience) -> bool:
        if not self.listeners.is_among(readers):
            return False
        known = (seen, audience)
        if (answer := self._answers.get(known)) is None:
            answer = self._answers[known] = self.verdict(seen, audience) in _HEARD
        return answer

    def is_disclosed(
        self, readers: Readers, audience: Audience, person: str, owner: str | None, *, is_named: bool
    ) -> bool:
        if not self.listeners.is_among(readers):
            return False
        known = (person, audience, owner, is_named)
        if (answer := self._disclosed.get(known)) is None:
            verdict = self.verdict_about(audience, person, owner, is_named=is_named)
            answer = self._disclosed[known] = verdict in _HEARD
        return answer

    def all_heard_it_here(self, readers: Readers, audience: Audience) -> bool:
        """Whether all who listen were there when memories with this audience were said in this very chat, so that a
        count of them tells nobody anything."""
        listeners, learned = self.listeners, audience.learned
        is_here = learned.is_group and learned.chat == listeners.chat is not None
        is_heard = bool(listeners.listening) and listeners.listening.issubset(learned.listeners)
        return is_here and is_heard and listeners.is_among(readers)

    # -- memories in sight --

    def verdict(self, seen: SeenSpace, audience: Audience) -> Reason:
        """Why the listeners may hear memories with this audience in a space in sight, or why not."""
        user = seen.space.get(Level.USER)
        memory = _Memory(audience, seen.owner, None if user is None else person_of_user(user), seen.space)
        match self.listeners.kind:
            case ListenersKind.CLOSED:
                return Reason.NOT_A_PARTICIPANT
            case ListenersKind.ALONE if not seen.is_leaving:
                return Reason.VISIBLE
            case ListenersKind.ALONE:
                return self._closed_by_origin(memory) or self._by_table(Column.ONE, memory)
            case ListenersKind.UNKNOWN:
                return self._verdict_in_unregistered_chat(audience)
            case _ if self._is_own_and_open(memory):
                return Reason.OWNED_BY_LISTENER
            case _:
                return self._verdict_in_chat(memory, is_leaving=seen.is_leaving)

    def _is_own_and_open(self, memory: _Memory) -> bool:
        """Whether the policy shows it in any chat because it is public and the asker's own."""
        is_own = memory.owner is not None and memory.owner == self.listeners.user
        return is_own and self.rules.own_public_everywhere and row_of(memory.audience) is Row.PUBLIC

    def _verdict_in_unregistered_chat(self, audience: Audience) -> Reason:
        """Only public memories that were learned there while anyone could listen, or in the group that it was: who
        listens is not known. What a private chat taught is not said there once it is registered no more."""
        learned = audience.learned
        is_open = learned.is_unregistered or learned.is_group
        is_its_own = is_open and learned.only_chat == self.listeners.chat
        return Reason.VISIBLE if is_its_own and row_of(audience) is Row.PUBLIC else Reason.CHAT_NOT_REGISTERED

    def _verdict_in_chat(self, memory: _Memory, *, is_leaving: bool) -> Reason:
        if self._stays_elsewhere(memory):
            return Reason.NOT_PORTABLE
        if self._all_heard_it(memory):
            return Reason.SAID_HERE
        if (refused := self._closed_by_origin(memory)) is not None:
            return refused
        found = self._by_rule_of_chat(memory)
        if is_leaving and found in _HEARD and (alone := self._by_table(Column.ONE, memory)) not in _HEARD:
            return alone  # no chat hears more of a share than its holder does
        return found

    def _by_rule_of_chat(self, memory: _Memory) -> Reason:
        if self._is_group and self.rules.rule is DisclosureRule.PARTICIPANTS:
            return self._by_participants(memory)
        return self._by_table(self._column, memory)

    def _stays_elsewhere(self, memory: _Memory) -> bool:
        """Whether it is for another chat alone: the one where it was learned, or whose space it is in."""
        if memory.audience.portable:
            return False
        here = self.listeners.chat
        is_learned_here = memory.audience.learned.only_chat == here
        is_of_this_chat = memory.space is not None and memory.space.get(Level.CHAT) == here
        return here is None or not (is_learned_here or is_of_this_chat)

    def _all_heard_it(self, memory: _Memory) -> bool:
        """Whether every listener was there when it was said: in this same private chat, at any sensitivity; or in any
        group, unless it was judged to be private. What was said in both needs both."""
        learned, listeners = memory.audience.learned, self.listeners
        if learned.is_unregistered:
            return self._members_may_hear(memory)
        if not listeners.listening or not listeners.listening.issubset(learned.listeners):
            return False
        is_here = listeners.kind is ListenersKind.PRIVATE and learned.chat == listeners.chat
        if learned.kind in _PRIVATE_KINDS:
            return is_here
        is_heard = is_here if learned.kind in _AGAIN else learned.is_group and listeners.chat is not None
        return is_heard and row_of(memory.audience) in HEARD_IN_GROUPS

    def _closed_by_origin(self, memory: _Memory) -> Reason | None:
        """Why a memory is not said here because of where it was learned."""
        learned = memory.audience.learned
        if learned.is_unknown:
            return None if self.rules.missing_provenance is Provenance.OPEN else Reason.PROVENANCE_UNKNOWN
        if not learned.is_confidential:
            return None
        if learned.is_late:
            return None if self._is_open_though_late(memory) else Reason.LEARNED_IN_PRIVATE
        return None if self._stays_among_those_who_were_there(learned) else Reason.LEARNED_IN_PRIVATE

    def _members_may_hear(self, memory: _Memory) -> bool:
        """Whether what was said in this chat before it was registered is for its members: it is public. The owner of an
        agent that sits there is none of them."""
        is_here = memory.audience.learned.chat == self.listeners.chat
        return is_here and row_of(memory.audience) is Row.PUBLIC and self.listeners.listening <= self.listeners.present

    def _is_open_though_late(self, memory: _Memory) -> bool:
        """Whether what was said in this chat before it was registered may be said there by the table: what is public,
        and to who said it. Nobody else is known to have been there."""
        learned, listeners = memory.audience.learned, self.listeners
        if learned.chat != listeners.chat:
            return False
        needing = {listeners.asker} if self._is_group else listeners.listening
        is_asked_by_speaker = memory.speaker is not None and needing == {memory.speaker}
        return row_of(memory.audience) is Row.PUBLIC or is_asked_by_speaker

    def _stays_among_those_who_were_there(self, learned: Learned) -> bool:
        """Whether it was said in this same private chat, with a wording of elsewhere, and nobody new listens."""
        listeners = self.listeners
        is_here = learned.kind in _STAYS and learned.chat == listeners.chat
        is_still_private = listeners.kind is ListenersKind.PRIVATE
        return is_here and is_still_private and listeners.listening.issubset(learned.listeners)

    # -- memories about people, from other spaces --

    def verdict_about(self, audience: Audience, person: str, owner: str | None, *, is_named: bool = True) -> Reason:
        """The same for memories about a person in a space out of sight. Everyone else they are about has to be present,
        unless all who listen heard it. `owner` is the person whose space it is; `is_named`: the asker names the person,
        who is not only present."""
        memory = _Memory(audience, owner, owner)
        if (closed := _CLOSED_TO_PEOPLE.get(self.listeners.kind)) is not None:
            return closed
        if (refused := self._not_from_group(memory, is_named=is_named)) is not None:
            return refused
        if self._all_heard_it(memory):
            return Reason.SAID_HERE
        absent = set(audience.subjects) - self.listeners.present
        if not absent:
            return self._by_table(Column.ONE if self._column is Column.ALONE else self._column, memory)
        may_name = absent == {person} and self._may_name(audience)
        return Reason.VISIBLE if may_name else Reason.NOT_FOR_THIS_CHAT

    def _not_from_group(self, memory: _Memory, *, is_named: bool) -> Reason | None:
        """Why others' memories are not disclosed because of where they were learned: only what was said in a group is,
        and may leave it, unless the policy also allows what was stated outside any chat; of that, what people say about
        themselves only where they are asked for by name."""
        learned, anywhere = memory.audience.learned, self.rules.about_people is _ANYWHERE
        if self._stays_elsewhere(memory):
            return Reason.NOT_PORTABLE
        if learned.is_group:
            return None
        if learned.is_unknown:
            is_open = anywhere and self.rules.missing_provenance is Provenance.OPEN
            return None if is_open else Reason.PROVENANCE_UNKNOWN
        if not learned.is_outside:
            return Reason.LEARNED_IN_PRIVATE
        is_own = memory.only_subject is not None and memory.only_subject == self.listeners.user
        is_found = is_named or is_own or not memory.is_about_speaker
        return None if anywhere and is_found else Reason.LEARNED_OUTSIDE

    def _may_name(self, audience: Audience) -> bool:
        """Whether something about a person who is only named may be said in this group: it is public, and the asker was
        in the group where it was learned."""
        if not self._is_group or row_of(audience) is not Row.PUBLIC or not audience.learned.is_group:
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
        asker = frozenset() if self.listeners.asker is None else frozenset({self.listeners.asker})
        return Column.TWO if len(self.listeners.present | asker) > 1 else Column.ONE

    def _by_table(self, column: Column, memory: _Memory) -> Reason:
        reasons = TABLE[row_of(memory.audience)][column]
        if reasons is _ALWAYS:
            return Reason.VISIBLE
        asker = self.listeners.asker
        needed = [asker] if column is Column.GROUP else sorted(self.listeners.listening, key=lambda one: one != asker)
        found = [None if one is None else self._first_reason(reasons, memory, one) for one in needed]
        is_open = bool(found) and None not in found
        return found[0] if is_open and found[0] is not None else Reason.NOT_FOR_THIS_CHAT

    def _first_reason(self, reasons: _Reasons, memory: _Memory, listener: str) -> Reason | None:
        asker, rules = self.listeners.asker, self.rules
        case = _Case(memory, listener, asker, rules.missing_provenance, self._may_read_here)
        return next((reason for reason, holds in reasons.items() if holds(case)), None)

    def _may_read_here(self, person: str, space: Space) -> bool:
        """Whether a listener may read the space anyway. The asker stands in it; and in the space of this chat all who
        take part do."""
        if person == self.listeners.user:
            return True
        is_of_chat = space.levels == {Level.CHAT} and space.get(Level.CHAT) == self.listeners.chat
        return person in self.listeners.present if is_of_chat else self.may_read(person, space)

    def _by_participants(self, memory: _Memory) -> Reason:
        """The looser rule for groups: a memory that is not public may be said if everyone it is about takes part."""
        subjects = memory.audience.subjects
        takes_part = bool(subjects) and self.listeners.present.issuperset(subjects)
        is_open = row_of(memory.audience) is Row.PUBLIC or takes_part
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
