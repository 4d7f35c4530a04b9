"""The policies of chat histories: each rule of disclosure, with and without memories that fade."""

from __future__ import annotations

from itertools import product

from memfort.policy.settings.document import policy_of
from memfort.policy.settings.policy import Policy
from memfort.testing.chat_histories.listener import Rules

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


def chat_policy(rules: Rules, *, fading: bool) -> Policy:
    rule = "participants" if rules.participants else "strict"
    provenance = "open" if rules.open_provenance else "closed"
    loose = {"about_people": "anywhere", "own_public_everywhere": True} if rules.loose else {}
    made = {
        "name": f"{rule} {provenance}{' loose' if rules.loose else ''}{' fading' if fading else ''}",
        "disclosure": {"rule": rule, "missing_provenance": provenance, **loose},
        "spaces": {"promotions": _PROMOTIONS},
        **(_FADING if fading else {}),
    }
    return policy_of(made)


_RULES = [Rules(*chosen) for chosen in product((False, True), (False, True), (False, False, True))]
POLICIES = [(rules, fading, chat_policy(rules, fading=fading)) for rules in _RULES for fading in (False, True)]
FADING_NAMES = {policy.name for _, fading, policy in POLICIES if fading}
