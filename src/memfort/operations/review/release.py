"""Decide on a proposal to promote a memory out of a private chat."""

from __future__ import annotations

from memfort.engine.call import Call
from memfort.engine.lifecycle.copies import source_of
from memfort.engine.lifecycle.proposals import proposer_of, target_of
from memfort.engine.transaction import Transaction
from memfort.errors import Denied, InvalidInput
from memfort.model.item import Item, Status, is_live
from memfort.model.people.actor import Standpoint
from memfort.model.reason import Reason, explanation
from memfort.model.space import Level
from memfort.operations.write.promote import RELEASED, promote_item
from memfort.operations.write.promotion import may_release
from memfort.operations.write.propose import proposals_of


def release(tx: Transaction, proposal: Item) -> Item:
    """Agree to a proposal: the memory is promoted as if its proposer could, by the rules of the target space. Refused,
    the proposal keeps waiting."""
    source = source_of(tx.engine, proposal)
    if source is None or not is_live(source, tx.now):
        raise InvalidInput("id", f"the source of `{proposal.id}` is not in force any more", "reject it")
    if not may_release(tx.actor, source):
        raise Denied(Reason.LEARNED_IN_PRIVATE, explanation(Reason.LEARNED_IN_PRIVATE))
    target = target_of(proposal)
    with Call(tx.engine, "", "promote"):  # not in the trace of whoever agrees: they need not stand at the target
        outcome = promote_item(_as_proposer(tx, proposal), source, target, RELEASED, is_released=True)
    if outcome.item is None:
        raise Denied(outcome.reason, outcome.decision.explanation)
    waiting = proposals_of(tx, source, target, {Status.PENDING})
    for other in waiting:
        if other.id != proposal.id:
            tx.as_system().retire(other, "release", Reason.RELEASED, traced=False)
    return tx.retire(proposal, "release", Reason.RELEASED)


def _as_proposer(tx: Transaction, proposal: Item) -> Transaction:
    """The same moment for the proposer, who stands at the target only."""
    coordinates = target_of(proposal).coordinates
    places = tuple(one for one in coordinates if one.level is not Level.VISIBILITY)
    return tx.from_standpoint(Standpoint(proposer_of(proposal), places))
