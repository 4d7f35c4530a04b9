"""Who imports a record, and where they stand for it.

A user imports as themselves: into their own spaces wherever they stand, into the groups where they stand, into those
where the directory has them as a member, and into those that the host program vouches for. The system puts every record
where it belongs, in the name of the user that it names.
"""

from __future__ import annotations

from collections.abc import Sequence

from memfort.capture.importers.record import Imported
from memfort.engine.transaction import Transaction
from memfort.errors import InvalidInput
from memfort.model.people.actor import Actor, ActorKind, Standpoint
from memfort.model.space import GROUP_LEVELS, Coordinate, Level, Space, check_id
from memfort.policy.sight import host_sight, own_spaces_sight, space_sight, with_phases


def read_places(given: Sequence[str]) -> tuple[Coordinate, ...]:
    """Further places where the importer stands, each as `level=id`."""
    known = ", ".join(sorted(GROUP_LEVELS))
    found = []
    for one in given:
        level, separator, id = one.partition("=")
        if not separator or level not in set(GROUP_LEVELS):
            raise InvalidInput("also_at", f"`{one}` is not a place of a group", f"use `level=id` with one of {known}")
        found.append(Coordinate(Level(level), check_id(id, "also_at")))
    return tuple(found)


def as_importer(tx: Transaction, record: Imported) -> Transaction:
    """The transaction in the name of who imports the record."""
    if tx.actor.kind is not ActorKind.SYSTEM:
        if record.owner is not None and record.owner != tx.actor.user:
            remedy = "import it as that user, or say with `mine` that you are meant"
            raise InvalidInput(record.place, "it belongs to another user", remedy)
        return tx
    if record.item is not None:
        return tx
    if (user := record.owner or record.written_by) is not None:
        actor = Actor(ActorKind.USER, check_id(user, "user"))
        return tx.from_standpoint(Standpoint(actor, (Coordinate(Level.USER, actor.id),)))
    if not (record.fields or {}).get("space"):
        remedy = "add its user (`userId`, `user_id`) or a scope to the record, or import it as the user it belongs to"
        raise InvalidInput(record.place, "it names no user and no scope, so nobody could read it", remedy)
    return tx


def standing_at(tx: Transaction, space: Space, further: Sequence[Coordinate], *, by_system: bool) -> Transaction:
    """The transaction with the sight of one space, if the importer may write there; otherwise as it was, and the gate
    at the border refuses the record."""
    actor = tx.actor
    if by_system:
        return tx.with_sight(with_phases(host_sight(actor, space), {space.id: tx.engine.phase_of(space)}))
    if space.get(Level.USER) is not None and space.get(Level.USER) == actor.user:
        seen = tx.sight.seen(space) is not None
        phase = tx.sight.phase_of(space) if seen else tx.engine.phase_of(space)
        return tx.with_sight(with_phases(own_spaces_sight(actor, [space]), {space.id: phase}))
    if tx.sight.seen(space) is not None or not tx.sight.takes_part or tx.standpoint.within is not None:
        return tx
    wider = Standpoint(actor, tuple(dict.fromkeys((*tx.standpoint.coordinates, *space.coordinates))))
    vouched = (*tx.standpoint.coordinates, *further)
    found = space_sight(wider, space, tx.store.facts(wider), tx.engine.memberships, vouched)
    is_read = all(level in tx.policy.spaces.read_order for level in space.levels)
    if found is None or not is_read or tx.standpoint.get(Level.CHAT) is not None:
        return tx
    return tx.with_sight(with_phases(found, {space.id: tx.engine.phase_of(space)}))
