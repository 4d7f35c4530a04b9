"""Show a found turn with the turns beside it: an answer says little without its question.

Every neighbour is read through the sight of the asker and passes the same checks as a memory that is found. A turn of
which a statement was corrected, forgotten or rejected since is left out, and so is an answer to one: what does not
come by itself does not come beside another. The number of turns that are read is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from memfort.capture.extract.requests import only_asks_to_forget
from memfort.capture.turns import parse_turn
from memfort.engine.redact import redact_for
from memfort.engine.view import View
from memfort.model.item import Item, Kind, Origin, Status
from memfort.model.results import Hit
from memfort.operations.recall.search import is_wanted
from memfort.store.port import LIVE

MOST_HITS = 5  # turns of an answer that come with their neighbours
_READ_BEFORE, _READ_AFTER = 2, 1  # the turn before an answer says whether the answer still holds


def with_neighbours(view: View, hits: Sequence[Hit]) -> list[Hit]:
    """The hits, the first turns among them with the turns before and after them."""
    turns = [hit.item for hit in hits if _is_turn(hit.item)][:MOST_HITS]
    said = {hit.item.evidence.turn for hit in hits if hit.item.evidence is not None}  # a statement stands for them
    around = {item.id: tuple(one for one in _around(view, item) if one.id not in said) for item in turns}
    return [replace(hit, around=around[hit.id]) if around.get(hit.id) else hit for hit in hits]


def _is_turn(item: Item) -> bool:
    return item.kind is Kind.SHORT_TERM and item.conversation is not None


def _around(view: View, item: Item) -> tuple[Item, ...]:
    """The turns directly before and after a turn that may be shown, the older first."""
    if view.sight.seen(item.space) is None or item.conversation is None:
        return ()
    read, conversation = view.store.turns, item.conversation
    before = read(view.sight, item.space, conversation, _READ_BEFORE, before=item.id)
    after = read(view.sight, item.space, conversation, _READ_AFTER, after=item.id)
    line = [*before, item, *after]
    ended = _ended(view, [one.id for one in line])
    place = len(before)
    shown = [line[at] for at in (place - 1, place + 1) if 0 <= at < len(line) and _holds(line, at, ended)]
    return tuple(redact_for(view.engine, view.sight, one) for one in shown if _may_come(view, one))


def _holds(line: Sequence[Item], at: int, ended: frozenset[str]) -> bool:
    """Whether nothing of a turn has ended since; nor, if it is an answer, of what it answers."""
    is_answer = line[at].origin is not Origin.USER and at > 0
    return line[at].id not in ended and not (is_answer and line[at - 1].id in ended)


def _ended(view: View, turns: Sequence[str]) -> frozenset[str]:
    """The turns of which a statement does not hold any more."""
    made = (one for one in view.store.derived(view.sight, turns) if one.kind is not Kind.SHORT_TERM)
    old = [one for one in made if one.status is not Status.APPROVED or one.deleted_at_us is not None]
    return frozenset(one.evidence.turn for one in old if one.evidence is not None).union(
        *(one.derived_from for one in old)
    )


def _may_come(view: View, item: Item) -> bool:
    if not is_wanted(view, LIVE, item):
        return False
    return item.origin is not Origin.USER or not only_asks_to_forget(parse_turn(item.text).body)
