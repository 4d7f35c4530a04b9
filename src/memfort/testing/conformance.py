"""The suite that defines a store. Whatever passes it is one; what it does not ask is not promised.

Subclass it in pytest and say how a store of yours is made:

    class TestMyStore(StoreConformance):
        def make_store(self, tmp_path):
            return MyStore(tmp_path / "memories")

Every negative claim has its positive control beside it, so that a store which answers nothing at all fails.
"""

from __future__ import annotations

import hashlib
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memfort.model.actor import SYSTEM, Actor, ActorKind, Standpoint
from memfort.model.directory import Agent, Chat, ChatKind, Principal, Share
from memfort.model.item import (
    EVERYONE,
    Authority,
    Item,
    Kind,
    Origin,
    Readers,
    Sensitivity,
    Status,
    memory_id,
)
from memfort.model.moment import Moment
from memfort.model.reason import Reason
from memfort.model.sight import SeenSpace, Sight
from memfort.model.source import Source
from memfort.model.space import Coordinate, Level, Space
from memfort.store.port import (
    Bar,
    Change,
    DropBar,
    DropMember,
    DropShare,
    DropSource,
    Erase,
    Erasure,
    Filter,
    Insert,
    Position,
    PutAgent,
    PutBar,
    PutChat,
    PutErasure,
    PutMember,
    PutShare,
    PutSource,
    Shelf,
    Store,
    Update,
    position_of,
)
from memfort.testing.strategies import HOSTILE_NAMES, readers, spaces
from memfort.trace.checkpoint import CHECKPOINT_EVERY, is_genuine
from memfort.trace.event import ChainId, Event, chain_of_actor, chain_of_space
from memfort.trace.verify import verify_chain

NOW = Moment(1_700_000_000_000_000)
LATER = Moment(NOW + 1_000_000)
ALICE = Actor(ActorKind.USER, "alice")
BOB = Actor(ActorKind.USER, "bob")
HOME = Space.of({"user": "alice"})
NEXT_DOOR = Space.of({"user": "bob"})
EVERYTHING = Filter(statuses=frozenset(Status), deleted=True, expired=True)
NO_SPACE = Sight(ALICE, ())
PLENTY = 10_000


# -- values to put in ------------------------------------------------------------------------------------------------


def memory(
    space: Space = HOME, text: str = "tea", *, number: int = 1, author: Actor = ALICE, readers: Readers = EVERYONE,
    at: int = NOW, **fields: Any,
) -> Item:  # fmt: skip
    """An approved memory; `fields` says what is different about it."""
    made = Item(
        id=memory_id(space, readers, author, Kind.SEMANTIC, number), number=number, space=space, kind=Kind.SEMANTIC,
        type="knowledge", text=text, key=None, tags=(), author=author, origin=Origin.USER, source=None,
        observed_at=None, sensitivity=Sensitivity.PUBLIC, readers=readers, confidence=1.0,
        authority=Authority.USER_ASSERTED, importance=1.0, pii_risk=0, status=Status.APPROVED,
        status_reason=Reason.CONFIDENT.value, created_at=Moment(at), updated_at=Moment(at), expires_at=None,
        supersedes=None, superseded_by=None, derived_from=(), deleted_at=None, deleted_reason=None, provenance={},
        meta={}, policy="conformance", version=1,
    )  # fmt: skip
    return replace(made, **fields)


def value_of(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def inserted(item: Item) -> Insert:
    return Insert(item, value_of(item.text), Counter(item.text.split()))


def updated(item: Item) -> Update:
    return Update(item, value_of(item.text), Counter(item.text.split()))


def put(store: Store, *items: Item) -> None:
    store.apply([inserted(item) for item in items], [event_of(item) for item in items])


def event_of(item: Item, action: str = "remember") -> Event:
    return Event(chain=chain_of_space(item.space), at=item.updated_at, action=action, actor=item.author,
                 surface="test", decision="allowed", reason=Reason.ALLOWED.value, policy="conformance",
                 space=item.space, item=item.id)  # fmt: skip


def sight_on(*seen: Space, actor: Actor = ALICE, whole: bool = False) -> Sight:
    """A sight of exactly these spaces, each a layer of its own."""
    return Sight(actor, tuple(SeenSpace(space, layer, True, Reason.VISIBLE) for layer, space in enumerate(seen)), whole)


# -- looking at what comes out ---------------------------------------------------------------------------------------


def texts(items: Iterable[Item]) -> list[str]:
    return sorted(item.text for item in items)


def listed(store: Store, sight: Sight, now: Moment = NOW, filter: Filter = EVERYTHING) -> list[Item]:
    return store.page(sight, filter, None, PLENTY, now)


def statistics(shelves: Iterable[Shelf]) -> list[tuple[int, int, int]]:
    return sorted((shelf.layer, shelf.count, shelf.length) for shelf in shelves)


def handles(store: Store, sight: Sight, term: str, now: Moment = NOW) -> list[int]:
    """The handles of what a word finds."""
    return [handle for shelf in store.shelves(sight, [term], now) for handle, _, _ in shelf.postings.get(term, ())]


def found(store: Store, sight: Sight, term: str, now: Moment = NOW) -> list[str]:
    """The texts that a word finds, through the index and through the memories behind it."""
    return texts(store.opened(sight, handles(store, sight, term, now)).values())


def shown(store: Store, sight: Sight, asked: Sequence[Space], known: Sequence[int], now: Moment) -> dict[str, set[Any]]:
    """The spaces of which each read method shows something, when it is asked about all of `asked`.

    A space is filled by `_fill`, so that every method has something to show in each.
    """
    by_layer = dict(enumerate(seen.space for seen in sight.spaces))
    by_id = {space.id: space for space in asked}
    tea = value_of("tea")
    return {
        "shelves": {by_layer[shelf.layer] for shelf in store.shelves(sight, ["tea"], now)},
        "stamps": {by_id[place.space] for place in store.stamps(sight, known).values()},
        "opened": {item.space for item in store.opened(sight, known).values()},
        "items": {item.space for item in store.items(sight, ["mem_same", "mem_late"])},
        "page": {item.space for item in listed(store, sight, now)},
        "rivals": {space for space in asked if store.rivals(sight, space, EVERYONE, tea)},
        "bar": {space for space in asked if store.bar(sight, space, EVERYONE, tea)},
        "next_number": {
            space for space in asked if store.next_number(sight, space, EVERYONE, ALICE.key, Kind.SEMANTIC) != 1
        },
        "derived": {item.space for item in store.derived(sight, ["mem_same"])},
        "overdue": {item.space for item in store.overdue(sight, now)},
        "sources": {source.space for source in store.sources(sight)},
        "damaged": set(),  # nothing is; the store's own tests do the damage
    }


def _fill(store: Store, filled: Sequence[Space]) -> None:
    """Put the same things, under the same ids, into every space."""
    changes: list[Change] = []
    for space in filled:
        first = memory(space, "tea", id="mem_same")
        late = memory(space, "late tea", number=2, id="mem_late", expires_at=NOW, derived_from=("mem_same",))
        source = Source("src_same", space, "paper", None, "00", NOW, {"kept": 1})
        bar = Bar(space, EVERYONE, value_of("tea"), Authority.USER_ASSERTED)
        changes += [inserted(first), inserted(late), PutSource(source), PutBar(bar)]
    store.apply(changes, [])


HOSTILE_SPACES = tuple(
    dict.fromkeys(
        Space.of(coordinates)
        for name in HOSTILE_NAMES
        for coordinates in (
            {"user": name},
            {"project": name},
            {"user": name, "project": name},
            {"user": name, "session": name},
        )
    )
)


class StoreConformance:
    """What a store promises. Subclass it, and give it `make_store`."""

    def make_store(self, tmp_path: Path) -> Store:
        """Return a new, empty store. `tmp_path` is a directory of its own for each call."""
        raise NotImplementedError("say how a store is made: def make_store(self, tmp_path): return MyStore(tmp_path)")

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        made = self.make_store(tmp_path)
        yield made
        made.close()

    # -- isolation ---------------------------------------------------------------------------------------------------

    def test_every_read_shows_the_named_space_and_no_other(self, store: Store) -> None:
        _fill(store, HOSTILE_SPACES)
        known = self._all_handles(store)
        for space in HOSTILE_SPACES[::5]:
            seen = shown(store, sight_on(space), HOSTILE_SPACES, known, NOW)
            assert {method: places for method, places in seen.items() if places != {space}} == {"damaged": set()}

    def test_a_sight_of_several_spaces_shows_each_of_them(self, store: Store) -> None:
        _fill(store, HOSTILE_SPACES)
        known = self._all_handles(store)
        chosen = HOSTILE_SPACES[1::40]
        seen = shown(store, sight_on(*chosen), HOSTILE_SPACES, known, NOW)
        assert {method: places for method, places in seen.items() if places != set(chosen)} == {"damaged": set()}

    def test_a_refined_space_is_another_space(self, store: Store) -> None:
        narrow = Space.of({"user": "alice", "project": "apollo"})
        put(store, memory(HOME, "broad"), memory(narrow, "narrow"))
        assert texts(listed(store, sight_on(HOME))) == ["broad"]
        assert texts(listed(store, sight_on(narrow))) == ["narrow"]
        assert texts(listed(store, sight_on(HOME, narrow))) == ["broad", "narrow"]

    def test_word_statistics_are_of_the_space_alone(self, store: Store) -> None:
        put(store, memory(HOME, "tea tea milk"))
        before = store.shelves(sight_on(HOME), ["tea", "milk"], NOW)
        _fill(store, HOSTILE_SPACES)
        assert store.shelves(sight_on(HOME), ["tea", "milk"], NOW) == before
        assert statistics(before) == [(0, 1, 3)]
        ((_, frequency, length),) = before[0].postings["tea"]
        assert (frequency, length) == (2, 3)

    # One suite runs for several stores, which is what `differing_executors` is about.
    @settings(
        max_examples=20,
        deadline=None,
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.differing_executors,
        ],
    )
    @given(places=st.lists(st.tuples(spaces(), readers()), min_size=2, max_size=6, unique_by=lambda one: one[0].id),
           seen=st.data())  # fmt: skip
    def test_any_spaces_any_reader_lists_any_sight(
        self, places: list[tuple[Space, Readers]], seen: st.DataObject
    ) -> None:
        with tempfile.TemporaryDirectory() as directory:
            store = self.make_store(Path(directory))
            put(store, *(memory(space, f"tea {n}", readers=who) for n, (space, who) in enumerate(places)))
            chosen = seen.draw(st.lists(st.sampled_from([space for space, _ in places]), unique=True))
            expected = sorted(
                f"tea {n}" for n, (space, who) in enumerate(places) if space in chosen and who.admits(ALICE)
            )
            try:
                assert found(store, sight_on(*chosen), "tea") == expected
                assert texts(listed(store, sight_on(*chosen))) == expected
                assert len(listed(store, sight_on(*(space for space, _ in places), whole=True))) == len(places)
            finally:
                store.close()

    # -- reader lists ------------------------------------------------------------------------------------------------

    HELPER = Actor(ActorKind.AGENT, "helper", owner="alice")
    HELPER_FOR_ALICE = Actor(ActorKind.AGENT, "helper", acting_for="alice", owner="alice")
    HELPER_FOR_BOB = Actor(ActorKind.AGENT, "helper", acting_for="bob", owner="alice")
    OTHER_FOR_ALICE = Actor(ActorKind.AGENT, "other", acting_for="alice", owner="bob")
    USER_CALLED_HELPER = Actor(ActorKind.USER, "helper")
    AGENT_CALLED_ALICE = Actor(ActorKind.AGENT, "alice", owner="bob")
    READERS = (ALICE, BOB, HELPER, HELPER_FOR_ALICE, HELPER_FOR_BOB, OTHER_FOR_ALICE, USER_CALLED_HELPER,
               AGENT_CALLED_ALICE, SYSTEM)  # fmt: skip

    @pytest.mark.parametrize(
        ("who", "admitted"),
        [
            pytest.param(EVERYONE, READERS, id="open"),
            pytest.param(Readers.of(users=["alice"]), (ALICE, HELPER_FOR_ALICE, OTHER_FOR_ALICE), id="users"),
            pytest.param(Readers.of(agents=["helper"]), (HELPER, HELPER_FOR_ALICE, HELPER_FOR_BOB), id="agents"),
            pytest.param(Readers.of(["alice"], ["helper"]), (HELPER_FOR_ALICE,), id="both"),
            pytest.param(Readers.of(users=[]), (), id="no-user"),
            pytest.param(Readers.of(agents=[]), (), id="no-agent"),
            pytest.param(Readers.of([], []), (), id="nobody"),
        ],
    )
    def test_a_reader_list_admits_exactly_whom_it_names(
        self, store: Store, who: Readers, admitted: tuple[Actor, ...]
    ) -> None:
        listed_one = memory(HOME, "listed tea", readers=who, id="mem_listed", expires_at=LATER)
        child = memory(HOME, "listed child", readers=who, number=2, derived_from=("mem_listed",))
        put(store, listed_one, child)
        value = value_of("listed tea")
        store.apply([PutBar(Bar(HOME, who, value, Authority.USER_ASSERTED))], [])
        known = handles(store, sight_on(HOME, whole=True), "tea")
        assert len(known) == 1
        for actor in self.READERS:
            sight = sight_on(HOME, actor=actor)
            seen = {
                "shelves": bool(store.shelves(sight, ["tea"], NOW)),
                "stamps": bool(store.stamps(sight, known)),
                "opened": bool(store.opened(sight, known)),
                "items": bool(store.items(sight, ["mem_listed"])),
                "page": bool(listed(store, sight)),
                "rivals": bool(store.rivals(sight, HOME, who, value)),
                "bar": bool(store.bar(sight, HOME, who, value)),
                "derived": bool(store.derived(sight, ["mem_listed"])),
                "overdue": bool(store.overdue(sight, LATER)),
            }
            assert set(seen.values()) == {actor in admitted}, (str(actor), seen)

    def test_reader_lists_are_shelves_of_their_own(self, store: Store) -> None:
        for_bob = Readers.of(users=["bob"])
        put(store, memory(HOME, "open tea"), memory(HOME, "tea for bob alone", readers=for_bob))
        assert statistics(store.shelves(sight_on(HOME), ["tea"], NOW)) == [(0, 1, 2)]
        assert statistics(store.shelves(sight_on(HOME, actor=BOB), ["tea"], NOW)) == [(0, 1, 2), (0, 1, 4)]

    def test_a_whole_sight_passes_reader_lists_but_not_spaces(self, store: Store) -> None:
        put(store, memory(HOME, "closed tea", readers=Readers.of([], [])), memory(NEXT_DOOR, "other tea"))
        assert found(store, sight_on(HOME, actor=SYSTEM, whole=True), "tea") == ["closed tea"]
        assert found(store, sight_on(HOME), "tea") == []

    # -- emptiness ---------------------------------------------------------------------------------------------------

    def test_no_space_means_nothing(self, store: Store) -> None:
        _fill(store, [HOME])
        known = handles(store, sight_on(HOME), "tea", Moment(NOW - 1))
        for sight in (NO_SPACE, Sight(SYSTEM, (), whole=True), sight_on(HOME).narrowed([]), sight_on(NEXT_DOOR)):
            seen = shown(store, sight, [HOME, NEXT_DOOR], known, NOW)
            assert {method for method, places in seen.items() if places} == set()
            assert store.damaged(sight) == []
        control = shown(store, sight_on(HOME), [HOME, NEXT_DOOR], known, NOW)
        assert {method for method, places in control.items() if places == {HOME}} == set(control) - {"damaged"}

    def test_an_empty_store_answers_every_question(self, store: Store) -> None:
        seen = shown(store, sight_on(HOME), [HOME], [1, 2, 3], NOW)
        assert {method for method, places in seen.items() if places} == set()
        assert (store.spaces(), store.chains(), store.erasures(), store.checkpoint(NOW)) == ([], [], [], 0)
        assert store.reindex(lambda _: {}) == 0
        assert list(store.links(chain_of_space(HOME))) == []

    def test_asking_for_no_ids_gives_none(self, store: Store) -> None:
        _fill(store, [HOME])
        sight = sight_on(HOME)
        assert (store.items(sight, []), store.derived(sight, [])) == ([], [])
        assert (store.opened(sight, []), store.stamps(sight, [])) == ({}, {})
        assert [shelf for shelf in store.shelves(sight, [], NOW) if any(shelf.postings.values())] == []
        assert store.page(sight, EVERYTHING, None, 0, NOW) == []
        assert len(store.items(sight, ["mem_same"])) == 1

    @pytest.mark.parametrize("id", ["", "mem_", "mem_sam", "mem_same ", "MEM_SAME", "%", "mem_same\x00", "\ud800", "*"])
    def test_an_id_is_found_whole_or_not_at_all(self, store: Store, id: str) -> None:
        _fill(store, [HOME])
        assert store.items(sight_on(HOME), [id]) == []
        assert store.derived(sight_on(HOME), [id]) == []
        assert texts(store.items(sight_on(HOME), [id, "mem_same"])) == ["tea"]

    def test_unknown_handles_and_words_find_nothing(self, store: Store) -> None:
        put(store, memory(HOME, "tea"))
        assert store.opened(sight_on(HOME), [-1, 0, 2**62]) == {}
        assert found(store, sight_on(HOME), "coffee") == []
        assert found(store, sight_on(HOME), "te") == []
        assert found(store, sight_on(HOME), "tea") == ["tea"]

    # -- time --------------------------------------------------------------------------------------------------------

    def test_a_memory_ends_at_the_very_instant_of_its_limit(self, store: Store) -> None:
        put(store, memory(HOME, "short tea", expires_at=LATER), memory(HOME, "long lasting tea", number=2))
        sight, instant, before = sight_on(HOME), LATER, Moment(LATER - 1)
        assert statistics(store.shelves(sight, ["tea"], before)) == [(0, 2, 5)]
        assert statistics(store.shelves(sight, ["tea"], instant)) == [(0, 1, 3)]
        assert found(store, sight, "tea", before) == ["long lasting tea", "short tea"]
        assert found(store, sight, "tea", instant) == ["long lasting tea"]
        assert texts(listed(store, sight, before, Filter())) == ["long lasting tea", "short tea"]
        assert texts(listed(store, sight, instant, Filter())) == ["long lasting tea"]
        assert texts(store.overdue(sight, before)) == []
        assert texts(store.overdue(sight, instant)) == ["short tea"]

    def test_a_shelf_of_nothing_but_ended_memories_is_no_shelf(self, store: Store) -> None:
        put(store, memory(HOME, "short tea", expires_at=LATER))
        assert len(store.shelves(sight_on(HOME), ["tea"], NOW)) == 1
        assert store.shelves(sight_on(HOME), ["tea"], LATER) == []

    def test_overdue_are_those_that_nobody_has_swept(self, store: Store) -> None:
        states: list[dict[str, Any]] = [
            {"text": "kept"},
            {"text": "waiting", "status": Status.PENDING},
            {"text": "swept", "deleted_at": NOW},
            {"text": "rejected", "status": Status.REJECTED},
            {"text": "replaced", "status": Status.SUPERSEDED},
        ]
        put(store, *(memory(number=n, expires_at=NOW, **state) for n, state in enumerate(states, start=1)))
        assert sorted(texts(store.overdue(sight_on(HOME), NOW))) == ["kept", "rejected", "replaced", "waiting"]

    def test_moments_long_past_and_far_off_are_moments(self, store: Store) -> None:
        ancient, remote = memory(HOME, "ancient", at=-(10**15)), memory(HOME, "remote", number=2, at=10**17)
        put(store, ancient, remote)
        assert [item.text for item in listed(store, sight_on(HOME))] == ["remote", "ancient"]

    # -- order -------------------------------------------------------------------------------------------------------

    def test_a_listing_goes_from_newest_to_oldest_then_by_id_then_by_space(self, store: Store) -> None:
        everything, sight = self._tied(store)
        expected = sorted(everything, key=lambda item: (-item.created_at, item.id, item.space.id))
        assert listed(store, sight) == expected

    @pytest.mark.parametrize("limit", [1, 2, 3, 7, 1000])
    def test_pages_never_skip_and_never_repeat(self, store: Store, limit: int) -> None:
        everything, sight = self._tied(store)
        paged: list[Item] = []
        after: Position | None = None
        while page := store.page(sight, EVERYTHING, after, limit, NOW):
            assert len(page) <= limit
            assert page[0] not in paged
            paged += page
            after = position_of(page[-1])
        assert paged == listed(store, sight)
        assert len(paged) == len(everything)

    def test_what_is_written_meanwhile_does_not_move_a_position(self, store: Store) -> None:
        put(store, *(memory(number=n, at=NOW + n) for n in range(1, 7)))
        sight = sight_on(HOME)
        expected = listed(store, sight)
        first = store.page(sight, EVERYTHING, None, 3, NOW)
        put(store, memory(number=7, at=NOW + 100))
        store.apply([Erase(HOME, first[-1].id)], [])
        assert first + store.page(sight, EVERYTHING, position_of(first[-1]), 10, NOW) == expected

    def test_filters_are_applied_before_the_limit(self, store: Store) -> None:
        put(store, memory(text="wanted", tags=("x", "y"), at=NOW), *(memory(number=n, at=NOW + n) for n in range(2, 9)))
        assert texts(store.page(sight_on(HOME), Filter(tags=frozenset({"x"})), None, 1, NOW)) == ["wanted"]

    @pytest.mark.parametrize(
        ("filter", "expected"),
        [
            (Filter(), ["fact", "imported", "plain"]),
            (Filter(statuses=frozenset({Status.PENDING})), ["waiting"]),
            (Filter(statuses=frozenset()), []),
            (Filter(types=frozenset({"fact"})), ["fact"]),
            (Filter(types=frozenset()), []),
            (Filter(kinds=frozenset({Kind.PROFILE})), []),
            (Filter(source="src_1"), ["imported"]),
            (Filter(deleted=True), ["fact", "forgotten", "imported", "plain"]),
            (Filter(expired=True), ["ended", "fact", "imported", "plain"]),
        ],
    )
    def test_a_filter_admits_what_it_says(self, store: Store, filter: Filter, expected: list[str]) -> None:
        put(
            store,
            memory(text="plain"),
            memory(text="fact", number=2, type="fact"),
            memory(text="imported", number=3, source="src_1"),
            memory(text="waiting", number=4, status=Status.PENDING),
            memory(text="forgotten", number=5, deleted_at=NOW),
            memory(text="ended", number=6, expires_at=NOW),
        )
        assert texts(listed(store, sight_on(HOME), NOW, filter)) == expected

    def test_memories_by_id_come_in_the_order_of_recall(self, store: Store) -> None:
        narrow = Space.of({"user": "alice", "project": "apollo"})
        _fill(store, [HOME, narrow, NEXT_DOOR])
        by_id = store.items(sight_on(narrow, HOME), ["mem_same"])
        assert [item.space for item in by_id] == [narrow, HOME]
        assert [item.space for item in store.items(sight_on(HOME, narrow), ["mem_same"])] == [HOME, narrow]

    # -- atomicity ---------------------------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        "last",
        [
            pytest.param(inserted(memory(text="there already")), id="insert-twice"),
            pytest.param(updated(memory(text="nowhere", number=99)), id="update-missing"),
            pytest.param(Erase(HOME, "mem_missing"), id="erase-missing"),
            pytest.param(Erase(NEXT_DOOR, memory().id), id="erase-next-door"),
        ],
    )
    def test_one_failing_change_undoes_all_and_leaves_no_event(self, store: Store, last: Change) -> None:
        put(store, memory(text="there already"))
        before = self._everything(store)
        fresh = memory(text="half way", number=2)
        share = Share("shr_1", HOME, Principal(ActorKind.USER, "bob"), ALICE, NOW)
        changes: list[Change] = [
            inserted(fresh),
            updated(memory(text="changed")),
            PutShare(share),
            PutSource(Source("src_1", NEXT_DOOR, "paper", None, "00", NOW, {})),
            PutBar(Bar(HOME, EVERYONE, value_of("x"), Authority.USER_ASSERTED)),
        ]
        with pytest.raises(ValueError, match="space"):
            store.apply([*changes, last], [event_of(fresh)])
        assert self._everything(store) == before
        store.apply(changes, [event_of(fresh)])
        assert self._everything(store) != before

    def test_changes_and_events_are_kept_together(self, store: Store) -> None:
        item = memory()
        put(store, item)
        (link,) = store.links(chain_of_space(HOME))
        assert store.items(sight_on(HOME), [item.id]) == [item]
        assert item.id.encode() in link.body

    def test_an_error_while_writing_leaves_nothing(self, store: Store) -> None:
        put(store, memory(text="before"))
        before = self._everything(store)

        def half_way() -> None:
            put(store, memory(text="half way", number=2))
            assert texts(listed(store, sight_on(HOME))) == ["before", "half way"]

        interrupted(store, half_way)
        assert self._everything(store) == before
        with store.writing():
            put(store, memory(text="half way", number=2))
        assert texts(listed(store, sight_on(HOME))) == ["before", "half way"]

    def test_a_write_inside_a_write_ends_with_the_outer_one(self, store: Store) -> None:
        def inner() -> None:
            with store.writing():
                put(store, memory())

        interrupted(store, inner)
        assert listed(store, sight_on(HOME)) == []
        with store.writing(), store.writing():
            put(store, memory())
        assert len(listed(store, sight_on(HOME))) == 1

    def test_a_failed_part_of_a_write_is_taken_back_by_itself(self, store: Store) -> None:
        with store.writing():
            put(store, memory(text="first"))
            with pytest.raises(ValueError, match="space"):
                put(store, memory(text="second", number=2), memory(text="first"))
            put(store, memory(text="third", number=3))
        assert texts(listed(store, sight_on(HOME))) == ["first", "third"]
        assert [link.number for link in store.links(chain_of_space(HOME))] == [1, 2]

    def test_others_see_a_write_when_it_is_done_and_not_before(self, store: Store) -> None:
        with store.writing():
            put(store, memory())
            assert in_another_thread(lambda: listed(store, sight_on(HOME))) == []
            assert in_another_thread(lambda: list(store.links(chain_of_space(HOME)))) == []
        assert len(in_another_thread(lambda: listed(store, sight_on(HOME)))) == 1

    def test_reading_is_one_unchanging_view(self, store: Store) -> None:
        share = Share("shr_1", HOME, Principal(ActorKind.USER, "bob"), ALICE, NOW)
        put(store, memory(text="before"))
        store.apply([PutShare(share)], [])
        asked = Standpoint(BOB, (Coordinate(Level.USER, "bob"),))
        with store.reading():
            assert (texts(listed(store, sight_on(HOME))), store.facts(asked).shared) == (["before"], (HOME,))
            in_another_thread(lambda: store.apply([DropShare("shr_1"), Erase(HOME, memory().id)], []))
            with store.reading():
                assert (texts(listed(store, sight_on(HOME))), store.facts(asked).shared) == (["before"], (HOME,))
        assert (texts(listed(store, sight_on(HOME))), store.facts(asked).shared) == ([], ())

    # -- concurrent writers ------------------------------------------------------------------------------------------

    def test_no_update_is_lost_between_writers(self, store: Store) -> None:
        put(store, memory())
        id, writers, times = memory().id, 4, 12

        def count_up() -> None:
            for _ in range(times):
                with store.writing():
                    (now,) = store.items(sight_on(HOME), [id])
                    after = replace(now, version=now.version + 1)
                    store.apply([updated(after)], [event_of(after)])

        together([count_up] * writers)
        (item,) = store.items(sight_on(HOME), [id])
        assert item.version == 1 + writers * times
        assert [link.number for link in store.links(chain_of_space(HOME))] == list(range(1, 2 + writers * times))
        assert self._verified(store, chain_of_space(HOME))

    def test_numbers_taken_by_many_writers_are_all_different(self, store: Store) -> None:
        def remember() -> None:
            for _ in range(10):
                with store.writing():
                    number = store.next_number(sight_on(HOME), HOME, EVERYONE, ALICE.key, Kind.SEMANTIC)
                    put(store, memory(number=number))

        together([remember] * 4)
        assert sorted(item.number for item in listed(store, sight_on(HOME))) == list(range(1, 41))

    def test_readers_see_whole_writes_only(self, store: Store) -> None:
        first, second = memory(text="first"), memory(text="second", number=2)
        put(store, first, second)
        done = threading.Event()

        def write() -> None:
            for version in range(2, 30):
                store.apply([updated(replace(one, version=version)) for one in (first, second)], [])
            done.set()

        def read() -> None:
            while not done.is_set():
                with store.reading():
                    (one,) = store.items(sight_on(HOME), [first.id])
                    (other,) = store.items(sight_on(HOME), [second.id])
                assert one.version == other.version

        together([write, read, read])

    # -- changing and erasing ----------------------------------------------------------------------------------------

    def test_a_memory_comes_back_exactly_as_it_was_put(self, store: Store) -> None:
        for number, name in enumerate(HOSTILE_NAMES, start=1):
            item = memory(
                text=name, number=number, key=name, tags=(name, "x"), meta={name: [name, 1.5, None, True]},
                readers=Readers.of([name, "alice"]), source=name, observed_at=Moment(-1), confidence=0.1 + 0.2,
                provenance={"source": name}, author=Actor(ActorKind.AGENT, name, acting_for=name, owner=name),
            )  # fmt: skip
            put(store, item)
            (back,) = store.items(sight_on(HOME), [item.id])
            assert back == item
            assert dict(back.meta) == dict(item.meta)

    def test_an_update_is_found_by_its_new_words_alone(self, store: Store) -> None:
        put(store, memory(text="green tea"), memory(text="black tea", number=2))
        after = memory(text="oat milk please", version=2)
        store.apply([updated(after)], [])
        sight = sight_on(HOME)
        assert found(store, sight, "green") == []
        assert found(store, sight, "tea") == ["black tea"]
        assert found(store, sight, "milk") == ["oat milk please"]
        assert statistics(store.shelves(sight, ["tea"], NOW)) == [(0, 2, 5)]
        assert store.rivals(sight, HOME, EVERYONE, value_of("green tea")) == []
        assert store.rivals(sight, HOME, EVERYONE, value_of("oat milk please")) == [after]

    @pytest.mark.parametrize(
        "end",
        [
            {"deleted_at": NOW},
            {"status": Status.SUPERSEDED},
            {"status": Status.REJECTED},
            {"status": Status.PENDING},
        ],
    )
    def test_what_is_no_longer_in_force_leaves_the_index(self, store: Store, end: dict[str, Any]) -> None:
        put(store, memory(text="green tea"), memory(text="black tea", number=2))
        sight = sight_on(HOME)
        store.apply([updated(memory(text="green tea", version=2, **end))], [])
        assert found(store, sight, "green") == []
        assert statistics(store.shelves(sight, ["tea"], NOW)) == [(0, 1, 2)]
        assert len(store.items(sight, [memory().id])) == 1
        store.apply([updated(memory(text="green tea", version=3))], [])
        assert found(store, sight, "green") == ["green tea"]
        assert statistics(store.shelves(sight, ["tea"], NOW)) == [(0, 2, 4)]

    def test_what_was_never_in_force_is_not_in_the_index(self, store: Store) -> None:
        put(store, memory(text="pending tea", status=Status.PENDING), memory(text="kept tea", number=2))
        assert found(store, sight_on(HOME), "tea") == ["kept tea"]

    def test_a_new_reader_list_moves_a_memory_to_another_shelf(self, store: Store) -> None:
        item = memory(text="green tea")
        put(store, item, memory(text="open tea too", number=2))
        store.apply([updated(replace(item, readers=Readers.of(users=["bob"]), version=2))], [])
        assert found(store, sight_on(HOME), "tea") == ["open tea too"]
        assert found(store, sight_on(HOME, actor=BOB), "tea") == ["green tea", "open tea too"]
        assert statistics(store.shelves(sight_on(HOME), ["tea"], NOW)) == [(0, 1, 3)]

    def test_new_sources_of_a_memory_replace_the_old_ones(self, store: Store) -> None:
        child = memory(text="child", number=2, derived_from=("mem_old", "mem_both"))
        put(store, child)
        store.apply([updated(replace(child, derived_from=("mem_both", "mem_new"), version=2))], [])
        sight = sight_on(HOME)
        assert texts(store.derived(sight, ["mem_old"])) == []
        assert texts(store.derived(sight, ["mem_both"])) == ["child"]
        assert texts(store.derived(sight, ["mem_new"])) == ["child"]

    def test_erasing_erases(self, store: Store) -> None:
        parent, child = memory(text="green tea"), memory(text="black tea", number=2)
        child = replace(child, derived_from=(parent.id,))
        put(store, parent, child, memory(text="white tea", number=3), memory(NEXT_DOOR, "tea next door"))
        store.apply([Erase(HOME, child.id)], [])
        sight = sight_on(HOME, whole=True)
        assert store.items(sight, [child.id]) == []
        assert store.derived(sight, [parent.id]) == []
        assert store.rivals(sight, HOME, EVERYONE, value_of("black tea")) == []
        assert texts(listed(store, sight)) == ["green tea", "white tea"]
        assert found(store, sight, "black") == []
        assert found(store, sight, "tea") == ["green tea", "white tea"]
        assert statistics(store.shelves(sight, ["tea"], NOW)) == [(0, 2, 4)]
        assert found(store, sight_on(NEXT_DOOR), "tea") == ["tea next door"]

    def test_a_name_that_was_erased_is_not_given_out_again(self, store: Store) -> None:
        put(store, memory(), memory(number=2))
        store.apply([Erase(HOME, memory().id), Erase(HOME, memory(number=2).id)], [])
        assert store.next_number(sight_on(HOME), HOME, EVERYONE, ALICE.key, Kind.SEMANTIC) == 3
        put(store, memory(number=3, text="again"))
        assert texts(listed(store, sight_on(HOME))) == ["again"]

    def test_numbers_are_each_authors_own_for_each_reader_list_and_kind(self, store: Store) -> None:
        put(store, memory(), memory(number=2), memory(author=BOB), memory(readers=Readers.of(["alice"])))

        def after(author: Actor, who: Readers, kind: Kind) -> int:
            return store.next_number(sight_on(HOME), HOME, who, author.key, kind)

        assert after(ALICE, EVERYONE, Kind.SEMANTIC) == 3
        assert after(BOB, EVERYONE, Kind.SEMANTIC) == 2
        assert after(ALICE, Readers.of(["alice"]), Kind.SEMANTIC) == 2
        assert after(ALICE, Readers.of(["bob"]), Kind.SEMANTIC) == 1
        assert after(ALICE, EVERYONE, Kind.PROFILE) == 1

    def test_an_author_goes_on_counting_where_it_may_not_read(self, store: Store) -> None:
        """Otherwise a second memory for others alone would get the first one's name."""
        for_bob = Readers.of(users=["bob"])
        put(store, memory(readers=for_bob))
        assert store.next_number(sight_on(HOME), HOME, for_bob, ALICE.key, Kind.SEMANTIC) == 2

    def test_rivals_are_kept_or_pending_and_on_the_same_shelf(self, store: Store) -> None:
        states: list[dict[str, Any]] = [
            {},
            {"status": Status.PENDING},
            {"status": Status.REJECTED},
            {"status": Status.SUPERSEDED},
            {"deleted_at": NOW},
            {"readers": Readers.of(["alice"])},
        ]
        put(store, *(memory(number=n, **state) for n, state in enumerate(states, start=1)), memory(NEXT_DOOR))
        rivals = store.rivals(sight_on(HOME, NEXT_DOOR), HOME, EVERYONE, value_of("tea"))
        assert sorted(item.number for item in rivals) == [1, 2]

    def test_writing_the_index_anew_changes_nothing(self, store: Store) -> None:
        put(store, memory(text="green tea"), memory(text="black tea", number=2, deleted_at=NOW), memory(NEXT_DOOR))
        before = self._everything(store)
        progress: list[tuple[int, int]] = []
        count = store.reindex(lambda item: Counter(item.text.split()), lambda *step: progress.append(step))
        assert (count, progress[-1]) == (3, (3, 3))
        assert self._everything(store) == before
        store.reindex(lambda item: {"water": 1} if item.text == "green tea" else {})
        assert found(store, sight_on(HOME), "water") == ["green tea"]
        assert found(store, sight_on(HOME), "tea") == []

    # -- trail -------------------------------------------------------------------------------------------------------

    def test_links_make_a_chain_for_each_space_and_actor(self, store: Store) -> None:
        put(store, memory(), memory(number=2), memory(NEXT_DOOR))
        store.apply([], [replace(event_of(memory()), chain=chain_of_actor(ALICE), action="recall")])
        store.apply([updated(memory(version=2))], [event_of(memory(version=2), "approve")])
        lengths = {chain: length for chain, length, _ in store.chains()}
        assert lengths == {chain_of_space(HOME): 3, chain_of_space(NEXT_DOOR): 1, chain_of_actor(ALICE): 1}
        for chain, length in lengths.items():
            assert [link.number for link in store.links(chain)] == list(range(1, length + 1))
            assert self._verified(store, chain)

    def test_links_can_be_read_from_a_place_on(self, store: Store) -> None:
        put(store, *(memory(number=n) for n in range(1, 6)))
        assert [link.number for link in store.links(chain_of_space(HOME), after=3)] == [4, 5]
        assert list(store.links(chain_of_space(HOME), after=5)) == []

    def test_checkpoints_are_signed_for_what_has_grown(self, store: Store) -> None:
        chain = chain_of_space(HOME)
        put(store, memory(), memory(NEXT_DOOR))
        assert (store.checkpoint(NOW), store.checkpoint(NOW)) == (2, 0)
        put(store, memory(number=2))
        assert store.checkpoint(LATER) == 1
        signed = store.checkpoints(chain)
        assert [(one.number, one.at) for one in signed] == [(1, NOW), (2, LATER)]
        assert all(is_genuine(one, store.keys.public) for one in signed)
        assert not is_genuine(replace(signed[0], number=2), store.keys.public)
        assert self._verified(store, chain)

    def test_a_long_chain_is_signed_by_itself(self, store: Store) -> None:
        store.apply([], [event_of(memory())] * (CHECKPOINT_EVERY + 3))
        (signed,) = store.checkpoints(chain_of_space(HOME))
        assert signed.number == CHECKPOINT_EVERY
        assert is_genuine(signed, store.keys.public)

    def test_tampering_with_the_trail_is_found(self, store: Store) -> None:
        chain = chain_of_space(HOME)
        put(store, *(memory(number=n) for n in range(1, 6)))
        store.checkpoint(NOW)
        links, signed = list(store.links(chain)), store.checkpoints(chain)
        ((_, length, head),) = store.chains()
        edited = [*links[:2], replace(links[2], body=links[2].body.replace(b"allowed", b"refused")), *links[3:]]
        assert verify_chain(chain, links, signed, store.keys.public, (length, head))[2] is None
        for tampered, place in ((edited, 3), ([*links[:2], *links[3:]], 3), (links[:4], 5), (links[::-1], 1)):
            broken = verify_chain(chain, tampered, signed, store.keys.public, (length, head))[2]
            assert broken is not None
            assert broken.number == place

    # -- directory ---------------------------------------------------------------------------------------------------

    APOLLO = Coordinate(Level.PROJECT, "apollo")
    ALICE_NAME = Principal(ActorKind.USER, "alice")
    BOB_NAME = Principal(ActorKind.USER, "bob")

    def test_agents_have_their_owner(self, store: Store) -> None:
        store.apply([PutAgent(Agent("helper", "alice")), PutAgent(Agent("other", "bob"))], [])
        at_helper = Standpoint(BOB, (Coordinate(Level.AGENT, "helper"),))
        assert store.agent("helper") == Agent("helper", "alice")
        assert store.agent("Helper") is None
        assert dict(store.facts(at_helper).owners) == {"helper": "alice"}
        assert dict(store.facts(Standpoint(BOB, (Coordinate(Level.USER, "helper"),))).owners) == {}

    def test_members_join_and_leave_and_the_group_stays_known(self, store: Store) -> None:
        asked = Standpoint(ALICE, (self.APOLLO, Coordinate(Level.PROJECT, "Apollo"), Coordinate(Level.ORG, "apollo")))
        assert store.facts(asked).registered == frozenset()
        store.apply([PutMember(self.APOLLO, self.ALICE_NAME), PutMember(self.APOLLO, self.BOB_NAME)], [])
        assert store.members(self.APOLLO) == [self.ALICE_NAME, self.BOB_NAME]
        assert store.facts(asked).registered == store.facts(asked).joined == {self.APOLLO}
        store.apply([DropMember(self.APOLLO, self.ALICE_NAME)], [])
        assert store.facts(asked).joined == frozenset()
        store.apply([DropMember(self.APOLLO, self.BOB_NAME)], [])
        assert store.members(self.APOLLO) == []
        assert store.facts(asked).registered == {self.APOLLO}
        assert store.members(Coordinate(Level.ORG, "apollo")) == []

    def test_members_are_users_or_agents_and_not_taken_for_each_other(self, store: Store) -> None:
        agent = Actor(ActorKind.AGENT, "alice", owner="bob")
        store.apply([PutMember(self.APOLLO, Principal(ActorKind.AGENT, "alice"))], [])
        assert store.facts(Standpoint(agent, (self.APOLLO,))).joined == {self.APOLLO}
        assert store.facts(Standpoint(ALICE, (self.APOLLO,))).joined == frozenset()
        assert store.facts(Standpoint(replace(agent, acting_for="carol"), (self.APOLLO,))).joined == frozenset()

    def test_a_chat_has_the_participants_it_was_last_given(self, store: Store) -> None:
        here = Coordinate(Level.CHAT, "c1")
        store.apply([PutChat(Chat("c1", ChatKind.GROUP, frozenset({self.ALICE_NAME, self.BOB_NAME})))], [])
        assert store.chat("c1") == Chat("c1", ChatKind.GROUP, frozenset({self.ALICE_NAME, self.BOB_NAME}))
        assert store.facts(Standpoint(ALICE, (here,))).joined == {here}
        store.apply([PutChat(Chat("c1", ChatKind.PRIVATE, frozenset({self.BOB_NAME})))], [])
        assert store.chat("c1") == Chat("c1", ChatKind.PRIVATE, frozenset({self.BOB_NAME}))
        assert store.facts(Standpoint(ALICE, (here,))).joined == frozenset()
        assert store.facts(Standpoint(BOB, (here,))).joined == {here}
        store.apply([PutChat(Chat("c1", ChatKind.PRIVATE, frozenset()))], [])
        assert store.facts(Standpoint(BOB, (here,))).registered == {here}
        assert store.chat("c2") is None

    def test_a_chats_participants_are_its_members(self, store: Store) -> None:
        here = Coordinate(Level.CHAT, "c1")
        store.apply([PutChat(Chat("c1", ChatKind.GROUP, frozenset({self.ALICE_NAME})))], [])
        store.apply([PutMember(here, self.BOB_NAME), DropMember(here, self.ALICE_NAME)], [])
        assert store.members(here) == [self.BOB_NAME]
        assert store.chat("c1") == Chat("c1", ChatKind.GROUP, frozenset({self.BOB_NAME}))

    def test_hostile_names_stay_apart_in_the_directory(self, store: Store) -> None:
        store.apply([PutAgent(Agent(name, f"owner of {name}"[:200])) for name in HOSTILE_NAMES], [])
        groups = [Coordinate(Level.PROJECT, name) for name in HOSTILE_NAMES]
        store.apply([PutMember(group, Principal(ActorKind.USER, group.id)) for group in groups], [])
        for group in groups:
            asked = Standpoint(Actor(ActorKind.USER, group.id), tuple(groups))
            assert store.agent(group.id) == Agent(group.id, f"owner of {group.id}"[:200])
            assert store.facts(asked).joined == {group}
            assert store.facts(asked).registered == set(groups)

    def test_a_share_is_in_force_at_once_and_so_is_its_end(self, store: Store) -> None:
        share = Share("shr_1", HOME, self.BOB_NAME, ALICE, NOW)
        asked = Standpoint(BOB, (Coordinate(Level.USER, "bob"),))
        assert store.facts(asked).shared == ()
        store.apply([PutShare(share)], [])
        assert store.facts(asked).shared == (HOME,)
        assert store.facts(Standpoint(ALICE, asked.coordinates)).shared == ()
        assert (store.shares_of([HOME, NEXT_DOOR]), store.shares_of([NEXT_DOOR]), store.shares_of([])) == (
            [share],
            [],
            [],
        )
        store.apply([DropShare("shr_1")], [])
        assert (store.facts(asked).shared, store.shares_of([HOME])) == ((), [])

    def test_a_share_put_again_replaces_the_one_before(self, store: Store) -> None:
        share = Share("shr_1", HOME, self.BOB_NAME, ALICE, NOW)
        moved = replace(share, space=NEXT_DOOR, reader=self.ALICE_NAME)
        store.apply([PutShare(share)], [])
        store.apply([PutShare(moved)], [])
        assert store.facts(Standpoint(BOB, ())).shared == ()
        assert store.facts(Standpoint(ALICE, ())).shared == (NEXT_DOOR,)
        assert (store.shares_of([HOME]), store.shares_of([NEXT_DOOR])) == ([], [moved])

    def test_an_agent_acting_for_somebody_has_that_somebodys_shares(self, store: Store) -> None:
        agent = Principal(ActorKind.AGENT, "helper")
        store.apply([PutShare(Share("shr_1", HOME, agent, ALICE, NOW))], [])
        helper = Actor(ActorKind.AGENT, "helper", owner="alice")
        assert store.facts(Standpoint(helper, ())).shared == (HOME,)
        assert store.facts(Standpoint(replace(helper, acting_for="bob"), ())).shared == ()
        assert store.facts(Standpoint(Actor(ActorKind.USER, "helper"), ())).shared == ()

    def test_a_directory_change_that_is_taken_back_was_never_there(self, store: Store) -> None:
        asked = Standpoint(BOB, (Coordinate(Level.USER, "bob"),))

        def share() -> None:
            store.apply([PutShare(Share("shr_1", HOME, self.BOB_NAME, ALICE, NOW))], [])
            assert store.facts(asked).shared == (HOME,)

        interrupted(store, share)
        store.apply([PutAgent(Agent("helper", "alice"))], [])  # as many changes as were taken back
        assert store.facts(asked).shared == ()

    # -- sources, bars, erasures -------------------------------------------------------------------------------------

    def test_sources_come_back_as_they_were_put_oldest_first(self, store: Store) -> None:
        first = Source("src_b", HOME, "chatgpt", "a'b.json", "ab" * 32, NOW, {"kept": 2, "refused": 1})
        second = Source("src_a", HOME, "paper", None, "cd" * 32, LATER, {})
        store.apply([PutSource(second), PutSource(first), PutSource(replace(first, space=NEXT_DOOR))], [])
        assert store.sources(sight_on(HOME)) == [first, second]
        store.apply([PutSource(replace(first, counts={"kept": 3}))], [])
        assert store.sources(sight_on(HOME))[0].counts == {"kept": 3}
        store.apply([DropSource(first)], [])
        assert store.sources(sight_on(HOME)) == [second]
        assert store.sources(sight_on(NEXT_DOOR)) == [replace(first, space=NEXT_DOOR)]

    def test_a_bar_holds_for_its_space_readers_and_value(self, store: Store) -> None:
        bar = Bar(HOME, EVERYONE, value_of("tea"), Authority.USER_ASSERTED)
        sight = sight_on(HOME, NEXT_DOOR)
        store.apply([PutBar(bar)], [])
        assert store.bar(sight, HOME, EVERYONE, bar.value) == bar
        assert store.bar(sight, NEXT_DOOR, EVERYONE, bar.value) is None
        assert store.bar(sight, HOME, Readers.of(["alice"]), bar.value) is None
        assert store.bar(sight, HOME, EVERYONE, value_of("milk")) is None
        stricter = replace(bar, authority=Authority.SYSTEM_IMPOSED)
        store.apply([PutBar(stricter)], [])
        assert store.bar(sight, HOME, EVERYONE, bar.value) == stricter
        store.apply([DropBar(bar)], [])
        assert store.bar(sight, HOME, EVERYONE, bar.value) is None

    def test_erasures_come_back_as_they_were_put(self, store: Store) -> None:
        items = ((HOME.id, "mem_1"), (NEXT_DOOR.id, "mem_1"))
        first = Erasure("era_2", NOW, ALICE.key, items, {"memories": 2}, "not finished yet")
        second = Erasure("era_1", LATER, BOB.key, (), {}, None)
        store.apply([PutErasure(second), PutErasure(first)], [])
        assert store.erasures() == [first, second]
        store.apply([PutErasure(replace(first, pending=None))], [])
        assert store.erasures() == [replace(first, pending=None), second]

    def test_spaces_are_those_that_something_was_put_in(self, store: Store) -> None:
        third, fourth = Space.of({"project": "x"}), Space.of({"org": "x"})
        source = Source("src_1", NEXT_DOOR, "paper", None, "00", NOW, {})
        bar = Bar(third, EVERYONE, value_of("tea"), Authority.USER_ASSERTED)
        put(store, memory(HOME))
        store.apply([PutSource(source), PutBar(bar)], [])
        store.apply([DropSource(replace(source, space=fourth)), DropBar(replace(bar, space=fourth))], [])
        assert store.spaces() == sorted([HOME, NEXT_DOOR, third], key=lambda space: space.id)

    def test_a_sound_store_has_no_complaints(self, store: Store) -> None:
        _fill(store, [HOME, NEXT_DOOR])
        store.apply([Erase(HOME, "mem_same")], [])
        assert store.checkup() == []
        assert store.damaged(sight_on(HOME, NEXT_DOOR, whole=True)) == []
        assert store.quarantine(NOW) == []
        assert store.scrub().pending is None
        assert dict(store.residue()) == {}
        assert store.info()["memories"] == 3

    # -- helpers -----------------------------------------------------------------------------------------------------

    def _all_handles(self, store: Store) -> list[int]:
        whole = sight_on(*store.spaces(), whole=True)
        known = handles(store, whole, "tea", Moment(NOW - 1))
        assert len(known) == 2 * len(HOSTILE_SPACES)
        return known

    def _tied(self, store: Store) -> tuple[list[Item], Sight]:
        """Many memories of few ages, on several shelves, some with one id in several spaces."""
        places = [HOME, NEXT_DOOR, Space.of({"project": "apollo"})]
        everything = [
            memory(space, number=n, at=NOW + n % 3, readers=who)
            for space in places
            for who in (EVERYONE, Readers.of(["alice"]))
            for n in range(1, 8)
        ]
        everything += [memory(space, id="mem_same", number=50) for space in places]
        put(store, *everything)
        put(store, memory(Space.of({"user": "stranger"}), number=1))
        return everything, sight_on(*places)

    def _everything(self, store: Store) -> list[Any]:
        """All that can be seen of a store, for comparing before with after."""
        places = [HOME, NEXT_DOOR]
        sight = sight_on(*places, whole=True)
        words = ["tea", "green", "black", "half", "way", "changed", "there", "already", "before"]
        chains = store.chains()
        return [
            listed(store, sight),
            [(statistics(store.shelves(sight, words, NOW)), [found(store, sight, word) for word in words])],
            [store.next_number(sight, place, EVERYONE, ALICE.key, Kind.SEMANTIC) for place in places],
            [store.bar(sight, place, EVERYONE, value_of("x")) for place in places],
            (store.sources(sight), store.shares_of(places), store.spaces(), store.erasures()),
            (chains, [list(store.links(chain)) for chain, _, _ in chains]),
        ]

    def _verified(self, store: Store, chain: ChainId) -> bool:
        heads = {one: (length, head) for one, length, head in store.chains()}
        length, _, broken = verify_chain(
            chain, store.links(chain), store.checkpoints(chain), store.keys.public, heads[chain]
        )
        return broken is None and length > 0


class _Interrupted(Exception):
    """Something went wrong in the middle of a write."""


def interrupted(store: Store, work: Callable[[], None]) -> None:
    """Do some work in a write that then fails."""

    def write() -> None:
        with store.writing():
            work()
            raise _Interrupted

    with pytest.raises(_Interrupted):
        write()


def in_another_thread(work: Callable[[], Any]) -> Any:
    """Do something in a thread of its own, and wait for what comes of it."""
    answers: list[Any] = []
    together([lambda: answers.append(work())])
    return answers[0]


def together(works: Sequence[Callable[[], object]]) -> None:
    """Do several things at once; the first error of any of them is raised here."""
    errors: list[BaseException] = []

    def run(work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001  # carried to the thread that waits
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
