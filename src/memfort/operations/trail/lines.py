"""The lines of the trail that an actor may read."""

from __future__ import annotations

import json
import re
from typing import Any

from memfort.engine.view import View
from memfort.model.people.actor import ActorKind
from memfort.model.serialize.record import actor_from_dict
from memfort.policy.sight import own_and_writable_sight, with_anyone
from memfort.trail.event import Link, chain_of_actor


def lines_of(view: View) -> list[dict[str, Any]]:
    """The trail as plain data: all of it for the system actor, and their own events for any other actor; in a chat only
    those of memories that the chat may hear."""
    if not view.sight.takes_part:
        return []
    is_system, own = view.actor.kind is ActorKind.SYSTEM, chain_of_actor(view.actor)
    lines = []
    for chain in sorted((chain for chain, _, _ in view.store.chains()), key=lambda one: (one.kind, one.key)):
        for link in view.store.links(chain):
            event = json.loads(link.body)
            if is_system or actor_from_dict(event["actor"]).key == view.actor.key:
                lines.append(line_of(link, event, placed=is_system or chain == own))
    return heard_lines(view, lines)


def heard_lines(view: View, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """In a chat the lines that name memories, and only such as the chat may hear, without their place in a chain: its
    gaps would count the others. Outside chats all of them."""
    if not view.sight.is_in_chat:
        return lines
    named = [frozenset(_MEMORY_ID.findall(json.dumps(line["event"]))) for line in lines]
    reach = own_and_writable_sight(view.sight, view.engine.own_spaces(view.sight))
    sights = (reach, with_anyone(view.sight))
    asked = sorted(frozenset().union(*named))
    heard = {item.id for sight in sights for item in view.store.items(sight, asked)}
    return [_unplaced(line) for line, ids in zip(lines, named, strict=True) if ids and ids <= heard]


def _unplaced(line: dict[str, Any]) -> dict[str, Any]:
    return {"chain": line["chain"], "event": line["event"]}


_MEMORY_ID = re.compile(r"\bmem_[a-z0-9]+")


def line_of(link: Link, event: dict[str, Any], *, placed: bool) -> dict[str, Any]:
    """An event as plain data. Its place in a space's chain is for the system actor alone: the number and the hash would
    say how much others did there, whether or not the actor may see it."""
    chain = {"kind": link.chain.kind, "key": link.chain.key.hex()}
    place = {"number": link.number, "hash": link.hash.hex()} if placed else {}
    return {"chain": chain, **place, "event": event}
