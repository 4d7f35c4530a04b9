"""Why an actor is or is not shown a memory: what is asked of it, up to the first rule that withholds it."""

from __future__ import annotations

from collections.abc import Iterator

from memfort.engine.view import View
from memfort.model.audience import audience_of
from memfort.model.comparison import VerdictStep, VerdictStepName
from memfort.model.item import Item, out_of_force
from memfort.model.reason import Reason, explanation
from memfort.model.sight import SeenSpace
from memfort.model.space import Coordinate, Level, Space
from memfort.policy.disclosure import ListenerDisclosure
from memfort.policy.sight import standings
from memfort.policy.standing import Reach, standing


def verdict_on(view: View, item: Item) -> tuple[Reason, str]:
    """The first rule that withholds the memory from the view's actor, or that none does."""
    *_, (step, text) = steps_on(view, item)
    assert step.reason is not None
    return step.reason, text


def steps_on(view: View, item: Item) -> Iterator[tuple[VerdictStep, str]]:
    """What is asked of a memory before it is shown, each with its answer in words. After the first no, nothing more is
    asked."""
    sight = view.sight
    if not sight.takes_part:
        chat = Coordinate(Level.CHAT, str(view.standpoint.get(Level.CHAT)))
        yield _no(VerdictStepName.ROOM, Reason.NOT_A_PARTICIPANT, f"{chat}: {explanation(Reason.NOT_A_PARTICIPANT)}")
        return
    yield _yes(VerdictStepName.ROOM, Reason.PARTICIPANT)
    seen = sight.seen(item.space)
    if seen is None:
        if sight.is_disclosed(item):
            yield _yes(VerdictStepName.SIGHT, Reason.ABOUT_PERSON)
        else:
            yield _no(VerdictStepName.SIGHT, *why_out_of_sight(view, item.space))
        return
    yield _yes(VerdictStepName.SIGHT, seen.reason)
    yield from _steps_in_sight(view, seen, item)


def _steps_in_sight(view: View, seen: SeenSpace, item: Item) -> Iterator[tuple[VerdictStep, str]]:
    sight = view.sight
    if not sight.admits_readers(item.readers):
        yield _no(VerdictStepName.READERS, Reason.NOT_A_READER)
        return
    yield _yes(VerdictStepName.READERS, Reason.VISIBLE)
    disclosure, audience = _disclosure_of(view), audience_of(item)
    is_among = disclosure.listeners.is_among(item.readers)
    heard = disclosure.verdict(seen, audience) if is_among else Reason.NOT_FOR_THIS_CHAT
    if not sight.admits_partition(seen, item.readers, audience):
        yield _no(VerdictStepName.LISTENERS, heard)
        return
    yield _yes(VerdictStepName.LISTENERS, heard)
    reason = out_of_force(item, view.now) or (None if view.is_current(item) else Reason.OTHER_PHASE)
    yield _yes(VerdictStepName.FORCE, seen.reason) if reason is None else _no(VerdictStepName.FORCE, reason)


def _yes(name: VerdictStepName, reason: Reason) -> tuple[VerdictStep, str]:
    return VerdictStep(name, True, reason), explanation(reason)


def _no(name: VerdictStepName, reason: Reason, text: str = "") -> tuple[VerdictStep, str]:
    return VerdictStep(name, False, reason), text or explanation(reason)


def _disclosure_of(view: View) -> ListenerDisclosure:
    """The disclosure that the view's sight was made with."""
    of_sight = view.sight.disclosure
    return of_sight if isinstance(of_sight, ListenerDisclosure) else view.engine.disclosure_for(view.standpoint)


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
