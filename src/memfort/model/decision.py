"""Decisions: what was decided, by which gate, for which reason; and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from memfort.model.item import NOTHING, Item, Status
from memfort.model.notebook import facts
from memfort.model.reason import Reason, explanation
from memfort.model.value import Value, shortened


class Verdict(StrEnum):
    ALLOWED = "allowed"
    PENDING = "pending"
    DENIED = "denied"


class Decision(Value, frozen=True, gc=False):
    """The result of the chain of gates: the first refusal, or the answer of the last gate."""

    verdict: Verdict
    gate: str  # which gate decided
    reason: Reason
    policy: str  # digest of the policy in force
    detail: Mapping[str, Any] = NOTHING  # rule names and codes; never contents

    def __bool__(self) -> bool:
        """Whether it is not a refusal."""
        return self.verdict is not Verdict.DENIED

    def __repr__(self) -> str:
        return f"<Decision {self.verdict} by {self.gate}: {self.reason}>"

    @property
    def explanation(self) -> str:
        rule = self.detail.get("rule")
        return f"{explanation(self.reason)}: `{rule}`" if rule else explanation(self.reason)


class Outcome(Value, frozen=True, gc=False):
    """What came of a write."""

    decision: Decision
    item: Item | None = None  # the memory that was kept; for a duplicate, the one that was there
    trace: str = ""  # id of the call, for `trace`
    notice: str = ""  # what the writer should know, such as that the chat they stand in may not hear it

    def __bool__(self) -> bool:
        return self.kept

    def __repr__(self) -> str:
        if self.item is None:
            return f"<Outcome {self.decision.verdict}: {self.reason}>"
        return f"<Outcome {self._word} {self.item.id} {shortened(self.item.text)!r}>"

    def _repr_html_(self) -> str:
        item = self.item
        shown = {"kept": "yes" if self.kept else "no", "why": f"{self.decision.explanation} ({self.reason})"}
        memory = {} if item is None else {"memory": item.id, "space": item.space, "text": item.text}
        notice = {"notice": self.notice} if self.notice else {}
        return facts(f"Outcome: {self._word}", {**shown, **memory, **notice, "trace": self.trace})

    @property
    def _word(self) -> str:
        if self.item is None:
            return self.decision.verdict.value
        return "kept" if self.item.status is Status.APPROVED else self.item.status.value

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
