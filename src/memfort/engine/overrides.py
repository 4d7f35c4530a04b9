"""Overrides of a policy for one opened memory."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from memfort.engine.inputs import choice
from memfort.errors import InvalidInput
from memfort.model.item import is_finite
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import Audit, AuditReads


class PolicyOverrides(Struct, frozen=True):
    """Each is `None` if the policy's own setting applies."""

    audit_reads: AuditReads | None = None
    max_entries: int | None = None  # of one author in all spaces: the policy's `budget.owner`
    extraction_confidence_threshold: float | None = None  # the policy's `discard_confidence`
    extraction_enabled: bool = True  # whether more than the turns is extracted from a conversation

    def __post_init__(self) -> None:
        if self.audit_reads is not None:
            force_setattr(self, "audit_reads", choice(AuditReads, self.audit_reads, "audit_reads"))
        if self.max_entries is not None and not (_is_whole(self.max_entries) and self.max_entries > 0):
            raise InvalidInput(
                "max_entries", f"`{self.max_entries}` is not a number of memories", "give at least 1, or leave it out"
            )
        threshold = self.extraction_confidence_threshold
        if threshold is not None and not (is_finite(threshold) and 0 <= threshold <= 1):
            raise InvalidInput(
                "extraction_confidence_threshold", f"`{threshold}` is not between 0 and 1", "give a number from 0 to 1"
            )
        check_flag(self.extraction_enabled, "extraction_enabled")

    def apply_to(self, policy: Policy) -> Policy:
        """The policy with the overrides applied; it has its own digest, which decisions carry."""
        audit = policy.audit if self.audit_reads is None else Audit(self.audit_reads)
        budget = policy.budget if self.max_entries is None else replace(policy.budget, owner=self.max_entries)
        threshold = self.extraction_confidence_threshold
        least = policy.discard_confidence if threshold is None else threshold
        if (audit, budget, least) == (policy.audit, policy.budget, policy.discard_confidence):
            return policy
        return replace(policy, audit=audit, budget=budget, discard_confidence=least)


def check_flag(value: object, field: str) -> None:
    if not isinstance(value, bool):
        raise InvalidInput(field, f"`{value}` is neither yes nor no", "give true or false")


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
