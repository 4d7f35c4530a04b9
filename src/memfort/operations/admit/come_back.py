"""Whether a memory may come into force with the words it has: one that waits and is approved, or one that ended and
comes back. The gates have admitted it before, perhaps under a looser policy."""

from __future__ import annotations

from memfort.engine.view import View
from memfort.language.normal_form import normal_text
from memfort.model.decision import Decision, Verdict
from memfort.model.item import Item, outweighs
from memfort.model.people.actor import ActorKind
from memfort.model.reason import Reason
from memfort.operations.admit.decide import highest
from memfort.policy.admission import HIGH_RISK, refuse_return
from memfort.policy.authority import authority_of_actor


def refusal_to_come_back(view: View, item: Item) -> Decision | None:
    """Why a memory may not come into force by the will of the actor, if it may not. The view's sight has its space."""
    if needs_person(view, item):
        return Decision(Verdict.DENIED, "personal", Reason.NEEDS_A_PERSON, view.policy.digest)
    if (refused := refuse_return(item, view.policy)) is not None:
        return refused
    if _is_rejected(view, item):
        return Decision(Verdict.DENIED, "tombstones", Reason.REJECTED_BEFORE, view.policy.digest)
    return None


def needs_person(view: View, item: Item) -> bool:
    """Whether an agent asks, and the memory has personal data that a person has to decide on."""
    return item.pii_risk >= HIGH_RISK and view.actor.kind is ActorKind.AGENT


def _is_rejected(view: View, item: Item) -> bool:
    """Whether its value was rejected with more authority than the actor has."""
    wordings = view.engine.wordings(item.kind, item.key, item.text, normal_text(item.text))
    rejected_by = highest(view.store.rejected_values(view.sight, item.space, item.readers, wordings), view.policy)
    return rejected_by is not None and outweighs(
        rejected_by, authority_of_actor(view.actor), view.policy.authority_order
    )
