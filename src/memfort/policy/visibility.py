"""The visibility of a statement that an agent keeps in its own space and that names none: the policy's rules, then the
heuristics. What is not public, or not for all readers, is private whatever they say."""

from __future__ import annotations

from memfort.language.sensitivity import classify
from memfort.language.sharing import is_for_anybody
from memfort.model.item import Candidate, Kind, Sensitivity
from memfort.model.space import Visibility
from memfort.policy.secrets import compile_pattern
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import DefaultPlace


def default_visibility(candidate: Candidate, owner: str | None, policy: Policy) -> Visibility:
    """The visibility of a statement by its text and its fields; `owner` is the agent's."""
    ruled = _ruled(candidate.text, policy)
    if ruled is Visibility.PUBLIC:
        return ruled if is_public_statement(candidate) else Visibility.PRIVATE
    if ruled is not None:
        return ruled
    is_public = policy.spaces.default_place is DefaultPlace.AGENT and _is_for_anybody(candidate, owner, policy)
    return Visibility.PUBLIC if is_public else Visibility.PRIVATE


def is_public_statement(candidate: Candidate) -> bool:
    """Whether nothing limits who may read it: neither a reader list nor what its fields and its text say."""
    is_open = candidate.readers.is_open and candidate.sensitivity in {None, Sensitivity.PUBLIC}
    return is_open and classify(candidate.text)[0] is Sensitivity.PUBLIC


def _ruled(text: str, policy: Policy) -> Visibility | None:
    """What the first matching rule says."""
    encoded = text.encode()
    for rule in policy.spaces.visibility:
        if compile_pattern(rule.visibility, rule.pattern).search(encoded):
            return rule.visibility
    return None


def _is_for_anybody(candidate: Candidate, owner: str | None, policy: Policy) -> bool:
    """Whether neither the fields nor the text of a statement mark it as the owner's, short-lived or private."""
    is_lasting = (candidate.ttl_seconds, candidate.ttl_ticks, candidate.expires_at) == (None, None, None)
    if not is_lasting or policy.types[policy.resolve_type(candidate.type)].lifetime_seconds is not None:
        return False
    if candidate.kind is not Kind.SEMANTIC or candidate.subjects:
        return False
    return is_public_statement(candidate) and is_for_anybody(candidate.text, owner)
