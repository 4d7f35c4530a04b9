"""Describe a memory's fields, without its text, in lines for people."""

from __future__ import annotations

import json

from memfort.engine.redact import redact_for
from memfort.engine.view import View
from memfort.model.item import Item, Status, is_expired
from memfort.model.moment import Moment, to_text
from memfort.model.reason import Reason, explanation
from memfort.policy.authority import NOT_ON_RECORD


def description_lines(view: View, item: Item) -> list[str]:
    """Lines about a memory; for one disclosed from another user's space, only the disclosed fields."""
    is_disclosed = view.sight.seen(item.space) is None
    item = redact_for(view.engine, view.sight, item)
    if is_disclosed:
        place = f"in the chat {item.learned_in}" if item.learned_in else "where nobody knows"
        return [f"  said by {item.stated_by or 'somebody'} {place} at {to_text(item.created_at_us)}"]
    why = Reason.SUPERSEDED if item.status is Status.SUPERSEDED else Reason(item.status_reason)
    lines = [
        f"  it lives in: {item.space}",
        f"  written by {item.author} at {to_text(item.created_at_us)}, "
        f"origin {item.origin}, authority {item.authority}",
        f"  status {item.status}: {explanation(why)} ({why})",
        f"  decided under policy {item.policy}",
    ]
    if item.authority_reason.startswith(NOT_ON_RECORD):
        lines.append(f"  that its origin is {item.origin} is claimed and not on record ({item.authority_reason})")
    if item.expires_at_us is not None:
        lines.append(f"  expires at {to_text(item.expires_at_us)}")
    if item.fades_at_us is not None:
        lines.append(f"  faded from {to_text(item.fades_at_us)} on: it then comes only where it is asked for")
    if item.superseded_by is not None:
        lines.append(f"  replaced by {item.superseded_by}")
    if (remedy := _remedy(item, view.now)) is not None:
        lines.append(f"  {remedy}")
    if not item.readers.is_open:
        lines.append("  its reader list: " + json.dumps(item.readers.to_dict(), ensure_ascii=False, sort_keys=True))
    return lines


def _remedy(item: Item, now: Moment) -> str | None:
    """What to do about a memory that is not in force."""
    if item.deleted_at_us is not None or is_expired(item, now):
        return "to have it again: remember the text again"
    return {
        Status.PENDING: f'to have it shown: approve it, as in `review.approve("{item.id}")`',
        Status.REJECTED: "to have it again: remember the text again, with at least the authority of the rejecter",
        Status.SUPERSEDED: f'to see what it became: `history("{item.id}")`',
        Status.APPROVED: None,
    }[item.status]
