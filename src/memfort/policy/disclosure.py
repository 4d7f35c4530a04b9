"""Disclosure: what may be said in a room, given how sensitive it is, whom it is about, who said it, where it was
learned and who is listening.

Being in sight is not enough: the answer is heard by everybody in the room. What nobody knows the origin of, and rooms
nobody knows, are answered with no.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memfort.model.actor import SYSTEM, Actor, ActorKind, Standpoint
from memfort.model.directory import Chat, ChatKind
from memfort.model.hearing import OUTSIDE, Label, Room, RoomKind
from memfort.model.item import EVERYONE, FIRST_PHASE, NOTHING, Authority, Item, Kind, Origin, Readers, Sensitivity
from memfort.model.person import person_of_user, user_of_person
from memfort.model.reason import Reason
from memfort.model.sight import SeenSpace
from memfort.model.space import SYSTEM_ID, Level, Space
from memfort.policy.sections import Disclosure, DisclosureRule, Provenance

_PUBLIC, _PERSONAL, _SENSITIVE = Sensitivity.PUBLIC, Sensitivity.PERSONAL, Sensitivity.SENSITIVE
_HEARD = frozenset({
    Reason.VISIBLE, Reason.ABOUT_SOMEBODY_HERE, Reason.STATED_BY_PARTNER, Reason.PARTNER_WAS_THERE,
    Reason.SELF_MEMORY, Reason.OWNER_IS_LISTENING, Reason.PROVENANCE_OPEN,
})  # fmt: skip

Chats = Mapping[str, Chat]


def as_told(item: Item) -> Item:
    """What crosses when a memory is told out of somebody else's space: the statement, and not the file about it. It is
    shown as if it stood in the chat where it was learned."""
    speaker = None if item.stated_by is None else user_of_person(item.stated_by)
    place = {Level.SYSTEM.value: SYSTEM_ID} if not item.learned_in else {Level.CHAT.value: item.learned_in}
    users = tuple(one for one in item.subjects if user_of_person(one) is not None)
    return item.but(subjects=users, space=Space.of(place), number=0,
        author=SYSTEM if speaker is None else Actor(ActorKind.USER, speaker),
        kind=Kind.SEMANTIC, key=None, tags=(), source=None, readers=EVERYONE, confidence=1.0, importance=1.0,
        pii_risk=0, origin=Origin.USER, authority=Authority.USER_ASSERTED, provenance=NOTHING,
        status_reason=Reason.ABOUT_YOU.value,
        updated_at=item.created_at, in_force_at=None, supersedes=None, superseded_by=None, replaces=(), derived_from=(),
        meta=NOTHING, policy="", version=1, authority_reason="", importance_reasons=(), policy_tags=(), created_tick=0,
        expires_tick=None, phase=FIRST_PHASE, promoted_from=None, promotion_reason=None, approvals=(), uses=0,
    )  # fmt: skip


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
    _answers: dict[tuple[bytes, Reason, Label], bool] = field(default_factory=dict, repr=False)
    _told: dict[tuple[str, Label, str | None], bool] = field(default_factory=dict, repr=False)

    def hears(self, seen: SeenSpace, readers: Readers, label: Label) -> bool:
        if not self.room.is_among(readers):
            return False
        known = (seen.space.id, seen.reason, label)
        if (answer := self._answers.get(known)) is None:
            answer = self._answers[known] = self.verdict(seen, label) in _HEARD
        return answer

    def is_told(self, readers: Readers, label: Label, person: str, owner: str | None) -> bool:
        if not self.room.is_among(readers):
            return False
        known = (person, label, owner)
        if (answer := self._told.get(known)) is None:
            answer = self._told[known] = self.told_verdict(label, person, owner) is Reason.ABOUT_SOMEBODY_HERE
        return answer

    def verdict(self, seen: SeenSpace, label: Label) -> Reason:
        """Why what stands in a space in sight may be said in the room, or why not."""
        match self.room.kind:
            case RoomKind.ALONE:
                return self._alone(seen, label)
            case RoomKind.PRIVATE:
                return self._kept_there(label) or self._in_private(seen.space, label)
            case RoomKind.GROUP:
                return self._kept_there(label) or self._in_group(label, self._with_subject(label))
            case RoomKind.UNKNOWN:
                return self._in_unknown(seen.space, label)
            case RoomKind.CLOSED:
                return Reason.NOT_A_PARTICIPANT

    def told_verdict(self, label: Label, person: str, owner: str | None) -> Reason:
        """The same of what others know about a person, which comes only if that person is here to hear it. `owner` is
        the person whose space it comes from, if it is a user's."""
        if self.room.kind is RoomKind.UNKNOWN:
            return Reason.ROOM_UNKNOWN
        if self.room.kind is RoomKind.CLOSED:
            return Reason.NOT_A_PARTICIPANT
        if (refused := self._not_from_there(label)) is not None:
            return refused
        if person not in self.room.present:
            return Reason.NOT_FOR_THIS_ROOM
        if self.room.kind is RoomKind.GROUP:
            may_hear = self._in_group(label, True, person) is Reason.VISIBLE
        else:
            may_hear = self._may_all_be_told(label, owner)
        return Reason.ABOUT_SOMEBODY_HERE if may_hear else Reason.NOT_FOR_THIS_ROOM

    def _may_all_be_told(self, label: Label, owner: str | None) -> bool:
        """Whether everybody who listens, outside any group, may be told what others know about one of them. The label
        names that person as its subject only if it is about nobody else."""
        listeners, only_subject = self.room.present, frozenset(label.subjects)
        match label.sensitivity:
            case Sensitivity.PUBLIC:
                return True
            case Sensitivity.PERSONAL:
                return len(listeners) == 1 or listeners <= only_subject | {owner}
            case Sensitivity.SENSITIVE:
                return len(listeners) == 1 and listeners <= only_subject | {label.stated_by}

    def _not_from_there(self, label: Label) -> Reason | None:
        """Why what others know is not told from where they learned it. Only from groups it is: what somebody told
        their own memory, or said in a private chat, is between those who were there."""
        if label.learned_in is None:
            return self._kept_there(label)
        origin = self.chats.get(label.learned_in)
        return None if origin is not None and origin.kind is ChatKind.GROUP else Reason.LEARNED_IN_PRIVATE

    def _kept_there(self, label: Label) -> Reason | None:
        """Why what was learned where it was stays there, whatever it is."""
        if label.learned_in is None:
            return None if self.rules.missing_provenance is Provenance.OPEN else Reason.PROVENANCE_UNKNOWN
        if label.learned_in in {OUTSIDE, self.room.chat}:
            return None
        origin = self.chats.get(label.learned_in)
        return None if origin is not None and origin.kind is ChatKind.GROUP else Reason.LEARNED_IN_PRIVATE

    def _alone(self, seen: SeenSpace, label: Label) -> Reason:
        """Nobody but the asker listens. What is the asker's own is always shown to them."""
        asker = self.room.asker
        is_own = seen.space.is_private and seen.reason is not Reason.SHARED_WITH_YOU
        if is_own or label.sensitivity is _PUBLIC:
            return Reason.VISIBLE
        if asker is not None and asker in _subjects(label):
            return Reason.ABOUT_SOMEBODY_HERE
        if label.sensitivity is _PERSONAL and asker is not None and asker == _owner(seen.space, label):
            return Reason.OWNER_IS_LISTENING
        return Reason.NOT_FOR_THIS_ROOM

    def _in_private(self, space: Space, label: Label) -> Reason:
        partners = self.room.partners
        if not partners:
            return Reason.PARTNER_UNKNOWN
        if self._with_subject(label):
            return Reason.ABOUT_SOMEBODY_HERE
        if label.sensitivity is _PERSONAL and partners == {_owner(space, label)}:
            return Reason.OWNER_IS_LISTENING
        if label.sensitivity is not _PUBLIC:
            return Reason.NOT_FOR_THIS_ROOM
        return self._public_in_private(partners, label)

    def _public_in_private(self, partners: frozenset[str], label: Label) -> Reason:
        """What is public is told in a private chat for a reason of its own: others are talked about with care."""
        if label.stated_by in partners:
            return Reason.STATED_BY_PARTNER
        if label.learned_in == self.room.chat or self._was_there(partners, label.learned_in):
            return Reason.PARTNER_WAS_THERE
        if label.is_self:
            return Reason.SELF_MEMORY
        return Reason.PROVENANCE_OPEN if label.learned_in is None else Reason.NOT_FOR_THIS_ROOM

    def _was_there(self, partners: frozenset[str], chat: str | None) -> bool:
        origin = None if chat is None else self.chats.get(chat)
        return origin is not None and bool(partners & _people_in(origin))

    def _in_group(self, label: Label, with_subject: bool, person: str | None = None) -> Reason:
        """`person` is who is asked about, if it comes by way of them."""
        if label.sensitivity is _PUBLIC:
            return Reason.VISIBLE
        if self.rules.rule is DisclosureRule.PARTICIPANTS:
            return Reason.VISIBLE if with_subject else Reason.NOT_FOR_THIS_ROOM
        subjects = _subjects(label) if person is None else {person}
        is_about_asker = self.room.asker is not None and self.room.asker in subjects
        return Reason.VISIBLE if label.sensitivity is _PERSONAL and is_about_asker else Reason.NOT_FOR_THIS_ROOM

    def _in_unknown(self, space: Space, label: Label) -> Reason:
        """Of a chat that nobody has registered only its own is said in it."""
        is_its_own = label.learned_in == self.room.chat and space.get(Level.CHAT) == self.room.chat
        return Reason.VISIBLE if is_its_own and label.sensitivity is _PUBLIC else Reason.ROOM_UNKNOWN

    def _with_subject(self, label: Label) -> bool:
        return not self.room.present.isdisjoint(_subjects(label))


def _subjects(label: Label) -> frozenset[str]:
    return frozenset(label.subjects)


def _owner(space: Space, label: Label) -> str | None:
    """Whose a memory is: the user's in whose space it lies, otherwise that of who said it."""
    user = space.get(Level.USER)
    return label.stated_by if user is None else person_of_user(user)


def _people_in(chat: Chat) -> frozenset[str]:
    return frozenset(person_of_user(one.id) for one in chat.participants if one.kind == "user")
