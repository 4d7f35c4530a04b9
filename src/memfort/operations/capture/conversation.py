"""The turns of a conversation that are in the window, and the summary of those that have left it."""

from __future__ import annotations

from msgspec import Struct

from memfort.capture.window import NO_SUMMARY, Summary, Turn, slide
from memfort.engine.transaction import Transaction
from memfort.engine.view import View
from memfort.language.normal_form import normal_text
from memfort.model.item import EVERYONE, Candidate, EventType, Item, Kind, Origin
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.operations.admit.enrich import learned_here
from memfort.operations.admit.write import write
from memfort.policy.admission import Placement
from memfort.policy.phase import in_phase
from memfort.store.port import Filter

SUMMARY_TAG = "summary"
_MANY_TURNS = 1000


class Conversation(Struct, frozen=True):
    """An actor's own conversation in a space and a room."""

    summary: Item | None
    turns: list[Item]  # oldest first


def conversation(view: View, space: Space) -> Conversation:
    """The actor's own conversation in a space and in this chat. The chat took part in it, so nothing is withheld."""
    here, chat = view.decision_view.within(space).sight, learned_here(view.sight).chat

    def is_mine(item: Item) -> bool:
        current = in_phase(item, here.phase_of(space), view.policy)
        return current and item.author.key == view.actor.key and item.readers.is_open and item.learned_in == chat

    wanted = Filter(kinds=frozenset({Kind.SHORT_TERM}), and_only=is_mine)
    mine = view.store.page(here, wanted, None, _MANY_TURNS, view.now)
    turns = sorted((item for item in mine if not _is_summary(item)), key=lambda item: item.number)
    return Conversation(next(filter(_is_summary, mine), None), turns)


def slide_window(tx: Transaction, space: Space) -> Item | None:
    """Let the oldest turns leave the window, and keep a line of each in the summary."""
    limit = tx.policy.budget.short_term
    known = conversation(tx, space)
    former, turns = known.summary, known.turns
    if limit is None or len(turns) <= limit:
        return former
    summary = NO_SUMMARY if former is None else Summary.from_text(former.text, former.derived_from)
    moved = slide([Turn(turn.id, turn.origin, turn.text) for turn in turns], limit, summary)
    gone = {turn.id for turn in moved.evicted}
    for turn in turns:
        if turn.id in gone:
            tx.as_system().retire(turn, "expire", Reason.DECAY, deleted=Reason.EXPIRED)
    summary = _without_rejected(tx, space, moved.summary)
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
        captured=True,
    )
    return write(tx, Placement(candidate, space, supersedes=former)).item


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


def _is_summary(item: Item) -> bool:
    """Whether it is a summary made here, with a line for each turn: any actor can put the tag on its own turn."""
    return SUMMARY_TAG in item.tags and len(item.derived_from) == len(item.text.split("\n"))
