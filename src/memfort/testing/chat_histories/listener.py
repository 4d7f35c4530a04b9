"""What bea may notice in one chat: the rule by which chat histories decide what must stay hidden from her.

The tables of disclosure are written out here a second time, independent of the product and as plainly as possible: a
generator that asked the product itself would accept whatever a leak shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct

from memfort.model.item import EVERYONE, Readers
from memfort.model.space import Level, Space
from memfort.testing.histories import Voice

ALONE, PRIVATE, GROUP, UNKNOWN = "alone", "private", "group", "unknown"
PUBLIC, PERSONAL, SENSITIVE = "public", "personal", "sensitive"
Chats = Mapping[str, tuple[str, frozenset[str]]]  # of a registered chat: its kind and participants


class Statement(Struct, frozen=True):
    """The fields of a memory that decide who may notice it. People are written `@bea`."""

    space: Space
    readers: Readers
    sensitivity: str
    learned_in: str | None
    subjects: frozenset[str]
    stated_by: str | None
    portable: bool

    @property
    def owner(self) -> str | None:
        user = self.space.get(Level.USER)
        return self.stated_by if user is None else f"@{user}"

    @property
    def is_self(self) -> bool:
        return not self.subjects or self.subjects == {self.stated_by}


class PersonScope(Struct, frozen=True):
    """The fields of a person, or of a relation, that decide who may notice it."""

    home: Space | None  # `None`: added to the directory
    readers: Readers = EVERYONE


class Listener(Struct, frozen=True, dict=True):  # a dict for the cached properties
    """A user in a chat, with one state of the directory and the rules in force."""

    voice: Voice
    chats: Chats
    participants: bool  # the `participants` rule for groups
    shows_unknown_origin: bool  # memories of unknown origin may be shown
    shared: frozenset[Space] = frozenset()  # spaces shared with them

    def may_notice(self, said: Statement) -> bool:
        """THE RULE. A memory may be noticed in a chat if its reader list admits all participants and it may be shown:
        because its space is in sight and the chat may hear it, or because it is about a participant and is disclosed. A
        user who is not a participant of the chat they name notices nothing."""
        assert self.voice.actor is not None
        if self.is_stranger or not said.readers.admits(self.voice.actor) or not self._are_all_readers(said.readers):
            return False
        return self._may_be_shown(said) if self._sees(said.space) else self._is_disclosed(said)

    def may_know(self, known: PersonScope) -> bool:
        """THE RULE FOR PEOPLE. People added to the directory are known to all. A person added or mentioned in a space
        may be noticed by those who see the space and are among the readers; in a chat, only if the space is the chat's
        own and all participants are among the readers. Names, relations, ids and merges follow the same rule."""
        if known.home is None or self.is_stranger:
            return not self.is_stranger
        assert self.voice.actor is not None
        is_here = self.chat is None or known.home.get(Level.CHAT) == self.chat
        is_reader = known.readers.admits(self.voice.actor) and self._are_all_readers(known.readers)
        return is_here and is_reader and self._sees(known.home)

    @cached_property
    def user_handle(self) -> str:
        assert self.voice.actor is not None
        return f"@{self.voice.actor.user}"

    @cached_property
    def chat(self) -> str | None:
        return dict(self.voice.places).get("chat")

    @cached_property
    def is_stranger(self) -> bool:
        """Whether they name a registered chat without being a participant: then they notice nothing."""
        return self.chat in self.chats and self.user_handle not in self._people_in(self.chat)

    @cached_property
    def kind(self) -> str:
        return ALONE if self.chat is None else self._kind_of(self.chat)

    @cached_property
    def present(self) -> frozenset[str]:
        return self._people_in(self.chat) | {self.user_handle}

    def _kind_of(self, chat: str) -> str:
        return self.chats[chat][0] if chat in self.chats else UNKNOWN

    def _people_in(self, chat: str | None) -> frozenset[str]:
        return frozenset() if chat not in self.chats else frozenset(f"@{user}" for user in self.chats[str(chat)][1])

    def _sees(self, space: Space) -> bool:
        return space in self.shared or space.to_dict().items() <= self.voice.coordinates.items()

    def _are_all_readers(self, readers: Readers) -> bool:
        if readers.users is None:
            return True
        return self.kind != UNKNOWN and all(person[1:] in readers.users for person in self.present)

    def _may_be_shown(self, said: Statement) -> bool:
        match self.kind:
            case "alone":
                return self._may_be_shown_alone(said)
            case "unknown":
                is_its_own = said.learned_in == self.chat == said.space.get(Level.CHAT)
                return is_its_own and said.sensitivity == PUBLIC
            case "group":
                return not self._stays_in_its_chat(said) and self._may_be_shown_in_group(said)
            case _:
                return not self._stays_in_its_chat(said) and self._may_be_shown_in_private(said)

    def _stays_in_its_chat(self, said: Statement) -> bool:
        if said.learned_in is None:
            return not self.shows_unknown_origin
        return said.learned_in not in {"", self.chat} and self._kind_of(said.learned_in) != GROUP

    def _may_be_shown_alone(self, said: Statement) -> bool:
        is_own = said.space.get(Level.USER) == self.user_handle[1:]
        is_owner = said.sensitivity == PERSONAL and said.owner == self.user_handle
        return is_own or said.sensitivity == PUBLIC or self.user_handle in said.subjects or is_owner

    def _may_be_shown_in_group(self, said: Statement) -> bool:
        if said.sensitivity == PUBLIC:
            return True
        if self.participants:
            return bool(self.present & said.subjects)
        return said.sensitivity == PERSONAL and self.user_handle in said.subjects

    def _may_be_shown_in_private(self, said: Statement) -> bool:
        partners = self.present - {self.user_handle} or self.present
        if self.present & said.subjects:
            return True
        if said.sensitivity != PUBLIC:
            return said.sensitivity == PERSONAL and partners == {said.owner}
        was_there = said.learned_in == self.chat or partners & self._people_in(said.learned_in)
        return bool(said.stated_by in partners or was_there or said.is_self or said.learned_in is None)

    def _is_disclosed(self, said: Statement) -> bool:
        """Memories out of sight: only portable ones, only learned in groups, only about a participant."""
        comes_from = self.shows_unknown_origin if said.learned_in is None else self._kind_of(said.learned_in) == GROUP
        if not said.portable or not comes_from or self.kind == UNKNOWN:
            return False
        here = self.present & said.subjects
        if said.sensitivity == PUBLIC or not here:
            return bool(here)
        if self.kind != GROUP:
            return self._may_be_disclosed_to_all_present(said)
        return self.participants or (said.sensitivity == PERSONAL and self.user_handle in here)

    def _may_be_disclosed_to_all_present(self, said: Statement) -> bool:
        """Memories about a participant that are not public, outside groups. One person alone is shown personal ones,
        and sensitive ones that are about no one else or that they stated themselves. Two are shown personal ones if
        each of them is the only subject or owns the space, and no sensitive ones."""
        is_alone, user = len(self.present) == 1, said.space.get(Level.USER)
        may_be_disclosed = {next(iter(said.subjects))} if len(said.subjects) == 1 else set[str]()
        if said.sensitivity == SENSITIVE:
            return is_alone and (self.present == may_be_disclosed or said.stated_by == self.user_handle)
        return is_alone or self.present <= may_be_disclosed | {f"@{user}"}
