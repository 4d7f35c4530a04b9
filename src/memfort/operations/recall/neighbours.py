"""Show a found turn with the turns beside it: an answer says little without its question.

Every neighbour is read through the sight of the asker and passes the same checks as a memory that is found. A turn of
which a statement was corrected, forgotten or rejected since is left out, and so is an answer to one: what does not
come by itself does not come beside another. The number of turns that are read is bounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from msgspec.structs import replace

from memfort.capture.extract.requests import only_asks_to_forget
from memfort.capture.turns import parse_turn
from memfort.engine.redact import redact_all
from memfort.engine.view import View
from memfort.model.item import Item, Kind, Origin
from memfort.model.results import Hit
from memfort.operations.recall.search import is_wanted
from memfort.operations.recall.turn_history import MOST_BESIDE, TurnHistory
from memfort.store.port import LIVE

_READ_BEFORE, _READ_AFTER = 2, 1  # the turn before an answer says whether the answer still holds


def with_neighbours(view: View, hits: Sequence[Hit], handles: Mapping[str, int], history: TurnHistory) -> list[Hit]:
    """The hits, the first turns that the search found with the turns before and after them. Of each of its hits, the
    handle is given by id."""
    turns = [(handles[hit.id], hit.item) for hit in hits if _is_turn(hit.item) and hit.id in handles][:MOST_BESIDE]
    own = {handle: one for handle, one in turns if view.sight.seen(one.space) is not None}
    history.look_around(own)
    said = {hit.item.evidence.turn for hit in hits if hit.item.evidence is not None}  # a statement stands for them
    around = {
        id: tuple(one for one in beside if one.id not in said)
        for id, beside in _around(view, list(own.values()), history).items()
    }
    return [replace(hit, around=around[hit.id]) if around.get(hit.id) else hit for hit in hits]


def _is_turn(item: Item) -> bool:
    return item.kind is Kind.SHORT_TERM and item.conversation is not None


def _around(view: View, turns: Sequence[Item], history: TurnHistory) -> dict[str, tuple[Item, ...]]:
    """The turns directly before and after each turn that may be shown, the older first."""
    around: dict[str, list[Item]] = {}
    for turn in turns:
        before, after = history.around(turn)
        before = before[-_READ_BEFORE:]
        line = [*before, turn, *after[:_READ_AFTER]]
        beside = (at for at in (len(before) - 1, len(before) + 1) if 0 <= at < len(line) and _holds(line, at, history))
        around[turn.id] = [line[at] for at in beside if _may_come(view, line[at])]
    all = [one for some in around.values() for one in some]
    shown = iter(redact_all(view.engine, view.sight, all))
    return {id: tuple(islice(shown, len(some))) for id, some in around.items()}


def _holds(line: Sequence[Item], at: int, history: TurnHistory) -> bool:
    """Whether nothing of a turn has ended since; nor, if it is an answer, of what it answers."""
    is_answer = line[at].origin is not Origin.USER and at > 0
    return not history.has_ended(line[at]) and not (is_answer and history.has_ended(line[at - 1]))


def _may_come(view: View, item: Item) -> bool:
    if not is_wanted(view, LIVE, item):
        return False
    return item.origin is not Origin.USER or not only_asks_to_forget(parse_turn(item.text).body)
