"""Promote a memory: the one way for it to change its space.

A linked copy goes to the target if every gate there admits it, and the source becomes a tombstone. Every call ends in a
promotion or a recorded refusal.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.inputs import space_of
from memfort.engine.redact import redact_moved
from memfort.engine.resolve_id import resolve_id
from memfort.engine.transaction import Session, Transaction
from memfort.errors import Denied, InvalidInput
from memfort.model.audience import learned_of
from memfort.model.decision import Decision, Outcome, Verdict
from memfort.model.item import NOTHING, PASSED_ON, Candidate, Facts, Item, Status, is_live
from memfort.model.people.directory import Trust, principal_of
from memfort.model.people.person import is_made
from memfort.model.reason import Reason, explanation
from memfort.model.space import Level, Space
from memfort.operations.admit.enrich import readers_of_person
from memfort.operations.admit.write import write
from memfort.operations.directory.shares import held_by
from memfort.operations.people.resolve.unknown_person import unknown_person_id
from memfort.operations.requests import Coordinates, MemoryId, Request
from memfort.operations.touched import places_of, spaces_of
from memfort.operations.write.promotion import may_release, settle_promotion, trust_in
from memfort.operations.write.propose import may_propose, propose
from memfort.policy.admission import Placement, refuse_return
from memfort.policy.gates.border import BorderDecision, is_trusted, pass_on_border, promotion_border
from memfort.policy.people import is_known_in
from memfort.policy.settings.sections import Promotion
from memfort.policy.sight import joined_sight

MANUAL = "manual"
RELEASED = "released"  # another member of a private chat proposed it, and whoever may release it agreed


class PromoteRequest(Request, frozen=True):
    """A memory and its target space."""

    id: Annotated[MemoryId, Meta(description="The memory.")]
    to: Annotated[Coordinates, Meta(description="The space it goes to.")]


def touches(session: Session, request: PromoteRequest) -> list[Space]:
    return places_of(session, [*spaces_of(session, [request.id]), request.to])


def handle(tx: Transaction, request: PromoteRequest) -> Outcome:
    """Move a memory into another space, where the actor may write too. A memory that the actor reads through a share
    is copied, if the share may be passed on, and stays where it is."""
    target = space_of(tx.standpoint, request.to)
    id = resolve_id(tx, request.id)
    if (shared := _find_shared(tx, id)) is not None:
        return redact_moved(tx, pass_on(tx, shared, target, _provenance(tx, shared)), shared)
    source = _find_promotable(tx, id)
    if not is_live(source, tx.now):
        raise InvalidInput("id", f"`{id}` is {source.status}, not in force", "promote a memory in force")
    return redact_moved(tx, promote_item(tx, source, target, MANUAL), source)


def _find_promotable(tx: Transaction, id: str) -> Item:
    """A memory that the actor may end; or that it may propose to promote, which is decided by others."""
    for item in tx.items([id]):
        if tx.is_shown(item) and may_propose(tx, item):
            return item
    return tx.find_changeable(id)


def _find_shared(tx: Transaction, id: str) -> Item | None:
    """A memory in force that the actor reads through a share."""
    for item in tx.items([id]):
        seen = tx.sight.seen(item.space)
        if seen is not None and seen.reason is Reason.SHARED_WITH_YOU and tx.is_shown(item):
            if not seen.may_share:
                raise Denied(Reason.NOT_TO_PASS_ON, explanation(Reason.NOT_TO_PASS_ON))
            return item
    return None


def pass_on(tx: Transaction, source: Item, target: Space, provenance: Facts) -> Outcome:
    """Copy a memory out of a shared space. The copy says where it is from and who shared it, and ends with its
    source. A refusal is recorded in the asker's own chain: the space's owner need not know what a reader tried."""
    crossing = pass_on_border(source, target, tx.sight.seen(target), tx.policy)
    if crossing.allowed and not may_release(tx.actor, source):
        crossing = BorderDecision(Reason.LEARNED_IN_PRIVATE, crossing.way)
    if not crossing.allowed:
        decision = Decision(Verdict.DENIED, "border", crossing.reason, tx.policy.digest)
        return deny(tx, source.space, target.levels, decision, PASSED_ON)
    waits = crossing.way is not None and crossing.way.approvals > 0
    outcome = write(tx, _placement(tx, source, target, PASSED_ON, waits=waits, provenance=provenance))
    if outcome.item is None or outcome.reason is Reason.DUPLICATE:
        return deny(tx, source.space, target.levels, replace(outcome.decision, verdict=Verdict.DENIED), PASSED_ON)
    return outcome


def _provenance(tx: Transaction, source: Item) -> Facts:
    """Who wrote a memory first, and who shared it with the actor."""
    share = next(one for one in held_by(tx) if one.space == source.space and one.may_pass_on)
    origin = source.provenance.get("origin") if source.promotion_reason == PASSED_ON else None
    via = principal_of(share.granted_by)
    return MappingProxyType({"origin": str(origin or principal_of(source.author)), "via": str(via)})


def promote_item(tx: Transaction, source: Item, target: Space, reason: str, *, is_released: bool = False) -> Outcome:
    """The same for a memory that is known to be in force where the actor may write. `is_released`: whoever may release
    it from the private chat where it was learned has agreed."""
    tx = _reaching_chat(tx, target)
    crossing = promotion_border(source, target, tx.sight.seen(target), tx.policy)
    if crossing.allowed and not _may_propose(tx, target, crossing.way):
        crossing = BorderDecision(Reason.LEVEL_TOO_LOW, crossing.way)
    if crossing.allowed and not is_released and not may_release(tx.actor, source):
        if (unfit := refuse_return(source, tx.policy)) is not None:  # a proposal shows its words to others
            return deny(tx, source, target.levels, unfit, reason)
        refused = propose(tx, source, target) if reason == MANUAL else Reason.LEARNED_IN_PRIVATE
        if refused is Reason.RELEASE_WAITS:
            return _proposed(tx)
        crossing = BorderDecision(refused, crossing.way)
    if not crossing.allowed:
        decision = Decision(Verdict.DENIED, "border", crossing.reason, tx.policy.digest)
        return deny(tx, source, target.levels, decision, reason)
    assert crossing.way is not None
    outcome = write(tx, _placement(tx, source, target, reason, waits=crossing.way.approvals > 0))
    if outcome.item is None or outcome.reason is Reason.DUPLICATE:
        denied = replace(outcome.decision, verdict=Verdict.DENIED)
        return deny(tx, source, target.levels, denied, reason)
    if outcome.item.status is Status.APPROVED:
        settle_promotion(tx, source, outcome.item)
    return outcome


def _proposed(tx: Transaction) -> Outcome:
    """Nothing has moved yet, and the proposal itself is for those alone who decide on it."""
    tx.apply([], [tx.actor_event("promote", "allowed", Reason.RELEASE_WAITS, {"gate": "border"})])
    decision = Decision(Verdict.PENDING, "border", Reason.RELEASE_WAITS, tx.policy.digest)
    return Outcome.of(decision, notice=f"proposed; {explanation(Reason.RELEASE_WAITS)}")


def _placement(
    tx: Transaction, source: Item, target: Space, reason: str, *, waits: bool, provenance: Facts = NOTHING
) -> Placement:
    """The copy of a memory, on its way to the target."""
    copy = _copy(source, waits=waits).filled(provenance=provenance)
    return Placement(
        copy.filled(subjects=_known_there(tx, copy, source.space, target)),
        target,
        is_enriched=True,
        promotes=source,
        finish=lambda made: _link_copy(made, source, reason, waits=waits),
    )


def deny(tx: Transaction, source: Item | Space, target: Iterable[Level], decision: Decision, why: str) -> Outcome:
    """Record a refusal, and why the promotion was asked for, in the chain of the source's space: the target must not
    learn of it. For a statement that was never kept there is only the space where it would have been, and the
    refusal goes to the asker's chain."""
    decision = replace(decision, detail={**decision.detail, "why": why})
    detail = {"gate": decision.gate, "levels": sorted(level.value for level in target), **decision.detail}
    if isinstance(source, Space):
        detail["from"] = sorted(level.value for level in source.levels)
        event = tx.actor_event("promote", "denied", decision.reason, detail)
    else:
        more = {"decision": "denied", "item": source.id, "detail": detail}
        event = tx.recorder.space_event(source.space, "promote", decision.reason, **more)
    tx.apply([], [event])
    return Outcome.of(decision)


def _may_propose(tx: Transaction, target: Space, way: Promotion | None) -> bool:
    """If others have to agree, a viewer may not propose either."""
    agreed = way is not None and way.approvals > 0
    return not agreed or is_trusted(trust_in(tx, target), Trust.CONTRIBUTOR)


def _reaching_chat(tx: Transaction, target: Space) -> Transaction:
    """A chat can be the target from anywhere for those who take part in it: in the chat itself they may not be able to
    see the source."""
    if target.get(Level.CHAT) is None or tx.sight.seen(target) is not None:
        return tx
    return tx.with_sight(joined_sight(tx.sight, tx.writable_in(target)))


def _copy(source: Item, *, waits: bool) -> Candidate:
    """The source as a statement for the target. Promoting a memory learned in private releases it from there."""
    learned = learned_of(source).released
    return Candidate(
        text=source.text,
        kind=source.kind,
        type=source.type,
        type_inferred=source.fades_at_us is not None,
        key=source.key,
        tags=source.tags,
        origin=source.origin,
        source=source.source,
        observed_at=source.observed_at_us,
        sensitivity=source.sensitivity,
        judgement=source.judgement,
        readers=source.readers,
        confidence=source.confidence,
        importance=source.importance,
        importance_reasons=source.importance_reasons,
        event_type=source.event_type,
        is_correction=source.is_correction,
        subjects=source.subjects,
        stated_by=source.stated_by,
        learned_in=learned.chat,
        learned_kind=learned.kind,
        learned_with=learned.listeners,
        portable=source.portable,
        occurred=source.occurred,
        expires_at=source.expires_at_us,
        status=Status.PENDING if waits else None,
        meta=source.meta,
    )


def _known_there(tx: Transaction, copy: Candidate, source: Space, target: Space) -> tuple[str, ...]:
    """The persons a copy is about: users, and persons known to all who may read it. The id of any other person would
    reveal whom others know, so it becomes an unknown person; names in the text stay, since the text is what was
    promoted."""
    if target.is_private and target.get(Level.USER) is not None and target.get(Level.USER) == source.get(Level.USER):
        return copy.subjects  # it stays with the same user
    readers, made = readers_of_person(tx.actor, copy, target), [one for one in copy.subjects if is_made(one)]
    people = tx.store.people(tx.sight, made) if made else []
    known = {person.id for person in people if is_known_in(person.home, person.readers, target, readers)}
    about = (one if one in known or not is_made(one) else unknown_person_id(target, copy.text) for one in copy.subjects)
    return tuple(dict.fromkeys(about))


def _link_copy(made: Item, source: Item, reason: str, *, waits: bool) -> Item:
    why = Reason.PROMOTION_WAITS.value if waits and made.status is Status.PENDING else made.status_reason
    return replace(
        made, fades_at_us=source.fades_at_us, promoted_from=source.id, promotion_reason=reason, status_reason=why
    )
