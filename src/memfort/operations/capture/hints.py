"""Promotions that a message asks for: "remember this for the project"."""

from __future__ import annotations

from collections.abc import Sequence

from memfort.capture.promotion_hints import Hint
from memfort.engine.transaction import Transaction
from memfort.model.decision import Decision, Outcome, Verdict
from memfort.model.item import Item, Kind, Status, is_live
from memfort.model.people.actor import Standpoint
from memfort.model.reason import Reason
from memfort.model.space import Level, Space
from memfort.operations.write.promote import deny, promote_item
from memfort.policy.settings.policy import Policy


def follow_hint(tx: Transaction, hint: Hint, space: Space, statements: Sequence[Outcome]) -> list[Outcome]:
    """Do what the hint of a message asks for, with each of its statements. One that was not kept cannot be promoted,
    and that is recorded too. `space` is that of the conversation."""
    target, results = target_of(tx.standpoint, hint.level), []
    for outcome in statements:
        item = outcome.item
        is_own_fact = item is not None and item.kind is Kind.PROFILE
        if (is_own_fact and hint.level is not Level.USER) or (item is not None and item.space == target):
            continue  # a profile fact belongs to its speaker; and what is there already need not go there
        source = _find_live(tx, outcome)
        if target is not None and source is not None:
            results.append(promote_item(tx, source, target, hint.reason))
        else:
            decision = _refusal(tx.policy, outcome, target)
            results.append(deny(tx, item or space, [hint.level], decision, hint.reason))
    return results


def target_of(standpoint: Standpoint, level: Level) -> Space | None:
    """The space that a hint means: the standpoint's own coordinate at that level, alone."""
    if level is Level.SYSTEM:
        return Space.of({Level.SYSTEM.value: ""})
    id = standpoint.get(level)
    return None if id is None else Space.of({level.value: id})


def _find_live(tx: Transaction, outcome: Outcome) -> Item | None:
    """The memory of a statement, if it is in force: another statement may have replaced or evicted it since."""
    if outcome.item is None:
        return None
    found = tx.within(outcome.item.space).items([outcome.item.id])
    return next((item for item in found if is_live(item, tx.now)), None)


def _refusal(policy: Policy, outcome: Outcome, target: Space | None) -> Decision:
    """Why a hint cannot be followed: there is no such place, or nothing in force that could go there."""
    if target is None:
        return Decision(Verdict.DENIED, "border", Reason.NOT_WHERE_YOU_STAND, policy.digest)
    reason, gate = outcome.reason, outcome.decision.gate
    if outcome.item is not None and outcome.item.status is Status.APPROVED:
        reason, gate = Reason.EVICTED, "budget"
    return Decision(Verdict.DENIED, gate, reason, policy.digest)
