"""Find what is erased with a memory: its older versions, memories derived from it, its promoted copies, and the
tombstone of its promotion source, in any state. It removes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence

from msgspec import Struct

from memfort.errors import CorruptMemory
from memfort.model.item import Item
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.policy.sight import maintenance_sight, own_private_sight
from memfort.store.port import Store


class ItemName(Struct, frozen=True):
    """A memory of which only the id is known: its bytes are damaged or gone. It can still be erased, and the memories
    derived from it can be found."""

    space: Space
    id: str


ErasureTarget = Item | ItemName


def find_lineage(
    store: Store,
    sight: Sight,
    chosen: Sequence[ErasureTarget],
    goes: Callable[[ErasureTarget], bool] = lambda _: True,
    *,
    quotes: bool = True,
) -> list[tuple[ErasureTarget, bool]]:
    """The lineage of the chosen memories within reach of a sight, the nearest first: older versions of the same memory
    (True), and everything derived from it, directly or not (False). Without `quotes`, statements in other spaces that
    were taken from a turn are left out: they belong to whoever made them."""
    known = {(item.space.id, item.id) for item in chosen}
    found: list[tuple[ErasureTarget, bool]] = []
    generation = list(chosen)
    while generation:
        spaces = dict.fromkeys(item.space for item in generation)
        found_now = [pair for space in spaces for pair in _relatives(store, sight, space, generation) if goes(pair[0])]
        found_now = [pair for pair in found_now if quotes or not is_quote_elsewhere(pair[0], spaces)]
        generation = []
        for item, is_version in found_now:
            if (item.space.id, item.id) not in known:
                known.add((item.space.id, item.id))
                found.append((item, is_version))
                generation.append(item)
    return found


def _relatives(
    store: Store, sight: Sight, space: Space, items: Sequence[ErasureTarget]
) -> list[tuple[ErasureTarget, bool]]:
    """For the items in one space: their direct older versions and direct derivations, including copies promoted into
    other spaces."""
    here = [item for item in items if item.space == space]
    names = {item.id for item in here}
    older = [item.supersedes for item in here if isinstance(item, Item) and item.supersedes is not None]
    before = find_stored(store, own_private_sight(sight, space), older)
    # Only memories that one of them superseded: a file can name any memory as its older version.
    versions = [one for one in before if not isinstance(one, Item) or one.superseded_by in names]
    versions += [source for item in here for source in find_promotion_sources(store, item) if is_within(sight, source)]
    made = store.derived(maintenance_sight([space]), [item.id for item in here])
    return [*((item, True) for item in versions), *((item, False) for item in made if is_within(sight, item))]


def find_promotion_sources(store: Store, target: ErasureTarget) -> list[Item]:
    """The tombstone in the space that a copy was promoted from: it has the same text."""
    if not isinstance(target, Item) or target.promoted_from is None:
        return []
    origins = store.origins(maintenance_sight([target.space]), target)
    found = [one for space, id in origins for one in store.items(maintenance_sight([space]), [id])]
    return [one for one in found if one.deleted_reason == Reason.PROMOTED]


def is_within(sight: Sight, item: Item) -> bool:
    """Whether an erase may take an item: one that the sight admits, or any in a private space."""
    return sight.admits(item) or own_private_sight(sight, item.space).admits(item)


def filter_stored(store: Store, items: Sequence[ErasureTarget]) -> list[ErasureTarget]:
    spaces = {item.space.id: item.space for item in items}
    left = {
        (space, found.id)
        for space, ids in by_space((item.space.id, item.id) for item in items).items()
        for found in find_stored(store, maintenance_sight([spaces[space]]), ids)
    }
    return [item for item in items if (item.space.id, item.id) in left]


def find_stored(store: Store, sight: Sight, ids: Sequence[str]) -> list[ErasureTarget]:
    """Memories by id in any state, damaged ones too: they are never served, but they must be erased as well."""
    try:
        return list(store.items(sight, ids))
    except CorruptMemory:
        damaged = [one for one in find_damaged(store, sight) if one.id in ids]
        rest = [id for id in ids if id not in {one.id for one in damaged}]
        if len(rest) == len(ids):
            raise
        return [*damaged, *store.items(sight, rest)]


def find_damaged(store: Store, sight: Sight) -> list[ItemName]:
    spaces = [seen.space for seen in sight.spaces]
    return [ItemName(space, id) for space in spaces for id in store.damaged(sight.narrowed([space]))]


def by_space(items: Iterable[tuple[bytes, str]]) -> dict[bytes, list[str]]:
    grouped: dict[bytes, list[str]] = {}
    for space, id in items:
        grouped.setdefault(space, []).append(id)
    return grouped


def is_quote_elsewhere(target: ErasureTarget, spaces: Container[Space]) -> bool:
    """Whether it is a statement that was taken from a turn in another space than its own."""
    return isinstance(target, Item) and target.evidence is not None and target.space not in spaces


def find_derived(
    store: Store, chosen: Iterable[Item], goes: Callable[[Item], bool], *, quotes: bool = False
) -> list[Item]:
    """Everything derived from the chosen memories, directly or not: in any state, for any readers, and promoted into
    any space. With `quotes`, also statements in other spaces that were taken from a turn: only for an actor that may
    end them, because they belong to whoever made them."""
    queue = list(chosen)
    known, found = {(item.space.id, item.id) for item in queue}, []
    while queue:
        item = queue.pop()
        for one in store.derived(maintenance_sight([item.space]), [item.id]):
            is_left_out = not quotes and is_quote_elsewhere(one, [item.space])
            if (one.space.id, one.id) not in known and goes(one) and not is_left_out:
                known.add((one.space.id, one.id))
                queue.append(one)
                found.append(one)
    return found
