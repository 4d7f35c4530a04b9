"""Proposals to promote a memory out of a private chat: pending memories in the space of a person who may release it."""

from __future__ import annotations

from typing import Any

from memfort.model.item import Facts, Item
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.reason import Reason
from memfort.model.serialize.record import actor_from_dict, actor_to_dict
from memfort.model.space import Space

_PROPOSED_BY, _PROPOSED_TO = "proposed_by", "proposed_to"  # in the provenance
_NAMES = {_PROPOSED_BY, _PROPOSED_TO}


def is_proposal(item: Item) -> bool:
    """Whether it is a proposal, in whatever state. A file can claim to bring one; only the system writes them."""
    is_made_here = item.author.kind is ActorKind.SYSTEM and item.provenance.keys() >= _NAMES
    return item.promotion_reason == Reason.RELEASE_WAITS and is_made_here


def provenance_of_proposal(proposer: Actor, target: Space) -> Facts:
    facts: dict[str, Any] = {_PROPOSED_BY: actor_to_dict(proposer), _PROPOSED_TO: target.to_dict()}
    return Facts(facts)


def target_of(proposal: Item) -> Space:
    """The space that the memory would go to."""
    named: dict[str, str] = dict(proposal.provenance[_PROPOSED_TO])
    return Space.of(named)


def proposer_of(proposal: Item) -> Actor:
    return actor_from_dict(proposal.provenance[_PROPOSED_BY])
