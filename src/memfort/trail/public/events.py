"""The eleven public events, and what they show of a memory, as structs. Their JSON Schemas come from the types.

Names and required keys are a contract with readers of traces: a key may be added, but not renamed or removed. An
optional key is `UNSET` by default, and is then left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType

from memfort.model.item import Authority, EventType, Kind, Origin
from memfort.model.reason import Reason
from memfort.model.space import Level
from memfort.trail.public.redact import MAX_CHARS, TRUNCATED

TRACE_VERSION = "2026-11-16"  # of the event format: a new key keeps it, a changed meaning raises it
GONE = "(gone)"  # instead of a memory that was erased, or that this reader may not see: both look the same

Action = Literal["read", "write", "promote", "phase_start", "phase_diff"]
ConflictRule = Literal["authority", "correction", "recency", "importance"]
ForgetReason = Literal[Reason.TTL_EXPIRED, Reason.DECAY]
ChangeKind = Literal["replaced", "added", "deleted"]

MAX_TOP_CHANGES = 8


def _one_of(values: Any) -> Meta:
    """The values of a `Literal` in their own order, which counts for conflict rules; msgspec would sort them."""
    return Meta(extra_json_schema={"enum": [str(value) for value in get_args(values)]})


_LEVELS = [level.value for level in Level]
_PRIMARY_LEVELS = [level for level in _LEVELS if level != Level.VISIBILITY]  # a visibility never occurs alone


def _always(value: str | bool) -> Meta:
    return Meta(extra_json_schema={"const": value})


Text = Annotated[str, Meta(max_length=MAX_CHARS + len(TRUNCATED))]  # redacted and cut
Name = Annotated[str, Meta(min_length=1)]
Code = Annotated[str, Meta(pattern="^[a-z][a-z0-9_]*$")]
Count = Annotated[int, Meta(ge=0)]
Tick = Annotated[int, Meta(ge=0)]
DedupKey = Annotated[str, Meta(pattern="^(fact:.+|[a-z]+:[0-9a-f]+)$")]
PrimaryLevel = Annotated[str, Meta(extra_json_schema={"enum": _PRIMARY_LEVELS})]
Coordinates = Annotated[Mapping[str, str], Meta(min_length=1, extra_json_schema={"propertyNames": {"enum": _LEVELS}})]
_BY_LEVEL = {"propertyNames": {"enum": _PRIMARY_LEVELS}}


class Shape(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of an event, with exactly these keys."""


# -- what an event shows of a policy, a phase and a memory ------------------------------------------------------------


class PolicyReference(Shape, frozen=True, kw_only=True):
    """A policy by name and digest."""

    name: Text
    digest: Name


class PolicySnapshot(Struct, frozen=True, kw_only=True):
    """A policy by name and digest, and all its settings if they were asked for."""

    name: Text
    digest: Name


class PhaseView(Shape, frozen=True, kw_only=True):
    """A phase of a space."""

    phase_id: Annotated[Name, Meta(description="`phase-1`, `phase-2`, …")]
    phase_index: Annotated[int, Meta(ge=1, description="its place among the phases of its space")]
    phase_name: Annotated[Text | UnsetType, Meta(description="a name for people, if it has one")] = UNSET
    phase_started_at: Annotated[Tick, Meta(description="tick of its space")]
    phase_reason: Annotated[Text, Meta(description="why it was started")]


class MemoryMeta(Shape, frozen=True, kw_only=True):
    """The other fields of a memory."""

    space: Annotated[PrimaryLevel, Meta(description="the narrowest level of its space")]
    owner: Annotated[str, Meta(description="whose it is: the id at that level")]
    coordinates: Annotated[Coordinates, Meta(description="the whole space")]
    event_type: Annotated[EventType, Meta(description="what kind of event it is about")]
    importance_reason: Annotated[list[str], Meta(description="the rules that set its importance")]
    authority: Annotated[Authority, Meta(description="how much weight it carries")]
    authority_reason: Annotated[Text | UnsetType, Meta(description="where its authority comes from")] = UNSET
    policy_tags: Annotated[list[str] | UnsetType, Meta(description="the rules that admitted and keep it")] = UNSET
    recall_reason: Annotated[list[str] | UnsetType, Meta(description="why it was recalled")] = UNSET
    score: Annotated[float | UnsetType, Meta(description="how well it matched")] = UNSET
    key: Annotated[Text | UnsetType, Meta(description="the name of a profile fact")] = UNSET
    dedup_key: Annotated[DedupKey | UnsetType, Meta(description="shared by duplicates and rivals; never the words")] = (
        UNSET
    )
    expires_at: Annotated[Tick | UnsetType, Meta(description="the tick at which it expires")] = UNSET
    phase_id: Annotated[Name, Meta(description="the phase of its space when it was written")]
    phase_name: Annotated[Text | UnsetType, Meta(description="a name for people, if the phase has one")] = UNSET
    phase_started_at: Annotated[Tick | UnsetType, Meta(description="tick of its space")] = UNSET
    phase_reason: Annotated[Text | UnsetType, Meta(description="why the phase was started")] = UNSET
    summary_of: Annotated[list[str] | UnsetType, Meta(description="the memories it sums up")] = UNSET
    source_turn_ids: Annotated[list[str] | UnsetType, Meta(description="the turns a profile fact was taken from")] = (
        UNSET
    )
    promoted_from: Annotated[Name | UnsetType, Meta(description="the memory in another space that it is a copy of")] = (
        UNSET
    )
    promotion_reason: Annotated[Text | UnsetType, Meta(description="why it was promoted")] = UNSET


class MemoryView(Shape, frozen=True, kw_only=True):
    """A memory."""

    id: Annotated[Name, Meta(description="its id")]
    kind: Annotated[Kind, Meta(description="what it is kept as")]
    text: Annotated[Text, Meta(description="what it says")]
    source: Annotated[Origin, Meta(description="who the words came from")]
    created_at: Annotated[Tick, Meta(description="tick of its space; 0 while it waits for review")]
    importance: Annotated[float, Meta(description="set by rules")]
    scope: Annotated[PrimaryLevel, Meta(description="the same as `meta.space`")]
    meta: Annotated[MemoryMeta, Meta(description="what else is known of it")]


class RecalledMeta(MemoryMeta, frozen=True, kw_only=True):
    """The other fields of a recalled memory."""

    recall_reason: Annotated[list[str], Meta(description="why it was recalled")]


class RecalledMemory(MemoryView, frozen=True, kw_only=True):
    """A memory that was recalled."""

    meta: Annotated[RecalledMeta, Meta(description="what else is known of it")]


class GoneMeta(Shape, frozen=True, kw_only=True):
    """What is left of a memory that is gone."""

    space: Annotated[PrimaryLevel | UnsetType, Meta(description="the level of the space it was in")] = UNSET


class GoneMemory(Shape, frozen=True, kw_only=True):
    """A memory that was erased, or that this reader may not see."""

    id: Annotated[Name, Meta(description="its id")]
    text: Annotated[str, _always(GONE)]
    meta: GoneMeta


class AttemptMeta(Shape, frozen=True, kw_only=True):
    """The other fields of an attempt."""

    space: Annotated[PrimaryLevel | UnsetType, Meta(description="the narrowest level of the space")] = UNSET
    owner: Annotated[str | UnsetType, Meta(description="whose it is: the id at that level")] = UNSET
    coordinates: Annotated[Coordinates | UnsetType, Meta(description="the whole space")] = UNSET
    event_type: Annotated[EventType | UnsetType, Meta(description="what kind of event it is about")] = UNSET
    key: Annotated[Text | UnsetType, Meta(description="the name of a profile fact")] = UNSET


class AttemptView(Shape, frozen=True, kw_only=True):
    """A memory that was not kept."""

    text: Annotated[
        Text,
        Meta(description="`(redact)`, unless the refusal was not about the words and they were asked for"),
    ]
    kind: Annotated[Kind | UnsetType, Meta(description="what it was to be kept as")] = UNSET
    source: Annotated[Origin | UnsetType, Meta(description="who the words came from")] = UNSET
    scope: Annotated[PrimaryLevel | UnsetType, Meta(description="the same as `meta.space`")] = UNSET
    meta: AttemptMeta


class PhaseChange(Shape, frozen=True, kw_only=True):
    """The change of one memory between two phases."""

    change: Annotated[str, _one_of(ChangeKind)]
    memory_id: Annotated[Name, Meta(description="the memory; of two, the one that is there now")]
    replaces: Annotated[Name | UnsetType, Meta(description="the memory of the earlier phase")] = UNSET
    kind: Kind | UnsetType = UNSET
    event_type: EventType | UnsetType = UNSET
    text: Text | UnsetType = UNSET


# -- the events -------------------------------------------------------------------------------------------------------

# msgspec has no union of structs without a tag, so the schemas of these lists are written by hand.
_RECALLED = {"items": {"anyOf": [{"$ref": "#/$defs/RecalledMemory"}, {"$ref": "#/$defs/GoneMemory"}]}}
_WRITTEN = {"items": {"anyOf": [{"$ref": "#/$defs/MemoryView"}, {"$ref": "#/$defs/GoneMemory"}]}}
_WHOLE_POLICY = {"$ref": "#/$defs/PolicySnapshot"}

PolicyInForce = Annotated[PolicyReference, Meta(description="the policy in force, by name and digest")]
Sentence = Annotated[Text, Meta(description="the same in a sentence")]
Refusal = Annotated[Code, Meta(description="the code of the refusal")]
MemoryId = Annotated[Name, Meta(description="the memory")]


class PublicEvent(Shape, frozen=True, kw_only=True, tag_field="type"):
    """The fields of every event: its type, the version of its format, and the caller."""

    trace_version: Annotated[str, _always(TRACE_VERSION), Meta(description="the version of this shape")]
    ai_profile: Annotated[Name, Meta(description="the agent that asked, or the user where there was none")]
    session: Annotated[Name, Meta(description="the session, or the actor's own name outside of one")]


class EventInSpace(PublicEvent, frozen=True, kw_only=True):
    """An event that belongs to one space."""

    space: Annotated[PrimaryLevel, Meta(description="the narrowest level of the space")]
    owner: Annotated[str, Meta(description="whose it is: the id at that level")]
    coordinates: Annotated[Coordinates, Meta(description="the whole space")]


class MemoryRecall(PublicEvent, frozen=True, kw_only=True, tag="memory_recall"):
    """A recall and its answer."""

    query: Annotated[Text, Meta(description="what was asked; `(not kept)` in any process but the one that was asked")]
    query_digest: Annotated[
        str | UnsetType,
        Meta(description="keyed digest of what was asked: the same for the same words in the same store"),
        Meta(extra_json_schema={"pattern": "^[0-9a-f]+$"}),
    ] = UNSET
    recalled: Annotated[
        list[Any],
        Meta(
            description="the memories, in the order of the answer, each with its `recall_reason`",
            extra_json_schema=_RECALLED,
        ),
    ]
    policy: Annotated[
        dict[str, Any],
        Meta(
            description="the policy in force, by name and digest; the whole of it if that was asked for",
            extra_json_schema=_WHOLE_POLICY,
        ),
    ]
    deterministic_hash: Annotated[
        str, Meta(pattern="^[0-9a-f]{64}$", description="digest of the (kind, id) recalled, in order")
    ]
    spaces_consulted: Annotated[
        list[PrimaryLevel],
        Meta(description="the levels that were looked at, in order", extra_json_schema={"uniqueItems": True}),
    ]
    recall_counts: Annotated[
        Mapping[str, Count], Meta(description="how many memories came from each level", extra_json_schema=_BY_LEVEL)
    ]
    current_phase: Annotated[PhaseView | None, Meta(description="the phase the asker stands in; null before the first")]
    phase_counts: Annotated[
        Mapping[str, Mapping[str, Annotated[int, Meta(ge=1)]]] | UnsetType,
        Meta(description="how many memories of each phase, by level", extra_json_schema=_BY_LEVEL),
    ] = UNSET


class MemoryWrite(PublicEvent, frozen=True, kw_only=True, tag="memory_write"):
    """Memories that were kept."""

    written: Annotated[list[Any], Meta(description="the memories", extra_json_schema=_WRITTEN)]
    reason: Annotated[str, _always(Reason.INTERACTION_RECORDED.value), Meta(description="why there is an event")]


class MemoryDenied(PublicEvent, frozen=True, kw_only=True, tag="memory_denied"):
    """A write that was refused."""

    attempted: Annotated[AttemptView, Meta(description="what was to be written: its sort, and no word of it")]
    reason: Refusal
    explanation: Sentence
    policy_snapshot: PolicyInForce


class MemoryConflict(PublicEvent, frozen=True, kw_only=True, tag="memory_conflict"):
    """A conflict of two statements."""

    winner_id: Annotated[Name, Meta(description="the memory that stands")]
    loser_id: Annotated[Name | None, Meta(description="the one that does not; null if it was never kept")]
    rule: Annotated[str, _one_of(ConflictRule), Meta(description="what decided")]
    dedup_key: Annotated[DedupKey, Meta(description="the key they share; never the words")]
    explanation: Sentence


class MemoryForget(PublicEvent, frozen=True, kw_only=True, tag="memory_forget"):
    """An expired memory."""

    memory_id: MemoryId
    reason: Annotated[str, _one_of(ForgetReason), Meta(description="how it ran out")]
    explanation: Sentence
    policy_snapshot: PolicyInForce


class MemoryBorderCheck(PublicEvent, frozen=True, kw_only=True, tag="memory_border_check"):
    """Whether something may be read in a space, or cross from one into another."""

    action: Annotated[str, _one_of(Action), Meta(description="what was to be done")]
    from_space: Annotated[PrimaryLevel, Meta(description="where it was read, or came from")]
    from_coordinates: Annotated[Coordinates | UnsetType, Meta(description="the whole of `from_space`")] = UNSET
    to_space: Annotated[
        PrimaryLevel | UnsetType, Meta(description="where it was to go; with `write` and `promote`")
    ] = UNSET
    to_coordinates: Annotated[Coordinates | UnsetType, Meta(description="the whole of `to_space`")] = UNSET
    subject_id: Annotated[Name | UnsetType, Meta(description="the memory it was about")] = UNSET
    allowed: Annotated[bool, Meta(description="whether it may")]
    reason: Annotated[Code, Meta(description="the code of the answer")]
    policy_snapshot: PolicyInForce


class MemoryPromoted(PublicEvent, frozen=True, kw_only=True, tag="memory_promoted"):
    """A memory that was promoted into another space."""

    from_space: Annotated[PrimaryLevel, Meta(description="where it was")]
    from_coordinates: Annotated[Coordinates, Meta(description="the whole of `from_space`")]
    to_space: Annotated[PrimaryLevel, Meta(description="where it is")]
    to_coordinates: Annotated[Coordinates, Meta(description="the whole of `to_space`")]
    from_id: Annotated[Name, Meta(description="its id there")]
    to_id: Annotated[Name, Meta(description="its id here")]
    authority_used: Annotated[Authority, Meta(description="the authority that sufficed")]
    reason: Annotated[Text, Meta(description="why it was promoted")]
    policy_snapshot: PolicyInForce


class MemoryPromotionDenied(PublicEvent, frozen=True, kw_only=True, tag="memory_promotion_denied"):
    """A refused promotion."""

    from_space: Annotated[PrimaryLevel, Meta(description="where it is, and stays")]
    from_coordinates: Annotated[Coordinates | UnsetType, Meta(description="the whole of `from_space`")] = UNSET
    to_space: Annotated[PrimaryLevel, Meta(description="where it was to go")]
    to_coordinates: Annotated[Coordinates | UnsetType, Meta(description="the whole of `to_space`")] = UNSET
    memory_id: Annotated[Name | None, Meta(description="the memory; null if it was never kept")]
    allowed: Annotated[bool, _always(False), Meta(description="as in a border check")]
    reason: Refusal
    explanation: Sentence
    policy_snapshot: PolicyInForce


class MemoryPhaseStarted(EventInSpace, frozen=True, kw_only=True, tag="memory_phase_started"):
    """A new phase in the history of a space."""

    phase_id: Annotated[Name, Meta(description="`phase-1`, `phase-2`, …")]
    phase_name: Annotated[Text | UnsetType, Meta(description="a name for people, if it has one")] = UNSET
    reason: Annotated[Text, Meta(description="why it was started")]
    policy_snapshot: PolicyInForce


class MemoryDeleted(EventInSpace, frozen=True, kw_only=True, tag="memory_deleted"):
    """A memory that has ended and leaves every read."""

    phase_id: Annotated[Name, Meta(description="its phase")]
    memory_id: MemoryId
    replaced_by: Annotated[Name | UnsetType, Meta(description="the memory that replaced it")] = UNSET
    reason: Annotated[
        Code, Meta(description="why it ended: `superseded`, `expired`, `promoted`, `forgotten`, `erased`, …")
    ]
    explanation: Sentence
    policy_snapshot: PolicyInForce


class MemoryPhaseDiff(EventInSpace, frozen=True, kw_only=True, tag="memory_phase_diff"):
    """What changed in a space from one phase to another."""

    from_phase_id: Annotated[Name, Meta(description="the earlier phase")]
    to_phase_id: Annotated[Name, Meta(description="the later phase")]
    added_count: Annotated[Count, Meta(description="memories that are new")]
    deleted_count: Annotated[Count, Meta(description="memories that are gone")]
    replaced_count: Annotated[Count, Meta(description="memories that another replaced")]
    top_changes: Annotated[
        list[PhaseChange],
        Meta(max_length=MAX_TOP_CHANGES, description="the first eight: replaced, then added, then deleted"),
    ]
    summary_lines: Annotated[
        list[str], Meta(min_length=3, max_length=3, description="the three counts, each in a sentence")
    ]


EVENTS: tuple[type[PublicEvent], ...] = (
    MemoryRecall,
    MemoryWrite,
    MemoryDenied,
    MemoryConflict,
    MemoryForget,
    MemoryBorderCheck,
    MemoryPromoted,
    MemoryPromotionDenied,
    MemoryPhaseStarted,
    MemoryDeleted,
    MemoryPhaseDiff,
)
