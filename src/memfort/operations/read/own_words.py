"""Memories of the asker's own that name nobody: what a person says of themselves need not say "I"."""

from __future__ import annotations

from memfort.language.mentions import mentions
from memfort.model.item import Item
from memfort.model.people.actor import Actor
from memfort.model.people.person import person_of_user

_OWN_TYPES = frozenset({"preference", "task"})


def person_of(actor: Actor) -> str | None:
    """The person that an actor asks as."""
    return None if actor.user is None else person_of_user(actor.user)


def is_of_asker(item: Item, me: str | None) -> bool:
    """Whether a memory is about the asker, or is the asker's own wish or task ("always answer briefly", "call the
    plumber"), or says something of the asker in the first person ("I have a dog called Rex")."""
    if me is None or item.subjects or item.stated_by != me:
        return me is not None and me in item.subjects
    return item.space.is_private and (item.type in _OWN_TYPES or mentions(item.text).first_person)
