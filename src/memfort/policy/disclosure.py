"""Disclosure: what may be said in a room, given how sensitive it is, whom it is about, who said it, where it was
learned and who is listening.

Being in sight is not enough: the answer is heard by everybody in the room. What nobody knows the origin of, and rooms
nobody knows, are answered with no.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from memfort.model.audience import OUTSIDE, Audience, Room, RoomKind
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


def as_disclosed(item: Item) -> Item:
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
        updated_at=item.created_at,
        in_force_at=None,
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


def room_of(standpoint: Standpoint, chats: Chats) -> Room:
    """The room a standpoint asks from: the chat it stands in, or nowhere but with the asker."""
    asker = None if standpoint.actor.user is None else person_of_user(standpoint.actor.user)
    here = frozenset() if asker is None else frozenset({asker})
    if (id := standpoint.get(Level.CHAT)) is None:
        return Room(RoomKind.ALONE, None, asker, here, standpoint.coordinates)
    if (chat := chats.get(id)) is None:
        return Room(RoomKind.UNKNOWN, id, asker, here, standpoint.coordinates)
    kind = RoomKind.PRIVATE if chat.kind is ChatKind.PRIVATE else RoomKind.GROUP
    return Room(kind, id, asker, here | _people_in(chat), standpoint.coordinates)


@dataclass(frozen=True)
class Disclosing:
    """What one room may hear under one policy. Answers are kept: they hold as long as the directory stays as it is."""

    room: Room
    rules: Disclosure
    chats: Chats  # every chat that the directory knows, for where things were learned
    _answers: dict[tuple[bytes, Reason, Audience], bool] = field(default_factory=dict, repr=False)
    _told: dict[tuple[str, Audience, str | None], bool] = field(default_factory=dict, repr=False)

    def may_hear(self, seen: SeenSpace, readers: Readers, audience: Audience) -> bool:
        if not self.room.is_among(readers):
            return False
        known = (seen.space.id, seen.reason, audience)
        if (answer := self._answers.get(known)) is None:
            answer = self._answers[known] = self.verdict(seen, audience) in _HEARD
        return answer

    def is_disclosed(self, readers: Readers, audience: Audience, person: str, owner: str | None) -> bool:
        if not self.room.is_among(readers):
            return False
        known = (person, audience, owner)
        if (answer := self._told.get(known)) is None:
            answer = self._told[known] = self.disclosure_verdict(audience, person, owner) is Reason.ABOUT_SOMEBODY_HERE
        return answer

    def verdict(self, seen: SeenSpace, audience: Audience) -> Reason:
        """Why what stands in a space in sight may be said in the room, or why not."""
        match self.room.kind:
            case RoomKind.ALONE:
                return self._alone(seen, audience)
            case RoomKind.PRIVATE:
                return self._kept_there(audience) or self._in_private(seen.space, audience)
            case RoomKind.GROUP:
                return self._kept_there(audience) or self._in_group(audience, self._with_subject(audience))
            case RoomKind.UNKNOWN:
                return self._in_unknown(seen.space, audience)
            case RoomKind.CLOSED:
                return Reason.NOT_A_PARTICIPANT

    def disclosure_verdict(self, audience: Audience, person: str, owner: str | None) -> Reason:
        """The same of what others know about a person, which comes only if that person is here to hear it. `owner` is
        the person whose space it comes from, if it is a user's."""
        if self.room.kind is RoomKind.UNKNOWN:
            return Reason.ROOM_UNKNOWN
        if self.room.kind is RoomKind.CLOSED:
            return Reason.NOT_A_PARTICIPANT
        if (refused := self._not_from_there(audience)) is not None:
            return refused
        if person not in self.room.present:
            return Reason.NOT_FOR_THIS_ROOM
        if self.room.kind is RoomKind.GROUP:
            may_hear = self._in_group(audience, True, person) is Reason.VISIBLE
        else:
            may_hear = self._may_be_disclosed_to_all(audience, owner)
        return Reason.ABOUT_SOMEBODY_HERE if may_hear else Reason.NOT_FOR_THIS_ROOM

    def _may_be_disclosed_to_all(self, audience: Audience, owner: str | None) -> bool:
        """Whether everybody who listens, outside any group, may be told what others know about one of them. The
        audience names that person as its subject only if it is about nobody else."""
        listeners, only_subject = self.room.present, frozenset(audience.subjects)
        match audience.sensitivity:
            case Sensitivity.PUBLIC:
                return True
            case Sensitivity.PERSONAL:
                return len(listeners) == 1 or listeners <= only_subject | {owner}
            case Sensitivity.SENSITIVE:
                return len(listeners) == 1 and listeners <= only_subject | {audience.stated_by}

    def _not_from_there(self, audience: Audience) -> Reason | None:
        """Why what others know is not told from where they learned it. Only from groups it is: what somebody told
        their own memory, or said in a private chat, is between those who were there."""
        if audience.learned_in is None:
            return self._kept_there(audience)
        origin = self.chats.get(audience.learned_in)
        return None if origin is not None and origin.kind is ChatKind.GROUP else Reason.LEARNED_IN_PRIVATE

    def _kept_there(self, audience: Audience) -> Reason | None:
        """Why what was learned where it was stays there, whatever it is."""
        if audience.learned_in is None:
            return None if self.rules.missing_provenance is Provenance.OPEN else Reason.PROVENANCE_UNKNOWN
        if audience.learned_in in {OUTSIDE, self.room.chat}:
            return None
        origin = self.chats.get(audience.learned_in)
        return None if origin is not None and origin.kind is ChatKind.GROUP else Reason.LEARNED_IN_PRIVATE

    def _alone(self, seen: SeenSpace, audience: Audience) -> Reason:
        """Nobody but the asker listens. What is the asker's own is always shown to them."""
        asker = self.room.asker
        is_own = seen.space.is_private and seen.reason is not Reason.SHARED_WITH_YOU
        if is_own or audience.sensitivity is _PUBLIC:
            return Reason.VISIBLE
        if asker is not None and asker in _subjects(audience):
            return Reason.ABOUT_SOMEBODY_HERE
        if audience.sensitivity is _PERSONAL and asker is not None and asker == _owner(seen.space, audience):
            return Reason.OWNER_IS_LISTENING
        return Reason.NOT_FOR_THIS_ROOM

    def _in_private(self, space: Space, audience: Audience) -> Reason:
        partners = self.room.partners
        if not partners:
            return Reason.PARTNER_UNKNOWN
        if self._with_subject(audience):
            return Reason.ABOUT_SOMEBODY_HERE
        if audience.sensitivity is _PERSONAL and partners == {_owner(space, audience)}:
            return Reason.OWNER_IS_LISTENING
        if audience.sensitivity is not _PUBLIC:
            return Reason.NOT_FOR_THIS_ROOM
        return self._public_in_private(partners, audience)

    def _public_in_private(self, partners: frozenset[str], audience: Audience) -> Reason:
        """What is public is told in a private chat for a reason of its own: others are talked about with care."""
        if audience.stated_by in partners:
            return Reason.STATED_BY_PARTNER
        if audience.learned_in == self.room.chat or self._any_partner_was_there(partners, audience.learned_in):
            return Reason.PARTNER_WAS_THERE
        if audience.is_self:
            return Reason.SELF_MEMORY
        return Reason.PROVENANCE_OPEN if audience.learned_in is None else Reason.NOT_FOR_THIS_ROOM

    def _any_partner_was_there(self, partners: frozenset[str], chat: str | None) -> bool:
        origin = None if chat is None else self.chats.get(chat)
        return origin is not None and bool(partners & _people_in(origin))

    def _in_group(self, audience: Audience, with_subject: bool, person: str | None = None) -> Reason:
        """`person` is who is asked about, if it comes by way of them."""
        if audience.sensitivity is _PUBLIC:
            return Reason.VISIBLE
        if self.rules.rule is DisclosureRule.PARTICIPANTS:
            return Reason.VISIBLE if with_subject else Reason.NOT_FOR_THIS_ROOM
        subjects = _subjects(audience) if person is None else {person}
        is_about_asker = self.room.asker is not None and self.room.asker in subjects
        return Reason.VISIBLE if audience.sensitivity is _PERSONAL and is_about_asker else Reason.NOT_FOR_THIS_ROOM

    def _in_unknown(self, space: Space, audience: Audience) -> Reason:
        """Of a chat that nobody has registered only its own is said in it."""
        is_its_own = audience.learned_in == self.room.chat and space.get(Level.CHAT) == self.room.chat
        return Reason.VISIBLE if is_its_own and audience.sensitivity is _PUBLIC else Reason.ROOM_UNKNOWN

    def _with_subject(self, audience: Audience) -> bool:
        return not self.room.present.isdisjoint(_subjects(audience))


def _subjects(audience: Audience) -> frozenset[str]:
    return frozenset(audience.subjects)


def _owner(space: Space, audience: Audience) -> str | None:
    """Whose a memory is: the user's in whose space it lies, otherwise that of who said it."""
    user = space.get(Level.USER)
    return audience.stated_by if user is None else person_of_user(user)


def _people_in(chat: Chat) -> frozenset[str]:
    return frozenset(person_of_user(one.id) for one in chat.participants if one.kind == "user")
