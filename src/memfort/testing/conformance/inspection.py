"""Reads of a store in plain values, for comparing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from memfort.model.audience import PLAIN, Audience
from memfort.model.item import (
    EVERYONE,
    ChangeKeys,
    Item,
    Kind,
    Readers,
)
from memfort.model.moment import Moment
from memfort.model.people.actor import Actor
from memfort.model.people.person import person_id
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.store.port import (
    Filter,
    Store,
)
from memfort.store.port.values.columns import Columns
from memfort.testing.conformance.samples import (
    ALICE,
    CONVERSATION,
    EVERYTHING,
    HOME,
    HOSTILE_SPACES,
    NEXT_DOOR,
    NOW,
    PLENTY,
    memory,
    second_turn,
    sight_on,
    statement,
    value_of,
)
from memfort.trail.event import ChainId
from memfort.trail.verify import verify_chain


def texts(items: Iterable[Item]) -> list[str]:
    return sorted(item.text for item in items)


def listed(store: Store, sight: Sight, now: Moment = NOW, filter: Filter = EVERYTHING) -> list[Item]:
    return store.page(sight, filter, None, PLENTY, now)


class Partition(Struct, frozen=True):
    """What the columns of a store hold for some words, in plain values."""

    layer: int
    count: int
    length: int
    postings: Mapping[str, Sequence[tuple[int, int, int]]]  # handle, how often, how long


def partitions(store: Store, sight: Sight, words: Sequence[str], now: Moment) -> list[Partition]:
    return [_partition(store, columns, words) for columns in store.columns(sight, now)]


def _partition(store: Store, columns: Columns, words: Sequence[str]) -> Partition:
    postings = {}
    for word in words:
        rows, often = columns.postings.of(store.keys.term(word))
        pairs = [(row, count) for row, count in zip(rows.tolist(), often.tolist(), strict=True) if columns.shown[row]]
        postings[word] = [(int(columns.handles[row]), count, int(columns.lengths[row])) for row, count in pairs]
    return Partition(columns.layer, columns.count, columns.length, postings)


def statistics(partitions: Iterable[Partition]) -> list[tuple[int, int, int]]:
    return sorted((partition.layer, partition.count, partition.length) for partition in partitions)


def handles(store: Store, sight: Sight, term: str, now: Moment = NOW) -> list[int]:
    """The handles that a word finds."""
    return [handle for partition in partitions(store, sight, [term], now) for handle, _, _ in partition.postings[term]]


def found(store: Store, sight: Sight, term: str, now: Moment = NOW) -> list[str]:
    """The texts that a word finds, through the index and the memories behind it."""
    return texts(store.items_by_handle(sight, handles(store, sight, term, now)).values())


def shown(store: Store, sight: Sight, asked: Sequence[Space], known: Sequence[int], now: Moment) -> dict[str, set[Any]]:
    """The spaces each read method shows something of, when asked about all of `asked`.

    A space is filled by `fill`, so that every method has something to show in each.
    """
    by_layer = dict(enumerate(seen.space for seen in sight.spaces))
    by_id = {space.id: space for space in asked}
    tea = value_of("tea")
    return {
        "columns": {by_layer[partition.layer] for partition in partitions(store, sight, ["tea"], now)},
        "positions": {by_id[place.space] for place in store.positions(sight, known).values()},
        "items_by_handle": {item.space for item in store.items_by_handle(sight, known).values()},
        "found_items": {item.space for item in _items_found(store, sight, known)},
        "unembedded": {item.space for item in store.items_by_handle(sight, store.unembedded(sight, b"mark")).values()},
        "unjudged": {item.space for item in store.items_by_handle(sight, store.unjudged(sight)).values()},
        "with_change_keys": {
            item.space
            for space in asked
            for item in store.with_change_keys(sight, space, EVERYONE, ChangeKeys(("tea",)), PLENTY)
        },
        "write_contexts": _decided_by(store, sight, asked),
        "read_context": {item.space for item in store.read_context(sight, now).overdue},
        "ids_with_prefix": {
            space for space in asked if store.ids_with_prefix(sight.narrowed([space]), "mem_sam", PLENTY)
        },
        "items": {item.space for item in store.items(sight, ["mem_same", "mem_late"])},
        "page": {item.space for item in listed(store, sight, now)},
        "turns": {item.space for space in asked for item in store.turns(sight, space, CONVERSATION, PLENTY)},
        "turns_around": {
            item.space
            for before, _ in store.turns_around(sight, [second_turn(space) for space in asked], PLENTY, 0)
            for item in before
        },
        "turns_with_values": {space for space in asked if store.turns_with_values(sight, space, [value_of("a turn")])},
        "items_with_values": {item.space for item in store.items_with_values(sight, [tea])},
        "rivals": {space for space in asked if store.rivals(sight, space, EVERYONE, tea)},
        "rejected_value": {space for space in asked if store.rejected_value(sight, space, EVERYONE, tea)},
        "rejected_values": {space for space in asked if store.rejected_values(sight, space, EVERYONE, [tea])},
        "next_number": {
            space for space in asked if store.next_number(sight, space, EVERYONE, ALICE.key, Kind.SEMANTIC) != 1
        },
        "derived": {item.space for item in store.derived(sight, ["mem_same"])},
        "derived_not_in_force": {item.space for item in store.derived_not_in_force(sight, ["mem_same", "mem_turn"])},
        "origins": {space for space in asked if store.origins(sight, memory(space, id="mem_late"))},
        "count_entries": {
            space
            for space in asked
            if sight.seen(space) is not None and store.count_entries(sight.narrowed([space]), ["mem_same"])
        },
        "tick": {space for space in asked if store.tick(sight, space)},
        "due_by_tick": {item.space for space in asked for item in store.due_by_tick(sight, space, EVERYONE, 2)},
        "count_by_kind": {space for space in asked if store.count_by_kind(sight, space, EVERYONE, ALICE.key)},
        "least_important": {
            item.space
            for space in asked
            for item in store.least_important(sight, space, EVERYONE, ALICE.key, list(Kind), 9)
        },
        "eviction_candidates": {item.space for item in store.eviction_candidates(sight, ALICE)},
        "about": {item.space for item in store.about(sight, ["@alice"], EVERYTHING, PLENTY, now)},
        "handles_about": {
            item.space for item in store.items_by_handle(sight, store.handles_about(sight, ["@alice"])).values()
        },
        "phases": {by_id[id] for id in store.phases(sight)},
        "overdue": {item.space for item in store.overdue(sight, now)},
        "records": {space for space in asked if any(store.records(sight.narrowed([space])))},
        "queued_turns": {queued.space for queued in store.queued_turns(sight)},
        "sources": {source.space for source in store.sources(sight)},
        "damaged": set(),  # nothing is damaged here; the tests of each store do that
        "quarantined": set(store.quarantined(sight)),
        **_people_shown(store, sight, asked),
    }


def _decided_by(store: Store, sight: Sight, asked: Sequence[Space]) -> set[Space]:
    """The spaces whose memories influence the write context of a statement there, in every part of it."""
    contexts = store.write_contexts(sight, [statement(space) for space in asked])
    found = dict(zip(asked, contexts, strict=True))
    disclosed = {
        space: (one.rivals, one.alike, one.rejected, one.next_number > 1, one.tick, one.counts)
        for space, one in found.items()
    }
    assert all(all(one) or not any(one) for one in disclosed.values())
    return {space for space, one in disclosed.items() if any(one)}


def _items_found(store: Store, sight: Sight, known: Sequence[int]) -> list[Item]:
    """The memories behind handles with all that comes with them."""
    found = store.found_items(sight, known, PLENTY)
    around = (one for before, after in found.around.values() for one in (*before, *after))
    return [*found.items.values(), *around, *found.ended, *found.made, *found.newer]


def _people_shown(store: Store, sight: Sight, asked: Sequence[Space]) -> dict[str, set[Any]]:
    ids = [person_id(space, EVERYONE, ALICE, 1) for space in asked]
    return {
        "people": {person.home for person in store.people(sight, ids)},
        "knows_people": {space for space in asked if store.knows_people(sight.narrowed([space]))},
        "people_named": {person.home for person in store.people_named(sight, "sarah")},
        "all_people": {person.home for person in store.all_people(sight, None, PLENTY)},
        "relations": {relation.home for relation in store.relations(sight, ["@alice"])},
        "all_relations": {relation.home for relation in store.all_relations(sight)},
        "next_person_number": {
            space for space in asked if store.next_person_number(sight, space, EVERYONE, ALICE.key) != 1
        },
    }


def all_handles(store: Store) -> list[int]:
    """The handles of everything that `fill` put."""
    whole = sight_on(*store.spaces(), whole=True)
    known = handles(store, whole, "tea", Moment(NOW - 1))
    assert len(known) == 2 * len(HOSTILE_SPACES)
    return known


def everything(store: Store) -> list[Any]:
    """All that can be read from a store, for comparing before and after."""
    places = [HOME, NEXT_DOOR]
    sight = sight_on(*places, whole=True)
    words = ["tea", "green", "black", "half", "way", "changed", "there", "already", "before"]
    chains = list(store.chains())
    return [
        listed(store, sight),
        [(statistics(partitions(store, sight, words, NOW)), [found(store, sight, word) for word in words])],
        [store.next_number(sight, place, EVERYONE, ALICE.key, Kind.SEMANTIC) for place in places],
        [store.rejected_value(sight, place, EVERYONE, value_of("x")) for place in places],
        [store.rejected_values(sight, place, EVERYONE, [value_of("x")]) for place in places],
        [counted(store, sight, place) for place in places],
        [store.origins(sight, item) for item in listed(store, sight)],
        (store.phases(sight), store.policy(), store.authored_count(ALICE), store.queued_turns(sight)),
        (store.sources(sight), dict(store.directory()), list(store.spaces()), list(store.erasures())),
        (chains, [list(store.links(chain)) for chain, _, _ in chains]),
    ]


def counted(
    store: Store,
    sight: Sight,
    space: Space,
    readers: Readers = EVERYONE,
    author: Actor = ALICE,
    audience: Audience = PLAIN,
) -> Any:
    """The counters of a partition: its tick, the memories due, the memories in force by kind, and the least
    important."""
    return (
        store.tick(sight, space, readers, audience),
        texts(store.due_by_tick(sight, space, readers, PLENTY, audience)),
        dict(store.count_by_kind(sight, space, readers, author.key, audience)),
        [
            item.text
            for item in store.least_important(sight, space, readers, author.key, list(Kind), PLENTY, audience=audience)
        ],
    )


def verified(store: Store, chain: ChainId) -> bool:
    heads = {one: (length, head) for one, length, head in store.chains()}
    length, _, broken = verify_chain(
        chain, store.links(chain), store.checkpoints(chain), store.keys.public, heads[chain]
    )
    return broken is None and length > 0
