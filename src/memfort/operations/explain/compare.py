"""Compare what several people would get of the asker's memories in one room, and why.

Nothing of it is a second engine: each answer is a sight resolved for that room, and what would change an answer is
found by resolving another room and looking again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, NamedTuple
from uuid import uuid4

from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.inputs import query_of
from memfort.engine.redact import redact_for
from memfort.engine.resolve_id import resolve_id
from memfort.engine.view import View
from memfort.errors import InvalidInput, NotFound
from memfort.model.comparison import (
    ComparedMemory,
    Comparison,
    Remedy,
    RemedyName,
    RoomKind,
    VerdictStep,
    VerdictStepName,
    ViewerVerdict,
)
from memfort.model.item import Item, Sensitivity
from memfort.model.people.actor import Actor, ActorKind, Standpoint
from memfort.model.people.directory import Chat, ChatKind, Principal
from memfort.model.people.person import person_of_user
from memfort.model.reason import Reason
from memfort.model.space import Coordinate, Level, check_id
from memfort.operations.explain.explain import find_explainable
from memfort.operations.explain.verdict import steps_on
from memfort.operations.read.filters import FilteredRequest, filter_of, only_current
from memfort.operations.requests import Limit, MemoryId, Text
from memfort.policy.standing import Memberships, Reach, standing
from memfort.recall.overview import find_overview

_AGENT = "agent:"
Person = Annotated[str, Meta(extra={"metavar": "WHO"})]
People = Annotated[tuple[Person, ...], Meta(extra={"most": 20})]


class CompareRequest(FilteredRequest, frozen=True, kw_only=True):
    """Which question, who asks it, and who else is in the room."""

    query: Annotated[
        Text,
        Meta(description="What is asked, in words. Without words: everything, newest first.", extra={"words": True}),
    ] = ""
    viewers: Annotated[
        People, Meta(description="Users who ask, and agents of your own as `agent:helper`. You, if none is named.")
    ] = ()
    listeners: Annotated[
        People | None,
        Meta(description="Who takes part in the chat. Those who do, if a chat is named; otherwise nobody: no chat."),
    ] = None
    chat: Annotated[
        str | None,
        Meta(
            description="A chat that you take part in. Without one, the chat of the listeners is a new one.",
            extra={"metavar": "ID"},
        ),
    ] = None
    ids: Annotated[
        tuple[MemoryId, ...] | None, Meta(description="Only these memories, in any state.", extra={"most": 50})
    ] = None
    limit: Annotated[Limit, Meta(description="How many memories at most.")] = 20


class _Found(NamedTuple):
    """A memory that the asker sees, and the view that it was found in."""

    item: Item
    view: View
    score: float = 0.0


class _Room(NamedTuple):
    """A chat as it is meant, or none: then whoever asks is alone."""

    chat: Chat | None

    @property
    def people(self) -> frozenset[Principal]:
        return frozenset() if self.chat is None else self.chat.participants

    def without(self, one: Principal) -> _Room:
        assert self.chat is not None
        return _Room(replace(self.chat, participants=self.chat.participants - {one}))


def handle(view: View, request: CompareRequest) -> Comparison:
    """Who would get which of your memories in a room, and why: memory by memory, with what would change it. Only you
    hear the answer, so it is asked from outside any chat. What others have is neither shown nor counted; of a memory
    that others wrote where you may only read, you learn nothing about anybody else."""
    if view.standpoint.get(Level.CHAT) is not None:
        raise InvalidInput("at", "a chat would hear the answer", "ask from outside any chat, and name it as `chat`")
    known = None if request.chat is None else _chat_of(view, request.chat)
    inside = None if known is None else view.from_standpoint(_standing_in(view, known.id))
    room = _room(view, request, known)
    viewers = [_principal(view, one, "viewers") for one in request.viewers] or [_asker(view)]
    found, has_more = _memories(view, inside, request)
    rooms = _Rooms(view, room, is_real=known is not None and room.chat == known)
    compared = tuple(_compare(rooms, one, viewers) for one in found)
    view.note_shown("compare", [one.item for one in found])
    return Comparison(
        query=request.query,
        chat=None if known is None else known.id,
        room=_kind(room),
        listeners=tuple(_name(one) for one in sorted(room.people)),
        viewers=tuple(_name(one) for one in viewers),
        memories=compared,
        has_more=has_more,
    )


# -- the room --------------------------------------------------------------------------------------------------------


def _chat_of(view: View, id: str) -> Chat:
    """A registered chat that the asker takes part in. Any other one looks as if it did not exist."""
    here = Coordinate(Level.CHAT, check_id(id, "chat"))
    facts = view.store.facts(_standing_in(view, id))
    chat = view.store.chat(id)
    if chat is None or standing(view.actor, here, facts, Memberships.REGISTERED).reach is Reach.NONE:
        raise NotFound("chat", id)
    return chat


def _standing_in(view: View, chat: str) -> Standpoint:
    here = Coordinate(Level.CHAT, chat)
    return replace(view.standpoint, coordinates=(*view.standpoint.coordinates, here))


def _room(view: View, request: CompareRequest, known: Chat | None) -> _Room:
    """The chat with its listeners. A new one has one or two persons in private, or is a group."""
    if request.listeners is None:
        return _Room(known)
    people = frozenset(_principal(view, one, "listeners") for one in request.listeners)
    persons = [one for one in people if one.kind is ActorKind.USER]
    if known is not None:
        is_group = known.kind is ChatKind.GROUP or len(persons) > 2
        return _Room(Chat(known.id, ChatKind.GROUP if is_group else ChatKind.PRIVATE, people))
    if len(people) < 2:
        return _Room(None)
    return _Room(Chat(f"new-{uuid4().hex}", ChatKind.PRIVATE if len(persons) <= 2 else ChatKind.GROUP, people))


def _kind(room: _Room) -> RoomKind:
    return RoomKind.ALONE if room.chat is None else RoomKind(room.chat.kind.value)


def _principal(view: View, name: str, field: str) -> Principal:
    """A user, or an agent of the asker's own. Whose another agent is, is nobody else's business."""
    if not name.startswith(_AGENT):
        return Principal(ActorKind.USER, check_id(name.removeprefix("user:"), field))
    id = check_id(name.removeprefix(_AGENT), field)
    agent = view.store.agent(id)
    if agent is None or agent.owner != view.actor.user:
        raise InvalidInput(field, f"`{id}` is not an agent of yours", "name users, or agents that you own")
    return Principal(ActorKind.AGENT, id)


def _asker(view: View) -> Principal:
    """Who asks: a user, or the user whom an agent acts for. What an agent or the system itself sees is not compared."""
    if view.actor.user is None:
        raise InvalidInput("viewers", "only a user has memories to compare", "ask as a user")
    return Principal(ActorKind.USER, view.actor.user)


def _name(one: Principal) -> str:
    return one.id if one.kind is ActorKind.USER else f"{_AGENT}{one.id}"


# -- the memories ----------------------------------------------------------------------------------------------------


def _memories(view: View, inside: View | None, request: CompareRequest) -> tuple[list[_Found], bool]:
    """The memories that the asker gets outside any chat, and those that the chat as it is gives besides."""
    views = [view] if inside is None else [inside, view]
    if request.ids is not None:
        return [_found(views, id) for id in request.ids], False
    found: dict[tuple[bytes, str], _Found] = {}
    has_more = False
    for each in views:
        some = _matching(each.within(request.space), request)
        has_more = has_more or len(some) > request.limit
        for one in some[: request.limit]:
            known = found.get((one.item.space.id, one.item.id))
            if known is None or one.score > known.score:
                found[one.item.space.id, one.item.id] = one
    ordered = sorted(found.values(), key=lambda one: (-one.score, -one.item.created_at_us, one.item.id))
    return ordered[: request.limit], has_more or len(ordered) > request.limit


def _found(views: Sequence[View], id: str) -> _Found:
    for view in views:
        known = find_explainable(view, resolve_id(view, id, view.reviewable))
        if known is not None:
            return _Found(*known)
    raise NotFound("memory", id)


def _matching(view: View, request: CompareRequest) -> list[_Found]:
    """One more than are wanted, if there are so many."""
    filter, most = filter_of(view, request), request.limit + 1
    query = query_of(request.query)
    if find_overview(query) is not None:  # also without words
        items = view.store.page(view.sight, only_current(view, filter), None, most, view.now)
        return [_Found(item, view) for item in items]
    from memfort.operations.recall.search import read_index, score_columns, select  # loads numpy

    chosen = select(view, score_columns(view, *read_index(view, query)), most, filter)
    return [_Found(chosen.items[one.handle], view, one.score) for one in chosen.chosen]


# -- who gets them ---------------------------------------------------------------------------------------------------


class _Rooms:
    """The sights of those who ask in a room, and in rooms that differ by one of them. Each is resolved once."""

    def __init__(self, view: View, room: _Room, *, is_real: bool) -> None:
        self.view, self.room, self.is_real = view, room, is_real
        self._views: dict[tuple[Principal, frozenset[Principal] | None], View] = {}

    def of(self, viewer: Principal, room: _Room) -> View:
        key = (viewer, None if room.chat is None else room.people)
        if key not in self._views:
            self._views[key] = self._resolve(viewer, room)
        return self._views[key]

    def _resolve(self, viewer: Principal, room: _Room) -> View:
        actor = self._actor(viewer)
        own = () if actor.user is None else (Coordinate(Level.USER, actor.user),)
        places = (one for one in self.view.standpoint.coordinates if one.level is not Level.USER)
        within = self.view.standpoint.within if viewer == _asker(self.view) else None
        standpoint = Standpoint(actor, tuple(dict.fromkeys((*own, *places))), within)
        if room.chat is None:
            return self.view.from_standpoint(standpoint)
        here = replace(standpoint, coordinates=(*standpoint.coordinates, Coordinate(Level.CHAT, room.chat.id)))
        return self.view.in_room(here, room.chat)

    def _actor(self, viewer: Principal) -> Actor:
        """A user as itself; an agent as its owner has it, when it asks for them."""
        if viewer.kind is ActorKind.USER:
            return Actor(ActorKind.USER, viewer.id)
        return Actor(ActorKind.AGENT, viewer.id, acting_for=self.view.actor.user)


def _compare(rooms: _Rooms, found: _Found, viewers: Iterable[Principal]) -> ComparedMemory:
    item, asker = found.item, _asker(rooms.view)
    may_know, was_there = _may_know_of_others(rooms, found), _was_there(rooms.view, item)
    verdicts = []
    for viewer in viewers:
        is_own = viewer == asker and (rooms.room.chat is None or rooms.is_real)
        told = _verdict(rooms, item, viewer, tries=may_know) if is_own or may_know else _not_told(viewer)
        verdicts.append(told)
    heard = [_name(one) for one in sorted(rooms.room.people) if person_of_user(one.id) in item.learned_with]
    shown = redact_for(found.view.engine, found.view.sight, item)
    return ComparedMemory(shown, found.score, tuple(verdicts), tuple(heard) if was_there else None)


def _may_know_of_others(rooms: _Rooms, found: _Found) -> bool:
    """Whether the asker may learn who else gets a memory: it is theirs to change, so that who may read its space and
    whom its reader list names is known to them; and in a room, they were there when it was said, so that who else was
    is known to them too."""
    seen = found.view.sight.seen(found.item.space)
    if seen is None or not seen.writable:
        return False
    return rooms.room.chat is None or not found.item.learned_in or _was_there(rooms.view, found.item)


def _was_there(view: View, item: Item) -> bool:
    return view.actor.user is not None and person_of_user(view.actor.user) in item.learned_with


def _not_told(viewer: Principal) -> ViewerVerdict:
    return ViewerVerdict(_name(viewer), None, Reason.BORDER_WRITE, "only who wrote it, or may write there, is told")


def _verdict(rooms: _Rooms, item: Item, viewer: Principal, *, tries: bool) -> ViewerVerdict:
    """The verdict for one viewer. `tries`: also in rooms that differ, which tells something about those in them."""
    room = rooms.room
    view = rooms.of(viewer, room)
    asked = list(steps_on(view, item))
    step, text = asked[-1]
    assert step.reason is not None
    steps = tuple(one for one, _ in asked)
    rest = tuple(VerdictStep(name, None) for name in VerdictStepName if name not in {one.name for one in steps})
    if step.passed:
        return ViewerVerdict(_name(viewer), True, step.reason, text, steps)
    decided_by = _deciders(rooms, item, viewer) if tries else ()
    remedies = _remedies(rooms, item, viewer, decided_by) if tries else ()
    return ViewerVerdict(_name(viewer), False, step.reason, text, (*steps, *rest), decided_by, remedies)


def _deciders(rooms: _Rooms, item: Item, viewer: Principal) -> tuple[str, ...]:
    """The listeners who alone keep it from being shown: without one of them it would be."""
    room = rooms.room
    if room.chat is None or viewer not in room.people:
        return ()
    others = [one for one in sorted(room.people) if one != viewer]
    return tuple(_name(one) for one in others if _is_shown(rooms.of(viewer, room.without(one)), item))


def _remedies(rooms: _Rooms, item: Item, viewer: Principal, decided_by: Iterable[str]) -> tuple[Remedy, ...]:
    """What would bring it to the viewer. Each is tried."""
    room = rooms.room
    found = [Remedy(RemedyName.WITHOUT_LISTENER, one) for one in decided_by]
    if room.chat is None:
        return ()
    if _is_shown(rooms.of(viewer, _Room(None)), item):
        found.append(Remedy(RemedyName.ALONE))
    persons = [one for one in sorted(room.people) if one.kind is ActorKind.USER and one != viewer]
    found += [Remedy(RemedyName.ASKED_BY, _name(one)) for one in persons if _is_shown(rooms.of(one, room), item)]
    if item.sensitivity is not Sensitivity.PUBLIC:
        public = replace(item, sensitivity=Sensitivity.PUBLIC, judgement=None)
        if _is_shown(rooms.of(viewer, room), public):
            found.append(Remedy(RemedyName.JUDGED_PUBLIC))
    return tuple(found)


def _is_shown(view: View, item: Item) -> bool:
    *_, (step, _) = steps_on(view, item)
    return bool(step.passed)
