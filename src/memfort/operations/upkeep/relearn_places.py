"""Stand where the author of a memory stood, to make it again in their name with the rights that they have now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from memfort.engine.call import Call
from memfort.engine.transaction import Session
from memfort.model.item import Item
from memfort.model.people.actor import Actor, Standpoint
from memfort.model.space import Coordinate, Level


def session_of_author(session: Session, item: Item, trace: str) -> Session:
    """A session of its author in its space and in the chat where it was learned. Its steps are counted from the start:
    what happens in one space is not numbered by what happens in another."""
    author = item.author
    coordinates = {Level.CHAT: item.learned_in} if item.learned_in else {}
    coordinates |= {one.level: one.id for one in item.space.coordinates if one.level is not Level.VISIBILITY}
    coordinates |= {level: id for level, id in _own(author) if id is not None}
    standpoint = Standpoint(author, tuple(Coordinate(level, id) for level, id in sorted(coordinates.items())))
    return Session(session.engine, standpoint, Call(session.engine, trace, "relearn"))


def by_author(items: Iterable[Item], most: int) -> Iterator[list[Item]]:
    """Neighbours that one session can make again, at most so many."""
    for _, same in groupby(items, lambda one: (one.author.key, one.space.id, one.learned_in)):
        some = list(same)
        yield from (some[start : start + most] for start in range(0, len(some), most))


def _own(actor: Actor) -> list[tuple[Level, str | None]]:
    return [(Level.USER, actor.user), (Level.AGENT, actor.agent)]
