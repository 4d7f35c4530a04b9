"""The public trace: the events of one call, as plain data, for whoever made the call.

Pure functions of values in hand. They never look anything up, so an event can tell nothing that its caller could not
see already; and the trail that is kept is another thing, in `event.py`, without a text in it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from memfort.model.canonical import canonical_list
from memfort.model.item import Authority, Candidate, Item
from memfort.model.phase import Phase
from memfort.model.reason import EXPLANATIONS, Reason
from memfort.model.space import Level, Space
from memfort.trace.view import Attempt, Call, attempt_view, phase_view, place_view, policy_view

TRACE_VERSION = "2026-11-16"  # of the shape of events: new keys keep it, a key with a new meaning does not

Place = Space | Level  # a refusal is kept without the names of the place, so it is told by level alone
Action = Literal["read", "write", "promote", "phase_start", "phase_diff"]
ConflictRule = Literal["authority", "correction", "recency", "importance"]
ForgetReason = Literal[Reason.TTL_EXPIRED, Reason.DECAY]
ChangeKind = Literal["replaced", "added", "deleted"]

_RULES: dict[ConflictRule, str] = {
    "authority": "the winner carries more authority",
    "correction": "the winner was said to put the other right",
    "recency": "the winner is the newer of the two",
    "importance": "the winner is the more important of the two; where they are equal, ids decide",
}

# Refusals for what was done rather than for what was said: only with these may the words be told. A reason that is not
# here keeps them back, so a new rule about secrets or privacy is safe before anybody thinks of this list.
_ABOUT_THE_ACT = frozenset(
    [
        Reason.BORDER_WRITE,
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

_MAX_TOP_CHANGES = 8


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one memory between two phases."""

    kind: ChangeKind
    id: str
    replaces: str | None = None  # the memory of the earlier phase, for one that was replaced
    item: Item | None = None  # `None`: it is gone, and only its name can be told


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
    """A recall and what it gave, `recalled` being views in their order. `phase` is the one the asker stands in. The
    words of a query may be known no more; its digest tells whether it was the same as another."""
    digest = {} if query_digest is None else {"query_digest": query_digest}
    levels = list(dict.fromkeys(level.value for level in consulted))
    placed = [view["meta"] for view in recalled if "space" in view["meta"]]
    return _head(call, "memory_recall") | {
        "query": call.told(query),
        **digest,
        "recalled": [dict(view) for view in recalled],
        "policy": policy_view(call, expanded=expanded),
        "deterministic_hash": hash,
        "spaces_consulted": levels,
        "recall_counts": {**dict.fromkeys(levels, 0), **Counter(meta["space"] for meta in placed)},
        "current_phase": None if phase is None else phase_view(call, phase),
        "phase_counts": _phase_counts(placed),
    }


def memory_write(call: Call, *, written: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Memories that were kept, `written` being their views."""
    return _head(call, "memory_write") | {
        "written": [dict(view) for view in written],
        "reason": Reason.INTERACTION_RECORDED.value,
    }


def memory_denied(
    call: Call,
    *,
    attempted: Candidate | Attempt | None,
    space: Space | None,
    reason: Reason,
    explanation: str | None = None,
    text: str | None = None,
) -> dict[str, Any]:
    """A write that was refused. The words are told only if they are given, and only if they were not the reason."""
    tellable = text if reason in _ABOUT_THE_ACT else None
    return _head(call, "memory_denied") | {
        "attempted": attempt_view(call, attempted, space, tellable),
        **_why(call, reason, explanation),
        "policy_snapshot": policy_view(call),
    }


def memory_conflict(
    call: Call, *, winner_id: str, loser_id: str | None, rule: ConflictRule, dedup_key: str
) -> dict[str, Any]:
    """Two statements that could not both stand. A loser that was never kept has no id."""
    return _head(call, "memory_conflict") | {
        "winner_id": winner_id,
        "loser_id": loser_id,
        "rule": rule,
        "dedup_key": dedup_key,
        "explanation": _RULES[rule],
    }


def memory_forget(call: Call, *, memory_id: str, reason: ForgetReason) -> dict[str, Any]:
    """A memory whose time has run out."""
    return _head(call, "memory_forget") | {
        "memory_id": memory_id,
        **_why(call, reason),
        "policy_snapshot": policy_view(call),
    }


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
    event = _head(call, "memory_border_check") | {"action": action, **_border("from", from_space)}
    if to_space is not None:
        event |= _border("to", to_space)
    if subject_id is not None:
        event["subject_id"] = subject_id
    return event | {"allowed": allowed, "reason": reason.value, "policy_snapshot": policy_view(call)}


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
    """A memory that was taken from one space into another, under a new name."""
    return _head(call, "memory_promoted") | {
        **_border("from", from_space),
        **_border("to", to_space),
        "from_id": from_id,
        "to_id": to_id,
        "authority_used": authority_used.value,
        "reason": call.told(reason),
        "policy_snapshot": policy_view(call),
    }


def memory_promotion_denied(
    call: Call,
    *,
    from_space: Place,
    to_space: Place,
    memory_id: str | None,
    reason: Reason,
    explanation: str | None = None,
) -> dict[str, Any]:
    """A memory that was not let into another space, and stays where it is; without an id, it was never kept."""
    return _head(call, "memory_promotion_denied") | {
        **_border("from", from_space),
        **_border("to", to_space),
        "memory_id": memory_id,
        "allowed": False,
        **_why(call, reason, explanation),
        "policy_snapshot": policy_view(call),
    }


def memory_phase_started(call: Call, *, space: Space, phase: Phase) -> dict[str, Any]:
    """A new phase in the history of a space."""
    name = {} if phase.name is None else {"phase_name": call.told(phase.name)}
    return _head(call, "memory_phase_started") | {
        **place_view(space),
        "phase_id": phase.id,
        **name,
        "reason": call.told(phase.reason),
        "policy_snapshot": policy_view(call),
    }


def memory_deleted(
    call: Call,
    *,
    space: Space,
    phase_id: str,
    memory_id: str,
    reason: Reason,
    replaced_by: str | None = None,
) -> dict[str, Any]:
    """A memory that is out of every read from here on."""
    successor = {} if replaced_by is None else {"replaced_by": replaced_by}
    return _head(call, "memory_deleted") | {
        **place_view(space),
        "phase_id": phase_id,
        "memory_id": memory_id,
        **successor,
        **_why(call, reason),
        "policy_snapshot": policy_view(call),
    }


def memory_phase_diff(
    call: Call, *, space: Space, from_phase_id: str, to_phase_id: str, changes: Sequence[Change]
) -> dict[str, Any]:
    """What changed in a space from one phase to another: all of it in numbers, the first few by name."""
    order: tuple[ChangeKind, ...] = ("replaced", "added", "deleted")
    counts = Counter(change.kind for change in changes)
    top = sorted(changes, key=lambda change: order.index(change.kind))[:_MAX_TOP_CHANGES]
    return _head(call, "memory_phase_diff") | {
        **place_view(space),
        "from_phase_id": from_phase_id,
        "to_phase_id": to_phase_id,
        **{f"{kind}_count": counts[kind] for kind in ("added", "deleted", "replaced")},
        "top_changes": [_change(call, change) for change in top],
        "summary_lines": [counted(counts[kind], kind) for kind in ("added", "deleted", "replaced")],
    }


def deterministic_hash(items: Iterable[Item]) -> str:
    """A digest of which memories were recalled, in which order: of each its kind and its id, and nothing else."""
    return hashlib.sha256(canonical_list([[item.kind, item.id] for item in items])).hexdigest()


def _head(call: Call, type: str) -> dict[str, Any]:
    return {
        "type": type,
        "trace_version": TRACE_VERSION,
        "ai_profile": call.caller.ai_profile,
        "session": call.caller.session,
    }


def _phase_counts(placed: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """How many of each phase, by level. Memories of which only the name is left are in no phase."""
    counts: dict[str, dict[str, int]] = {}
    for meta in placed:
        if "phase_id" in meta:
            of_space = counts.setdefault(meta["space"], {})
            of_space[meta["phase_id"]] = of_space.get(meta["phase_id"], 0) + 1
    return counts


def _why(call: Call, reason: Reason, explanation: str | None = None) -> dict[str, str]:
    """The code, and the sentence for it; or one that says more, such as which rule it was."""
    return {"reason": reason.value, "explanation": call.told(explanation or EXPLANATIONS[reason])}


def _border(side: str, place: Place) -> dict[str, Any]:
    if isinstance(place, Level):
        return {f"{side}_space": place.value}
    return {f"{side}_space": place.primary.value, f"{side}_coordinates": place.as_dict()}


def _change(call: Call, change: Change) -> dict[str, Any]:
    told = {"change": change.kind, "memory_id": change.id}
    if change.replaces is not None:
        told["replaces"] = change.replaces
    if change.item is not None:
        told |= {"kind": change.item.kind.value, "event_type": change.item.event_type.value}
        told["text"] = call.told(change.item.text)
    return told


def counted(count: int, kind: ChangeKind) -> str:
    return f"1 memory was {kind}." if count == 1 else f"{count} memories were {kind}."
