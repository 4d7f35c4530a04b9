"""Whether a text may be stored at all: credentials are refused in every field, unless the policy allows what a detector
takes for one by mistake."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from memfort.errors import Denied
from memfort.model.people.actor import Actor
from memfort.model.reason import Reason, explanation
from memfort.model.serialize.encoding import is_made_name
from memfort.model.space import Space
from memfort.policy.secrets import find_secrets
from memfort.policy.settings.policy import Policy

FieldText = tuple[str, str]  # the name of a field, and a text in it


class Secrets(Struct, frozen=True):
    """What the detectors found in some texts."""

    reason: Reason | None = None  # of the refusal, if there is one
    field: str = ""
    detector: str = ""
    allowed: tuple[str, ...] = ()  # detectors that found something which the policy allows


def look_for_secrets(
    texts: Iterable[FieldText], policy: Policy, actor: Actor, type: str | None = None, space: Space | None = None
) -> Secrets:
    """The first refusal, or nothing but what is allowed. A pattern of the policy's own cannot be allowed."""
    own = tuple(policy.privacy.deny_patterns.items())
    allowed: dict[str, None] = {}
    for field, text in texts:
        try:
            found = find_secrets(text, extra_patterns=own)
        except ValueError:
            return Secrets(Reason.TOO_LARGE_TO_CHECK, field)
        for finding in found:
            if finding.rule in policy.privacy.deny_patterns:
                return Secrets(Reason.PRIVACY_DENY_PATTERN, field, finding.rule)
            if not policy.secrets.allows(finding.rule, actor, type, space):
                return Secrets(Reason.SECRET, field, finding.rule)
            allowed[finding.rule] = None
    return Secrets(allowed=tuple(allowed))


def check_names(texts: Iterable[FieldText], policy: Policy, actor: Actor) -> None:
    """Refuse a secret among names, ids and notes. The error names the field and the detector."""
    found = look_for_secrets((one for one in texts if not is_made_name(one[1])), policy, actor)
    if found.reason is not None:
        rule = f" (`{found.detector}`)" if found.detector else ""
        raise Denied(
            found.reason, f"{found.field}: {explanation(found.reason)}{rule}; leave it out, or name it otherwise"
        )
