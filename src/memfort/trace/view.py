"""What a public event shows: of the call it belongs to, of a memory, and of an attempt to write one.

Every text goes through the finder of the call. Names do not: who asks, where a memory stands and what it is called
are how a reader tells one from another, and two redacted names would be the same one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memfort.model.event_type import EventType
from memfort.model.item import Candidate, Item, Kind, Origin
from memfort.model.phase import Phase
from memfort.model.space import Space
from memfort.trace.redact import REDACTED, Find, redacted

GONE = "(gone)"  # in place of a memory that is not there any more, or not for this reader: one answer for both


@dataclass(frozen=True, slots=True)
class Caller:
    """Who made a call, in the words of the trace."""

    ai_profile: str  # the agent's id, or the user's where there is no agent
    session: str  # the session's id, or the actor's own name outside of one


@dataclass(frozen=True, slots=True)
class PolicyInForce:
    """The policy of a call. Events refer to it by digest; the whole of it is told when it is asked for."""

    name: str
    digest: str
    snapshot: Mapping[str, Any] = field(default_factory=dict)  # plain data


@dataclass(frozen=True, slots=True)
class Call:
    """What all events of one call share. Made for a call and gone with it, like the texts it has seen."""

    caller: Caller
    policy: PolicyInForce
    find: Find
    _told: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def told(self, text: str) -> str:
        """The text as this trace may tell it. Codes come again and again, and are searched once."""
        if text not in self._told:
            self._told[text] = redacted(text, self.find)
        return self._told[text]

    def told_all(self, texts: Sequence[str]) -> list[str]:
        return [self.told(text) for text in texts]


@dataclass(frozen=True, slots=True)
class Attempt:
    """The sort of thing that was to be written: all that is known of it when a refusal is told again."""

    kind: Kind
    origin: Origin
    event_type: EventType
    key: str | None = None


def item_view(
    call: Call,
    item: Item,
    *,
    recall_reason: Sequence[str] = (),
    score: float | None = None,
    digest: bytes | None = None,
    phase: Phase | None = None,
) -> dict[str, Any]:
    """A memory as the trace shows it. `digest` is the keyed digest of its statement, under which duplicates meet."""
    recalled = {"recall_reason": call.told_all(recall_reason) or None, "score": score}
    known = {
        "key": None if item.key is None else call.told(item.key),
        "dedup_key": dedup_key(call, item, digest),
        "expires_at": item.expires_tick,
        "phase_id": item.phase,
    }
    details = {} if phase is None else _phase_details(call, phase)
    return {
        "id": item.id,
        "kind": item.kind.value,
        "text": call.told(item.text),
        "source": item.origin.value,
        "created_at": item.created_tick,
        "importance": item.importance,
        "scope": item.space.primary.value,
        "meta": {
            **place_view(item.space),
            **_governance(call, item),
            **_lineage(call, item),
            **_present(recalled | known),
            **details,
        },
    }


def gone_view(id: str, *, space: str | None = None) -> dict[str, Any]:
    """A memory of which only the name is left, and the level at which it once stood, if the trail tells."""
    return {"id": id, "text": GONE, "meta": _present({"space": space})}


def attempt_view(
    call: Call, attempted: Candidate | Attempt | None, space: Space | None, text: str | None
) -> dict[str, Any]:
    """A memory that never came to be, and so has no name. Without a text to tell it has no key either, nor anything
    else that the writer put into words: a secret may stand in any of them."""
    shown: dict[str, Any] = {"text": REDACTED if text is None else call.told(text)}
    meta = {} if space is None else place_view(space)
    if attempted is not None:
        shown |= {"kind": attempted.kind.value, "source": attempted.origin.value}
        meta |= _present({"event_type": None if attempted.event_type is None else attempted.event_type.value})
        if text is not None and attempted.key is not None:
            meta["key"] = call.told(attempted.key)
    return shown | ({} if space is None else {"scope": space.primary.value}) | {"meta": meta}


def place_view(space: Space) -> dict[str, Any]:
    """Where something stands: the level, its id there, and all coordinates, without which two owners could be one."""
    return {
        "space": space.primary.value,
        "owner": space.get(space.primary),
        "coordinates": space.as_dict(),
    }


def phase_view(call: Call, phase: Phase) -> dict[str, Any]:
    return {"phase_id": phase.id, "phase_index": phase.index} | _phase_details(call, phase)


def policy_view(call: Call, *, expanded: bool = False) -> dict[str, Any]:
    """The policy by name and digest; expanded, with all it says."""
    whole = _told_throughout(call, call.policy.snapshot) if expanded else {}
    return {**whole, "name": call.told(call.policy.name), "digest": call.policy.digest}


def dedup_key(call: Call, item: Item, digest: bytes | None) -> str | None:
    """The key under which duplicates and rivals meet: never the words of the statement, not even normalised."""
    if item.kind is Kind.PROFILE and item.key is not None:
        return f"fact:{call.told(item.key)}"
    return None if digest is None else f"{item.event_type.value}:{digest.hex()}"


def _governance(call: Call, item: Item) -> dict[str, Any]:
    always = {
        "event_type": item.event_type.value,
        "importance_reason": call.told_all(item.importance_reasons),
        "authority": item.authority.value,
    }
    return always | _present(
        {
            "authority_reason": call.told(item.authority_reason) or None,
            "policy_tags": call.told_all(item.policy_tags) or None,
        }
    )


def _lineage(call: Call, item: Item) -> dict[str, Any]:
    is_summary = item.type == "summary" or "summary" in item.tags
    return _present(
        {
            "summary_of": list(item.derived_from) if is_summary else None,
            "source_turn_ids": list(item.derived_from) if item.kind is Kind.PROFILE and not is_summary else None,
            "promoted_from": item.promoted_from,
            "promotion_reason": None if item.promotion_reason is None else call.told(item.promotion_reason),
        }
    )


def _phase_details(call: Call, phase: Phase) -> dict[str, Any]:
    return _present(
        {
            "phase_name": None if phase.name is None else call.told(phase.name),
            "phase_started_at": phase.started_at,
            "phase_reason": call.told(phase.reason),
        }
    )


def _told_throughout(call: Call, value: Any) -> Any:
    match value:
        case str():
            return call.told(value)
        case Mapping():
            return {key: _told_throughout(call, inner) for key, inner in value.items()}
        case list() | tuple():
            return [_told_throughout(call, inner) for inner in value]
    return value


def _present(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
