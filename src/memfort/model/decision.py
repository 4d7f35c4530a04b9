"""Decisions: what was decided, by which gate, for which reason; and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from memfort.model.item import NOTHING, Item, Status, is_in_force
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


class OutcomeState(StrEnum):
    """What became of what was said, in one word."""

    IN_FORCE = "in_force"  # it is kept, and recalled from now on
    PENDING = "pending"  # it is stored and waits for review; nobody recalls it before
    DUPLICATE = "duplicate"  # it was said before, and nothing is stored again
    OUTRANKED = "outranked"  # a memory with more weight says otherwise and stays; this is only in the history
    REFUSED = "refused"  # it is not kept


_STATES = {
    Status.APPROVED: OutcomeState.IN_FORCE,
    Status.PENDING: OutcomeState.PENDING,
    Status.SUPERSEDED: OutcomeState.OUTRANKED,
    Status.REJECTED: OutcomeState.REFUSED,
}
_SAID_BEFORE = frozenset({Reason.DUPLICATE, Reason.ALREADY_OBSERVED})


class Outcome(Value, frozen=True, gc=False):
    """What came of a write. It is true if what was said is in force."""

    state: OutcomeState
    decision: Decision
    item: Item | None = None  # the memory that was stored; for a duplicate, the one that was there
    trace: str = ""  # id of the call, for `trace` and `undo`
    notice: str = ""  # what the writer should know: who reviews it, or that the chat they stand in may not hear it

    @classmethod
    def of(cls, decision: Decision, item: Item | None = None, notice: str = "") -> Outcome:
        return cls(_state_of(decision, item), decision, item, notice=notice)

    def __bool__(self) -> bool:
        return self.kept

    def __repr__(self) -> str:
        if self.item is None:
            return f"<Outcome {self.state}: {self.reason}>"
        return f"<Outcome {self.state} {self.item.id} {shortened(self.item.text)!r}>"

    def _repr_html_(self) -> str:
        item = self.item
        shown = {"state": self.state.value, "why": f"{self.decision.explanation} ({self.reason})"}
        memory = {} if item is None else {"memory": item.id, "space": item.space, "text": item.text}
        notice = {"notice": self.notice} if self.notice else {}
        return facts(f"Outcome: {self.state}", {**shown, **memory, **notice, "trace": self.trace})

    @property
    def kept(self) -> bool:
        """Whether what was said is in force: recalled now, by this call or since before."""
        if self.state is OutcomeState.DUPLICATE:
            return self.item is not None and is_in_force(self.item)
        return self.state is OutcomeState.IN_FORCE

    @property
    def stored(self) -> bool:
        """Whether there is a memory with these words now: in force, or waiting for review."""
        return self.item is not None and (self.kept or self.state is OutcomeState.PENDING)

    @property
    def id(self) -> str | None:
        return None if self.item is None else self.item.id

    @property
    def reason(self) -> Reason:
        return self.decision.reason


def _state_of(decision: Decision, item: Item | None) -> OutcomeState:
    if decision.verdict is Verdict.DENIED:
        return OutcomeState.REFUSED
    if item is not None and item.status is not Status.APPROVED:
        return _STATES[item.status]
    if decision.verdict is Verdict.PENDING:
        return OutcomeState.PENDING
    return OutcomeState.DUPLICATE if decision.reason in _SAID_BEFORE else OutcomeState.IN_FORCE
