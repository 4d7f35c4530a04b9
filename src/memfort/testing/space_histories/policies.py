"""The policies that histories are played under: they change what there is to notice.

Together they cover memories that expire by tick, budgets of every kind that evict or refuse, promotions that need
approvals, and phases that are kept, retired, shown or hidden. Three in five keep statements that their writer may not
read, so that reader lists of every kind are in the store.
"""

from __future__ import annotations

from msgspec.structs import replace

from memfort.policy.settings.document import policy_of, preset
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import SensitivityRules, WithoutEncoder

_UNREAD = {"read_back": False}
_FADING = {
    "name": "fading",
    "spaces": _UNREAD,
    "retention": {
        "short_term": {"context": {"mode": "decay", "ticks": 8}},
        "semantic": {"context": {"mode": "ttl", "ticks": 3}, "decision": {"mode": "decay", "ticks": 2}},
        "profile": {"context": {"mode": "decay", "ticks": 2}},
    },
    "budget": {"short_term": 3, "semantic": 3, "profile": 2, "space": 4, "when_full": "evict"},
    "phase": {"mode": "current_plus_history", "max_phases": 2},
}
_CAREFUL = {
    "name": "careful",
    "spaces": {
        **_UNREAD,
        "promotions": [
            {"from_level": "user", "to_level": "project", "approvals": 1},
            {"from_level": "org", "to_level": "project", "approvals": 1},
            {"from_level": "session", "to_level": "project", "approvals": 2, "trust": "contributor"},
            {"from_level": "user", "to_level": "workspace"},
            {"from_level": "session", "to_level": "user"},
            {"from_level": "chat", "to_level": "user"},
            {"from_level": "agent", "to_level": "agent"},
        ],
    },
    "budget": {"short_term": 4, "semantic": 3, "profile": 1, "space": 4, "when_full": "refuse"},
    "phase": {"max_phases": 2, "keep_profile": False},
}
_FRUGAL = {"name": "frugal", "spaces": _UNREAD, "budget": {"owner": 4, "when_full": "refuse"}}
_EVICTING = {"name": "evicting", "spaces": _UNREAD, "budget": {"owner": 4, "when_full": "evict"}}


def _open_unless_judged(policy: Policy) -> Policy:
    """What no word judges is public: histories are about spaces, and most of what they say is labelled by nobody."""
    return replace(policy, sensitivity=SensitivityRules(without_encoder=WithoutEncoder.NONE))


# Each with its weight: how often it is in force.
POLICIES_WITH_WEIGHTS: tuple[tuple[Policy, int], ...] = tuple(
    (_open_unless_judged(policy), weight)
    for policy, weight in (
        (Policy(), 30),
        (policy_of(_FADING), 24),
        (policy_of(_CAREFUL), 20),
        (policy_of(_FRUGAL), 8),
        (policy_of(_EVICTING), 8),
        (preset("deterministic"), 10),
    )
)
