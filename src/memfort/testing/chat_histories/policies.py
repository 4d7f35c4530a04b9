"""The policies of chat histories: each rule of disclosure, with and without memories that fade.

Two thirds of them keep statements that their writer may not read, so that reader lists of every kind are in the store.
"""

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


def chat_policy(rules: Rules, *, fading: bool, read_back: bool) -> Policy:
    rule = "participants" if rules.participants else "strict"
    provenance = "open" if rules.open_provenance else "closed"
    loose = {"about_people": "anywhere", "own_public_everywhere": True} if rules.loose else {}
    marks = {"loose": rules.loose, "fading": fading, "read back": read_back}
    made = {
        "name": " ".join([rule, provenance, *(name for name, is_on in marks.items() if is_on)]),
        "disclosure": {"rule": rule, "missing_provenance": provenance, **loose},
        "spaces": {"promotions": _PROMOTIONS, "read_back": read_back},
        **(_FADING if fading else {}),
    }
    return policy_of(made)


_LOOSE_AND_READ_BACK = ((False, True), (False, False), (True, False))
POLICIES = [
    (rules, fading, chat_policy(rules, fading=fading, read_back=read_back))
    for participants, open_provenance, (loose, read_back) in product((False, True), (False, True), _LOOSE_AND_READ_BACK)
    for rules in (Rules(participants, open_provenance, loose),)
    for fading in (False, True)
]
FADING_NAMES = {policy.name for _, fading, policy in POLICIES if fading}
