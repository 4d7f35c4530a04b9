"""Where the record of an import is kept, and who sees it."""

from __future__ import annotations

from memfort.engine.default_place import find_home, home_of
from memfort.engine.inputs import owner_coordinates
from memfort.engine.view import View
from memfort.model.people.actor import Actor, ActorKind, Standpoint
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.policy.settings.policy import Policy
from memfort.policy.sight import host_sight, joined_sight, own_and_writable_sight


def batch_home(standpoint: Standpoint, policy: Policy) -> Space:
    """The default place of the importer; where it has none, the own space of its person, whatever levels the policy
    writes."""
    home, own = find_home(standpoint, policy), _own_space(standpoint.actor)
    return own if home is None and own is not None else home_of(standpoint, policy)


def batches_sight(view: View) -> Sight:
    """Where an actor's imports are on record: its own space, and where it may write from where it stands."""
    home = batch_home_or_none(view)
    if home is None:
        return view.sight.writable
    if view.actor.kind is ActorKind.SYSTEM:
        rest = view.sight.writable
        return rest if rest.seen(home) is not None else joined_sight(rest, host_sight(view.actor, home))
    return own_and_writable_sight(view.sight, [home] if view.sight.takes_part else [])


def batch_home_or_none(view: View) -> Space | None:
    home = find_home(view.standpoint, view.policy)
    return _own_space(view.actor) if home is None else home


def _own_space(actor: Actor) -> Space | None:
    return None if actor.user is None else Space.of(owner_coordinates(actor))
