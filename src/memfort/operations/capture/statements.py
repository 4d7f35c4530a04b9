"""What an extractor by rules proposes, as candidates: the same for a message that is observed and for a turn that is
read again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memfort.capture.extract import extract
from memfort.capture.extraction import Action, Extraction, Extractor, Proposal, SpokenTurn
from memfort.capture.importance import compute_importance
from memfort.capture.whole_messages import extract_messages
from memfort.language.profile_facts import FACT_KEYS
from memfort.model.item import Candidate, EventType, Origin
from memfort.model.occurred import Evidence
from memfort.operations.admit.infer_type import type_from_text
from memfort.operations.capture.speakers import Speaker
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import StatementsFrom

HEARD = 0.7  # the least confidence of what a person was heard to say; the rules rate a verb they do not know at 0.6


def rules_extractor(policy: Policy) -> Extractor:
    """The extractor of the policy."""
    if policy.conversation.statements is StatementsFrom.SENTENCES:
        return extract
    if policy.conversation.statements is StatementsFrom.NOTHING:
        return _extract_requests
    keys = tuple(FACT_KEYS) if policy.privacy.profile_keys is None else policy.privacy.profile_keys

    def extract_whole(turns: Sequence[SpokenTurn], before: Sequence[SpokenTurn] = ()) -> Extraction:
        return extract_messages(turns, before, keys=keys)

    return extract_whole


def _extract_requests(turns: Sequence[SpokenTurn], before: Sequence[SpokenTurn] = ()) -> Extraction:
    """Only what somebody asks to forget: statements are left to a model."""
    return Extraction(tuple(one for one in extract(turns, before).proposals if one.action is Action.FORGET))


def statement_candidate(
    policy: Policy,
    proposal: Proposal,
    speaker: Speaker,
    *,
    origin: Origin,
    observed_at: datetime | int | None,
    conversation: str | None,
    evidence: Evidence | None,
    source: str | None,
) -> Candidate:
    """A proposed statement as a candidate."""
    return Candidate(
        text=statement_text(policy, proposal, speaker),
        kind=proposal.kind,
        type=_type(policy, proposal),
        key=proposal.key,
        origin=origin,
        observed_at=observed_at,
        event_type=_event_type(policy, proposal),
        is_correction=proposal.event_type is EventType.CORRECTION or proposal.action is Action.UPDATE,
        confidence=max(proposal.confidence, HEARD) if _was_heard(speaker) else proposal.confidence,
        stated_by=speaker.person,
        conversation=conversation,
        evidence=evidence,
        occurred=proposal.occurred,
        captured=True,
        source=source,
        **_importance(policy, proposal, origin),
    )


def _was_heard(speaker: Speaker) -> bool:
    """Whether a person said it for sure: how well the rules know its verb is then no doubt about what was said."""
    return speaker.is_believed and speaker.person is not None


def statement_text(policy: Policy, proposal: Proposal, speaker: Speaker) -> str:
    is_whole = policy.conversation.statements is StatementsFrom.MESSAGES
    return proposal.text if speaker.name is None or is_whole else f"{speaker.name}: {proposal.text}"


def _type(policy: Policy, proposal: Proposal) -> str | None:
    """The type that the extractor found, else the one that the words or the event type say."""
    if proposal.type in policy.types:
        return proposal.type
    if policy.conversation.statements is StatementsFrom.MESSAGES and proposal.event_type is not None:
        return policy.type_for(proposal.event_type)
    return type_from_text(policy, proposal.text) if policy.infer_types else None


def _event_type(policy: Policy, proposal: Proposal) -> EventType | None:
    """A sentence that an extractor found worth keeping is no mere context: there its type decides."""
    is_sentence = policy.conversation.statements is StatementsFrom.SENTENCES
    return None if is_sentence and proposal.event_type is EventType.CONTEXT else proposal.event_type


def _importance(policy: Policy, proposal: Proposal, origin: Origin) -> dict[str, Any]:
    """Under rules for whole messages, the importance follows from the event type and the words; else from the type."""
    if policy.conversation.statements is not StatementsFrom.MESSAGES or proposal.event_type is None:
        return {}
    found = compute_importance(proposal.text, proposal.event_type, origin, base_importance(policy))
    return {"importance": found.value, "importance_reasons": found.reasons}


def base_importance(policy: Policy) -> dict[EventType, float]:
    return {event_type: policy.types[policy.type_for(event_type)].importance for event_type in EventType}
