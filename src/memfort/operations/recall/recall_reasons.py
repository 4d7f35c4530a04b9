"""Say why a memory was recalled, in the words of the public trace."""

from __future__ import annotations

from memfort.model.item import Kind
from memfort.model.reason import Reason
from memfort.model.results import Feature, Hit
from memfort.operations.recall.briefing import Section

# What a memory has whatever is asked, so that it does not show that the memory matches.
_APART_FROM_THE_QUERY = {Feature.IMPORTANCE, Feature.USE, Feature.FADE, Feature.NEWER_VALUE, Feature.SHORT_QUESTION}
_OF_SECTIONS = {
    Section.PROFILE: Reason.ACTIVE_RULE,
    Section.WISHES: Reason.ACTIVE_RULE,
    Section.TASKS: Reason.RECENCY,
    Section.EVENTS: Reason.RECENCY,
}


def recall_reasons(hit: Hit) -> list[Reason]:
    """Why a memory was recalled: every reason that has a share in it."""
    if hit.section:
        return [_OF_SECTIONS.get(Section(hit.section), Reason.IMPORTANCE)]
    shares = {name for name, share in hit.features.items() if share > 0}
    is_turn, is_profile = hit.item.kind is Kind.SHORT_TERM, hit.item.kind is Kind.PROFILE
    found = {
        Reason.MATCHES_QUERY: not shares <= _APART_FROM_THE_QUERY or not shares,
        Reason.RECENCY: is_turn or Feature.NEWER_VALUE in shares,
        Reason.IMPORTANCE: Feature.IMPORTANCE in shares,
        Reason.ACTIVE_RULE: is_profile or Feature.INSTRUCTION in shares,
    }
    return [reason for reason, holds in found.items() if holds]
