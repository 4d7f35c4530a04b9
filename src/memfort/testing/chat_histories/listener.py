"""What bea may notice in one chat: the rule by which chat histories decide what must stay hidden from her.

The rules of disclosure are written out here a second time, independent of the product and as plainly as possible: a
generator that asked the product itself would accept whatever a leak shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct

from memfort.model.item import EVERYONE, Readers
from memfort.model.people.actor import Actor
from memfort.model.space import GROUP_LEVELS, Level, Space
from memfort.testing.histories import Voice

ALONE, PRIVATE, GROUP, UNKNOWN = "alone", "private", "group", "unknown"
RELEASED = "released"  # of an origin: private, and put into a wider space on purpose
PUBLIC, PERSONAL, SENSITIVE = "public", "personal", "sensitive"


class RegisteredChat(Struct, frozen=True):
    """A chat in the directory."""

    kind: str  # private or group
    users: frozenset[str]
    agents: Mapping[str, str] = {}  # each with its owner

    @property
    def persons(self) -> frozenset[str]:
        return frozenset(f"@{user}" for user in self.users)

    def listeners(self, actor: Actor) -> frozenset[str]:
        """Everyone who listens there when this actor speaks or asks. An agent listens for the user it acts for, or
        else for its owner; in a private chat with one person the agents are that person's."""
        asker = {f"@{actor.user or actor.owner}"}
        present = self.persons | ({f"@{actor.user}"} if actor.user is not None else set())
        if self.kind == PRIVATE and len(present) == 1:
            return present | asker
        owners = {f"@{owner}" for agent, owner in self.agents.items() if agent != actor.agent}
        return self.persons | owners | asker


Chats = Mapping[str, RegisteredChat]


class Origin(Struct, frozen=True):
    """Where a statement was made: the chat, its kind, and who listened there, all at that time."""

    chat: str | None = ""  # "" outside any chat; `None` if it is not known
    kind: str = ALONE  # `UNKNOWN` if the chat was not registered
    listeners: frozenset[str] = frozenset()

    @property
    def released(self) -> Origin:
        """The same after a promotion: it no longer stays in a private chat."""
        is_closed = self.kind in {PRIVATE, UNKNOWN} or self.chat is None
        return Origin(self.chat, RELEASED, self.listeners) if is_closed else self


OUTSIDE, NO_PROVENANCE = Origin(), Origin(None)


class Statement(Struct, frozen=True):
    """The fields of a memory that decide who may notice it. People are written `@bea`."""

    space: Space
    readers: Readers
    sensitivity: str
    origins: tuple[Origin, ...]  # its own, and those of the memories that it corrects or is derived from
    subjects: frozenset[str]
    stated_by: str | None
    portable: bool

    @property
    def owner(self) -> str | None:
        user = self.space.get(Level.USER)
        return None if user is None else f"@{user}"

    @property
    def about(self) -> frozenset[str | None]:
        """The persons it is about."""
        return self.subjects

    @property
    def only_subject(self) -> str | None:
        """The person it is about. With several subjects, it is about none of them alone."""
        return next(iter(self.about)) if len(self.about) == 1 else None


class PersonScope(Struct, frozen=True):
    """The fields of a person, or of a relation, that decide who may notice it."""

    home: Space | None  # `None`: added to the directory
    readers: Readers = EVERYONE


class Rules(Struct, frozen=True):
    """The settings of disclosure in force."""

    participants: bool = False  # groups hear memories about their participants
    open_provenance: bool = False  # memories without provenance may be shown
    loose: bool = False  # public memories of one's own everywhere; about people also what was stated outside any chat


class Listener(Struct, frozen=True, dict=True):  # a dict for the cached properties
    """An actor in a chat, with one state of the directory and the rules in force."""

    voice: Voice
    chats: Chats
    rules: Rules
    shared: frozenset[Space] = frozenset()  # spaces shared with them

    def may_notice(self, said: Statement) -> bool:
        """THE RULE. A memory may be noticed if its reader list admits every listener and they may hear it: because its
        space is in sight, or because it is about a person. With several origins, each of them must allow it. Who is not
        a participant of the chat they name notices nothing."""
        if self.is_stranger or not self._is_admitted(said.readers):
            return False
        may_hear = self._may_hear_in_sight if self._sees(said.space) else self._may_hear_about_people
        return all(may_hear(said, origin) for origin in said.origins)

    def may_count(self, said: Statement) -> bool:
        """A recall counts what all who listen heard in this very chat, also where it is not said again."""
        if self.is_stranger or self.kind not in {PRIVATE, GROUP} or not self._is_admitted(said.readers):
            return False
        heard = (
            one.kind == GROUP and one.chat == self.chat and self.listening <= one.listeners for one in said.origins
        )
        return all(heard)

    def may_know(self, known: PersonScope) -> bool:
        """THE RULE FOR PEOPLE. People added to the directory are known to all. A person added or mentioned in a space
        may be noticed by those who see the space and are among the readers; in a chat, only if the space is the chat's
        own and all listeners are among the readers. Names, relations, ids and merges follow the same rule."""
        if known.home is None or self.is_stranger:
            return not self.is_stranger
        is_here = self.chat is None or known.home.get(Level.CHAT) == self.chat
        return is_here and self._is_admitted(known.readers) and self._sees(known.home)

    # -- who listens

    @cached_property
    def actor(self) -> Actor:
        assert self.voice.actor is not None
        return self.voice.actor

    @cached_property
    def asker(self) -> str | None:
        """As whom they ask: an agent that acts for nobody asks as its owner."""
        person = self.actor.user or self.actor.owner
        return None if person is None else f"@{person}"

    @cached_property
    def user(self) -> str | None:
        return None if self.actor.user is None else f"@{self.actor.user}"

    @cached_property
    def chat(self) -> str | None:
        return dict(self.voice.places).get("chat")

    @cached_property
    def kind(self) -> str:
        if self.chat is None:
            return ALONE
        return UNKNOWN if self._here is None else self._here.kind

    @cached_property
    def is_stranger(self) -> bool:
        """Whether they name a registered chat without being a participant. An agent takes part if the user it acts for
        does, and acting for no user if it is registered itself."""
        if self._here is None:
            return False
        inside = self._here.agents if self.actor.user is None else self._here.users
        return (self.actor.agent if self.actor.user is None else self.actor.user) not in inside

    @cached_property
    def present(self) -> frozenset[str]:
        own = frozenset() if self.user is None else frozenset({self.user})
        return own if self._here is None else own | self._here.persons

    @cached_property
    def listening(self) -> frozenset[str]:
        own = frozenset({f"@{self.actor.user or self.actor.owner}"})
        return own if self._here is None else self._here.listeners(self.actor)

    @cached_property
    def _here(self) -> RegisteredChat | None:
        return None if self.chat is None else self.chats.get(self.chat)

    @cached_property
    def _agents_listening(self) -> frozenset[str | None]:
        """The agents through which they listen, and `None` for persons who listen themselves."""
        others = frozenset[str | None]() if self._here is None else frozenset(self._here.agents)
        persons = frozenset({None}) if self.present - {self.user} else frozenset[None]()
        return others | persons | {self.actor.agent}

    def _is_admitted(self, readers: Readers) -> bool:
        """Whether a reader list admits the asker and every listener. In an unregistered chat they are not known."""
        if readers.users is None and readers.agents is None:
            return True
        if self.kind == UNKNOWN or not readers.admits(self.actor):
            return False
        users = readers.users is None or self.listening <= {f"@{user}" for user in readers.users}
        return users and (readers.agents is None or self._agents_listening <= readers.agents)

    def _sees(self, space: Space) -> bool:
        return space in self.shared or self._stands_in(space)

    def _stands_in(self, space: Space) -> bool:
        return space.to_dict().items() <= self.voice.coordinates.items()

    # -- memories in sight

    def _may_hear_in_sight(self, said: Statement, origin: Origin) -> bool:
        is_leaving = self._leaves(said.space)
        if self.kind == ALONE:  # membership is the permission; what is shared or published leaves its space
            return not is_leaving or (not self._stays_where_it_was_learned(said, origin) and self._may_hear_alone(said))
        if self.kind == UNKNOWN:
            return said.sensitivity == PUBLIC and origin.chat == self.chat
        if self.rules.loose and said.sensitivity == PUBLIC and self.user is not None and said.owner == self.user:
            return True
        if not said.portable and self.chat not in {origin.chat, said.space.get(Level.CHAT)}:
            return False
        if self._all_heard_it(said, origin):
            return True
        if self._stays_where_it_was_learned(said, origin):
            return False
        if is_leaving and not self._may_hear_alone(said):
            return False
        if self.kind == GROUP and self.rules.participants:
            return said.sensitivity == PUBLIC or (bool(said.about) and said.about <= self.present)
        return self._may_hear_by_table(said, origin)

    def _leaves(self, space: Space) -> bool:
        """Whether it is read through a share, or in the public space of somebody else's agent."""
        return not self._stands_in(space)

    def _all_heard_it(self, said: Statement, origin: Origin) -> bool:
        """It was said while every present listener was there: in this same private chat, at any sensitivity; in a
        group, while it is public."""
        if self._is_from_before_registration(origin):
            is_said_to_members = said.sensitivity == PUBLIC and self.listening <= self.present
            return is_said_to_members or self.listening == {said.stated_by}
        if not self.listening <= origin.listeners:
            return False
        if origin.kind in {PRIVATE, RELEASED}:
            return origin.chat == self.chat and self.kind == PRIVATE
        return origin.kind == GROUP and said.sensitivity == PUBLIC

    def _is_from_before_registration(self, origin: Origin) -> bool:
        return origin.kind == UNKNOWN and origin.chat is not None and origin.chat == self.chat

    def _stays_where_it_was_learned(self, said: Statement, origin: Origin) -> bool:
        """Whether it was learned in a private chat: it is said there to those who heard it, and to nobody else. A chat
        that was not registered at the time may have been any private chat, so only what is public is said there."""
        if origin.chat is None:
            return origin.kind != RELEASED and not self.rules.open_provenance
        if origin.kind in {ALONE, GROUP, RELEASED}:
            return False
        if self._is_from_before_registration(origin):
            return said.sensitivity != PUBLIC
        is_here = origin.kind == PRIVATE and origin.chat == self.chat and self.kind == PRIVATE
        return not (is_here and len(said.origins) > 1 and self.listening <= origin.listeners)

    # -- memories about people, from spaces out of sight

    def _may_hear_about_people(self, said: Statement, origin: Origin) -> bool:
        """Only from the spaces of users and chats, only learned in groups, only portable; about participants by the
        table, and in a group about people who are named, if it is public and the asker was in the group where it was
        learned. Everyone it is about has to be present, but for one who may be named."""
        if self.kind == UNKNOWN or not said.space.levels <= {Level.USER, Level.CHAT}:
            return False
        if not said.portable and (self.chat is None or origin.chat != self.chat):
            return False
        if not said.subjects or not self._may_come_from(origin):
            return False
        if self.kind in {PRIVATE, GROUP} and self._all_heard_it(said, origin):
            return True
        absent = said.subjects - self.present
        if not absent:
            return self._may_hear_alone(said) if self.kind == ALONE else self._may_hear_by_table(said, origin)
        was_there = self.rules.loose or self.asker in origin.listeners
        is_named = len(absent) == 1 and all(one.startswith("@") for one in absent)
        return self.kind == GROUP == origin.kind and said.sensitivity == PUBLIC and was_there and is_named

    def _may_come_from(self, origin: Origin) -> bool:
        if origin.chat is None:
            return self.rules.loose and self.rules.open_provenance
        return origin.kind == GROUP or (origin == OUTSIDE and self.rules.loose)

    # -- the table

    def _may_hear_by_table(self, said: Statement, origin: Origin) -> bool:
        if self.kind == GROUP:  # the asker asks aloud by choice
            is_about_asker = self.asker is not None and said.only_subject == self.asker
            return said.sensitivity == PUBLIC or (said.sensitivity == PERSONAL and is_about_asker)
        if len(self.present) < 2:  # agents are not counted
            return self._may_hear_alone(said)
        if said.sensitivity == PUBLIC:
            return all(self._has_reason(one, said, origin) for one in self.listening)
        return said.sensitivity == PERSONAL and self.listening <= {said.only_subject, said.owner}

    def _may_hear_alone(self, said: Statement) -> bool:
        if said.sensitivity == PUBLIC:
            return True
        owner = {said.owner} if said.sensitivity == PERSONAL else set()
        return self.listening <= {said.only_subject, said.stated_by} | owner

    def _has_reason(self, listener: str, said: Statement, origin: Origin) -> bool:
        """A reason to disclose a public memory to one of several listeners."""
        is_about_asker = said.about == {self.asker} if said.about else said.owner == self.asker
        is_self_memory = self.asker is not None and said.stated_by == self.asker and is_about_asker
        has_no_provenance = origin.chat is None and self.rules.open_provenance
        is_theirs = listener in {said.only_subject, said.stated_by, said.owner} or listener in origin.listeners
        return is_theirs or is_self_memory or has_no_provenance or self._may_read_anyway(listener, said)

    def _may_read_anyway(self, listener: str, said: Statement) -> bool:
        """Whether a listener may read it anyway: the asker sees it, who takes part here the chat's own space, and
        members, whom a history does not follow, that of a group."""
        if not self._sees(said.space):
            return False
        is_of_chat = said.space.levels == {Level.CHAT} and said.space.get(Level.CHAT) == self.chat
        is_of_group = said.space.levels <= GROUP_LEVELS | {Level.CHAT} and not is_of_chat
        return listener == self.user or is_of_group or (is_of_chat and listener in self.present)
