"""What one observer may see at the moments at which they ask: spaces, and single statements."""

from __future__ import annotations

from tests.purge.directory import GROUP_LEVELS, Directory, Space
from tests.purge.disclosure import Room, comes_as_about_people, may_hear, readers_admit
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
            (self.is_in_sight(one.space, moment) and may_hear(one, subjects, room, self.observer, directory))
            or comes_as_about_people(one, subjects, room, self.observer, directory)
            for subjects in one.subjects
        )

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
