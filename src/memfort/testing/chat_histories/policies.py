"""The policies of chat histories: each rule of disclosure, with and without memories that fade."""

from __future__ import annotations

from memfort.policy.settings.document import policy_of
from memfort.policy.settings.policy import Policy

_PROMOTIONS = [
    {"from_level": "session", "to_level": "project"},
    {"from_level": "user", "to_level": "project"},
    {"from_level": "chat", "to_level": "project"},
    {"from_level": "session", "to_level": "chat"},
]
_FADING = {
    "retention": {"semantic": {"fact": {"mode": "ttl", "ticks": 3}, "context": {"mode": "decay", "ticks": 2}}},
    "budget": {"short_term": 2, "semantic": 3, "space": 4, "when_full": "evict"},
}


def chat_policy(rule: str, provenance: str, *, fading: bool) -> Policy:
    made = {
        "name": f"{rule} {provenance}{' fading' if fading else ''}",
        "disclosure": {"rule": rule, "missing_provenance": provenance},
        "spaces": {"promotions": _PROMOTIONS},
        **(_FADING if fading else {}),
    }
    return policy_of(made)


POLICIES = {
    (rule, provenance, fading): chat_policy(rule, provenance, fading=fading)
    for rule in ("strict", "participants")
    for provenance in ("closed", "open")
    for fading in (False, True)
}
FADING_NAMES = {policy.name for (_, _, fading), policy in POLICIES.items() if fading}
