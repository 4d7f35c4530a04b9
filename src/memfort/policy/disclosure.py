"""Disclosure: what may be said in a room, given how sensitive it is, whom it is about, who said it, where it was
learned and who is listening.

Being in sight is not enough: the answer is heard by everybody in the room. What nobody knows the origin of, and rooms
nobody knows, are answered with no.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from memfort.model.audience import OUTSIDE, Audience, Listeners, ListenersKind
from memfort.model.item import EVERYONE, FIRST_PHASE, NOTHING, Authority, Item, Kind, Origin, Readers, Sensitivity
from memfort.model.people.actor import SYSTEM, Actor, ActorKind, Standpoint
from memfort.model.people.directory import Chat, ChatKind
from memfort.model.people.person import person_of_user, user_of_person
from memfort.model.reason import Reason
from memfort.model.sight import SeenSpace
from memfort.model.space import SYSTEM_ID, Level, Space
from memfort.policy.settings.sections import Disclosure, DisclosureRule, Provenance

_PUBLIC, _PERSONAL, _SENSITIVE = Sensitivity.PUBLIC, Sensitivity.PERSONAL, Sensitivity.SENSITIVE
_HEARD = frozenset(
    {
        Reason.VISIBLE,
        Reason.ABOUT_SOMEBODY_HERE,
        Reason.STATED_BY_PARTNER,
        Reason.PARTNER_WAS_THERE,
        Reason.SELF_MEMORY,
        Reason.OWNER_IS_LISTENING,
        Reason.PROVENANCE_OPEN,
    }
)

Chats = Mapping[str, Chat]


def redact_for_disclosure(item: Item) -> Item:
    """What crosses when a memory is told out of somebody else's space: the statement, and not the file about it. It is
    shown as if it stood in the chat where it was learned."""
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
        origin=Origin.USER,
        authority=Authority.USER_ASSERTED,
        provenance=NOTHING,
        status_reason=Reason.ABOUT_YOU.value,
        updated_at_us=item.created_at_us,
        in_force_at_us=None,
        supersedes=None,
        superseded_by=None,
        replaces=(),
        derived_from=(),
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


def listeners_at(standpoint: Standpoint, chats: Chats) -> Listeners:
    """The room a standpoint asks from: the chat it stands in, or nowhere but with the asker."""
    asker = None if standpoint.actor.user is None else person_of_user(standpoint.actor.user)
    here = frozenset() if asker is None else frozenset({asker})
    if (id := standpoint.get(Level.CHAT)) is None:
        return Listeners(ListenersKind.ALONE, None, asker, here, standpoint.coordinates)
    if (chat := chats.get(id)) is None:
        return Listeners(ListenersKind.UNKNOWN, id, asker, here, standpoint.coordinates)
    kind = ListenersKind.PRIVATE if chat.kind is ChatKind.PRIVATE else ListenersKind.GROUP
    return Listeners(kind, id, asker, here | _people_in(chat), standpoint.coordinates)


class ListenerDisclosure(Struct, frozen=True):
    """What one room may hear under one policy. Answers are kept: they hold as long as the directory stays as it is."""

    listeners: Listeners
    rules: Disclosure
    chats: Chats  # every chat that the directory knows, for where things were learned
    _answers: dict[tuple[bytes, Reason, Audience], bool] = field(default_factory=dict)
    _disclosed: dict[tuple[str, Audience, str | None], bool] = field(default_factory=dict)

    def may_hear(self, seen: SeenSpace, readers: Readers, audience: Audience) -> bool:
        if not self.listeners.is_among(readers):
            return False
        known = (seen.space.id, seen.reason, audience)
        if (answer := self._answers.get(known)) is None:
            answer = self._answers[known] = self.verdict(seen, audience) in _HEARD
        return answer

    def is_disclosed(self, readers: Readers, audience: Audience, person: str, owner: str | None) -> bool:
        if not self.listeners.is_among(readers):
            return False
        known = (person, audience, owner)
        if (answer := self._disclosed.get(known)) is None:
            answer = self._disclosed[known] = (
                self.disclosure_verdict(audience, person, owner) is Reason.ABOUT_SOMEBODY_HERE
            )
        return answer

    def verdict(self, seen: SeenSpace, audience: Audience) -> Reason:
        """Why what stands in a space in sight may be said in the room, or why not."""
        match self.listeners.kind:
            case ListenersKind.ALONE:
                return self._verdict_alone(seen, audience)
            case ListenersKind.PRIVATE:
                return self._reason_to_stay_in_chat(audience) or self._verdict_in_private_chat(seen.space, audience)
            case ListenersKind.GROUP:
                return self._reason_to_stay_in_chat(audience) or self._verdict_in_group(
                    audience, self._is_subject_present(audience)
                )
            case ListenersKind.UNKNOWN:
                return self._verdict_in_unknown_chat(seen.space, audience)
            case ListenersKind.CLOSED:
                return Reason.NOT_A_PARTICIPANT

    def disclosure_verdict(self, audience: Audience, person: str, owner: str | None) -> Reason:
        """The same of what others know about a person, which comes only if that person is here to hear it. `owner` is
        the person whose space it comes from, if it is a user's."""
        if self.listeners.kind is ListenersKind.UNKNOWN:
            return Reason.ROOM_UNKNOWN
        if self.listeners.kind is ListenersKind.CLOSED:
            return Reason.NOT_A_PARTICIPANT
        if (refused := self._reason_not_to_disclose(audience)) is not None:
            return refused
        if person not in self.listeners.present:
            return Reason.NOT_FOR_THIS_ROOM
        if self.listeners.kind is ListenersKind.GROUP:
            may_hear = self._verdict_in_group(audience, True, person) is Reason.VISIBLE
        else:
            may_hear = self._may_be_disclosed_to_all(audience, owner)
        return Reason.ABOUT_SOMEBODY_HERE if may_hear else Reason.NOT_FOR_THIS_ROOM

    def _may_be_disclosed_to_all(self, audience: Audience, owner: str | None) -> bool:
        """Whether everybody who listens, outside any group, may be told what others know about one of them. The
        audience names that person as its subject only if it is about nobody else."""
        listeners, only_subject = self.listeners.present, frozenset(audience.subjects)
        match audience.sensitivity:
            case Sensitivity.PUBLIC:
                return True
            case Sensitivity.PERSONAL:
                return len(listeners) == 1 or listeners <= only_subject | {owner}
            case Sensitivity.SENSITIVE:
                return len(listeners) == 1 and listeners <= only_subject | {audience.stated_by}

    def _reason_not_to_disclose(self, audience: Audience) -> Reason | None:
        """Why what others know is not told from where they learned it. Only from groups it is: what somebody told
        their own memory, or said in a private chat, is between those who were there."""
        if audience.learned_in is None:
            return self._reason_to_stay_in_chat(audience)
        origin = self.chats.get(audience.learned_in)
        return None if origin is not None and origin.kind is ChatKind.GROUP else Reason.LEARNED_IN_PRIVATE

    def _reason_to_stay_in_chat(self, audience: Audience) -> Reason | None:
        """Why what was learned where it was stays there, whatever it is."""
        if audience.learned_in is None:
            return None if self.rules.missing_provenance is Provenance.OPEN else Reason.PROVENANCE_UNKNOWN
        if audience.learned_in in {OUTSIDE, self.listeners.chat}:
            return None
        origin = self.chats.get(audience.learned_in)
        return None if origin is not None and origin.kind is ChatKind.GROUP else Reason.LEARNED_IN_PRIVATE

    def _verdict_alone(self, seen: SeenSpace, audience: Audience) -> Reason:
        """Nobody but the asker listens. What is the asker's own is always shown to them."""
        asker = self.listeners.asker
        is_own = seen.space.is_private and seen.reason is not Reason.SHARED_WITH_YOU
        if is_own or audience.sensitivity is _PUBLIC:
            return Reason.VISIBLE
        if asker is not None and asker in _subjects(audience):
            return Reason.ABOUT_SOMEBODY_HERE
        if audience.sensitivity is _PERSONAL and asker is not None and asker == _owner(seen.space, audience):
            return Reason.OWNER_IS_LISTENING
        return Reason.NOT_FOR_THIS_ROOM

    def _verdict_in_private_chat(self, space: Space, audience: Audience) -> Reason:
        partners = self.listeners.partners
        if not partners:
            return Reason.PARTNER_UNKNOWN
        if self._is_subject_present(audience):
            return Reason.ABOUT_SOMEBODY_HERE
        if audience.sensitivity is _PERSONAL and partners == {_owner(space, audience)}:
            return Reason.OWNER_IS_LISTENING
        if audience.sensitivity is not _PUBLIC:
            return Reason.NOT_FOR_THIS_ROOM
        return self._public_verdict_in_private_chat(partners, audience)

    def _public_verdict_in_private_chat(self, partners: frozenset[str], audience: Audience) -> Reason:
        """What is public is told in a private chat for a reason of its own: others are talked about with care."""
        if audience.stated_by in partners:
            return Reason.STATED_BY_PARTNER
        if audience.learned_in == self.listeners.chat or self._was_any_partner_present(partners, audience.learned_in):
            return Reason.PARTNER_WAS_THERE
        if audience.is_self:
            return Reason.SELF_MEMORY
        return Reason.PROVENANCE_OPEN if audience.learned_in is None else Reason.NOT_FOR_THIS_ROOM

    def _was_any_partner_present(self, partners: frozenset[str], chat: str | None) -> bool:
        origin = None if chat is None else self.chats.get(chat)
        return origin is not None and bool(partners & _people_in(origin))

    def _verdict_in_group(self, audience: Audience, with_subject: bool, person: str | None = None) -> Reason:
        """`person` is who is asked about, if it comes by way of them."""
        if audience.sensitivity is _PUBLIC:
            return Reason.VISIBLE
        if self.rules.rule is DisclosureRule.PARTICIPANTS:
            return Reason.VISIBLE if with_subject else Reason.NOT_FOR_THIS_ROOM
        subjects = _subjects(audience) if person is None else {person}
        is_about_asker = self.listeners.asker is not None and self.listeners.asker in subjects
        return Reason.VISIBLE if audience.sensitivity is _PERSONAL and is_about_asker else Reason.NOT_FOR_THIS_ROOM

    def _verdict_in_unknown_chat(self, space: Space, audience: Audience) -> Reason:
        """Of a chat that nobody has registered only its own is said in it."""
        is_its_own = audience.learned_in == self.listeners.chat and space.get(Level.CHAT) == self.listeners.chat
        return Reason.VISIBLE if is_its_own and audience.sensitivity is _PUBLIC else Reason.ROOM_UNKNOWN

    def _is_subject_present(self, audience: Audience) -> bool:
        return not self.listeners.present.isdisjoint(_subjects(audience))


def _subjects(audience: Audience) -> frozenset[str]:
    return frozenset(audience.subjects)


def _owner(space: Space, audience: Audience) -> str | None:
    """Whose a memory is: the user's in whose space it lies, otherwise that of who said it."""
    user = space.get(Level.USER)
    return audience.stated_by if user is None else person_of_user(user)


def _people_in(chat: Chat) -> frozenset[str]:
    return frozenset(person_of_user(one.id) for one in chat.participants if one.kind == "user")
