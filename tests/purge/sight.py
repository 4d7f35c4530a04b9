"""What one observer may see at the moments at which they ask: spaces, and single statements."""

from __future__ import annotations

from tests.purge.directory import GROUP_LEVELS, Directory, Space
from tests.purge.disclosure import (
    Room,
    comes_as_about_people,
    may_hear,
    may_read_published,
    readers_admit,
    was_heard_in_the_window,
)
from tests.purge.statements import Statement
from tests.purge.steps import History
from tests.purge.world import World


class ObserverSight:
    """What the observer of a history may see, from the one place where they stand."""

    def __init__(self, history: History, world: World) -> None:
        self.world = world
        self.observer = history.observer
        self.moments = [step.number for step in history.steps if step.who == self.observer]

    def has_effect(self, one: Statement) -> bool:
        return self.world.before[one.step].may_write(one.author, one.space)

    def may_notice(self, one: Statement) -> bool:
        if one.author == self.observer:
            return True
        return any(self.may_see_statement(one, moment) for moment in self.moments if moment > one.step)

    def may_be_counted(self, one: Statement) -> bool:
        """Whether all who listen in the observer's chat heard it there: a recall that says nothing of it may count it,
        where most of what matches is not said."""
        rooms = {moment: self.room(self.world.before[moment]) for moment in self.moments if moment >= one.step}
        return any(room is not None and was_heard_in_the_window(one, room) for room in rooms.values())

    def may_see(self, space: Space, since: int) -> bool:
        return any(self.is_in_sight(space, moment) for moment in self.moments if moment > since)

    def is_in_sight(self, space: Space, moment: int) -> bool:
        directory = self.world.before[moment]
        if directory.is_shut_out(self.observer):
            return False
        is_own = ("user", self.observer.actor.user) in space  # an export has all that one owns
        return is_own or directory.may_read(self.observer, space) or self.is_shared(space, moment)

    def is_shared(self, space: Space, moment: int) -> bool:
        actor = self.observer.actor
        readers = {("user", actor.user), ("user", actor.person), ("agent", actor.id)}
        return any(
            share.space == space
            and (share.reader in readers or self._is_in_group(share.reader, moment))
            and share.step < moment
            and (share.ended is None or share.ended > moment)
            for share in self.world.shares
        )

    def _is_in_group(self, reader: tuple[str, str], moment: int) -> bool:
        """Members are looked up at each read. The documents do not say whether it is enough to stand there."""
        members = self.world.before[moment].members.get(reader, {})
        return reader[0] in GROUP_LEVELS and (self.observer.actor.person in members or reader in self.observer.places)

    def may_see_statement(self, one: Statement, moment: int) -> bool:
        directory = self.world.before[moment]
        if directory.is_shut_out(self.observer) or not self.has_effect_ever(one):
            return False
        room = self.room(directory)
        if not readers_admit(one, self.observer, room):
            return False
        return any(
            self._is_given(one, subjects, room, moment)
            or comes_as_about_people(one, subjects, room, self.observer, directory)
            for subjects in one.subjects
        )

    def _is_given(self, one: Statement, subjects: frozenset[str], room: Room | None, moment: int) -> bool:
        """Whether the space of a statement gives it: a share and somebody else's public space by a column of their
        own, which in a chat may be the only one or come beside that of the chat."""
        directory = self.world.before[moment]
        if not self.is_in_sight(one.space, moment):
            return False
        told = may_hear(one, subjects, room, self.observer, directory)
        if not self._is_published_by_others(one.space, directory):
            return told
        published = may_read_published(one, subjects, room, self.observer, directory)
        return published or (room is not None and room.kind != "unknown" and told)

    def _is_published_by_others(self, space: Space, directory: Directory) -> bool:
        if not directory.may_read(self.observer, space):
            return ("user", self.observer.actor.user) not in space  # a share
        agents = [id for level, id in space if level == "agent"]
        return ("visibility", "public") in space and self.observer.actor.person not in map(directory.owners.get, agents)

    def has_effect_ever(self, one: Statement) -> bool:
        step = self.world.steps[one.step]
        return step.kind not in {"remember", "remember_many", "import_plain", "observe"} or self.has_effect(one)

    def room(self, directory: Directory) -> Room | None:
        if self.observer.chat is None:
            return None
        chat = directory.chats.get(self.observer.chat)
        if chat is None:
            return Room(self.observer.chat, "unknown", frozenset())
        person = self.observer.actor.person
        return Room(self.observer.chat, chat.kind, chat.users or frozenset({person} if person else ()))
