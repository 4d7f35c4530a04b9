"""Requests to forget that were made in a conversation: "delete my PIN from memory". They are never kept as facts. The
memories that they may mean are named; unless the policy says otherwise, nothing ends before somebody says yes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from memfort.capture.extraction import Proposal
from memfort.capture.says import says_all
from memfort.engine.transaction import Session
from memfort.engine.view import View
from memfort.model.item import Item
from memfort.model.value import Value
from memfort.operations.capture.matching import find_matching
from memfort.operations.ending.forget import forget
from memfort.policy.settings.sections import ForgetRequests


class ForgetRequest(Value, frozen=True):
    """A request to forget something, and what it may mean."""

    message: int  # the place of the message in the call
    text: str  # the words that ask for it
    memories: tuple[str, ...] = ()  # the memories it may mean, the surest first
    done: bool = False  # whether they were forgotten


def find_forget_requests(
    session: Session, asked: Sequence[tuple[int, Proposal]], said_now: frozenset[str]
) -> tuple[ForgetRequest, ...]:
    """The requests with the memories that they may mean. Under `act`, the asker's own that surely match are forgotten.
    `said_now` are the turns of the call itself."""
    acts = session.policy.conversation.forget_requests is ForgetRequests.ACT
    found = []
    for message, proposal in asked:
        with session.view() as view:
            sure, others = _find(view, proposal, said_now)
        own = [item.id for item in sure if item.author.key == session.actor.key]
        if acts and own:
            spaces = list(dict.fromkeys(item.space for item in sure))
            session.write(spaces, partial(forget, ids=own))
            found.append(ForgetRequest(message, proposal.quote, tuple(own), done=True))
        else:
            ids = tuple(dict.fromkeys(item.id for item in (*sure, *others)))
            found.append(ForgetRequest(message, proposal.quote, ids))
    return tuple(found)


def _find(view: View, proposal: Proposal, said_now: frozenset[str]) -> tuple[list[Item], list[Item]]:
    """The memories that say all of the words, and others that may be meant."""
    target = proposal.target
    query = "" if target is None else target.words or target.query
    if not query:
        return [], []
    writable = [seen.space for seen in view.sight.spaces if seen.writable]
    matching = [item for item in find_matching(view, query, writable) if item.id not in said_now]
    sure = [item for item in matching if says_all(item, query)]
    return sure, [item for item in matching if item not in sure]
