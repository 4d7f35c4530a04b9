"""Tell the holders of a share that something in it was withdrawn.

The event that ends a memory says who could see it through a share: everyone, or keyed digests of those few. It names
nobody, so it shows neither who is in a group nor whom an erased memory was about.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from memfort.model.item import Item, is_live
from memfort.model.moment import Moment
from memfort.model.people.actor import Actor, ActorKind, Standpoint
from memfort.model.people.directory import Principal, Share, Withdrawal
from memfort.model.people.person import user_of_person
from memfort.model.space import Coordinate, Level
from memfort.policy.sight import shared_sight
from memfort.trail.event import DIRECTORY_CHAIN, chain_of_space

if TYPE_CHECKING:
    from memfort.engine.engine import Engine

_DETAIL = "withdrawn"
_ANYBODY = Principal(ActorKind.USER, "\x00")  # a name that nobody can have


def withdrawal_detail(engine: Engine, item: Item, now: Moment) -> dict[str, Any]:
    """The trail's fields about who could see a memory through a share until now; nothing if nobody could."""
    if not is_live(item, now) or not engine.store.shares_of([item.space]):
        return {}
    if _is_shown(engine, item, _ANYBODY):
        return {_DETAIL: "everyone"}
    holders = [one for one in _named(item) if _is_shown(engine, item, one)]
    return {_DETAIL: sorted(engine.store.keys.digest(str(one)) for one in holders)} if holders else {}


def _named(item: Item) -> list[Principal]:
    """Those for whom a memory may be shown that is not for everybody: whom it is about, who said it, its readers."""
    people = (user_of_person(one) for one in (*item.subjects, *([] if item.stated_by is None else [item.stated_by])))
    users = {one for one in people if one is not None} | set(item.readers.users or ())
    agents = (Principal(ActorKind.AGENT, one) for one in item.readers.agents or ())
    return sorted({*(Principal(ActorKind.USER, one) for one in users), *agents})


def _is_shown(engine: Engine, item: Item, holder: Principal) -> bool:
    """Whether a holder of a share of its space could see a memory, outside of any chat."""
    actor = Actor(holder.kind, holder.id)
    level = Level.USER if holder.kind is ActorKind.USER else Level.AGENT
    disclosure = engine.disclosure_for(Standpoint(actor, (Coordinate(level, holder.id),)))
    return shared_sight(actor, item.space, disclosure).admits(item)


def withdrawals(engine: Engine, share: Share, holder: Principal) -> Iterator[Withdrawal]:
    """What was withdrawn from a share that its holder could see, since they have held it."""
    since, own = _held_since(engine, share, holder), engine.store.keys.digest(str(holder))
    for link in engine.store.links(chain_of_space(share.space)):
        if _DETAIL.encode() not in link.body:
            continue
        event = json.loads(link.body)
        shown_to = event["detail"].get(_DETAIL, ())
        if event["at"] >= since and (shown_to == "everyone" or own in shown_to):
            yield Withdrawal(share.id, event["item"], Moment(event["at"]))


def _held_since(engine: Engine, share: Share, holder: Principal) -> Moment:
    """Since when somebody has held a share: since it was made, or since they joined the group that it is for."""
    if share.group is None:
        return Moment(share.granted_at_us)
    group, member = [share.group.level.value, share.group.id], [holder.kind.value, holder.id]
    joined: int | None = None
    for link in engine.store.links(DIRECTORY_CHAIN):
        event = json.loads(link.body)
        if (event["detail"].get("group"), event["detail"].get("member")) != (group, member):
            continue
        if event["action"] == "remove_member":
            joined = None
        elif joined is None:
            joined = event["at"]
    return Moment(max(share.granted_at_us, joined or 0))
