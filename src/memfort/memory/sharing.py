"""Shares: a named actor may read a named space. Explicit, listed, revocable, and in force at once."""

from __future__ import annotations

from collections.abc import Mapping

from memfort.errors import Denied, InvalidInput, NotFound
from memfort.memory.engine import Engine
from memfort.memory.input import id_of, principal_of_names
from memfort.memory.placing import named_or_home
from memfort.model.actor import ActorKind, Standpoint
from memfort.model.canonical import canonical_json
from memfort.model.directory import Principal, Share, principal_of, share_to_dict
from memfort.model.moment import Moment
from memfort.model.names import short_name
from memfort.model.reason import Reason, explanation
from memfort.model.space import Space
from memfort.store.port import DropShare, PutShare
from memfort.trace.event import Event, chain_of_space


def share(
    engine: Engine, standpoint: Standpoint, space: Mapping[str, str] | None, user: str | None, agent: str | None
) -> Share:
    """Let a user or an agent read one space, exactly that one. Only who may write there may share it."""
    place, reader = named_or_home(standpoint, space, engine.policy), principal_of_names(user, agent, "reader")
    if standpoint.actor.kind is ActorKind.AGENT and standpoint.actor.acting_for is not None:
        raise Denied(Reason.NEEDS_A_PERSON, explanation(Reason.NEEDS_A_PERSON))
    with engine.writing():
        seen, now = engine.sight(standpoint).seen(place), engine.clock.now()
        if seen is None or not seen.writable:
            raise Denied(Reason.BORDER_WRITE, explanation(Reason.BORDER_WRITE))
        if reader == principal_of(standpoint.actor):
            raise InvalidInput("reader", f"`{reader}` is the one who shares", "name somebody else")
        made = Share(_id(place, reader), place, reader, standpoint.actor, now)
        engine.apply([PutShare(made)], [_event(engine, standpoint, made, "share", Reason.REGISTERED, now)])
    return made


def shares(engine: Engine, standpoint: Standpoint) -> list[Share]:
    """The shares of every space the standpoint may write in."""
    with engine.store.reading():
        return engine.store.shares_of([seen.space for seen in engine.sight(standpoint).writable.spaces])


def revoke(engine: Engine, standpoint: Standpoint, id: str) -> None:
    """End a share. The next read no longer sees through it."""
    id_of(id)
    with engine.writing():
        mine = [seen.space for seen in engine.sight(standpoint).writable.spaces]
        found = [one for one in engine.store.shares_of(mine) if one.id == id]
        if not found:
            raise NotFound("share", id)
        event = _event(engine, standpoint, found[0], "revoke", Reason.REVOKED, engine.clock.now())
        engine.apply([DropShare(id)], [event])


def _id(space: Space, reader: Principal) -> str:
    return short_name("shr_", canonical_json([space.id.hex(), reader.kind.value, reader.id]))


def _event(engine: Engine, standpoint: Standpoint, made: Share, action: str, reason: Reason, now: Moment) -> Event:
    return Event(
        chain=chain_of_space(made.space), at=now, action=action, actor=standpoint.actor, surface=engine.surface,
        decision="allowed", reason=reason, policy=engine.policy.digest, space=made.space,
        detail={"share": made.id, "reader": str(made.reader), "grant": share_to_dict(made)},
    )  # fmt: skip
