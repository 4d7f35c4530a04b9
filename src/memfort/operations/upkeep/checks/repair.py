"""Repair what the doctor found, after consent: in small transactions, with each finding checked again under the lock,
and an event for every change. Repairs never cross spaces, never make a chain of wordings circular, and never replace
one subject of a memory by another person.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from typing import TypeVar

from memfort.engine.lifecycle.sweep import BATCH
from memfort.engine.transaction import Transaction
from memfort.model.item import Item, Status, as_expired, is_live
from memfort.model.people.person import Person, Relation
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.operations.ending.lineage import find_derived
from memfort.operations.people.edits import PeopleEdits
from memfort.operations.upkeep.checks.diagnose import (
    CONTRADICTIONS,
    DUPLICATES,
    EDGES,
    LOCAL,
    NAMES,
    PROVENANCE,
    Lost,
    Pairs,
    Scope,
    broken_people,
    people_to_rename,
)
from memfort.store.port import WHOLE_STORE
from memfort.store.port import Scope as WriteScope

ACTION = "repair"
_T = TypeVar("_T")


def repair(scope: Scope, check: str) -> int:
    """Repair the findings of one check; returns how many."""
    repaired, spaces = 0, scope.spaces()
    for done, space in enumerate(spaces, start=1):
        repaired += _repair_space(scope, check, space)
        scope.session.progress(done, len(spaces))
    return repaired + (_repair_people(scope, check) if check in {EDGES, NAMES} else 0)


def _repair_space(scope: Scope, check: str, space: Space) -> int:
    if check in LOCAL:
        ill = (item.id for item in scope.items(space) if _can_be_repaired(scope, check, item))
        return _repair_in_batches(scope, [space], ill, lambda tx, name: _repair_item(tx, scope, check, (space, name)))
    if check not in {DUPLICATES, CONTRADICTIONS}:
        return 0
    pairs = Pairs(scope, space)
    for item in scope.items(space):
        pairs.add(item)
    lost = pairs.duplicates() if check == DUPLICATES else pairs.contradictions()
    return _repair_in_batches(scope, [space], lost, lambda tx, one: _settle(tx, scope, check, one))


def _can_be_repaired(scope: Scope, check: str, item: Item) -> bool:
    wrong = LOCAL[check](scope, item)
    return wrong is not None and wrong[1] is not None


def _repair_in_batches(
    scope: Scope, reach: WriteScope | Sequence[Space], found: Iterable[_T], repair: Callable[[Transaction, _T], int]
) -> int:
    """Repair what is found, some at a time. What is looked for is looked for outside the transaction."""
    repaired, left = 0, iter(found)
    while some := list(islice(left, BATCH)):
        repaired += scope.session.write(reach, partial(_repair_all, repair=repair, some=some))
    return repaired


def _repair_all(tx: Transaction, repair: Callable[[Transaction, _T], int], some: Sequence[_T]) -> int:
    return sum(repair(tx, one) for one in some)


def _repair_item(tx: Transaction, scope: Scope, check: str, place: tuple[Space, str]) -> int:
    """Put one memory right, if it still has to be."""
    space, id = place
    repaired = 0
    for item in tx.store.items(scope.sight(space), [id]):
        wrong = None if as_expired(item, tx.now).deleted_at_us is not None else LOCAL[check](scope, item)
        if wrong is None or wrong[1] is None:
            continue
        if check == PROVENANCE:
            _forget(tx, scope, item)
        else:
            after = tx.next_version(wrong[1])
            tx.apply([tx.update(after)], [tx.event(ACTION, after, Reason.REPAIRED, check=check)])
        repaired += 1
    return repaired


def _forget(tx: Transaction, scope: Scope, item: Item) -> None:
    """Forget a memory, and what was made from it beside it: that would tell what it said."""
    made = find_derived(tx.store, [item], lambda one: one.space == item.space)
    for one in (item, *(one for one in made if as_expired(one, tx.now).deleted_at_us is None)):
        seen = scope.sight(item.space).admits(one)
        (tx if seen else tx.as_system()).retire(one, ACTION, Reason.FORGOTTEN, traced=seen, check=PROVENANCE)


def _settle(tx: Transaction, scope: Scope, check: str, lost: Lost) -> int:
    """Let one memory give way to another, as it would if both were written now."""
    loser, winner, rule = lost
    found = {one.id: one for one in tx.store.items(scope.sight(loser.space), [loser.id, winner.id])}
    if found != {loser.id: loser, winner.id: winner} or not (is_live(loser, tx.now) and is_live(winner, tx.now)):
        return 0  # something was written in between; the next look will tell
    if loser.id in _lineage(scope, winner):
        return 0
    after = tx.next_version(loser, status=Status.SUPERSEDED, superseded_by=winner.id, ended_phase=winner.phase)
    event = tx.event(ACTION, after, Reason.SUPERSEDED, by=winner.id, rule=rule.value, check=check)
    tx.apply([tx.update(after)], [event])
    return 1


def _lineage(scope: Scope, item: Item) -> set[str]:
    """The ids of the memories that superseded a memory, in order."""
    seen: set[str] = set()
    while item.superseded_by is not None and item.superseded_by not in seen:
        seen.add(item.superseded_by)
        found = scope.engine.store.items(scope.reach(item.space), [item.superseded_by])
        if not found:
            break
        item = found[0]
    return seen


def _repair_people(scope: Scope, check: str) -> int:
    """Remove relations to unknown persons, or correct the names of persons."""
    if check == EDGES:
        loose = [one for one, _, _ in broken_people(scope) if isinstance(one, Relation)]
        return _repair_in_batches(scope, WHOLE_STORE, loose, lambda tx, one: _drop(tx, scope, one))
    return _repair_in_batches(
        scope, WHOLE_STORE, list(people_to_rename(scope)), lambda tx, pair: _rename(tx, scope, *pair)
    )


def _drop(tx: Transaction, scope: Scope, relation: Relation) -> int:
    if relation not in tx.store.relations(scope.people(), [relation.from_person]):
        return 0
    edits = PeopleEdits(tx)
    edits.drop(relation, ACTION, Reason.REPAIRED)
    edits.apply(tx)
    return 1


def _rename(tx: Transaction, scope: Scope, before: Person, after: Person) -> int:
    if tx.store.people(scope.people(), [before.id]) != [before]:
        return 0
    edits = PeopleEdits(tx)
    edits.put(after, ACTION, Reason.REPAIRED)
    edits.apply(tx)
    return 1
