"""Explain why a memory is or is not shown. It renders decisions of the other modules and decides nothing itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from memfort.engine.inputs import query_of
from memfort.engine.resolve_id import resolve_id
from memfort.engine.transaction import Session
from memfort.engine.view import View
from memfort.errors import Denied, InvalidInput, quotable
from memfort.model.item import Item, Status
from memfort.model.people.actor import Standpoint
from memfort.model.reason import Reason, explanation
from memfort.model.results import Explanation
from memfort.model.space import Level
from memfort.operations.explain.describe import description_lines
from memfort.operations.explain.question import Question
from memfort.operations.explain.verdict import verdict_on
from memfort.operations.people.resolve.named_in_query import with_named_people
from memfort.operations.read.filters import FilteredRequest, filter_of
from memfort.operations.requests import Limit, MemoryId, Text, TokenBudget, Viewer
from memfort.store.port import Filter
from memfort.trail.event import chain_of_actor

_SHOWN = {Reason.VISIBLE, Reason.SHARED_WITH_YOU, Reason.ABOUT_PERSON}
_COMES = {Reason.MATCHES_QUERY, Reason.WEAK_MATCH, Reason.ABOUT_PERSON}
_DEFAULT_LIMIT, _DEFAULT_LIMIT_OF_A_PROMPT = 10, 50  # the defaults of `recall` and `context`


class ExplainRequest(FilteredRequest, frozen=True, kw_only=True):
    """What to explain, and for which viewer."""

    id: Annotated[MemoryId, Meta(description="A memory, or the trace of one of your recalls.")]
    viewer: Annotated[
        Viewer | None,
        Meta(description="Explain it for another actor, or from another place.", extra={"identity": True}),
    ] = None
    query: Annotated[
        Text | None, Meta(description="Explain why a recall with this query returns the memory or not.")
    ] = None
    limit: Annotated[
        Limit | None,
        Meta(description="With a query: how many to return at most; 10, or 50 for a prompt, if not given."),
    ] = None
    budget_tokens: Annotated[
        TokenBudget | None, Meta(description="With a query: for a prompt with this budget, as in `context`.")
    ] = None


def handle(session: Session, request: ExplainRequest) -> Explanation:
    """Why a memory is or is not shown to the actor or to a viewer, or what one of the actor's recalls answered. With a
    query, why a recall with this limit, space and filter returns the memory or not. The actor must
    see the memory; otherwise the answer is the same as for a memory that does not exist."""
    with session.view() as view:
        question = _question_of(view, request)  # errors in it are reported before any memory is looked up
        if not request.id.startswith("trc_"):
            viewer = None if request.viewer is None else request.viewer.standpoint
            return explain(view, resolve_id(view, request.id, view.reviewable), viewer, question)
    if question is not None:
        raise InvalidInput("query", "a trace is explained as it was asked", "give the id of a memory")
    session.engine.flush_if_possible()  # the recall may not be written down yet
    with session.view() as view:
        return _explain_recall(view, request.id)


def _question_of(view: View, request: ExplainRequest) -> Question | None:
    filter = filter_of(view, request)
    given = (request.limit, request.space, request.budget_tokens)
    if request.query is None:
        if filter != Filter() or given != (None, None, None):
            raise InvalidInput("query", "it is missing", "say what was asked for, as in explain(id, query=…)")
        return None
    default = _DEFAULT_LIMIT if request.budget_tokens is None else _DEFAULT_LIMIT_OF_A_PROMPT
    limit = default if request.limit is None else request.limit
    return Question(query_of(request.query), limit, request.space, filter, request.budget_tokens)


def explain(view: View, id: str, viewer: Standpoint | None = None, question: Question | None = None) -> Explanation:
    """Why the memory `id` is or is not shown to `viewer`, or to the actor."""
    subject = view if viewer is None else view.from_standpoint(viewer)
    if question is not None:
        _check_subject(view, subject, question)
    subject = subject.by_id if question is None else with_named_people(subject, question.query)
    view = view.by_id
    known = find_explainable(view, id)
    view.note_shown("explain", [] if known is None else [known[0]])
    if known is None:
        name = quotable(id)
        return Explanation(name, False, Reason.NOT_FOUND, (f"{name}: {explanation(Reason.NOT_FOUND)}",))
    item, reach = known
    if viewer is not None and not _is_writable(reach, item):
        raise Denied(Reason.BORDER_WRITE, "only actors who may write in its space learn who else sees a memory")
    return _explanation_of(reach, item, subject, question)


def _check_subject(view: View, subject: View, question: Question) -> None:
    """The ranking of a recall depends on everything in its sight. So it is explained only to the actor who could run
    it, and for another place of the same actor only outside chats."""
    if question.space is not None:
        subject.space_of(question.space)
    if subject.actor != view.actor:
        raise InvalidInput("viewer", "with a query, it is another actor", "explain the ranking for yourself only")
    if subject.standpoint != view.standpoint and view.standpoint.get(Level.CHAT) is not None:
        raise InvalidInput("viewer", "with a query, it has another place", "ask from outside of any chat")


def find_explainable(view: View, id: str) -> tuple[Item, View] | None:
    """A memory that may be explained to the actor, with the view it was found in: one in sight, or one of the user's
    own in any space. A memory that is not in force only if the actor may list it."""
    for reach in (view, view.reviewable):
        for item in reach.items([id]):
            if reach.may_list(item):
                return item, reach
    return None


def _is_writable(view: View, item: Item) -> bool:
    seen = view.sight.seen(item.space)
    return seen is not None and seen.writable


def _explanation_of(reach: View, item: Item, subject: View, question: Question | None) -> Explanation:
    ranking, more = None, list[str]()
    reason, why = verdict_on(subject, item)
    if question is not None and reason in _SHOWN:
        from memfort.operations.explain.accounting import account  # loads numpy

        reason, ranking, more = account(subject, item, question)
        why = explanation(reason)
    shown = reason in (_SHOWN if question is None else _COMES)
    does = ("is shown" if shown else "is not shown") if question is None else ("comes" if shown else "does not come")
    head = f"{item.id} {does} to {subject.actor}{'' if question is None else ' for this query'}: {why} ({reason})"
    return Explanation(item.id, shown, reason, (head, *more, *description_lines(reach, item)), ranking)


def _explain_recall(view: View, trace: str) -> Explanation:
    """The answer of one of the actor's recalls, and the present state of each memory in it."""
    recorded = _recorded(view, trace)
    if recorded is None:
        name = quotable(trace)
        return Explanation(name, False, Reason.NOT_FOUND, (f"{name}: there is no such recall of yours",))
    recalled = [(one, explain(view, one[0])) for one in recorded["recalled"]]
    beside = [(one, explain(view, one[0])) for one in recorded.get("beside", ())]
    if view.sight.is_in_chat:  # it hears the answer
        recalled, beside = (
            [pair for pair in each if pair[1].reason != Reason.NOT_FOUND] for each in (recalled, beside)
        )
    lines = [f"{trace}: recalled {len(recalled)} at most {recorded['limit']}, hash {recorded['hash'][:16]}"]
    for (id, score, level, *_), now in recalled:
        lines.append(
            f"  {id} score {score:.6f} at level {level}: {explanation(Reason.MATCHES_QUERY)}; now: {now.reason}"
        )
    for (id, hit, level, reason), now in beside:
        lines.append(f"  {id} beside {hit} at level {level}: {explanation(Reason(reason))}; now: {now.reason}")
    waiting = view.store.page(view.sight.writable, Filter(statuses=frozenset({Status.PENDING})), None, 1000, view.now)
    if waiting:  # a count, never contents
        lines.append(f"  withheld: {len(waiting)} wait for review ({Reason.PENDING_REVIEW})")
    return Explanation(trace, True, Reason.VISIBLE, tuple(lines))


def _recorded(view: View, trace: str) -> Mapping[str, Any] | None:
    for link in view.store.links(chain_of_actor(view.actor)):
        detail = json.loads(link.body)["detail"]
        if detail.get("trace") == trace and "recalled" in detail:
            return dict(detail)
    return None
