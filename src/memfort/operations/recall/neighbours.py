"""Show a found turn with the turns beside it: an answer says little without its question.

Every neighbour is read through the sight of the asker and passes the same checks as a memory that is found. A turn of
which a statement was corrected, forgotten or rejected since is left out, and so is an answer to one: what does not
come by itself does not come beside another. The number of turns that are read is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from msgspec.structs import replace

from memfort.capture.extract.requests import only_asks_to_forget
from memfort.capture.turns import parse_turn
from memfort.engine.redact import redact_all
from memfort.engine.view import View
from memfort.model.item import Item, Kind, Origin
from memfort.model.results import Hit
from memfort.operations.recall.search import is_wanted
from memfort.store.port import LIVE

MOST_HITS = 5  # turns of an answer that come with their neighbours
_READ_BEFORE, _READ_AFTER = 2, 1  # the turn before an answer says whether the answer still holds


def with_neighbours(view: View, hits: Sequence[Hit]) -> list[Hit]:
    """The hits, the first turns among them with the turns before and after them."""
    turns = [hit.item for hit in hits if _is_turn(hit.item)][:MOST_HITS]
    own = [one for one in turns if view.sight.seen(one.space) is not None]
    said = {hit.item.evidence.turn for hit in hits if hit.item.evidence is not None}  # a statement stands for them
    around = {id: tuple(one for one in beside if one.id not in said) for id, beside in _around(view, own).items()}
    return [replace(hit, around=around[hit.id]) if around.get(hit.id) else hit for hit in hits]


def _is_turn(item: Item) -> bool:
    return item.kind is Kind.SHORT_TERM and item.conversation is not None


def _around(view: View, turns: Sequence[Item]) -> dict[str, tuple[Item, ...]]:
    """The turns directly before and after each turn that may be shown, the older first."""
    if not turns:
        return {}
    found = view.store.turns_around(view.sight, turns, _READ_BEFORE, _READ_AFTER)
    lines = [[*before, turn, *after] for turn, (before, after) in zip(turns, found, strict=True)]
    ended = _ended(view, list(dict.fromkeys(one.id for line in lines for one in line)))
    around: dict[str, list[Item]] = {}
    for turn, line, (before, _) in zip(turns, lines, found, strict=True):
        beside = (at for at in (len(before) - 1, len(before) + 1) if 0 <= at < len(line) and _holds(line, at, ended))
        around[turn.id] = [line[at] for at in beside if _may_come(view, line[at])]
    all = [one for some in around.values() for one in some]
    shown = iter(redact_all(view.engine, view.sight, all))
    return {id: tuple(islice(shown, len(some))) for id, some in around.items()}


def _holds(line: Sequence[Item], at: int, ended: frozenset[str]) -> bool:
    """Whether nothing of a turn has ended since; nor, if it is an answer, of what it answers."""
    is_answer = line[at].origin is not Origin.USER and at > 0
    return line[at].id not in ended and not (is_answer and line[at - 1].id in ended)


def _ended(view: View, turns: Sequence[str]) -> frozenset[str]:
    """The turns of which a statement does not hold any more."""
    made = view.store.derived_not_in_force(view.sight, turns)
    old = [one for one in made if one.kind is not Kind.SHORT_TERM]
    return frozenset(one.evidence.turn for one in old if one.evidence is not None).union(
        *(one.derived_from for one in old)
    )


def _may_come(view: View, item: Item) -> bool:
    if not is_wanted(view, LIVE, item):
        return False
    return item.origin is not Origin.USER or not only_asks_to_forget(parse_turn(item.text).body)
