"""Where the record of an import is kept, and who sees it."""

from __future__ import annotations

from memfort.engine.default_place import find_home, home_of
from memfort.engine.inputs import owner_coordinates
from memfort.engine.view import View
from memfort.model.people.actor import ActorKind, Standpoint
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.policy.settings.policy import Policy
from memfort.policy.sight import host_sight, joined_sight, own_and_writable_sight


def batch_home(standpoint: Standpoint, policy: Policy) -> Space:
    """The default place of the importer; where it has none, its own space, whatever levels the policy writes."""
    home, own = find_home(standpoint, policy), owner_coordinates(standpoint.actor)
    return Space.of(own) if home is None and own else home_of(standpoint, policy)


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
    own = owner_coordinates(view.actor)
    home = find_home(view.standpoint, view.policy)
    return Space.of(own) if home is None and own else home
