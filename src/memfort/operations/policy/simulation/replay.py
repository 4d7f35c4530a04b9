"""A replay: what would have become of a recorded history under a policy.

It runs each recorded action through the operation that makes such a change for real, on a store of its own. An action
that is not possible in the replay, because its memory is not there or in another state, is left out.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from memfort.clock import FixedClock
from memfort.engine.engine import Engine
from memfort.engine.lifecycle.copies import source_of
from memfort.engine.transaction import Transaction
from memfort.errors import Denied, InvalidInput, NotFound
from memfort.model.decision import Outcome, Verdict
from memfort.model.item import PASSED_ON, Candidate, Item, Status, is_live
from memfort.model.moment import Moment
from memfort.model.people.actor import Actor, ActorKind, Standpoint
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import Coordinate, Level, Space
from memfort.operations.admit.ticks import ticks_left
from memfort.operations.admit.write import write
from memfort.operations.capture.conversation import Place, slide_window
from memfort.operations.policy.simulation.history import RecordedAction
from memfort.operations.policy.simulation.replay_store import ReplayStore
from memfort.operations.policy.simulation.writes import (
    RecordedWrite,
    Ruling,
    as_correction,
    as_edit,
    update_rulings,
    with_type,
)
from memfort.operations.requests import request_of
from memfort.operations.review.pending import find_pending
from memfort.operations.run import run
from memfort.operations.table import TABLE
from memfort.operations.write.promote import RELEASED, pass_on, promote_item
from memfort.operations.write.promotion import settle_promotion
from memfort.operations.write.wording import authority_refusal, find_correctable
from memfort.policy.admission import Placement
from memfort.policy.settings.policy import Policy
from memfort.policy.sight import decision_sight, maintenance_sight, own_spaces_sight
from memfort.policy.standing import Memberships
from memfort.store.port import Store
from memfort.trail.event import Event

_NOT_POSSIBLE = (Denied, InvalidInput, NotFound)


class _ReplayEngine(Engine):
    """An engine for actions of the past. An actor who reviewed or forgot a memory was where they could see it, so here
    they see it wherever they stood."""

    def sight(self, standpoint: Standpoint) -> Sight:
        return decision_sight(self.sight_with_listeners(standpoint))

    def sight_with_listeners(self, standpoint: Standpoint) -> Sight:
        return super().sight(standpoint)


class Replay:
    """The memories kept so far and the rulings on them, while a history is replayed under a policy."""

    def __init__(self, recorded: Store, policy: Policy, items: dict[str, Item]) -> None:
        self.rulings: dict[str, Ruling] = {}
        self._recorded_items = items  # the memories of the history, as they are in the recorded store
        self._clock = FixedClock(Moment(0))
        self._store = ReplayStore(recorded, self._on_event)
        self._store.reserve(items.values())
        self._engine = _ReplayEngine(self._store, self._clock, policy, Memberships.TRUSTED)

    def advance_to(self, at: Moment, policy: Policy) -> None:
        """Let time pass until `at`, and decide by this policy from there on."""
        self._clock.set(at)
        self._store.sweep(at)
        if policy is not self._engine.policy:
            self._engine.use_policy(policy)

    def ticks_behind(self, item: Item) -> int:
        """How many more memories had come into force beside an item when it was recorded than have in this replay."""
        return item.created_tick - 1 - self._store.ticks(item) if item.created_tick else 0

    def skip_ticks(self, item: Item, count: int) -> None:
        self._store.skip_ticks(item, count)

    # -- writing -----------------------------------------------------------------------------------------------------

    def write(self, written: RecordedWrite, candidate: Candidate) -> None:
        """Put one statement to the gates, among the memories of this replay."""
        item = written.item
        self._store.forced_number = item.number
        try:
            self._record_ruling(item, self._decide(written, candidate))
        except NotFound:  # the memory that it corrects
            self.rulings[item.id] = Ruling(Verdict.DENIED, Reason.NOT_FOUND, None)
        except (InvalidInput, Denied):  # no such type, too old to be kept, or an edit of a memory that does not wait
            self.rulings[item.id] = Ruling(Verdict.DENIED, Reason.INVALID, None)
        self._store.forced_number = None

    def _record_ruling(self, item: Item, outcome: Outcome) -> None:
        if outcome.item is None or outcome.reason is Reason.DUPLICATE:
            self.rulings[item.id] = Ruling(outcome.decision.verdict, outcome.reason, None)
        else:  # a copy has another id here if its source has turned out to be about another person since
            self.rulings[item.id] = self.rulings[outcome.item.id]

    def _decide(self, written: RecordedWrite, candidate: Candidate) -> Outcome:
        item = written.item
        # A memory that is not in this replay could not have been named as a source.
        sources = tuple(id for id in candidate.derived_from if self._store.get(id) is not None)
        candidate = candidate.filled(derived_from=sources)
        known = None if written.is_imported or item.supersedes is None else self._recorded_items.get(item.supersedes)
        if known is None:
            return self._remember(written, with_type(candidate, written, self._engine.policy))
        return self._edit(written, candidate, known) if written.is_edit else self._correct(written, candidate, known)

    def _remember(self, written: RecordedWrite, candidate: Candidate) -> Outcome:
        item, tx = written.item, self._transaction(written, written.item)
        if written.is_imported and item.space.get(Level.USER) == written.actor.user is not None:
            tx = tx.with_sight(own_spaces_sight(written.actor, [item.space]))  # as an import sees its importer's own
        promotes = item if written.is_copy else None  # from out of sight; that it was allowed is taken as given
        return write(tx, self._placement(written, candidate, promotes=promotes))

    def _correct(self, written: RecordedWrite, candidate: Candidate, known: Item) -> Outcome:
        tx = self._transaction(written, written.item)
        target = find_correctable(tx, known.id)
        candidate = as_correction(candidate, written.item, known, target, ticks_left(tx, target))
        if (refused := authority_refusal(tx, candidate, target)) is not None:
            return Outcome.of(refused)
        return write(tx, self._placement(written, candidate, supersedes=target))

    def _edit(self, written: RecordedWrite, candidate: Candidate, known: Item) -> Outcome:
        tx = self._transaction(written, written.item)
        target = find_pending(tx, known.id)
        source = source_of(self._engine, target)
        candidate = as_edit(candidate, written.item, known, target)
        if (refused := authority_refusal(tx, candidate, target)) is not None:
            return Outcome.of(refused)
        outcome = write(tx, self._placement(written, candidate, supersedes=target, is_edit=True, promotes=source))
        copy = outcome.item
        if copy is not None and copy.status is Status.APPROVED and source is not None and is_live(source, written.at):
            settle_promotion(tx, source, copy)
        return outcome

    def _placement(self, written: RecordedWrite, candidate: Candidate, **more: Any) -> Placement:
        """The statement as it was. The people it is about and its audience were worked out when it was recorded."""
        return Placement(
            candidate,
            written.item.space,
            is_enriched=True,
            on_record=written.is_on_record,
            finish=lambda made: replace(made, **_fixed_fields(written)),
            **more,
        )

    def promote(self, written: RecordedWrite) -> None:
        """Promote a memory again. One that is not in force in this replay is refused for the reason that it is not."""
        item = written.item
        assert item.promoted_from is not None
        source = self._store.get(item.promoted_from)
        if source is None or not is_live(source, written.at):
            ruling = self.rulings.get(item.promoted_from)  # a summary has none
            reason = Reason.NOT_FOUND if ruling is None else ruling.reason
            self.rulings[item.id] = Ruling(Verdict.DENIED, reason, None)
            return
        tx = self._transaction(written, source, item.space)
        self._store.forced_number = item.number
        is_passed_on = item.promotion_reason == PASSED_ON
        self._record_ruling(
            item,
            pass_on(tx, source, item.space, item.provenance)
            if is_passed_on
            else promote_item(
                tx, source, item.space, item.promotion_reason or "", is_released=item.promotion_reason == RELEASED
            ),
        )
        self._store.forced_number = None

    def slide_window(self, written: RecordedWrite) -> None:
        """Let the oldest turns of a conversation leave its window."""
        item = written.item
        if item.conversation is not None:
            slide_window(self._transaction(written, item), Place(item.space, item.conversation), [item])

    # -- changes of memories -----------------------------------------------------------------------------------------

    def review(self, recorded: RecordedAction) -> None:
        item = self._named(recorded)
        if item is None or (recorded.action == "agree" and item.status_reason != Reason.PROMOTION_WAITS):
            return
        verb = TABLE["review.reject" if recorded.action == "reject" else "review.approve"]
        with suppress(*_NOT_POSSIBLE):
            request = request_of(verb.request, {"ids": [item.id]})
            run(self._engine, _standpoint(recorded.actor, None, item.space, recorded.space), verb, request)

    def forget(self, recorded: RecordedAction) -> None:
        item = self._current(recorded)
        if item is None or item.deleted_at_us is not None:
            return
        if recorded.actor.kind is ActorKind.SYSTEM:  # it went together with a memory that its reader does not see
            self._acting(recorded).retire(item, "forget", Reason.FORGOTTEN)
            return
        with suppress(*_NOT_POSSIBLE):
            verb = TABLE["forget"]
            request = request_of(verb.request, {"ids": [item.id]})
            run(self._engine, _standpoint(recorded.actor, None, item.space), verb, request)

    def retire(self, recorded: RecordedAction, reason: Reason) -> None:
        """End a memory that ended by an action that cannot be replayed."""
        item = self._current(recorded)
        if item is not None and is_live(item, recorded.at):
            self._acting(recorded).retire(item, recorded.action, reason)

    def supersede(self, recorded: RecordedAction) -> None:
        """End a memory that was replaced by one that is not decided here: it was there already, or it is erased."""
        item, winner = self._current(recorded), recorded.detail["by"]
        if item is None or item.deleted_at_us is not None or item.status is Status.SUPERSEDED:
            return
        other = self._store.get(winner)
        if winner in self._recorded_items and (other is None or not is_live(other, recorded.at)):
            return
        tx = self._acting(recorded)
        after = tx.next_version(item, status=Status.SUPERSEDED, superseded_by=winner)
        tx.apply([tx.update(after)], [tx.event("supersede", after, Reason.SUPERSEDED)])

    def start_phase(self, recorded: RecordedAction) -> None:
        with suppress(*_NOT_POSSIBLE):
            verb, standpoint = TABLE["phase.start"], _standpoint(recorded.actor, None, recorded.space)
            space, name = recorded.space.to_dict(), recorded.detail.get("name")
            request = request_of(verb.request, {"reason": recorded.reason, "space": space, "name": name})
            run(self._engine, standpoint, verb, request)

    # -- inside ------------------------------------------------------------------------------------------------------

    def _current(self, recorded: RecordedAction) -> Item | None:
        return None if recorded.item is None else self._store.get(recorded.item.id)

    def _named(self, recorded: RecordedAction) -> Item | None:
        """The memory that the actor named: the one acted on, or the one that it was promoted from."""
        if recorded.item is None or not recorded.detail.get("by_source"):
            return self._current(recorded)
        return None if recorded.item.promoted_from is None else self._store.get(recorded.item.promoted_from)

    def _on_event(self, event: Event) -> None:
        item = None if event.item is None else self._store.get(event.item)
        if item is not None and event.decision != "denied":
            after = event.detail.get("after")
            if after is not None:
                update_rulings(self.rulings, item, event.action, event.decision, event.reason, after)

    def _acting(self, recorded: RecordedAction) -> Transaction:
        """A transaction of whoever did it. It names its memory, so nothing has to be in sight."""
        standpoint, call = Standpoint(recorded.actor, ()), self._engine.call(recorded.actor, "")
        return Transaction(self._engine, standpoint, maintenance_sight([recorded.space]), recorded.at, call)

    def _transaction(self, written: RecordedWrite, item: Item, *spaces: Space) -> Transaction:
        """A transaction of the author of an item, in the chat where it was said."""
        standpoint = _standpoint(written.actor, item.learned_in, item.space, *spaces)
        sight, call = self._engine.sight_with_listeners(standpoint), self._engine.call(written.actor, "")
        return Transaction(self._engine, standpoint, sight, written.at, call)


def _standpoint(actor: Actor, listeners: str | None, *spaces: Space) -> Standpoint:
    """Where an actor must have stood to do something in these spaces."""
    chat = [Coordinate(Level.CHAT, listeners)] if listeners else []
    places = dict.fromkeys((*chat, *(one for space in spaces for one in space.coordinates)))
    return Standpoint(actor, tuple(one for one in places if one.level is not Level.VISIBILITY))


def _fixed_fields(written: RecordedWrite) -> dict[str, Any]:
    """The fields of a memory that no policy decides: its id, and what came with an import or a promotion."""
    item = written.item
    kept: dict[str, Any] = {
        "id": item.id,
        "number": item.number,
        "author": item.author,
        "created_at_us": item.created_at_us,
    }
    if written.is_copy:
        return kept | {"promoted_from": item.promoted_from, "promotion_reason": item.promotion_reason}
    if not written.is_imported:
        return kept
    kept |= {"expires_at_us": item.expires_at_us, "authority": item.authority, "promoted_from": item.promoted_from}
    if written.ruling.status is Status.SUPERSEDED and written.ruling.reason is not Reason.OUTRANKED:
        kept["status"] = Status.SUPERSEDED
    if written.brings_tick:
        kept |= {"created_tick": item.created_tick, "expires_tick": item.expires_tick}
    return kept
