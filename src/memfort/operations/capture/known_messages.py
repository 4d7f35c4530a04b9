"""Which messages of a call have been observed before, so that a call that is repeated changes nothing.

A message with an id is known by its id in its conversation. Messages without ids are known by their order: the last
turns that this caller observed are looked for in the list, and everything up to where they end is known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from memfort.capture.extraction import CONTEXT_TURNS
from memfort.capture.marks import is_only_marks, is_same_text
from memfort.capture.messages import Message
from memfort.engine.engine import MESSAGE, turn_value
from memfort.engine.indexing.embedding import SPEAKER
from memfort.engine.view import View
from memfort.model.item import EVERYONE, Item, Origin, is_in_force
from memfort.model.reason import Reason
from memfort.operations.capture.conversation import Place, is_summary
from memfort.operations.capture.speakers import Speakers

_TAIL = 64  # turns at most by which a list without ids is recognised
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
    has_ended: bool = False  # words of it were forgotten or erased

    def is_of(self, turn: Spoken) -> bool:
        """Whether a message is the one of a turn, which may have lost a sentence since."""
        if (self.origin, self.speaker) != (turn.origin, turn.speaker):
            return False
        return is_same_text(turn.text, self.text) if self.has_ended else turn.text == self.text


def recognise(
    view: View, places: Mapping[int, Place], messages: Sequence[Message], *, brings_undone: bool = False
) -> Recognised:
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
        last = _last_turns(view, place, min(2 * len(without_id), _TAIL) + CONTEXT_TURNS)
        with_id = [one for one in said if one.id is not None]
        known |= known_by_id(view, place, with_id, brings_undone=brings_undone)
        known |= _known_by_order(view, place, without_id, last)
        before[place] = [item for item in last if is_in_force(item)][-CONTEXT_TURNS:]
    return Recognised(known, before)


def _last_turns(view: View, place: Place, limit: int) -> list[Item]:
    """The last turns of a conversation, in any state, without summaries."""
    found = view.store.turns(view.decision_view.sight, place.space, place.conversation, limit, ended=True)
    return [item for item in found if not is_summary(item)]


def known_by_id(
    view: View, place: Place, messages: Sequence[Message], *, brings_undone: bool = False
) -> dict[int, Item | None]:
    """The messages with an id whose turn is there, in any state. With `brings_undone`, one that an undo took is
    new."""
    here, value = view.decision_view.sight, view.store.keys.value
    values = {one.index: value(turn_value(place.conversation, str(one.id))) for one in messages}
    asked, found = list(dict.fromkeys(values.values())), dict[bytes, Item]()
    for start in range(0, len(asked), _AT_ONCE):
        found |= view.store.turns_with_values(here, place.space, asked[start : start + _AT_ONCE])
    if brings_undone:
        found = {value: turn for value, turn in found.items() if not _is_undone(view, turn, value)}
    return {index: found[value] for index, value in values.items() if value in found}


def _is_undone(view: View, turn: Item, value: bytes) -> bool:
    """Whether an undo took a turn, and nothing brought it back."""
    is_gone = turn.deleted_reason == Reason.UNDONE
    return is_gone and not view.store.rivals(view.decision_view.sight, turn.space, turn.readers, value)


def _known_by_order(
    view: View, place: Place, messages: Sequence[Message], last: Sequence[Item]
) -> dict[int, Item | None]:
    if not messages:
        return {}
    own = [item for item in last if item.author.key == view.actor.key and MESSAGE not in item.provenance]
    turns = [item for item in own if not is_only_marks(item.text)]
    speakers, ended = Speakers(view), _ended_texts(view, place, messages) if own else _NONE_ENDED
    there = [one for one in messages if one.text not in ended.whole]
    said = [
        Spoken(one.origin, speakers.of(one).person or speakers.of(one).name, one.text, one.text in ended.partly)
        for one in there
    ]
    before = [Spoken(item.origin, item.stated_by or _named(item), item.text) for item in turns]
    end, matched = _find_end(said, before)
    if not end:
        return {one.index: None for one in _ended_after(messages, -1, ended.whole)} if own and not turns else {}
    place_of_last = there[end - 1].index
    known: dict[int, Item | None] = {one.index: None for one in messages if one.index <= place_of_last}
    known |= {one.index: None for one in _ended_after(messages, place_of_last, ended.whole)}
    for step in range(matched):
        known[there[end - 1 - step].index] = turns[-1 - step]
    return known


class _EndedTexts(Struct, frozen=True):
    """The texts of messages that were forgotten or erased here: as a whole, or in part."""

    whole: frozenset[str] = frozenset()
    partly: frozenset[str] = frozenset()


_NONE_ENDED = _EndedTexts()


def _ended_texts(view: View, place: Place, messages: Sequence[Message]) -> _EndedTexts:
    forms = {one.text: view.engine.ended_wordings(one.text) for one in messages}
    asked = list(dict.fromkeys(digest for digests in forms.values() for digest in digests))
    noted = view.store.rejected_values(view.decision_view.sight, place.space, EVERYONE, asked)
    ended = {one.value for one in noted if one.ended_at is not None}
    whole = frozenset(text for text in forms if view.engine.ended_digest(text) in ended)
    return _EndedTexts(whole, frozenset(text for text, digests in forms.items() if not ended.isdisjoint(digests)))


def _ended_after(messages: Sequence[Message], last: int, ended: frozenset[str]) -> Iterator[Message]:
    """The ended messages that follow directly on the last one that is known. What was said before and is said once more
    is new."""
    seen = {one.text for one in messages if one.index < last}
    for one in messages:
        if one.index > last:
            if one.text not in ended or one.text in seen:
                return
            seen.add(one.text)
            yield one


def _named(item: Item) -> str | None:
    name = item.provenance.get(SPEAKER)
    return name if isinstance(name, str) else None


def _find_end(said: Sequence[Spoken], before: Sequence[Spoken]) -> tuple[int, int]:
    """How many of the messages are known, and how many turns say so: the longest run of the last turns that ends in the
    list. It counts if it reaches the beginning of either, or is long enough."""
    best = (0, 0)
    for end in range(1, len(said) + 1):
        run = 0
        while run < min(end, len(before)) and said[end - 1 - run].is_of(before[-1 - run]):
            run += 1
        if run and (run == min(end, len(before)) or run >= _SURE) and run > best[1]:
            best = (end, run)
    return best
