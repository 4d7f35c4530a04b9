"""Replaying: the writes of one space decided again, one by one, among what a policy would have kept before them.

Pure but for what it is given. It asks the same gates that a write asks; it does not know of reviews that the new
policy would have called for, nor of limits that reach beyond the space.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from memfort.errors import InvalidInput
from memfort.model.actor import Actor
from memfort.model.decision import Verdict
from memfort.model.item import Candidate, Item, Kind, Readers, Status, is_expired
from memfort.model.moment import Moment
from memfort.model.phase import Phase, phase_index
from memfort.model.reason import Reason
from memfort.model.sight import SeenSpace
from memfort.policy.admit import Placed, Screened, earliest, importance_of, place, screen, value_of
from memfort.policy.budget import squeeze
from memfort.policy.phase import in_phase
from memfort.policy.retention import expiry, lifetime_ticks
from memfort.policy.sections import WhenFull
from memfort.policy.settings import Policy


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a policy makes of one write."""

    verdict: Verdict
    reason: Reason
    status: Status | None  # `None`: it is not kept
    expires_at: Moment | None = None
    ticks: int | None = None  # how many memories may come into force beside it


@dataclass(frozen=True, slots=True)
class Entry:
    """One write: the memory it made, who made it, when, and what was decided then."""

    item: Item
    actor: Actor
    at: Moment
    was: Ruling


@dataclass
class World:
    """What one space holds while its history is played again."""

    recorded: Mapping[str, Ruling]  # what was decided in ours
    rulings: dict[str, Ruling] = field(default_factory=dict)
    alive: dict[str, Item] = field(default_factory=dict)  # as this world has them: kept, and not replaced
    shelves: dict[tuple[Readers, str], list[str]] = field(default_factory=dict)  # ids by what they say
    written: dict[tuple[Readers, bytes], list[str]] = field(default_factory=dict)  # ids by their author


def candidate_of_then(entry: Entry, old: Policy, world: World) -> Candidate:
    """The statement as its author gave it, as far as can be told: what is exactly as the policy of then would have
    made it was not asked for."""
    item, rule = entry.item, old.types.get(entry.item.type)
    captured = bool(item.importance_reasons) and item.promoted_from is None
    of_its_type = not captured and rule is not None and rule.event_type is item.event_type
    added = {"source": item.origin.value, "timestamp": item.created_at}
    given = Candidate(
        text=item.text,
        kind=item.kind,
        type=None if item.type == old.default_type else item.type,
        key=item.key,
        tags=item.tags,
        origin=item.origin,
        source=item.source,
        observed_at=item.observed_at,
        sensitivity=item.sensitivity,
        readers=item.readers,
        confidence=item.confidence,
        importance=None if rule is not None and rule.importance == item.importance else item.importance,
        status=_asked_status(entry.was),
        derived_from=item.derived_from,
        event_type=None if of_its_type else item.event_type,
        is_correction=item.is_correction,
        subjects=item.subjects,
        captured=captured,
        provenance={name: value for name, value in item.provenance.items() if value != added.get(name)},
        meta=item.meta,
    )
    return replace(given, **_asked_lifetime(entry, given, old, world))


def decide_again(world: World, seen: SeenSpace, entry: Entry, candidate: Candidate, policy: Policy) -> None:
    """Put one write to the gates, among what this world holds, and let the world move on by it."""
    try:
        ruling = _decided(world, seen, entry, candidate, policy)
    except InvalidInput:  # the policy has no such type, or it would have been too old to be kept
        ruling = Ruling(Verdict.DENIED, Reason.INVALID, None)
    world.rulings[entry.item.id] = ruling


def _asked_status(was: Ruling) -> Status | None:
    asked = was.reason is Reason.ASKED_FOR and was.status is not Status.SUPERSEDED
    return was.status if asked else None


def _asked_lifetime(entry: Entry, given: Candidate, old: Policy, world: World) -> dict[str, Any]:
    """The limits that were asked for, and not the policy's."""
    item, was = entry.item, entry.was
    try:
        ends = earliest(expiry(given, item.type, item.event_type, old, entry.at), _limits(world, item))
    except (InvalidInput, KeyError):  # the policy that stands in has no such type
        ends = None
    asked = {} if ends == was.expires_at or was.expires_at is None else {"expires_at": was.expires_at}
    ticks = {} if lifetime_ticks(given, item.event_type, old) == was.ticks else {"ttl_ticks": was.ticks}
    return {**asked, **ticks}


def _limits(world: World, item: Item) -> list[Item]:
    """What the memory came from, as this world has it; what was said outlives the turn it was said in."""
    found = (world.alive.get(id) for id in item.derived_from)
    return [one for one in found if one is not None and one.kind is not Kind.SHORT_TERM]


def _decided(world: World, seen: SeenSpace, entry: Entry, candidate: Candidate, policy: Policy) -> Ruling:
    item, crosses = entry.item, entry.item.promoted_from is not None
    if candidate.captured:  # nobody named a type; the policy has one for what went by
        candidate = replace(candidate, type=policy.type_for(item.event_type))
    screened = screen(entry.actor, seen, item.space, candidate, policy, crosses=crosses)
    if screened.decision.verdict is Verdict.DENIED:
        return Ruling(Verdict.DENIED, screened.decision.reason, None)
    screened = replace(screened, authority=item.authority)
    placed = place(entry.actor, screened, _rivals(world, entry, screened.candidate, policy), None, policy, entry.at)
    if placed.duplicate is not None:
        return Ruling(Verdict.ALLOWED, Reason.DUPLICATE, None)
    kept = _kept(world, item, screened, placed, policy)
    losers = _losers(kept, placed)
    if kept.status is Status.APPROVED and not _fits(world, kept, losers, entry.at, policy):
        return Ruling(Verdict.DENIED, Reason.BUDGET_FULL, None)
    _settle(world, kept, losers)
    reason = screened.decision.reason if placed.beaten_by is None else placed.decision.reason
    verdict = Verdict.PENDING if kept.status is Status.PENDING else Verdict.ALLOWED
    return Ruling(verdict, reason, kept.status, kept.expires_at, placed.ticks)


def _rivals(world: World, entry: Entry, candidate: Candidate, policy: Policy) -> list[Item]:
    """What says the same in this world when the write comes."""
    item, at = entry.item, entry.at
    if item.kind is Kind.SHORT_TERM:
        return []
    said = value_of(candidate.kind, candidate.key, candidate.text)
    there = [world.alive[id] for id in world.shelves.get((item.readers, said), ()) if id in world.alive]
    now = Phase(phase_index(item.phase), "", 0)
    rivals = [_reviewed(rival, world.recorded[rival.id], at) for rival in there
              if rival.id != item.supersedes and _lasts(rival, at) and in_phase(rival, now, policy)]  # fmt: skip
    return [rival for rival in rivals if rival.status in {Status.APPROVED, Status.PENDING}]


def _reviewed(item: Item, was: Ruling, at: Moment) -> Item:
    """The memory with what a reviewer had made of it by then, if it waited in this world as it did in ours."""
    if item.status is Status.PENDING and was.status is Status.PENDING:
        if item.in_force_at is not None and item.in_force_at <= at:
            return replace(item, status=Status.APPROVED)
        if item.status_reason == Reason.REJECTED and item.updated_at <= at:
            return replace(item, status=Status.REJECTED)
    return item


def _lasts(item: Item, at: Moment) -> bool:
    """Whether nobody had ended it by then. What the policy of then ended, each world ends by its own."""
    by_policy = item.deleted_reason in {Reason.EVICTED, Reason.EXPIRED}
    return not is_expired(item, at) and (item.deleted_at is None or item.deleted_at > at or by_policy)


def _kept(world: World, item: Item, screened: Screened, placed: Placed, policy: Policy) -> Item:
    return replace(
        item,
        text=screened.candidate.text,
        status=screened.status if placed.beaten_by is None else Status.SUPERSEDED,
        importance=importance_of(screened, policy),
        expires_at=earliest(placed.expires_at, _limits(world, item)),
    )


def _losers(kept: Item, placed: Placed) -> set[str]:
    """What gives way to a memory: what it wins against, and what it is a new wording of."""
    reworded = kept.supersedes if kept.status is Status.APPROVED else None
    return {*(loser.id for loser, _ in placed.replaced), *([] if reworded is None else [reworded])}


def _fits(world: World, kept: Item, losers: set[str], at: Moment, policy: Policy) -> bool:
    """Whether there is room in the author's budget of the space, once the least important have made some."""
    if not policy.budget.is_limited:
        return True
    mine = [world.alive[id] for id in world.written.get((kept.readers, kept.author.key), ()) if id in world.alive]
    mine = [one for one in mine if one.status is Status.APPROVED and _lasts(one, at) and one.id not in losers]
    tight = squeeze(policy.budget, kept.kind, Counter(one.kind for one in mine), 0)
    if tight is None:
        return True
    least = sorted((one for one in mine if one.kind in tight.kinds), key=lambda one: (one.importance, one.created_at))
    if policy.budget.when_full is WhenFull.REFUSE or len(least) < tight.count:
        return False
    for one in least[: tight.count]:
        _end(world, one.id, Reason.EVICTED, None)
    return True


def _settle(world: World, kept: Item, losers: set[str]) -> None:
    """Enter what is kept; what gives way to it is kept no longer."""
    for id in losers:
        _end(world, id, Reason.SUPERSEDED, Status.SUPERSEDED)
    world.alive[kept.id] = kept
    said = value_of(kept.kind, kept.key, kept.text)
    world.shelves.setdefault((kept.readers, said), []).append(kept.id)
    world.written.setdefault((kept.readers, kept.author.key), []).append(kept.id)


def _end(world: World, id: str, reason: Reason, status: Status | None) -> None:
    if world.alive.pop(id, None) is not None:
        world.rulings[id] = replace(world.rulings[id], verdict=Verdict.ALLOWED, reason=reason, status=status)
