"""Who can review a memory that waits, in words for its writer. They follow from the place of the memory alone: who else
is a member of a group is not told."""

from __future__ import annotations

from memfort.model.item import Item
from memfort.model.people.directory import principal_of
from memfort.model.people.person import user_of_person
from memfort.model.sight import Sight
from memfort.model.space import GROUP_LEVELS, Level


def waits_for(sight: Sight, item: Item) -> str:
    """Whom a pending memory waits for, as its writer may know it: "waits for review by alice"."""
    return f"waits for review by {_reviewers(sight, item)}"


def _reviewers(sight: Sight, item: Item) -> str:
    if (user := item.space.get(Level.USER)) is not None:
        return user
    if item.space.get(Level.AGENT) is not None:
        seen = sight.seen(item.space)
        owner = None if seen is None or seen.owner is None else user_of_person(seen.owner)
        return owner or "the owner of the agent"
    groups = ", ".join(str(one) for one in item.space.coordinates if one.level in GROUP_LEVELS)
    if groups:
        return f"an approver of {groups}"
    if (chat := item.space.get(Level.CHAT)) is not None:
        return f"a participant of chat={chat}"
    return "the system" if item.space.get(Level.SYSTEM) is not None else str(principal_of(item.author))
