"""Record refusals, and values that a reviewer rejected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memfort.engine.engine import Engine
from memfort.engine.transaction import Transaction
from memfort.language.words import content_words
from memfort.model.audience import audience_of
from memfort.model.decision import Decision, Outcome
from memfort.model.item import Candidate, Item, Status
from memfort.model.moment import Moment
from memfort.model.people.actor import Actor
from memfort.model.space import Space
from memfort.policy.admission import Admission
from memfort.policy.authority import authority_of_actor
from memfort.policy.rejected_form import end_markers
from memfort.policy.settings.policy import Policy
from memfort.store.port import Change, DropRejectedValue, PutRejectedValue, RejectedValue


def refuse(tx: Transaction, action: str, decision: Decision, candidate: Candidate, space: Space) -> Outcome:
    """Record a refusal in the asker's own chain. The refused text is not in it, not even as a digest: only its kind,
    origin and event type, in words from closed lists."""
    # Nor does it contain the names of the space: they come from the caller too, and can hide a secret.
    levels = sorted(level.value for level in space.levels)
    detail = {"gate": decision.gate, "levels": levels, "attempted": _labels(candidate, tx.policy), **decision.detail}
    tx.apply([], [tx.actor_event(action, "denied", decision.reason, detail)])
    return Outcome.of(decision)


def _labels(candidate: Candidate, policy: Policy) -> dict[str, str]:
    of_its_type = policy.types[policy.resolve_type(candidate.type)].event_type
    return {
        "kind": candidate.kind.value,
        "source": candidate.origin.value,
        "event_type": (candidate.event_type or of_its_type).value,
    }


def rejected_value_of(tx: Transaction, item: Item) -> RejectedValue:
    """The rejected value that keeps an item's text from being learned again automatically."""
    return RejectedValue(item.space, item.readers, tx.engine.rejected_form(item), authority_of_actor(tx.actor))


def ended_value_of(engine: Engine, actor: Actor, item: Item, now: Moment) -> list[RejectedValue]:
    """What keeps the words of a memory that ends from coming back with older material. A memory that a reviewer
    rejected has such a value already, and words without content are said too often to mean this memory."""
    if item.status is Status.REJECTED or not content_words(item.text):
        return []
    value, authority = engine.ended_form(item), authority_of_actor(actor)
    return [RejectedValue(item.space, item.readers, value, authority, now, audience_of(item))]


def lifted_values(
    tx: Transaction, admission: Admission, item: Item, found: Sequence[RejectedValue]
) -> list[RejectedValue]:
    """Those of the values that a new memory lifts: only those for its own readers, since others would notice a memory
    that they may not see, and of ended words only those that its own audience could hear. That all of a space or person
    has ended stays true of the rest."""
    markers, audience = {tx.store.keys.value(form) for form in end_markers(item.subjects)}, audience_of(item)
    here = [one for one in found if one.readers == item.readers]
    rejected = [one for one in here if one.ended_at is None and admission.lifts_rejection]
    ended = [one for one in here if one.ended_at is not None and admission.lifts_ending and one.audience == audience]
    return [*rejected, *(one for one in ended if one.value not in markers and one.is_known_to(tx.sight))]


def rejection_changes(tx: Transaction, item: Item, lifted: Sequence[RejectedValue]) -> list[Change]:
    """The changes of a new memory to rejected values: it is rejected itself, or it lifts earlier rejections."""
    if item.status is Status.REJECTED:
        return [PutRejectedValue(rejected_value_of(tx, item))]
    return [DropRejectedValue(one) for one in lifted]


def rejection_detail(engine: Engine, changes: Sequence[Change]) -> dict[str, Any]:
    """The trail's fields for values that are rejected or allowed again: their digests and the key of these."""
    found = [_rejection(engine, one) for one in changes if isinstance(one, PutRejectedValue | DropRejectedValue)]
    return {"rejected_values": found} if found else {}


def _rejection(engine: Engine, change: PutRejectedValue | DropRejectedValue) -> dict[str, Any]:
    rejected = change.rejected_value
    return {
        "readers": rejected.readers.to_dict(),
        "value": rejected.value.hex(),
        "authority": rejected.authority.value if isinstance(change, PutRejectedValue) else None,
        "key": engine.store.keys.fingerprint,
        **({} if rejected.ended_at is None else {"ended_at": rejected.ended_at, "audience": rejected.audience.text}),
    }
