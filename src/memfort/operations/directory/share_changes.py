"""List what was withdrawn from the spaces that are shared with an actor."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.lifecycle.withdrawals import withdrawals
from memfort.engine.view import View
from memfort.model.people.directory import Withdrawal, principal_of
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.operations.directory.shares import held_by
from memfort.operations.requests import Request, Time


class ShareChangesRequest(Request, frozen=True):
    """Since when."""

    since: Annotated[Time | None, Meta(description="Only what was withdrawn since then, in ISO 8601 with a zone.")] = (
        None
    )


def handle(view: View, request: ShareChangesRequest) -> list[Withdrawal]:
    """The memories that were forgotten, rejected, erased or moved away in spaces shared with the actor, the latest
    first: of each its id and the time. Only those that the actor could see through the share."""
    since = 0 if request.since is None else request.since
    holder = principal_of(view.actor)
    shares = [one for one in held_by(view) if _is_read_through(view, one.space)]
    found = [one for share in shares for one in withdrawals(view.engine, share, holder) if one.at_us >= since]
    found.sort(key=lambda one: (-one.at_us, one.id, one.share))
    view.note_read("share_changes", Reason.VISIBLE if found else Reason.NOT_FOUND, {"ids": [one.id for one in found]})
    return found


def _is_read_through(view: View, space: Space) -> bool:
    """Whether the actor reads a space by a share, and not by standing there."""
    seen = view.sight.seen(space)
    return seen is not None and seen.reason is Reason.SHARED_WITH_YOU
