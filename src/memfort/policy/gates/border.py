"""The borders between spaces: which spaces accept direct writes, and which promotions between spaces are allowed."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from memfort.model.item import Authority, Item
from memfort.model.people.directory import Trust
from memfort.model.reason import Reason
from memfort.model.sight import SeenSpace
from memfort.model.space import GROUP_LEVELS, Space
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import Promotion


class BorderDecision(Struct, frozen=True):
    """The answer at a border."""

    reason: Reason
    way: Promotion | None = None

    @property
    def allowed(self) -> bool:
        return self.reason is Reason.ALLOWED


def refusal_of(seen: SeenSpace | None) -> Reason:
    """Why an actor may not do in a space what it asks for: a member is not trusted enough, a share is not to be passed
    on, and any other actor does not stand there or may only read."""
    if seen is not None and seen.reason is Reason.SHARED_WITH_YOU:
        return Reason.NOT_TO_PASS_ON
    is_member = seen is not None and seen.reason is Reason.VISIBLE and not seen.space.levels.isdisjoint(GROUP_LEVELS)
    return Reason.LEVEL_TOO_LOW if is_member else Reason.BORDER_WRITE


def write_border(seen: SeenSpace | None, space: Space, policy: Policy) -> BorderDecision:
    """Whether statements may be written in the space directly."""
    if space.primary not in policy.spaces.read_order:
        return BorderDecision(Reason.SPACE_DISABLED)
    if seen is None or not seen.writable:
        return BorderDecision(Reason.BORDER_WRITE)
    if policy.spaces.write is not None and space.primary not in policy.spaces.write:
        return BorderDecision(Reason.WRITE_SPACE_DISALLOWED)
    return BorderDecision(Reason.ALLOWED)


def promotion_border(item: Item, target: Space, seen: SeenSpace | None, policy: Policy) -> BorderDecision:
    """Whether a memory may be promoted into the target, before any gate checks its text."""
    if target.primary not in policy.spaces.read_order:
        return BorderDecision(Reason.SPACE_DISABLED)
    way = policy.spaces.way(item.space.primary, target.primary)
    if way is None or target == item.space:
        return BorderDecision(Reason.PROMOTION_DISALLOWED)
    if seen is None or not seen.writable:
        return BorderDecision(refusal_of(seen), way)
    if way.event_types is not None and item.event_type not in way.event_types:
        return BorderDecision(Reason.PROMOTION_EVENT_TYPE, way)
    needed = way.override.get(item.event_type, way.authority)
    if not _reaches(item.authority, needed, policy.authority_order):
        return BorderDecision(Reason.PROMOTION_AUTHORITY, way)
    return BorderDecision(Reason.ALLOWED, way)


def pass_on_border(item: Item, target: Space, seen: SeenSpace | None, policy: Policy) -> BorderDecision:
    """Whether a memory of a shared space may be copied into the target. Where the policy has a way between the two
    levels, that holds; otherwise what holds for any statement there."""
    if policy.spaces.way(item.space.primary, target.primary) is not None:
        return promotion_border(item, target, seen, policy)
    return write_border(seen, target, policy)


def is_trusted(trust: Trust, needed: Trust) -> bool:
    levels = list(Trust)
    return levels.index(trust) >= levels.index(needed)


def _reaches(authority: Authority, needed: Authority, order: Sequence[Authority]) -> bool:
    return order.index(authority) <= order.index(needed)
