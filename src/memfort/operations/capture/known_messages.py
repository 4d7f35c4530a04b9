"""Which messages of a call have been observed before, so that a call that is repeated changes nothing.

A message with an id is known by its id in its conversation. Messages without ids are known by their order: the last
turns that this caller observed are looked for in the list, and everything up to where they end is known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct

from memfort.capture.messages import Message
from memfort.engine.engine import MESSAGE, turn_value
from memfort.engine.indexing.embedding import SPEAKER
from memfort.engine.view import View
from memfort.model.item import Item, Origin, is_in_force
from memfort.operations.capture.conversation import Place, is_summary
from memfort.operations.capture.speakers import Speakers

_TAIL = 64  # turns at most by which a list without ids is recognised
_BEFORE = 4  # turns before the new messages that an extractor reads
_SURE = 3  # equal turns in a row that are no coincidence, even if one before them differs
_AT_ONCE = 500


class Recognised(Struct, frozen=True):
    """The messages that were observed before, by their places in the call: each with its turn, or with nothing if it
    was left out at that time. And the last turns of each conversation."""

    known: dict[int, Item | None]
    before: Mapping[Place, Sequence[Item]]


class Spoken(Struct, frozen=True):
    """What two messages have in common if they are the same."""

    origin: Origin
    speaker: str | None
    text: str


def recognise(view: View, places: Mapping[int, Place], messages: Sequence[Message]) -> Recognised:
    """Find the messages that were observed before. `places` are the conversations of the messages."""
    known: dict[int, Item | None] = {}
    before: dict[Place, Sequence[Item]] = {}
    by_place: defaultdict[Place, list[Message]] = defaultdict(list)
    for message in messages:
        if message.skipped is None:
            by_place[places[message.index]].append(message)
    for place, said in by_place.items():
        without_id = [one for one in said if one.id is None]
        # As many turns as the list can repeat; in a chat those of others stand between them.
        last = _last_turns(view, place, min(2 * len(without_id), _TAIL) + _BEFORE)
        known |= known_by_id(view, place, [one for one in said if one.id is not None])
        known |= _known_by_order(view, without_id, last)
        before[place] = [item for item in last if is_in_force(item)][-_BEFORE:]
    return Recognised(known, before)


def _last_turns(view: View, place: Place, limit: int) -> list[Item]:
    """The last turns of a conversation, in any state, without summaries."""
    found = view.store.turns(view.decision_view.sight, place.space, place.conversation, limit, ended=True)
    return [item for item in found if not is_summary(item)]


def known_by_id(view: View, place: Place, messages: Sequence[Message]) -> dict[int, Item | None]:
    """The messages with an id whose turn is there, in any state."""
    here, value = view.decision_view.sight, view.store.keys.value
    values = {one.index: value(turn_value(place.conversation, str(one.id))) for one in messages}
    asked, found = list(dict.fromkeys(values.values())), dict[bytes, Item]()
    for start in range(0, len(asked), _AT_ONCE):
        found |= view.store.turns_with_values(here, place.space, asked[start : start + _AT_ONCE])
    return {index: found[value] for index, value in values.items() if value in found}


def _known_by_order(view: View, messages: Sequence[Message], last: Sequence[Item]) -> dict[int, Item | None]:
    if not messages:
        return {}
    turns = [item for item in last if item.author.key == view.actor.key and MESSAGE not in item.provenance]
    speakers = Speakers(view)
    said = [Spoken(one.origin, speakers.of(one).person or speakers.of(one).name, one.text) for one in messages]
    before = [Spoken(item.origin, item.stated_by or _named(item), item.text) for item in turns]
    end, matched = _find_end(said, before)
    known: dict[int, Item | None] = {one.index: None for one in messages[:end]}
    for step in range(matched):
        known[messages[end - 1 - step].index] = turns[-1 - step]
    return known


def _named(item: Item) -> str | None:
    name = item.provenance.get(SPEAKER)
    return name if isinstance(name, str) else None


def _find_end(said: Sequence[Spoken], before: Sequence[Spoken]) -> tuple[int, int]:
    """How many of the messages are known, and how many turns say so: the longest run of the last turns that ends in the
    list. It counts if it reaches the beginning of either, or is long enough."""
    best = (0, 0)
    for end in range(1, len(said) + 1):
        run = 0
        while run < min(end, len(before)) and said[end - 1 - run] == before[-1 - run]:
            run += 1
        if run and (run == min(end, len(before)) or run >= _SURE) and run > best[1]:
            best = (end, run)
    return best
