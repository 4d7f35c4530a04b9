"""What bea, in one room, may hear: the rule by which room stories decide what she must not notice.

The tables of disclosure are written out here once more, apart from the product, as plainly as they can be: a story that
asked the product itself would believe whatever a leak says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from memfort.model.item import EVERYONE, Readers
from memfort.model.space import Level, Space
from memfort.testing.histories import Voice

ALONE, PRIVATE, GROUP, UNKNOWN = "alone", "private", "group", "unknown"
PUBLIC, PERSONAL, SENSITIVE = "public", "personal", "sensitive"
Chats = Mapping[str, tuple[str, frozenset[str]]]  # of a registered chat: its kind, and the users who take part


@dataclass(frozen=True)
class Said:
    """A memory, as far as it decides who may hear of it. People are written `@bea`."""

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


@dataclass(frozen=True)
class Known:
    """A person, or what one is to another, as far as it decides who may notice it."""

    home: Space | None  # `None`: entered in the directory on purpose
    readers: Readers = EVERYONE


@dataclass(frozen=True)
class Listener:
    """Somebody in a room, with the directory as it is at one time and the rules that are in force."""

    voice: Voice
    chats: Chats
    participants: bool  # the looser rule for groups
    open: bool  # what nobody knows the origin of may be said
    shared: frozenset[Space] = frozenset()  # spaces that others let them read

    def may_notice(self, said: Said) -> bool:
        """THE RULE. A memory may be noticed in a room if its reader list names everybody there and it may be said:
        because its space is in sight and the room may hear it, or because it is told of somebody present. Who takes no
        part in the chat they name notices nothing."""
        assert self.voice.actor is not None
        if self.is_stranger or not said.readers.admits(self.voice.actor) or not self._are_all_readers(said.readers):
            return False
        return self._may_be_said(said) if self._sees(said.space) else self._is_disclosed(said)

    def may_know(self, known: Known) -> bool:
        """THE RULE FOR PEOPLE. Whoever is entered in the directory on purpose is there for all to see. Who is entered
        or mentioned in a space may be noticed by those who see the space and are among the readers; and where others
        listen, only if the space is the chat's own and all of them are among the readers. Everything of a person goes
        by it: names, relations, ids, and who they turn out to be."""
        if known.home is None or self.is_stranger:
            return not self.is_stranger
        assert self.voice.actor is not None
        is_here = self.chat is None or known.home.get(Level.CHAT) == self.chat
        is_reader = known.readers.admits(self.voice.actor) and self._are_all_readers(known.readers)
        return is_here and is_reader and self._sees(known.home)

    @cached_property
    def asker(self) -> str:
        assert self.voice.actor is not None
        return f"@{self.voice.actor.user}"

    @cached_property
    def chat(self) -> str | None:
        return dict(self.voice.places).get("chat")

    @cached_property
    def is_stranger(self) -> bool:
        """Whether they name a registered chat that they take no part in: then they notice nothing."""
        return self.chat in self.chats and self.asker not in self._people_in(self.chat)

    @cached_property
    def kind(self) -> str:
        return ALONE if self.chat is None else self._kind_of(self.chat)

    @cached_property
    def present(self) -> frozenset[str]:
        return self._people_in(self.chat) | {self.asker}

    def _kind_of(self, chat: str) -> str:
        return self.chats[chat][0] if chat in self.chats else UNKNOWN

    def _people_in(self, chat: str | None) -> frozenset[str]:
        return frozenset() if chat not in self.chats else frozenset(f"@{user}" for user in self.chats[str(chat)][1])

    def _sees(self, space: Space) -> bool:
        return space in self.shared or space.to_dict().items() <= self.voice.held.items()

    def _are_all_readers(self, readers: Readers) -> bool:
        if readers.users is None:
            return True
        return self.kind != UNKNOWN and all(person[1:] in readers.users for person in self.present)

    def _may_be_said(self, said: Said) -> bool:
        match self.kind:
            case "alone":
                return self._alone(said)
            case "unknown":
                is_its_own = said.learned_in == self.chat == said.space.get(Level.CHAT)
                return is_its_own and said.sensitivity == PUBLIC
            case "group":
                return not self._stays_there(said) and self._in_group(said)
            case _:
                return not self._stays_there(said) and self._in_private(said)

    def _stays_there(self, said: Said) -> bool:
        if said.learned_in is None:
            return not self.open
        return said.learned_in not in {"", self.chat} and self._kind_of(said.learned_in) != GROUP

    def _alone(self, said: Said) -> bool:
        is_own = said.space.get(Level.USER) == self.asker[1:]
        is_owner = said.sensitivity == PERSONAL and said.owner == self.asker
        return is_own or said.sensitivity == PUBLIC or self.asker in said.subjects or is_owner

    def _in_group(self, said: Said) -> bool:
        if said.sensitivity == PUBLIC:
            return True
        if self.participants:
            return bool(self.present & said.subjects)
        return said.sensitivity == PERSONAL and self.asker in said.subjects

    def _in_private(self, said: Said) -> bool:
        partners = self.present - {self.asker} or self.present
        if self.present & said.subjects:
            return True
        if said.sensitivity != PUBLIC:
            return said.sensitivity == PERSONAL and partners == {said.owner}
        was_there = said.learned_in == self.chat or partners & self._people_in(said.learned_in)
        return bool(said.stated_by in partners or was_there or said.is_self or said.learned_in is None)

    def _is_disclosed(self, said: Said) -> bool:
        """What others know: only what lasts, only out of groups, only of somebody who is here."""
        comes_from = self.open if said.learned_in is None else self._kind_of(said.learned_in) == GROUP
        if not said.portable or not comes_from or self.kind == UNKNOWN:
            return False
        here = self.present & said.subjects
        if said.sensitivity == PUBLIC or not here:
            return bool(here)
        if self.kind != GROUP:
            return self._may_be_disclosed_to_all(said)
        return self.participants or (said.sensitivity == PERSONAL and self.asker in here)

    def _may_be_disclosed_to_all(self, said: Said) -> bool:
        """What is not public and is about somebody here, outside groups. One person alone is told what is personal, and
        what is sensitive if it is about nobody else or they said it themselves. Two are told what is personal if each
        of them is the only subject or has it in a space of their own, and nothing that is sensitive."""
        is_alone, user = len(self.present) == 1, said.space.get(Level.USER)
        may_be_disclosed = {next(iter(said.subjects))} if len(said.subjects) == 1 else set[str]()
        if said.sensitivity == SENSITIVE:
            return is_alone and (self.present == may_be_disclosed or said.stated_by == self.asker)
        return is_alone or self.present <= may_be_disclosed | {f"@{user}"}
