"""Why an actor is or is not shown a memory: the first rule that withholds it."""

from __future__ import annotations

from memfort.engine.view import View
from memfort.model.audience import audience_of
from memfort.model.item import Item, out_of_force
from memfort.model.reason import Reason, explanation
from memfort.model.space import Coordinate, Level, Space
from memfort.policy.sight import standings
from memfort.policy.standing import Reach, standing


def verdict_on(view: View, item: Item) -> tuple[Reason, str]:
    """The first rule that withholds the memory from the view's actor, or that none does."""
    sight = view.sight
    if not sight.takes_part:
        chat = Coordinate(Level.CHAT, str(view.standpoint.get(Level.CHAT)))
        return Reason.NOT_A_PARTICIPANT, f"{chat}: {explanation(Reason.NOT_A_PARTICIPANT)}"
    seen = sight.seen(item.space)
    if seen is None and sight.is_disclosed(item):
        return Reason.ABOUT_PERSON, explanation(Reason.ABOUT_PERSON)
    if seen is None:
        return why_out_of_sight(view, item.space)
    if not sight.admits_readers(item.readers):
        return Reason.NOT_A_READER, explanation(Reason.NOT_A_READER)
    if not sight.admits_partition(seen, item.readers, audience_of(item)):
        disclosure = view.engine.disclosure_for(view.standpoint)
        is_among = disclosure.listeners.is_among(item.readers)
        reason = disclosure.verdict(seen, audience_of(item)) if is_among else Reason.NOT_FOR_THIS_CHAT
        return reason, explanation(reason)
    reason = out_of_force(item, view.now) or seen.reason
    if reason is seen.reason and not view.is_current(item):
        reason = Reason.OTHER_PHASE
    return reason, explanation(reason)


def why_out_of_sight(view: View, space: Space) -> tuple[Reason, str]:
    """The first coordinate of the space where the actor does not stand, with the reason."""
    facts, memberships = view.store.facts(view.standpoint), view.engine.memberships
    held = standings(view.standpoint, facts, memberships)
    for coordinate in space.coordinates:
        found = held.get(coordinate)
        if found is None and coordinate.level is Level.USER:
            found = standing(view.actor, coordinate, facts, memberships)
        if found is not None and found.reach in {Reach.NONE, Reach.PUBLIC, Reach.SHARED}:
            return found.reason, f"{coordinate}: {explanation(found.reason)}"
    missing = next((str(one) for one in space.coordinates if one not in held), str(space))
    return Reason.NOT_WHERE_YOU_STAND, f"{missing}: {explanation(Reason.NOT_WHERE_YOU_STAND)}"
