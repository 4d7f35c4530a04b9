"""The authority of a statement. The policy says who may claim which origin; any other claim counts only if the user's
message or the tool run is on record."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from memfort.language.normal_form import normal_text
from memfort.model.item import AUTHORITY_OF, Authority, Candidate, Item, Kind, Origin
from memfort.model.people.actor import Actor, ActorKind
from memfort.policy.settings.policy import Policy

ON_RECORD, NOT_ON_RECORD = "on_record:", "not_on_record:"


class Credit(Struct, frozen=True):
    """The accepted origin of a claim, and why."""

    origin: Origin  # the accepted one: `ai` if the claim is not believed
    reason: str

    @property
    def authority(self) -> Authority:
        return AUTHORITY_OF[self.origin]


def credit(actor: Actor, origin: Origin, policy: Policy, *, on_record: bool = False) -> Credit:
    """The origin that is accepted when `actor` claims this one."""
    if policy.origins.allows(actor.kind, origin):
        return Credit(origin, f"source:{origin}")
    if on_record:
        return Credit(origin, f"{ON_RECORD}{origin}")
    return Credit(Origin.AI, f"{NOT_ON_RECORD}{origin}")


def is_quoted(candidate: Candidate, sources: Sequence[Item]) -> bool:
    """Whether the statement is, word for word, a whole sentence that the same person said on record. A part is not
    enough: "like tea" is in "I do not like tea". Additions are not allowed either: "yes" under a key, or as a
    correction, means something else."""
    if candidate.kind is Kind.PROFILE or candidate.is_correction:
        return False
    words = normal_text(candidate.text)
    return any(words in _sentences(one.text) for one in sources if _is_record_for(one, candidate))


def _is_record_for(source: Item, candidate: Candidate) -> bool:
    is_full = source.authority is AUTHORITY_OF[source.origin]
    return is_full and (source.origin, source.stated_by) == (candidate.origin, candidate.stated_by)


def _sentences(text: str) -> set[str]:
    return {normal_text(text), *map(normal_text, _SENTENCE_END.split(text))}


_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


def authority_of_actor(actor: Actor) -> Authority:
    """The authority of an actor itself, for example as a reviewer."""
    by_kind = {
        ActorKind.SYSTEM: Authority.SYSTEM_IMPOSED,
        ActorKind.USER: Authority.USER_ASSERTED,
        ActorKind.AGENT: Authority.AI_INFERRED,
    }
    return by_kind[actor.kind]


def lowest(authority: Authority, sources: Sequence[Item], policy: Policy) -> Authority:
    """Authority never rises: a derived statement has at most the lowest authority of its sources."""
    return max((authority, *(source.authority for source in sources)), key=policy.authority_order.index)
