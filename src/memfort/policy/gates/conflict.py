"""Which of two contradicting memories wins. The answer does not depend on their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct

from memfort.model.item import Authority, Item, is_hearsay
from memfort.policy.settings.policy import Policy


class ConflictRule(StrEnum):
    """The rule that decided, in the order of checking."""

    AUTHORITY = "authority"
    CORRECTION = "correction"
    RECENCY = "recency"
    IMPORTANCE = "importance"
    ID = "id"  # all else was equal


class Claim(Struct, frozen=True):
    """The properties of a statement that count in a conflict."""

    authority: Authority
    is_hearsay: bool  # a user's statement about another person
    is_correction: bool
    author: bytes
    at: tuple[int, int]  # its time, and its position among statements of the same time: of one call
    importance: float
    id: str
    is_imported: bool = False  # words of a file: nothing that was said here gives way to them


def claim_of(item: Item) -> Claim:
    at = (_weighed_at(item), item.number)
    return Claim(
        item.authority,
        is_hearsay(item),
        item.is_correction,
        item.author.key,
        at,
        item.importance,
        item.id,
        is_imported=item.source is not None,
    )


def _weighed_at(item: Item) -> int:
    """When it was written; for words of a file or of a conversation when they were said, because a file may list the
    newest first, and an old conversation may be observed long after a newer one."""
    if item.observed_at_us is None or (item.source is None and item.evidence is None):
        return item.created_at_us
    return item.observed_at_us


def settle(left: Claim, right: Claim, policy: Policy) -> tuple[Claim, ConflictRule]:
    """The claim that wins, and by which rule. The order of the two does not matter."""
    if left.is_imported != right.is_imported:
        return (right if left.is_imported else left), ConflictRule.AUTHORITY
    if (withdrawn := _is_own_later_statement(left, right, policy)) is not None:
        return withdrawn, ConflictRule.RECENCY
    overriding = [one for one in (left, right) if _overrides(one, policy.authority_order)]
    if len(overriding) == 1:
        return overriding[0], _winning_rule(overriding[0], left, right, policy.authority_order)
    ranks = weight(left, policy.authority_order), weight(right, policy.authority_order)
    if ranks[0] != ranks[1]:
        return (left if ranks[0] < ranks[1] else right), ConflictRule.AUTHORITY
    for rule, of in _TIES:
        if of(left) != of(right):
            return max(left, right, key=of), rule
    return left, ConflictRule.ID


def weight(claim: Claim, order: Sequence[Authority]) -> tuple[int, bool]:
    """The rank of a claim among the authorities, the highest first: a user's statement about another person comes right
    after a user's statement."""
    return order.index(claim.authority), claim.is_hearsay and claim.authority is Authority.USER_ASSERTED


def _overrides(claim: Claim, order: Sequence[Authority]) -> bool:
    """Whether it is a correction that overrides any authority: a user's or better, but not hearsay."""
    least = order.index(Authority.USER_ASSERTED)
    return claim.is_correction and weight(claim, order) <= (least, False)


def _winning_rule(winner: Claim, left: Claim, right: Claim, order: Sequence[Authority]) -> ConflictRule:
    """The rule of an overriding correction: if its authority alone would have won, the rule is authority."""
    loser = right if winner is left else left
    return ConflictRule.AUTHORITY if weight(winner, order) < weight(loser, order) else ConflictRule.CORRECTION


def _is_own_later_statement(left: Claim, right: Claim, policy: Policy) -> Claim | None:
    """A later plain statement by the author of a correction, with no less authority, revokes the correction."""
    if policy.conflict.own_corrections_stand or left.author != right.author:
        return None
    earlier, later = sorted((left, right), key=lambda claim: claim.at)
    if not earlier.is_correction or later.is_correction or earlier.at == later.at:
        return None
    as_heavy = weight(later, policy.authority_order) <= weight(earlier, policy.authority_order)
    return later if as_heavy else None


_TIES: tuple[tuple[ConflictRule, Callable[[Claim], Any]], ...] = (
    (ConflictRule.CORRECTION, lambda claim: claim.is_correction),
    (ConflictRule.RECENCY, lambda claim: claim.at[0]),
    (ConflictRule.IMPORTANCE, lambda claim: claim.importance),
    (ConflictRule.RECENCY, lambda claim: claim.at),
    (ConflictRule.ID, lambda claim: claim.id),
)
