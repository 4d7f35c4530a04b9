"""How a public event shows its call, a memory, and an attempt to write one.

Every text goes through the finder of the call. Ids and places do not: they distinguish memories and actors, and two
redacted names would look the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from memfort.model.item import Candidate, EventType, Item, Kind, Origin, parents_of
from memfort.model.phase import Phase
from memfort.model.space import Space
from memfort.trail.public.events import (
    GONE,
    AttemptMeta,
    AttemptView,
    GoneMemory,
    GoneMeta,
    MemoryMeta,
    MemoryView,
    PhaseView,
    PolicyReference,
)
from memfort.trail.public.redact import REDACTED, Find, redact


class Caller(Struct, frozen=True):
    """The caller, as shown in the trace."""

    ai_profile: str  # the agent's id, or the user's where there is no agent
    session: str  # the session's id, or the actor's own name outside of one


class PolicyInForce(Struct, frozen=True):
    """The policy of a call. Events refer to it by digest; all its settings are shown when they are asked for."""

    name: str
    digest: str
    snapshot: Mapping[str, Any] = {}  # plain data


class Call(Struct, frozen=True, dict=True):
    """What all events of one call share. It lives as long as the call, like the texts it caches."""

    caller: Caller
    policy: PolicyInForce
    find: Find

    def redact(self, text: str) -> str:
        """The text as this trace may show it. Repeated texts, such as codes, are searched once."""
        if text not in self._redacted:
            self._redacted[text] = redact(text, self.find)
        return self._redacted[text]

    def redact_all(self, texts: Sequence[str]) -> list[str]:
        return [self.redact(text) for text in texts]

    @cached_property
    def _redacted(self) -> dict[str, str]:
        """The texts redacted so far, by their original."""
        return {}


class Attempt(Struct, frozen=True):
    """The kind of memory that was to be written: all that the trail keeps of a refused write."""

    kind: Kind
    origin: Origin
    event_type: EventType
    key: str | None = None


def item_view(
    call: Call,
    item: Item,
    *,
    words: str | None = None,
    importance_reason: Sequence[str] = (),
    recall_reason: Sequence[str] = (),
    score: float | None = None,
    phase: Phase | None = None,
) -> dict[str, Any]:
    """A memory as the trace shows it. `words` are those of its text in normal form, as far as the reader sees them;
    `importance_reason` is the rule that set its importance, where the memory names
    none."""
    is_summary = item.type == "summary" or "summary" in item.tags
    is_taken_from_turns = item.kind is Kind.PROFILE and not is_summary
    return _plain(
        MemoryView(
            id=item.id,
            kind=item.kind,
            text=call.redact(item.text),
            source=item.origin,
            created_at=item.created_tick,
            importance=item.importance,
            scope=item.space.primary.value,
            meta=MemoryMeta(
                **place_view(item.space),
                event_type=item.event_type,
                importance_reason=call.redact_all(item.importance_reasons or importance_reason),
                authority=item.authority,
                authority_reason=call.redact(item.authority_reason) or UNSET,
                policy_tags=call.redact_all(item.policy_tags) or UNSET,
                recall_reason=call.redact_all(recall_reason) or UNSET,
                score=UNSET if score is None else score,
                key=_redacted(call, item.key),
                dedup_key=UNSET if words is None else dedup_key(call, item, words),
                expires_at=UNSET if item.expires_tick is None else item.expires_tick,
                phase_id=item.phase,
                phase_name=UNSET if phase is None else _redacted(call, phase.name),
                phase_started_at=UNSET if phase is None else phase.started_tick,
                phase_reason=UNSET if phase is None else call.redact(phase.reason),
                summary_of=list(item.derived_from) if is_summary else UNSET,
                source_turn_ids=list(parents_of(item)) if is_taken_from_turns else UNSET,
                promoted_from=UNSET if item.promoted_from is None else item.promoted_from,
                promotion_reason=_redacted(call, item.promotion_reason),
            ),
        )
    )


def gone_view(id: str, *, space: str | None = None) -> dict[str, Any]:
    """A memory with only its id left, and the level of its space, if the trail has it."""
    return _plain(GoneMemory(id=id, text=GONE, meta=GoneMeta(space=UNSET if space is None else space)))


def attempt_view(
    call: Call, attempted: Candidate | Attempt | None, space: Space | None, text: str | None
) -> AttemptView:
    """A memory that was not kept, and so has no id. Without a text it shows no key either, nor any other free text of
    the writer: a secret may be in any of them."""
    place = {} if space is None else place_view(space)
    scope = UNSET if space is None else space.primary.value
    shown = REDACTED if text is None else call.redact(text)
    if attempted is None:
        return AttemptView(text=shown, scope=scope, meta=AttemptMeta(**place))
    return AttemptView(
        text=shown,
        kind=attempted.kind,
        source=attempted.origin,
        scope=scope,
        meta=AttemptMeta(
            **place,
            event_type=UNSET if attempted.event_type is None else attempted.event_type,
            key=UNSET if text is None else _redacted(call, attempted.key),
        ),
    )


def place_view(space: Space) -> dict[str, Any]:
    """A space: its level, the id there, and all coordinates, without which two owners could look the same."""
    return {
        "space": space.primary.value,
        "owner": space.get(space.primary),
        "coordinates": space.to_dict(),
    }


def phase_view(call: Call, phase: Phase) -> PhaseView:
    return PhaseView(
        phase_id=phase.id,
        phase_index=phase.index,
        phase_name=_redacted(call, phase.name),
        phase_started_at=phase.started_tick,
        phase_reason=call.redact(phase.reason),
    )


def policy_reference(call: Call) -> PolicyReference:
    """The policy by name and digest."""
    return PolicyReference(name=call.redact(call.policy.name), digest=call.policy.digest)


def whole_policy(call: Call) -> dict[str, Any]:
    """The policy with all its settings."""
    settings: dict[str, Any] = _redact_throughout(call, call.policy.snapshot)
    return settings | _plain(policy_reference(call))


def dedup_key(call: Call, item: Item, words: str) -> str:
    """The key that duplicates and rivals share, the same in every store for the same words:
    `words` is the text in normal form, as the reader sees it. Never the text itself; and
    whoever sees the text redacted gets the key of what they see, from which nothing can be guessed."""
    if item.kind is Kind.PROFILE and item.key is not None:
        return f"fact:{call.redact(item.key)}"
    return f"{item.event_type.value}:{blake2b(words.encode(), digest_size=16).hexdigest()}"


def _redacted(call: Call, text: str | None) -> str | UnsetType:
    return UNSET if text is None else call.redact(text)


def _redact_throughout(call: Call, value: Any) -> Any:
    match value:
        case str():
            return call.redact(value)
        case Mapping():
            return {key: _redact_throughout(call, inner) for key, inner in value.items()}
        case list() | tuple():
            return [_redact_throughout(call, inner) for inner in value]
    return value


def _plain(shape: Struct) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(shape)
    return plain
