"""New wordings of a memory: what they take over from it, and whether they may replace it."""

from __future__ import annotations

from typing import Any

from memfort.engine.lifecycle.proposals import is_proposal
from memfort.engine.view import View
from memfort.errors import InvalidInput, NotFound
from memfort.model.decision import Decision, Verdict
from memfort.model.item import Candidate, Item, Status
from memfort.model.reason import Reason
from memfort.policy.admission import Placement, may_replace, screen


def find_correctable(view: View, id: str) -> Item:
    """A memory that a correction can replace: in force or pending, where the actor may write."""
    target = view.find_changeable(id)
    if target.status is Status.SUPERSEDED:
        raise NotFound("memory", id)
    check_not_proposal(target)
    return target


def check_not_proposal(item: Item) -> None:
    """Refuse to change the words of a proposal: they are those of the memory it is about."""
    if is_proposal(item):
        raise InvalidInput("id", f"`{item.id}` is a proposal to promote a memory", "approve or reject it")


def authority_refusal(view: View, candidate: Candidate, target: Item) -> Decision | None:
    """The refusal of a new wording that has too little authority to replace the old one."""
    screened = screen(view.actor, view.sight.seen(target.space), Placement(candidate, target.space), view.policy)
    if screened.is_denied or may_replace(screened.authority, target, view.policy):
        return None
    return Decision(Verdict.DENIED, "conflict", Reason.OUTRANKED, view.policy.digest)


def kept_fields(item: Item) -> dict[str, Any]:
    """What a new wording of a memory takes over from it."""
    return {
        "kind": item.kind,
        "type": item.type,
        "key": item.key,
        "tags": item.tags,
        "access": item.readers,
        "derived_from": item.derived_from,
        "event_type": item.event_type,
        "subjects": item.subjects,
        "portable": item.portable,
        "meta": item.meta,
        "conversation": item.conversation,
    }
