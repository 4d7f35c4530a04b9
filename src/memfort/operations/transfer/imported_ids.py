"""The ids of imported memories: which of them keep the id they have in the file, and links that follow those that get a
new one.

An id names the partition of its memory and the number there, so a memory keeps its id only in the same partition: in
another one it would take the id that a later memory gets, and who may not see it would notice. An id in no sequence
names a moment instead, and is kept in any partition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from memfort.engine.transaction import Transaction
from memfort.model.audience import Audience, audience_of
from memfort.model.item import Item, Sensitivity, memory_id, unsequenced_id
from memfort.model.judgement import NOT_CLASSIFIED
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.operations.transfer.trust import as_registered
from memfort.policy.gates.conflict import ConflictRule
from memfort.policy.sight import maintenance_sight, own_private_sight

_NOT_PUBLIC = (Sensitivity.PERSONAL, Sensitivity.SENSITIVE)
_PLACES_OF_A_MOMENT = 200  # of a batch


class ImportedIds(Struct, frozen=True):
    """Where the memories of a file are here: by their ids in the file."""

    here: dict[str, str] = field(default_factory=dict)
    new: dict[str, Item] = field(default_factory=dict)  # without those that were here already

    def note(self, in_file: Item, here: Item, *, is_new: bool) -> None:
        self.here[in_file.id] = here.id
        if is_new:
            self.new[in_file.id] = here

    def relinked(self, item: Item) -> Item:
        """The memory of a file, with links to the memories as they are here. Another wording of it counts only if it
        came with the file: a memory that was here already and says the same is not replaced by it."""
        evidence = item.evidence
        return replace(
            item,
            derived_from=tuple(self.here.get(id, id) for id in item.derived_from),
            evidence=None if evidence is None else evidence.with_turns(self.here),
            supersedes=self._wording(item.supersedes),
            replaces=tuple(id for one in item.replaces if (id := self._wording(one)) is not None),
            may_replace=self._wording(item.may_replace),
            promoted_from=None if item.promoted_from is None else self.here.get(item.promoted_from, item.promoted_from),
        )

    def _wording(self, id: str | None) -> str | None:
        return self.new[id].id if id is not None and id in self.new else id


def earlier_ids(item: Item) -> Iterator[str]:
    """The memories that a memory links to and that were there before it."""
    yield from item.derived_from
    yield from item.replaces
    yield from (id for id in (item.supersedes, item.promoted_from, item.may_replace) if id is not None)
    if item.evidence is not None:
        yield from item.evidence.turns


def link_successors(tx: Transaction, ids: ImportedIds, in_file: Sequence[Item]) -> None:
    """Let imported wordings name the one that replaced them, where that one has a new id here."""
    for item in in_file:
        later = None if item.superseded_by is None else ids.new.get(item.superseded_by)
        if item.id not in ids.new or later is None or later.id == item.superseded_by:
            continue
        linked = replace(ids.new[item.id], superseded_by=later.id)
        event = tx.event("supersede", linked, Reason.SUPERSEDED, by=later.id, rule=ConflictRule.CORRECTION.value)
        tx.apply([tx.update(linked)], [event], traced=False)


def id_fields(tx: Transaction, made: Item, item: Item) -> dict[str, Any]:
    """The id of an exported memory, if it may keep it: it is provably one of its author's, free, and the importer may
    know that. The importer has to be allowed to speak for the author."""
    author = as_registered(tx.store, item.author)
    if item.id == _sequenced_id(item, audience_of(made)):
        found = {"id": item.id, "number": item.number, "author": author}
    elif _is_unsequenced(made, item) and item.created_at_us <= tx.now:
        tx.engine.note_moment(made.space, item.created_at_us)
        is_moved = audience_of(made) != audience_of(item)
        number = _next_number(tx, made, author.key) if is_moved else item.number
        found = {"id": item.id, "number": number, "author": author}
    else:
        return {}
    return found if _is_free(tx, made, item.id) else {}


def _sequenced_id(item: Item, audience: Audience) -> str:
    """The id with the item's number in the sequence of its author."""
    return memory_id(item.space, item.readers, item.author, item.kind, item.number, audience.text)


def _is_unsequenced(made: Item, item: Item) -> bool:
    """Whether it was not judged when it was written, and so its id is in no sequence. Its origin may have been wider
    there."""
    names = (item.space, item.readers, item.author, item.kind)
    unjudged = (
        replace(one, sensitivity=level, judgement=NOT_CLASSIFIED) for one in (made, item) for level in _NOT_PUBLIC
    )
    return any(
        item.id == unsequenced_id(*names, audience, item.created_at_us, place)
        for audience in {audience_of(one).text for one in unjudged}
        for place in range(1, _PLACES_OF_A_MOMENT + 1)
    )


def _next_number(tx: Transaction, made: Item, author: bytes) -> int:
    here = maintenance_sight([made.space])
    return tx.store.next_number(here, made.space, made.readers, author, made.kind, audience_of(made))


def _is_free(tx: Transaction, made: Item, id: str) -> bool:
    """Whether the id is free, and the importer may know that. Otherwise the memory gets a new id."""
    here = own_private_sight(tx.sight, made.space)
    may_know = here.admits_readers(made.readers) and _may_hear(here, made)
    return may_know and not tx.store.items(maintenance_sight([made.space]), [id])


def _may_hear(here: Sight, made: Item) -> bool:
    """Whether everyone who listens may hear the memories of a partition: in a chat some of them stay hidden."""
    seen = here.seen(made.space)
    if here.disclosure is None or seen is None:
        return seen is not None
    return here.disclosure.may_hear(seen, made.readers, audience_of(made))
