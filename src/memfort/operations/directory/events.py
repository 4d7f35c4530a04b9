"""Events about the directory: agents, chats, members and shares."""

from __future__ import annotations

from typing import Any

from memfort.engine.transaction import Transaction
from memfort.model.people.directory import Principal, Share, share_to_dict
from memfort.model.reason import Reason
from memfort.trail.event import Event


def directory_event(tx: Transaction, action: str, **detail: Any) -> Event:
    """An event about agents, chats and members, for the chain of the directory."""
    return tx.recorder.directory_event(action, Reason.REGISTERED, detail=detail)


def share_event(tx: Transaction, share: Share, action: str, reason: Reason) -> Event:
    """An event about a share, for the chain of the space that is shared."""
    detail = {"share": share.id, "reader": str(share.holder), "grant": share_to_dict(share)}
    return tx.recorder.space_event(share.space, action, reason, detail=detail)


def names_of(one: Principal) -> list[str]:
    """A principal for the trail: kind and name are separate fields, because a name may contain any character."""
    return [one.kind.value, one.id]
