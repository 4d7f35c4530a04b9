"""The turns of a conversation that are in the window, and the summary of those that have left it. Every read is of a
bounded number of turns: what an answer costs does not grow with the conversation."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from memfort.capture.window import NO_SUMMARY, Summary, Turn, slide
from memfort.engine.transaction import Transaction
from memfort.engine.view import View
from memfort.language.normal_form import normal_text
from memfort.model.audience import Listeners, ListenersKind, audience_of
from memfort.model.item import EVERYONE, Candidate, EventType, Item, Kind, Origin
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.operations.admit.write import write
from memfort.policy.admission import Placement
from memfort.policy.phase import in_phase
from memfort.policy.settings.sections import KeptTurns

SUMMARY_TAG = "summary"
_MANY_TURNS = 1000
_AT_ONCE = 200  # turns that leave the window in one call at most; the rest leave with the next ones


class Place(Struct, frozen=True):
    """A conversation: its space and its name there."""

    space: Space
    conversation: str


class Conversation(Struct, frozen=True):
    """What the window of a conversation shows."""

    summary: Item | None
    turns: list[Item]  # oldest first


def conversation(view: View, place: Place) -> Conversation:
    """The last turns, as far as everyone who listens was there when they were said, whatever their sensitivity; and the
    summary of those before them."""
    limit = view.policy.budget.short_term or _MANY_TURNS
    last = [item for item in last_turns(view, place, limit + 1) if is_heard(view, item)]
    turns = [item for item in last if not is_summary(item)]
    return Conversation(next(filter(is_summary, reversed(last)), None), turns[-limit:])


def last_turns(view: View, place: Place, limit: int) -> list[Item]:
    """The last turns of the present phase for everyone who reads the space, oldest first, whoever may hear them now.
    Under a window the summary is among them."""
    here = view.decision_view.within(place.space).sight
    if here.seen(place.space) is None:
        return []
    phase = here.phase_of(place.space)
    found = view.store.turns(here, place.space, place.conversation, limit)
    return [item for item in found if in_phase(item, phase, view.policy) and item.readers.is_open]


def is_heard(view: View, item: Item) -> bool:
    """Whether a turn may be shown: by the rules for everything, or because everyone who listens now heard it when it
    was said, whatever its sensitivity."""
    if view.sight.admits(item):
        return True
    disclosure = view.sight.disclosure
    return disclosure is not None and _all_heard_it(disclosure.listeners, item)


def _all_heard_it(listeners: Listeners, item: Item) -> bool:
    """Nobody knows who else listens where the chat is not registered, as after a move to another store."""
    is_known = listeners.kind in {ListenersKind.PRIVATE, ListenersKind.GROUP}
    if not is_known or not item.learned_in or item.learned_in != listeners.chat:
        return False
    return bool(listeners.listening) and listeners.listening.issubset(item.learned_with)


# -- what leaves the window -------------------------------------------------------------------------------------------


def slide_window(tx: Transaction, place: Place, added: Sequence[Item]) -> Item | None:
    """Let the oldest turns leave the window, if the policy keeps no others, and keep a line of each in the summary."""
    limit = tx.policy.budget.short_term
    if tx.policy.conversation.turns is KeptTurns.ALL or limit is None or not added:
        return None
    last = last_turns(tx, place, limit + len(added) + _AT_ONCE)
    if not place.space.is_private:  # in a chat, only what the same people heard counts together
        last = [item for item in last if audience_of(item) == audience_of(added[-1])]
    former = next(filter(is_summary, reversed(last)), None)
    turns = [item for item in last if not is_summary(item)]
    if len(turns) <= limit:
        return former
    summary = NO_SUMMARY if former is None else Summary.from_text(former.text, former.derived_from)
    moved = slide([Turn(turn.id, turn.origin, turn.text) for turn in turns], limit, summary)
    gone = {turn.id for turn in moved.evicted}
    for turn in turns:
        if turn.id in gone:
            tx.as_system().retire(turn, "expire", Reason.DECAY, deleted=Reason.EXPIRED)
    summary = _without_rejected(tx, place.space, moved.summary)
    if not summary.text:
        return former
    candidate = Candidate(
        text=summary.text,
        kind=Kind.SHORT_TERM,
        type=tx.policy.type_for(EventType.CONTEXT),
        tags=(SUMMARY_TAG,),
        origin=Origin.AI,
        event_type=EventType.CONTEXT,
        importance_reasons=(f"event:{EventType.CONTEXT}", SUMMARY_TAG),
        derived_from=summary.turn_ids,
        conversation=place.conversation,
        captured=True,
    )
    placement = Placement(candidate, place.space, supersedes=former, has_speaker=True, is_excerpt=True)
    return write(tx, placement).item


def _without_rejected(tx: Transaction, space: Space, summary: Summary) -> Summary:
    """The summary without lines that a reviewer has rejected since they were said: with one of them, all of it would be
    refused."""
    forms = {
        segment: tx.engine.wordings(Kind.SHORT_TERM, None, segment.text, normal_text(segment.text))
        for segment in summary.segments
    }
    asked = [digest for digests in forms.values() for digest in digests]
    rejected = {one.value for one in tx.store.rejected_values(tx.decision_view.sight, space, EVERYONE, asked)}
    return Summary(tuple(segment for segment in summary.segments if rejected.isdisjoint(forms[segment])))


def is_summary(item: Item) -> bool:
    """Whether it is a summary made here, with a line for each turn: any actor can put the tag on its own turn."""
    return SUMMARY_TAG in item.tags and len(item.derived_from) == len(item.text.split("\n"))
