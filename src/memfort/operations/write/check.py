"""Say whether a call would be allowed, without doing it. It runs the checks of writes, so it lives beside them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from memfort.engine.default_place import place_of
from memfort.engine.inputs import candidate_of
from memfort.engine.resolve_id import resolve_id
from memfort.engine.view import View
from memfort.errors import Denied, NotFound
from memfort.model.decision import Decision, Verdict
from memfort.model.item import Item
from memfort.model.reason import Reason
from memfort.operations.admit.write import rehearse
from memfort.operations.ending.erase import find_erasable
from memfort.operations.explain.verdict import why_out_of_sight
from memfort.operations.read.history import find_readable
from memfort.operations.requests import Coordinates, MemoryId, Text
from memfort.operations.review.pending import find_pending, find_rejectable
from memfort.operations.write.promotion import agree
from memfort.operations.write.statement import StatedVisibility, StatementRequest, given_fields
from memfort.operations.write.used import usable
from memfort.operations.write.wording import find_correctable
from memfort.policy.admission import Placement
from memfort.policy.gates.border import refusal_of


class CheckedVerb(StrEnum):
    """The verbs that can be checked."""

    REMEMBER = "remember"
    GET = "get"
    HISTORY = "history"
    USED = "used"
    FORGET = "forget"
    ERASE = "erase"
    CORRECT = "correct"
    APPROVE = "approve"
    REJECT = "reject"
    EDIT = "edit"
    RECALL = "recall"
    LIST = "list"
    SHARE = "share"


_REVIEWS = {CheckedVerb.APPROVE, CheckedVerb.REJECT, CheckedVerb.EDIT}
_BY_SPACE = {CheckedVerb.RECALL, CheckedVerb.LIST, CheckedVerb.SHARE}
_READS_BY_ID = {CheckedVerb.GET, CheckedVerb.HISTORY}  # nothing is found in a chat where the actor does not take part


class CheckRequest(StatementRequest, frozen=True, kw_only=True):
    """A call that might be made."""

    verb: Annotated[CheckedVerb, Meta(description="The verb to check.")]
    id: Annotated[MemoryId | None, Meta(description="The memory that the verb applies to.")] = None
    text: Annotated[Text | None, Meta(description="With `remember`: the statement.")] = None
    captured: Annotated[
        bool | None, Meta(description="With `remember`: whether it was captured from a conversation.")
    ] = None
    space: Annotated[Coordinates | None, Meta(description="Where: for `remember`, `recall`, `list`, `share`.")] = None
    visibility: StatedVisibility = None


def handle(view: View, request: CheckRequest) -> Decision:
    """Whether the actor could do this now. It changes and records nothing."""
    if request.verb not in _READS_BY_ID and not view.sight.takes_part:
        return _denied(view, "border", Reason.NOT_A_PARTICIPANT)
    if request.verb is CheckedVerb.REMEMBER:
        return _check_remember(view, request)
    return _check_by_space(view, request) if request.verb in _BY_SPACE else _check_by_id(view, request)


def _check_remember(view: View, request: CheckRequest) -> Decision:
    given = {name: value for name, value in given_fields(request).items() if name not in {"verb", "id"}}
    candidate = candidate_of(view.actor, given)
    return rehearse(view, Placement(candidate, place_of(view, candidate)))


def _check_by_id(view: View, request: CheckRequest) -> Decision:
    id = resolve_id(view, request.id, view.reviewable if request.verb in _REVIEWS else None)
    try:
        _find_for(view, request.verb, id)
    except NotFound:
        return _denied(view, "sight", Reason.NOT_FOUND)
    except Denied as refused:
        return _denied(view, "sight", Reason(refused.reason))
    return Decision(Verdict.ALLOWED, "sight", Reason.VISIBLE, view.policy.digest)


def _find_for(view: View, verb: CheckedVerb, id: str) -> None:
    """Look the memory up as the verb would, or raise what the verb would."""
    match verb:
        case CheckedVerb.GET:
            if not any(view.is_shown(item) for item in view.items([id])):
                raise NotFound("memory", id)
        case CheckedVerb.HISTORY:
            find_readable(view, id)
        case CheckedVerb.USED:
            usable(view, id)
        case CheckedVerb.CORRECT:
            find_correctable(view, id)
        case CheckedVerb.ERASE:
            find_erasable(view, id)
        case CheckedVerb.APPROVE | CheckedVerb.EDIT:
            _check_decidable(view, verb, find_pending(view, id))
        case CheckedVerb.REJECT:
            find_rejectable(view, id)
        case _:
            view.find_changeable(id)


def _check_decidable(view: View, verb: CheckedVerb, item: Item) -> None:
    """Raise what approving a promotion that waits would."""
    if verb is CheckedVerb.APPROVE and item.status_reason == Reason.PROMOTION_WAITS:
        agree(view.reviewable, item)


def _check_by_space(view: View, request: CheckRequest) -> Decision:
    space = view.space_of(request.space)
    seen = view.sight.seen(space)
    if seen is None:
        return _denied(view, "border", why_out_of_sight(view, space)[0])
    if request.verb is CheckedVerb.SHARE and not seen.may_share:
        return _denied(view, "border", refusal_of(seen))
    return Decision(Verdict.ALLOWED, "border", seen.reason, view.policy.digest)


def _denied(view: View, gate: str, reason: Reason) -> Decision:
    return Decision(Verdict.DENIED, gate, reason, view.policy.digest)
