"""A world of a replay: what would have become of a history under a policy.

It asks the code that decides a write, a review, a promotion or a phase for real, on a store of its own. What cannot be
done here, because what it was done to is not there or not in that state, is not done.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, cast

from memfort.clock import FixedClock
from memfort.errors import Denied, InvalidInput, NotFound
from memfort.memory.engine import Engine
from memfort.memory.forgetting import forget
from memfort.memory.lifetimes import changed, retire
from memfort.memory.observing import slide_window
from memfort.memory.phasing import start
from memfort.memory.promoting import promote_item, settle_promotion, source_of
from memfort.memory.reviewing import approve, pending, reject
from memfort.memory.simulation.history import Deed
from memfort.memory.simulation.replaying import Entry, Ruling, as_edit, as_told, as_wording, note
from memfort.memory.simulation.store import WorldStore
from memfort.memory.writing import correctable, outranked, ticks_left, write
from memfort.model.actor import Actor, ActorKind, Standpoint
from memfort.model.decision import Outcome, Verdict
from memfort.model.item import Candidate, Item, Status, is_live
from memfort.model.moment import Moment
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import Coordinate, Level, Space
from memfort.policy.settings import Policy
from memfort.policy.sight import own_spaces_sight, unheard
from memfort.policy.standing import Memberships
from memfort.store.port import Store
from memfort.trace.event import Event

_NOT_POSSIBLE = (Denied, InvalidInput, NotFound)


class _Deciding(Engine):
    """An engine for what was done before. Who reviewed or forgot something was in a room where they could see it."""

    def sight(self, standpoint: Standpoint) -> Sight:
        return unheard(self.sight_in_room(standpoint))

    def sight_in_room(self, standpoint: Standpoint) -> Sight:
        return super().sight(standpoint)


class World:
    """What is kept, and what was decided, while a history is played under a policy."""

    def __init__(self, replayed: Store, policy: Policy, known: dict[str, Item]) -> None:
        self.rulings: dict[str, Ruling] = {}
        self._known = known  # the memories of the history, as they are in ours
        self._clock = FixedClock(Moment(0))
        self._store = WorldStore(replayed, self._note)
        self._store.reserve(known.values())
        self._engine = _Deciding(cast("Store", self._store), self._clock, policy, Memberships.TRUSTED)

    def turn_to(self, at: Moment, policy: Policy) -> None:
        """Let time pass until `at`, and decide by this policy from there on."""
        self._clock.set(at)
        self._store.sweep(at)
        if policy is not self._engine.policy:
            self._engine.use(policy)

    def ticks_behind(self, item: Item) -> int:
        """How many more memories had come into force beside one in ours, before it did, than have here."""
        return item.created_tick - 1 - self._store.ticks(item) if item.created_tick else 0

    def pass_ticks(self, item: Item, count: int) -> None:
        self._store.pass_ticks(item, count)

    # -- writing -----------------------------------------------------------------------------------------------------

    def write(self, entry: Entry, candidate: Candidate) -> None:
        """Put one statement to the gates, among what is here."""
        item = entry.item
        self._store.number = item.number
        try:
            self._settle(item, self._written(entry, candidate))
        except NotFound:  # what it is a new wording of
            self.rulings[item.id] = Ruling(Verdict.DENIED, Reason.NOT_FOUND, None)
        except (InvalidInput, Denied):  # no such type, too old to be kept, or new words for what does not wait here
            self.rulings[item.id] = Ruling(Verdict.DENIED, Reason.INVALID, None)
        self._store.number = None

    def _settle(self, item: Item, outcome: Outcome) -> None:
        if outcome.item is None or outcome.reason is Reason.DUPLICATE:
            self.rulings[item.id] = Ruling(outcome.decision.verdict, outcome.reason, None)
        else:  # a copy has another name here if its source has turned out to be about somebody else since
            self.rulings[item.id] = self.rulings[outcome.item.id]

    def _written(self, entry: Entry, candidate: Candidate) -> Outcome:
        item = entry.item
        # What it came from may not be here; then nobody could have named it.
        there = tuple(id for id in candidate.derived_from if self._store.get(id) is not None)
        candidate = candidate.filled(derived_from=there)
        known = None if entry.is_imported or item.supersedes is None else self._known.get(item.supersedes)
        if known is None:
            return self._said(entry, as_told(candidate, entry, self._engine.policy))
        return self._edited(entry, candidate, known) if entry.is_edit else self._corrected(entry, candidate, known)

    def _said(self, entry: Entry, candidate: Candidate) -> Outcome:
        item = entry.item
        sight = self._sight(entry.actor, item)
        if entry.is_imported and item.space.get(Level.USER) == entry.actor.user is not None:
            sight = own_spaces_sight(entry.actor, [item.space])  # as an import sees one's own
        promotes = item if entry.is_copy else None  # from out of sight; that it could come here is taken as given
        return self._put(entry, sight, candidate, promotes=promotes)

    def _corrected(self, entry: Entry, candidate: Candidate, known: Item) -> Outcome:
        sight = self._sight(entry.actor, entry.item)
        target = correctable(self._engine, sight, known.id, entry.at)
        left = ticks_left(self._engine, sight, target)
        candidate = as_wording(candidate, entry.item, known, target, left)
        if (refused := outranked(self._engine, entry.actor, sight, candidate, target)) is not None:
            return Outcome(refused)
        return self._put(entry, sight, candidate, supersedes=target)

    def _edited(self, entry: Entry, candidate: Candidate, known: Item) -> Outcome:
        sight = self._sight(entry.actor, entry.item)
        target = pending(self._engine, sight, sight, known.id, entry.at)
        source = source_of(self._engine, target)
        candidate = as_edit(candidate, entry.item, known, target)
        if (refused := outranked(self._engine, entry.actor, sight, candidate, target)) is not None:
            return Outcome(refused)
        outcome = self._put(entry, sight, candidate, supersedes=target, edits=True, promotes=source)
        copy = outcome.item
        if copy is not None and copy.status is Status.APPROVED and source is not None and is_live(source, entry.at):
            settle_promotion(self._engine, entry.actor, sight, source, copy, entry.at)
        return outcome

    def _put(self, entry: Entry, sight: Sight, candidate: Candidate, **more: Any) -> Outcome:
        """Run the chain. Whom it is about and who may hear it was worked out then, from the words and the room."""
        return write(
            self._engine, entry.actor, sight, candidate, entry.item.space, entry.at, is_described=True,
            on_record=entry.is_on_record,
            finish=lambda made: made.but(**_brought(entry)), **more,
        )  # fmt: skip

    def promote(self, entry: Entry) -> None:
        """Take the way that a copy took. What is not in force here cannot take it, for the reason that it is not."""
        item = entry.item
        assert item.promoted_from is not None
        source = self._store.get(item.promoted_from)
        if source is None or not is_live(source, entry.at):
            ruling = self.rulings.get(item.promoted_from)  # a summary has none
            reason = Reason.NOT_FOUND if ruling is None else ruling.reason
            self.rulings[item.id] = Ruling(Verdict.DENIED, reason, None)
            return
        sight = self._sight(entry.actor, source, item.space)
        why = item.promotion_reason or ""
        self._store.number = item.number
        self._settle(item, promote_item(self._engine, entry.actor, sight, source, item.space, why, entry.at))
        self._store.number = None

    def slide(self, entry: Entry) -> None:
        """Let the oldest turns of a conversation leave its window."""
        item = entry.item
        slide_window(self._engine, entry.actor, self._sight(entry.actor, item), item.space, entry.at)

    # -- what was done to memories -----------------------------------------------------------------------------------

    def review(self, deed: Deed) -> None:
        item = self._there(deed)
        if item is None or (deed.action == "agree" and item.status_reason != Reason.PROMOTION_WAITS):
            return
        verb = reject if deed.action == "reject" else approve
        with suppress(*_NOT_POSSIBLE):
            verb(self._engine, _standpoint(deed.actor, None, item.space), [item.id])

    def forget(self, deed: Deed) -> None:
        item = self._there(deed)
        if item is None or item.deleted_at is not None:
            return
        if deed.actor.kind is ActorKind.SYSTEM:  # what went with something that its reader does not see
            retire(self._engine, deed.actor, item, "forget", Reason.FORGOTTEN, deed.at)
            return
        with suppress(*_NOT_POSSIBLE):
            forget(self._engine, _standpoint(deed.actor, None, item.space), [item.id])

    def end(self, deed: Deed, reason: Reason) -> None:
        """A memory that ended by what cannot be done again here."""
        item = self._there(deed)
        if item is not None and is_live(item, deed.at):
            retire(self._engine, deed.actor, item, deed.action, reason, deed.at)

    def give_way(self, deed: Deed) -> None:
        """A memory that was replaced by nothing that is decided here: by one that said so already, or that is gone."""
        item, winner = self._there(deed), deed.detail["by"]
        if item is None or item.deleted_at is not None or item.status is Status.SUPERSEDED:
            return
        other = self._store.get(winner)
        if winner in self._known and (other is None or not is_live(other, deed.at)):
            return
        after = changed(item, deed.at, status=Status.SUPERSEDED, superseded_by=winner)
        event = self._engine.changed("supersede", deed.actor, after, Reason.SUPERSEDED, deed.at)
        self._engine.apply([self._engine.update(after)], [event])

    def begin_phase(self, deed: Deed) -> None:
        with suppress(*_NOT_POSSIBLE):
            standpoint = _standpoint(deed.actor, None, deed.space)
            start(self._engine, standpoint, deed.space.as_dict(), deed.reason, deed.detail.get("name"))

    # -- inside ------------------------------------------------------------------------------------------------------

    def _there(self, deed: Deed) -> Item | None:
        return None if deed.item is None else self._store.get(deed.item.id)

    def _note(self, event: Event) -> None:
        item = None if event.item is None else self._store.get(event.item)
        if item is not None and event.decision != "denied":
            after = event.detail.get("after")
            if after is not None:
                note(self.rulings, item, event.action, event.decision, event.reason, after)

    def _sight(self, actor: Actor, item: Item, *spaces: Space) -> Sight:
        """What an actor saw who wrote an item, in the room where it was said."""
        return self._engine.sight_in_room(_standpoint(actor, item.learned_in, item.space, *spaces))


def _standpoint(actor: Actor, room: str | None, *spaces: Space) -> Standpoint:
    """Where somebody must have stood to do something in these spaces."""
    chat = [Coordinate(Level.CHAT, room)] if room else []
    places = dict.fromkeys((*chat, *(one for space in spaces for one in space.coordinates)))
    return Standpoint(actor, tuple(one for one in places if one.level is not Level.VISIBILITY))


def _brought(entry: Entry) -> dict[str, Any]:
    """What a memory has whatever a policy says: its name, and what an import or a promotion brought along."""
    item = entry.item
    kept: dict[str, Any] = {"id": item.id, "number": item.number, "author": item.author, "created_at": item.created_at}
    if entry.is_copy:
        return kept | {"promoted_from": item.promoted_from, "promotion_reason": item.promotion_reason}
    if not entry.is_imported:
        return kept
    kept |= {"expires_at": item.expires_at, "authority": item.authority, "promoted_from": item.promoted_from}
    if entry.was.status is Status.SUPERSEDED and entry.was.reason is not Reason.OUTRANKED:
        kept["status"] = Status.SUPERSEDED
    if entry.brings_tick:
        kept |= {"created_tick": item.created_tick, "expires_tick": item.expires_tick}
    return kept
