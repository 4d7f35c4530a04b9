"""Build the public trace: the events of one call, as plain data, for its caller.

Pure functions of given values. They look nothing up, so an event shows only what its caller could already see. The
stored trail (`memfort.trail.event`) is separate, and holds no texts.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from memfort.model.item import Authority, Candidate, Item
from memfort.model.phase import Phase
from memfort.model.reason import EXPLANATIONS, Reason
from memfort.model.serialize.encoding import canonical_list
from memfort.model.space import Level, Space
from memfort.trail.public.events import (
    MAX_TOP_CHANGES,
    TRACE_VERSION,
    Action,
    ChangeKind,
    ConflictRule,
    ForgetReason,
    MemoryBorderCheck,
    MemoryConflict,
    MemoryDeleted,
    MemoryDenied,
    MemoryForget,
    MemoryPhaseDiff,
    MemoryPhaseStarted,
    MemoryPromoted,
    MemoryPromotionDenied,
    MemoryRecall,
    MemoryWrite,
    PhaseChange,
    PublicEvent,
)
from memfort.trail.public.view import (
    Attempt,
    Call,
    attempt_view,
    phase_view,
    place_view,
    policy_reference,
    whole_policy,
)

Place = Space | Level  # a refusal is recorded without the names of the place, so only the level is shown

_SUMMED_UP: tuple[ChangeKind, ...] = ("added", "deleted", "replaced")

_RULES: dict[ConflictRule, str] = {
    "authority": "the winner carries more authority",
    "correction": "the winner is a correction of the other",
    "recency": "the winner is the newer of the two",
    "importance": "the winner is the more important of the two; where they are equal, ids decide",
}

# Refusals because of the action and not because of the text: only for these may the text be shown. Any other reason
# hides the text, so a new rule about secrets or privacy is safe by default.
_ABOUT_THE_ACT = frozenset(
    [
        Reason.BORDER_WRITE,
        Reason.WRITER_NOT_A_READER,
        Reason.SPACE_DISABLED,
        Reason.WRITE_SPACE_DISALLOWED,
        Reason.WRITE_POLICY_NONE,
        Reason.WRITE_POLICY_MINIMAL,
        Reason.WRITE_POLICY_CONTEXT,
        Reason.POLICY_DENY_EVENT_TYPE,
        Reason.POLICY_DENY_PROMOTION,
        Reason.POLICY_LOW_SIGNAL,
        Reason.GOVERNANCE_RULE,
        Reason.GOVERNANCE_DEFAULT,
        Reason.OUTRANKED,
        Reason.BUDGET_FULL,
    ]
)


class Change(Struct, frozen=True):
    """The change of one memory between two phases."""

    kind: ChangeKind
    id: str
    replaces: str | None = None  # the memory of the earlier phase, for one that was replaced
    item: Item | None = None  # `None`: the memory is gone, and only its id can be shown


def memory_recall(
    call: Call,
    *,
    query: str,
    recalled: Sequence[Mapping[str, Any]],
    hash: str,
    consulted: Sequence[Level],
    phase: Phase | None,
    query_digest: str | None = None,
    expanded: bool = False,
) -> dict[str, Any]:
    """A recall and its answer; `recalled` are views in order. `phase` is the present one of the asker's space. The text
    of a query may not be kept; its digest shows whether two queries were equal."""
    levels = list(dict.fromkeys(level.value for level in consulted))
    in_a_space = [view["meta"] for view in recalled if "space" in view["meta"]]
    return _plain(
        MemoryRecall(
            **_caller(call),
            query=call.redact(query),
            query_digest=UNSET if query_digest is None else query_digest,
            recalled=list(recalled),
            policy=whole_policy(call) if expanded else msgspec.to_builtins(policy_reference(call)),
            deterministic_hash=hash,
            spaces_consulted=levels,
            recall_counts={**dict.fromkeys(levels, 0), **Counter(meta["space"] for meta in in_a_space)},
            current_phase=None if phase is None else phase_view(call, phase),
            phase_counts=_phase_counts(in_a_space),
        )
    )


def memory_write(call: Call, *, written: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Memories that were kept; `written` are their views."""
    return _plain(MemoryWrite(**_caller(call), written=list(written), reason=Reason.INTERACTION_RECORDED.value))


def memory_denied(
    call: Call,
    *,
    attempted: Candidate | Attempt | None,
    space: Space | None,
    reason: Reason,
    explanation: str | None = None,
    text: str | None = None,
) -> dict[str, Any]:
    """A write that was refused. The text is shown only if it is given, and only if it was not the reason."""
    shown = text if reason in _ABOUT_THE_ACT else None
    return _plain(
        MemoryDenied(
            **_caller(call),
            attempted=attempt_view(call, attempted, space, shown),
            **_why(call, reason, explanation),
            policy_snapshot=policy_reference(call),
        )
    )


def memory_conflict(
    call: Call, *, winner_id: str, loser_id: str | None, rule: ConflictRule, dedup_key: str
) -> dict[str, Any]:
    """A conflict of two statements. A loser that was never kept has no id."""
    return _plain(
        MemoryConflict(
            **_caller(call),
            winner_id=winner_id,
            loser_id=loser_id,
            rule=rule,
            dedup_key=dedup_key,
            explanation=_RULES[rule],
        )
    )


def memory_forget(call: Call, *, memory_id: str, reason: ForgetReason) -> dict[str, Any]:
    """An expired memory."""
    return _plain(
        MemoryForget(
            **_caller(call),
            memory_id=memory_id,
            **_why(call, reason),
            policy_snapshot=policy_reference(call),
        )
    )


def memory_border_check(
    call: Call,
    *,
    action: Action,
    from_space: Place,
    to_space: Place | None = None,
    allowed: bool,
    reason: Reason,
    subject_id: str | None = None,
) -> dict[str, Any]:
    """Whether something may be read in a space, or cross from one into another."""
    assert to_space is not None or action not in {"write", "promote"}, f"{action} goes somewhere"
    return _plain(
        MemoryBorderCheck(
            **_caller(call),
            action=action,
            **_border("from", from_space),
            **({} if to_space is None else _border("to", to_space)),
            subject_id=UNSET if subject_id is None else subject_id,
            allowed=allowed,
            reason=reason.value,
            policy_snapshot=policy_reference(call),
        )
    )


def memory_promoted(
    call: Call,
    *,
    from_space: Space,
    to_space: Space,
    from_id: str,
    to_id: str,
    authority_used: Authority,
    reason: str,
) -> dict[str, Any]:
    """A memory that was promoted into another space, under a new id."""
    return _plain(
        MemoryPromoted(
            **_caller(call),
            **_border("from", from_space),
            **_border("to", to_space),
            from_id=from_id,
            to_id=to_id,
            authority_used=authority_used,
            reason=call.redact(reason),
            policy_snapshot=policy_reference(call),
        )
    )


def memory_promotion_denied(
    call: Call,
    *,
    from_space: Place,
    to_space: Place,
    memory_id: str | None,
    reason: Reason,
    explanation: str | None = None,
) -> dict[str, Any]:
    """A refused promotion: the memory stays in its space; without an id, it was never kept."""
    return _plain(
        MemoryPromotionDenied(
            **_caller(call),
            **_border("from", from_space),
            **_border("to", to_space),
            memory_id=memory_id,
            allowed=False,
            **_why(call, reason, explanation),
            policy_snapshot=policy_reference(call),
        )
    )


def memory_phase_started(call: Call, *, space: Space, phase: Phase) -> dict[str, Any]:
    """A new phase in the history of a space."""
    return _plain(
        MemoryPhaseStarted(
            **_caller(call),
            **place_view(space),
            phase_id=phase.id,
            phase_name=UNSET if phase.name is None else call.redact(phase.name),
            reason=call.redact(phase.reason),
            policy_snapshot=policy_reference(call),
        )
    )


def memory_deleted(
    call: Call,
    *,
    space: Space,
    phase_id: str,
    memory_id: str,
    reason: Reason,
    replaced_by: str | None = None,
) -> dict[str, Any]:
    """A memory that has ended and leaves every read."""
    return _plain(
        MemoryDeleted(
            **_caller(call),
            **place_view(space),
            phase_id=phase_id,
            memory_id=memory_id,
            replaced_by=UNSET if replaced_by is None else replaced_by,
            **_why(call, reason),
            policy_snapshot=policy_reference(call),
        )
    )


def memory_phase_diff(
    call: Call, *, space: Space, from_phase_id: str, to_phase_id: str, changes: Sequence[Change]
) -> dict[str, Any]:
    """The changes in a space from one phase to another: all counts, and the first few memories."""
    order: tuple[ChangeKind, ...] = ("replaced", "added", "deleted")
    counts = Counter(change.kind for change in changes)
    top = sorted(changes, key=lambda change: order.index(change.kind))[:MAX_TOP_CHANGES]
    return _plain(
        MemoryPhaseDiff(
            **_caller(call),
            **place_view(space),
            from_phase_id=from_phase_id,
            to_phase_id=to_phase_id,
            added_count=counts["added"],
            deleted_count=counts["deleted"],
            replaced_count=counts["replaced"],
            top_changes=[_change(call, change) for change in top],
            summary_lines=[counted(counts[kind], kind) for kind in _SUMMED_UP],
        )
    )


def deterministic_hash(items: Iterable[Item]) -> str:
    """A digest of the recalled memories in order: the kind and the id of each, and nothing else."""
    return hashlib.sha256(canonical_list([[item.kind, item.id] for item in items])).hexdigest()


def _plain(event: PublicEvent) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(event)
    return plain


def _caller(call: Call) -> dict[str, Any]:
    return {"trace_version": TRACE_VERSION, "ai_profile": call.caller.ai_profile, "session": call.caller.session}


def _phase_counts(in_a_space: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """The number of memories of each phase, by level. Memories with only an id left belong to no phase."""
    counts: dict[str, dict[str, int]] = {}
    for meta in in_a_space:
        if "phase_id" in meta:
            of_level = counts.setdefault(meta["space"], {})
            of_level[meta["phase_id"]] = of_level.get(meta["phase_id"], 0) + 1
    return counts


def _why(call: Call, reason: Reason, explanation: str | None = None) -> dict[str, Any]:
    """The code and its sentence, or a more specific sentence, such as one that names the rule."""
    return {"reason": reason.value, "explanation": call.redact(explanation or EXPLANATIONS[reason])}


def _border(side: str, place: Place) -> dict[str, Any]:
    if isinstance(place, Level):
        return {f"{side}_space": place.value}
    return {f"{side}_space": place.primary.value, f"{side}_coordinates": place.to_dict()}


def _change(call: Call, change: Change) -> PhaseChange:
    item = change.item
    return PhaseChange(
        change=change.kind,
        memory_id=change.id,
        replaces=UNSET if change.replaces is None else change.replaces,
        kind=UNSET if item is None else item.kind,
        event_type=UNSET if item is None else item.event_type,
        text=UNSET if item is None else call.redact(item.text),
    )


def counted(count: int, kind: ChangeKind) -> str:
    return f"1 memory was {kind}." if count == 1 else f"{count} memories were {kind}."
