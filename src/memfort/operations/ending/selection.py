"""Which memories an ending is for: by id, or by words, time, author, source, person and space, one or several of them.
`forget`, `erase` and `undo` choose in the same way, and only among memories that the actor may end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from memfort.capture.says import says_all
from memfort.engine.engine import ALL_STATES
from memfort.engine.view import View
from memfort.errors import InvalidInput, NotFound
from memfort.language.word_query import parse_word_query
from memfort.model.item import Item, conversation_of
from memfort.model.people.actor import ActorKind
from memfort.model.reason import Reason
from memfort.model.results import Source
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.model.value import count_noun
from memfort.operations.ending.lineage import ErasureTarget, by_space, find_stored
from memfort.operations.people.person_ids import ids_of_person, resolve_person
from memfort.operations.read.filters import by_author
from memfort.operations.requests import Coordinates, MemoryId, NonBlank, OneWord, Request, Time
from memfort.operations.transfer.batches import batches_sight
from memfort.policy.scope import in_scope, scope_of
from memfort.policy.sight import maintenance_sight, own_and_writable_sight, own_spaces_sight
from memfort.store.port import LIVE, Filter

NOTHING_NAMED = "nothing is named; name memories by id, or give words, a time, an author, a source, a person or a scope"
NOTHING_FOUND = (
    "nothing that you may end from here matches; a narrower space (a session, a track) counts only if it is your own "
    "or you stand there"
)
IN_A_CHAT = (
    "in a chat only what may be said there is listed; ask outside the chat to see what else of your own it reaches"
)
ONLY_FROM_HERE = (
    "this reaches what you may end from where you stand: in spaces that are not your own, a narrower one (a session, a "
    "track) counts only if you stand there"
)


STAYS = {
    Reason.LEVEL_TOO_LOW: "others wrote them, and your level ends only your own there",
    Reason.READ_ONLY_HERE: "you may read there and not write",
}


class EndingRequest(Request, frozen=True):
    """Which memories: by id, or by all of the other fields that are given."""

    ids: Annotated[tuple[MemoryId, ...], Meta(description="Memories by id: all of them or none.")] = ()
    query: Annotated[
        NonBlank | None,
        Meta(description="Those that say all of these words; identifiers match whole, quoted words exactly."),
    ] = None
    since: Annotated[Time | None, Meta(description="Those written at this time or later, in ISO 8601 with a zone.")] = (
        None
    )
    until: Annotated[Time | None, Meta(description="Those written before this time, in ISO 8601 with a zone.")] = None
    author: Annotated[OneWord | None, Meta(description="Those of one writer: `me`, `user:ID` or `agent:ID`.")] = None
    source: Annotated[str | None, Meta(description="Those that came from one import.")] = None
    person: Annotated[
        OneWord | None, Meta(description="Those about a person or said by them: `@bob`, `me`, an id.")
    ] = None
    scope: Annotated[
        Coordinates | None, Meta(description="Those of a scope; the most specific level is the target.")
    ] = None
    cascade: Annotated[bool, Meta(description="With a scope: also narrower spaces, not only the target itself.")] = True
    dry_run: Annotated[bool, Meta(description="Show what would happen, and do nothing.")] = False

    @property
    def selector(self) -> dict[str, object]:
        """What is named, for a receipt."""
        names = ("query", "since", "until", "author", "source", "person", "scope")
        given = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        if "query" in given:
            given["query"] = "…"  # a receipt holds no contents
        return {**given, **({"cascade": self.cascade} if self.scope is not None else {})}

    def check(self) -> None:
        """Refuse a request that contradicts itself."""
        if self.ids and self.selector:
            raise InvalidInput(
                "ids", "only one is possible", "name memories by id, or give a scope, a source or others"
            )
        if not self.cascade and self.scope is None:
            raise InvalidInput("cascade", "there is no scope", "give a scope, or leave it out")
        if self.query is not None:
            _check_query(self.query)
        if self.since is not None and self.until is not None and self.since >= self.until:
            raise InvalidInput("until", "it is not after `since`", "give a later time")


def _check_query(query: str) -> None:
    """Refuse words that would name anything: an ending is for what its words say."""
    words = parse_word_query(query)
    if words.is_unclosed:
        raise InvalidInput("query", "a quotation mark is not closed", "close it, or leave it out")
    if words.is_empty:
        raise InvalidInput("query", "it has no word that says something", "give words that the memories say")
    if words.is_idle:
        problem = "it has only words that say nothing by themselves in one language or another"
        raise InvalidInput("query", problem, "add a word, or put them in quotation marks to mean exactly these")


class Chosen(Struct, frozen=True):
    """The memories that a request selects, and where it looked."""

    reach: Sight  # everywhere that the actor may end memories
    sights: Sequence[Sight]  # where it looked
    spaces: Sequence[Space]  # of the scope, or all
    items: list[ErasureTarget]
    turns: list[Item]  # that say the words of the query beside other things
    source: Source | None = None
    staying: Mapping[Reason, int] = {}  # what matches, is shown to the actor and may not be ended, by the reason
    hidden: Sequence[ErasureTarget] = ()  # own memories that the chat may not hear: they appear in no answer


def choose(view: View, request: EndingRequest, states: Filter = ALL_STATES) -> Chosen:
    """The memories in these states that a request without ids selects."""
    if not request.selector:
        return Chosen(reach_of(view), (), (), [], [])
    spaces = list(view.store.spaces())
    if request.scope is not None:
        scope = scope_of(dict(request.scope))
        spaces = [space for space in spaces if in_scope(space, scope, cascade=request.cascade)]
    sights, reach = sights_over(view, spaces), reach_of(view)
    source = None if request.source is None else _find_source(view, request.source)
    matches = _matcher(view, request)
    wanted = replace(states, and_only=matches, source=request.source)
    found: list[ErasureTarget] = [item for sight in sights for item in endable(view, sight, wanted)]
    if source is not None:
        found += _listed(view, reach, source, matches, known={(item.space.id, item.id) for item in found})
    turns: list[Item] = []
    if request.query is not None:
        turns = [item for item in found if isinstance(item, Item) and conversation_of(item) is not None]
        found = [item for item in found if item not in turns]
    hidden = [one for one in found if not _is_heard(reach, one)] if view.sight.is_in_chat else []
    found = [one for one in found if one not in hidden] if hidden else found
    staying = _staying(view, spaces, replace(wanted, **_SHOWN))
    return Chosen(reach, sights, spaces, found, turns, source, staying, hidden)


def _is_heard(reach: Sight, target: ErasureTarget) -> bool:
    return not isinstance(target, Item) or reach.admits(target)


_SHOWN = {"statuses": LIVE.statuses, "deleted": False, "expired": False}


def _staying(view: View, spaces: Sequence[Space], wanted: Filter) -> Mapping[Reason, int]:
    """How many memories match that are in force, that the actor is shown, and that it may not end. Of any others it
    learns nothing."""
    if view.actor.kind is ActorKind.SYSTEM:
        return {}
    own = own_spaces_sight(view.actor, spaces).by_id
    here = view.sight.narrowed([space for space in spaces if space.id not in own])
    writable, counts = view.with_sight(here), Counter[Reason]()
    for item in view.engine.all_items(here, wanted):
        if not writable.may_end(item):
            seen = here.seen(item.space)
            is_writable = seen is not None and seen.writable
            counts[Reason.LEVEL_TOO_LOW if is_writable else Reason.READ_ONLY_HERE] += 1
    return counts


def endable(view: View, sight: Sight, wanted: Filter) -> Iterator[Item]:
    """The memories in a sight that the actor may end."""
    there, only = view.with_sight(sight), wanted.and_only

    def is_chosen(item: Item) -> bool:
        return there.may_end(item) and (only is None or only(item))

    return view.engine.all_items(sight, replace(wanted, and_only=is_chosen))


def reach_of(view: View) -> Sight:
    """Where an actor may end memories, whatever its standpoint: the system actor anywhere, any other actor in its own
    spaces and where it may write."""
    if view.actor.kind is ActorKind.SYSTEM:
        return maintenance_sight(view.store.spaces())
    held = view.sight.writable
    return own_and_writable_sight(held, view.engine.own_spaces(held))


def sights_over(view: View, spaces: Sequence[Space]) -> list[Sight]:
    if view.actor.kind is ActorKind.SYSTEM:
        return [maintenance_sight(spaces)]
    own = own_spaces_sight(view.actor, spaces, whole=True)
    mine = set(own.by_id)
    return [own, view.sight.writable.narrowed([space for space in spaces if space.id not in mine])]


def _listed(
    view: View, reach: Sight, source: Source, matches: Callable[[Item], bool], known: Container[tuple[bytes, str]]
) -> list[ErasureTarget]:
    """Memories reimported from our own export keep their original source, so the batch lists them itself."""
    listed, there = by_space(source.items or ()), view.with_sight(reach)
    seen = [one.space for one in reach.spaces if one.space.id in listed]
    found = [one for space in seen for one in find_stored(view.store, reach.narrowed([space]), listed[space.id])]
    found = [one for one in found if (one.space.id, one.id) not in known and may_erase(there, one)]
    return [one for one in found if not isinstance(one, Item) or matches(one)]


def may_erase(view: View, target: ErasureTarget) -> bool:
    """Whether the actor may end it. Nobody can tell who wrote a damaged one, so it counts as another's."""
    if isinstance(target, Item):
        return view.may_end(target)
    seen = view.sight.seen(target.space)
    return seen is not None and seen.may_end_others


def notes_on(view: View, request: EndingRequest, chosen: Chosen) -> tuple[str, ...]:
    """What the caller should know: what stays of that which they are shown, and why; of the rest only how far this
    reaches, whatever others have."""
    if view.actor.kind is ActorKind.SYSTEM:
        return ()
    if not request.selector:
        return (NOTHING_NAMED,)
    staying = tuple(
        f"{count_noun(count, 'memory')} {'stays' if count == 1 else 'stay'}: {STAYS[reason]} ({reason})"
        for reason, count in sorted(chosen.staying.items())
    )
    in_chat = (IN_A_CHAT,) if view.sight.is_in_chat else ()
    heard = [turn for turn in chosen.turns if not in_chat or chosen.reach.admits(turn)]
    if not chosen.items and not heard and chosen.source is None:
        return (*staying, NOTHING_FOUND, *in_chat)
    user = view.actor.user
    is_own = request.scope is None or (user is not None and request.scope.get("user") == user)
    return (*staying, *(() if is_own else (ONLY_FROM_HERE,)), *in_chat)


def _find_source(view: View, id: str) -> Source:
    """An import by its id: of the actor's own and of those where it may write, for the system actor of all."""
    sights = [batches_sight(view), *([reach_of(view)] if view.actor.kind is ActorKind.SYSTEM else [])]
    found = next((source for sight in sights for source in view.store.sources(sight) if source.id == id), None)
    if found is None:
        raise NotFound("source", id)
    return found


def _matcher(view: View, request: EndingRequest) -> Callable[[Item], bool]:
    """Whether a memory is one that the request is for."""
    tests: list[Callable[[Item], bool]] = []
    if request.query is not None:
        words = request.query
        tests.append(lambda item: says_all(item, words))
    if request.since is not None or request.until is not None:
        tests.append(_written_between(view, request.since, request.until))
    if request.author is not None:
        tests.append(by_author(view.actor, request.author))
    if request.person is not None:
        names = ids_of_person(view, resolve_person(view, request.person))
        tests.append(lambda item: item.stated_by in names or not names.isdisjoint(item.subjects))
    return lambda item: all(test(item) for test in tests)


def _written_between(view: View, since: int | None, until: int | None) -> Callable[[Item], bool]:
    """Whether a memory was written in this time. What a file brought may be dated earlier: its import counts."""
    sources = view.store.sources(reach_of(view))
    imported = {source.id: source.imported_at_us for source in sources}
    listed = {place: source.imported_at_us for source in sources for place in source.items or ()}

    def is_between(item: Item) -> bool:
        of_source = item.created_at_us if item.source is None else imported.get(item.source, item.created_at_us)
        written = listed.get((item.space.id, item.id), of_source)
        return (since is None or written >= since) and (until is None or written < until)

    return is_between
