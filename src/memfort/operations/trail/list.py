"""List events of the trail, the latest first, a page at a time."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from heapq import merge
from itertools import islice
from typing import Annotated, Any, NamedTuple

from msgspec import Meta

from memfort.engine.transaction import Session
from memfort.engine.view import View
from memfort.errors import InvalidInput
from memfort.model.decision import Verdict
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.reason import EXPLANATIONS
from memfort.model.results import TrailEvent, TrailPage
from memfort.model.serialize.record import actor_from_dict
from memfort.model.space import Space
from memfort.operations.requests import Cursor, Limit, MemoryId, OneWord, Request, Time
from memfort.operations.trail.lines import heard_lines, line_of
from memfort.trail.event import ChainId, Link, chain_of_actor, chain_of_space

_AT_ONCE = 64  # links of a chain that are read backwards in one step
_EXPLAINED = {str(one): text for one, text in EXPLANATIONS.items()}


class ListTrailRequest(Request, frozen=True, kw_only=True):
    """Which events to list."""

    limit: Annotated[Limit, Meta(description="How many at most.")] = 50
    cursor: Annotated[Cursor | None, Meta(description="Continue after the previous page.")] = None
    action: Annotated[OneWord | None, Meta(description="Only of this verb, as the trail names it: `recall`.")] = None
    decision: Annotated[Verdict | None, Meta(description="Only with this decision.")] = None
    reason: Annotated[OneWord | None, Meta(description="Only with this reason code.")] = None
    by: Annotated[OneWord | None, Meta(description="For the system: only of this actor, `user:ID` or `agent:ID`.")] = (
        None
    )
    item: Annotated[MemoryId | None, Meta(description="Only events of this memory.")] = None
    trace: Annotated[OneWord | None, Meta(description="Only events of this call.")] = None
    since: Annotated[Time | None, Meta(description="Only those at this time or later.")] = None
    until: Annotated[Time | None, Meta(description="Only those before this time.")] = None


class _Place(NamedTuple):
    """Where an event stands in the listing: the latest first."""

    at: int
    kind: str
    key: str
    number: int


class _EndOfPage(NamedTuple):
    """The last event of a page, for the cursor: with a keyed digest of its place, since a number in the chain of a
    space would say how much others did there."""

    at: int
    place: str


class _Found(NamedTuple):
    place: _Place
    link: Link
    event: dict[str, Any]


def handle(session: Session, request: ListTrailRequest) -> TrailPage:
    """The actor's own events, the latest first; for the system actor, everybody's. In a chat only events of memories
    that the chat may hear. Never any contents."""
    session.engine.flush_if_possible()
    after = None if request.cursor is None else _end_of(request.cursor)
    with session.view() as view:
        if not view.sight.takes_part:
            return TrailPage((), None)
        found = list(islice(_heard(view, _matching(view, request, after)), request.limit + 1))
        cursor = _cursor(_end_of_page(view, found[request.limit - 1][0])) if len(found) > request.limit else None
        return TrailPage(tuple(_event_of(line) for _, line in found[: request.limit]), cursor)


def _heard(view: View, found: Iterator[_Found]) -> Iterator[tuple[_Place, dict[str, Any]]]:
    """The lines that the asker gets, before they are cut into pages: an empty page would tell of the others."""
    while some := list(islice(found, _AT_ONCE)):
        lines = [_line_of(view, one) for one in some]
        heard = heard_lines(view, lines)
        places = {id(line["event"]): one.place for one, line in zip(some, lines, strict=True)}
        yield from ((places[id(line["event"])], line) for line in heard)


def _line_of(view: View, found: _Found) -> dict[str, Any]:
    """As the export has it: the place in a chain only where it is the actor's own."""
    is_own = view.actor.kind is ActorKind.SYSTEM or found.link.chain == chain_of_actor(view.actor)
    return line_of(found.link, found.event, placed=is_own)


def _matching(view: View, request: ListTrailRequest, after: _EndOfPage | None) -> Iterator[_Found]:
    lengths = {chain: length for chain, length, _ in view.store.chains()}
    chains = [(chain, lengths[chain]) for chain in _chains_of(view, lengths)]
    every = merge(
        *(_backwards(view, chain, length) for chain, length in chains), key=lambda one: one.place, reverse=True
    )
    for one in every if after is None else _after(view, every, after):
        if request.since is not None and one.place.at < request.since:
            return
        if _is_wanted(view, request, one.event):
            yield one


def _after(view: View, found: Iterator[_Found], end: _EndOfPage) -> Iterator[_Found]:
    for one in found:
        if one.place.at < end.at:
            yield one
            break
        if one.place.at == end.at and _end_of_page(view, one.place) == end:
            break
    yield from found


def _chains_of(view: View, lengths: dict[ChainId, int]) -> list[ChainId]:
    """The chains that can hold events of the actor: its own, and those of the spaces that it sees or owns."""
    if view.actor.kind is ActorKind.SYSTEM:
        return sorted(lengths, key=lambda one: (one.kind, one.key))
    spaces = [*(seen.space for seen in view.sight.spaces), *view.engine.own_spaces(view.sight)]
    known = dict.fromkeys([chain_of_actor(view.actor), *(chain_of_space(space) for space in spaces)])
    return [chain for chain in known if chain in lengths]


def _backwards(view: View, chain: ChainId, length: int) -> Iterator[_Found]:
    """The links of a chain from the last to the first, read in steps."""
    until = length
    while until > 0:
        start = max(0, until - _AT_ONCE)
        links = list(islice(view.store.links(chain, start), until - start))
        for link in reversed(links):
            event = json.loads(link.body) if link.body else None
            if event is not None:
                yield _Found(_Place(event["at"], chain.kind, chain.key.hex(), link.number), link, event)
        until = start


def _is_wanted(view: View, request: ListTrailRequest, event: dict[str, Any]) -> bool:
    actor = actor_from_dict(event["actor"])
    is_system = view.actor.kind is ActorKind.SYSTEM
    if not is_system and actor.key != view.actor.key:
        return False
    wanted = {"action": request.action, "decision": request.decision, "reason": request.reason, "item": request.item}
    return (
        all(value is None or event[name] == value for name, value in wanted.items())
        and (request.trace is None or event["detail"].get("trace") == request.trace)
        and (request.by is None or request.by in {str(actor), f"{actor.kind}:{actor.id}"})
        and (request.until is None or event["at"] < request.until)
    )


def _event_of(line: dict[str, Any]) -> TrailEvent:
    event = line["event"]
    detail = dict(event["detail"])
    return TrailEvent(
        at_us=event["at"],
        action=event["action"],
        actor=_actor_of(event),
        decision=event["decision"],
        reason=event["reason"],
        explanation=_EXPLAINED.get(event["reason"], ""),
        surface=event["surface"],
        policy=event["policy"],
        space=None if event["space"] is None else Space.of(event["space"]),
        item=event["item"],
        trace=detail.get("trace"),
        via=event.get("via"),
        detail=detail,
        chain=f"{line['chain']['kind']}:{line['chain']['key'][:16]}",
        number=line.get("number"),
        hash=line.get("hash"),
    )


def _actor_of(event: dict[str, Any]) -> Actor:
    return actor_from_dict(event["actor"])


def _end_of_page(view: View, place: _Place) -> _EndOfPage:
    return _EndOfPage(place.at, view.store.keys.value(f"page of the trail, {'/'.join(map(str, place))}").hex())


def _cursor(end: _EndOfPage) -> str:
    return base64.urlsafe_b64encode(json.dumps(end).encode()).decode().rstrip("=")


def _end_of(cursor: str) -> _EndOfPage:
    try:
        at, place = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        return _EndOfPage(int(at), str(place))
    except (ValueError, TypeError, RecursionError):
        raise InvalidInput("cursor", "it cannot be read", "use the cursor of the page before, unchanged") from None
