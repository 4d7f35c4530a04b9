"""Decisions: what was decided, by which gate, for which reason; and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct

from memfort.model.item import NOTHING, Item, Status
from memfort.model.reason import Reason, explanation


class Verdict(StrEnum):
    ALLOWED = "allowed"
    PENDING = "pending"
    DENIED = "denied"


class Decision(Struct, frozen=True, gc=False):
    """The result of the chain of gates: the first refusal, or the answer of the last gate."""

    verdict: Verdict
    gate: str  # which gate decided
    reason: Reason
    policy: str  # digest of the policy in force
    detail: Mapping[str, Any] = NOTHING  # rule names and codes; never contents

    @property
    def explanation(self) -> str:
        rule = self.detail.get("rule")
        return f"{explanation(self.reason)}: `{rule}`" if rule else explanation(self.reason)


class Outcome(Struct, frozen=True, gc=False):
    """What came of a write."""

    decision: Decision
    item: Item | None = None  # the memory that was kept; for a duplicate, the one that was there
    trace: str = ""  # id of the call, for `trace`

    @property
    def kept(self) -> bool:
        """Whether it is there now. What gave way at once to a memory that outweighs it is only in the history."""
        return self.item is not None and self.item.status is not Status.SUPERSEDED

    @property
    def id(self) -> str | None:
        return None if self.item is None else self.item.id

    @property
    def reason(self) -> Reason:
        return self.decision.reason
