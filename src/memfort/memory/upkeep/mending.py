"""Putting right what the doctor found, after consent: in small transactions, each thing looked at once more under the
lock, and every change with its event. Nothing is put right across spaces, no chain of wordings is made to end where it
began, and nobody is made the subject of a memory in place of somebody else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import TypeVar

from memfort.errors import InvalidInput, did_you_mean
from memfort.memory.engine import Engine
from memfort.memory.forgetting import made_from
from memfort.memory.input import list_of
from memfort.memory.lifetimes import BATCH, changed, lapsed, retire
from memfort.memory.people.directory import Draft
from memfort.memory.upkeep.doctoring import (
    CHECKS,
    CONTRADICTIONS,
    DUPLICATES,
    EDGES,
    LOCAL,
    NAMES,
    PROVENANCE,
    Diagnosis,
    Lost,
    Pairs,
    Progress,
    Ward,
    broken_people,
    examine,
    renamed,
)
from memfort.model.actor import SYSTEM, Standpoint
from memfort.model.item import Item, Status, is_live
from memfort.model.person import Person, Relation
from memfort.model.reason import Reason
from memfort.model.space import Space

ACTION = "repair"
_T = TypeVar("_T")


def doctor(
    engine: Engine, standpoint: Standpoint, fix: Iterable[str] = (), progress: Progress | None = None
) -> Diagnosis:
    """Look over what is the asker's, after putting right what `fix` names."""
    wanted, ward = _wanted(fix), Ward(engine, standpoint)
    mended = {check: _mend(ward, check, progress) for check in CHECKS if check in wanted}
    return Diagnosis(examine(ward, progress), mended)


def _wanted(fix: Iterable[str]) -> frozenset[str]:
    for check in (wanted := list_of(fix, "fix")):
        if check not in CHECKS:
            raise InvalidInput("fix", f"`{check}` is not a check", did_you_mean(str(check), CHECKS))
    return frozenset(wanted)


def _mend(ward: Ward, check: str, progress: Progress | None) -> int:
    mended, spaces = 0, ward.spaces()
    for done, space in enumerate(spaces, start=1):
        mended += _mend_space(ward, check, space)
        if progress is not None:
            progress(done, len(spaces))
    return mended + (_mend_people(ward, check) if check in {EDGES, NAMES} else 0)


def _mend_space(ward: Ward, check: str, space: Space) -> int:
    if check in LOCAL:
        ill = (item.id for item in ward.items(space) if _can_be_mended(ward, check, item))
        return _in_batches(ward, ill, lambda name: _mend_item(ward, check, space, name))
    if check not in {DUPLICATES, CONTRADICTIONS}:
        return 0
    pairs = Pairs(ward, space)
    for item in ward.items(space):
        pairs.add(item)
    lost = pairs.duplicates() if check == DUPLICATES else pairs.contradictions()
    return _in_batches(ward, lost, lambda one: _settle(ward, check, one))


def _can_be_mended(ward: Ward, check: str, item: Item) -> bool:
    wrong = LOCAL[check](ward, item)
    return wrong is not None and wrong[1] is not None


def _in_batches(ward: Ward, found: Iterable[_T], mend: Callable[[_T], int]) -> int:
    """Mend what is found, some at a time. What is looked for is looked for outside the transaction."""
    mended, left = 0, iter(found)
    while some := list(islice(left, BATCH)):
        with ward.engine.writing():
            mended += sum(mend(one) for one in some)
    return mended


def _mend_item(ward: Ward, check: str, space: Space, id: str) -> int:
    """Put one memory right, if it still has to be."""
    engine, now = ward.engine, ward.engine.clock.now()
    mended = 0
    for item in engine.store.items(ward.sight(space), [id]):
        wrong = None if lapsed(item, now).deleted_at is not None else LOCAL[check](ward, item)
        if wrong is None or wrong[1] is None:
            continue
        if check == PROVENANCE:
            _forget(ward, item)
        else:
            after = changed(wrong[1], now)
            event = engine.changed(ACTION, ward.actor, after, Reason.REPAIRED, now, check=check)
            engine.apply([engine.update(after)], [event])
        mended += 1
    return mended


def _forget(ward: Ward, item: Item) -> None:
    """Forget a memory, and what was made from it beside it: that would tell what it said."""
    engine, now = ward.engine, ward.engine.clock.now()
    made = made_from(engine, [item], lambda one: one.space == item.space)
    for one in (item, *(one for one in made if lapsed(one, now).deleted_at is None)):
        seen = ward.sight(item.space).admits(one)
        retire(engine, ward.actor if seen else SYSTEM, one, ACTION, Reason.FORGOTTEN, now, told=seen, check=PROVENANCE)


def _settle(ward: Ward, check: str, lost: Lost) -> int:
    """Let one memory give way to another, as it would if both were written now."""
    loser, winner, rule = lost
    engine, now = ward.engine, ward.engine.clock.now()
    found = {one.id: one for one in engine.store.items(ward.sight(loser.space), [loser.id, winner.id])}
    if found != {loser.id: loser, winner.id: winner} or not (is_live(loser, now) and is_live(winner, now)):
        return 0  # something was written in between; the next look will tell
    if loser.id in _line(ward, winner):
        return 0
    after = changed(loser, now, status=Status.SUPERSEDED, superseded_by=winner.id, ended_phase=winner.phase)
    event = engine.changed(
        ACTION, ward.actor, after, Reason.SUPERSEDED, now, by=winner.id, rule=rule.value, check=check
    )
    engine.apply([engine.update(after)], [event])
    return 1


def _line(ward: Ward, item: Item) -> set[str]:
    """The names of everything that a memory gave way to, one after another."""
    seen: set[str] = set()
    while item.superseded_by is not None and item.superseded_by not in seen:
        seen.add(item.superseded_by)
        found = ward.engine.store.items(ward.reach(item.space), [item.superseded_by])
        if not found:
            break
        item = found[0]
    return seen


def _mend_people(ward: Ward, check: str) -> int:
    """Take relations to nobody out, or give persons the names that they should have."""
    if check == EDGES:
        loose = [one for one, _, _ in broken_people(ward) if isinstance(one, Relation)]
        return _in_batches(ward, loose, lambda one: _drop(ward, one))
    return _in_batches(ward, list(renamed(ward)), lambda pair: _rename(ward, *pair))


def _drop(ward: Ward, relation: Relation) -> int:
    there = ward.engine.store.relations(ward.people(), [relation.from_person])
    if relation not in there:
        return 0
    draft = Draft(ward.engine, ward.actor, ward.engine.clock.now())
    draft.drop(relation, ACTION, Reason.REPAIRED)
    draft.apply()
    return 1


def _rename(ward: Ward, before: Person, after: Person) -> int:
    if ward.engine.store.people(ward.people(), [before.id]) != [before]:
        return 0
    draft = Draft(ward.engine, ward.actor, ward.engine.clock.now())
    draft.put(after, ACTION, Reason.REPAIRED)
    draft.apply()
    return 1
