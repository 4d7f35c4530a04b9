"""Recall for a prompt, within a budget of tokens."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.transaction import Session
from memfort.operations.recall import recall
from memfort.operations.recall.recall import RecallRequest
from memfort.operations.requests import Limit, TokenBudget
from memfort.recall.render import Context, render_context

DEFAULT_LIMIT = 50


class ContextRequest(RecallRequest, frozen=True, kw_only=True):
    """A query, and the budget for the prompt."""

    limit: Annotated[Limit, Meta(description="How many memories at most.")] = DEFAULT_LIMIT
    budget_tokens: Annotated[TokenBudget, Meta(description="About how many tokens at most.")] = 1000


def handle(session: Session, request: ContextRequest) -> Context:
    """A recall rendered for a prompt: fenced as data, within a budget of about so many tokens. The same memories give
    the same bytes. With `explain`, memories that did not fit are counted too."""
    return render_context(recall.handle(session, request), request.budget_tokens)
