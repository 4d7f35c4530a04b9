"""The facade's answers as JSON documents, and as lines for people. Times are ISO 8601 in UTC."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from memfort.model.decision import Decision, Outcome, OutcomeState
from memfort.model.item import Item
from memfort.model.moment import Moment, to_text
from memfort.model.people.directory import Share, Withdrawal
from memfort.model.reason import Reason, explanation
from memfort.model.results import (
    BackupReport,
    ErasureCheck,
    Explanation,
    Hit,
    ImportReport,
    Recall,
    Receipt,
    RestoreReport,
    ReviewEntry,
    Source,
)
from memfort.model.serialize.record import actor_to_dict
from memfort.policy.standing import Standing
from memfort.store.port import Erasure
from memfort.surfaces.cli.output.console import Table
from memfort.surfaces.cli.wording import in_commands

if TYPE_CHECKING:
    from memfort.model.phase import Phase
    from memfort.operations.capture.observe import Observation, ObservedMessage
    from memfort.operations.phase.diff import PhaseDiff
    from memfort.operations.policy.apply import AppliedPolicy
    from memfort.operations.policy.simulate import ChangedDecision, Simulation
    from memfort.operations.policy.simulation.writes import Ruling
    from memfort.recall.render import Context


def decision_document(decision: Decision) -> dict[str, Any]:
    return {
        "verdict": decision.verdict.value,
        "gate": decision.gate,
        "reason": decision.reason.value,
        "explanation": decision.explanation,
        "policy": decision.policy,
        "detail": dict(decision.detail),
    }


def outcome_document(outcome: Outcome) -> dict[str, Any]:
    return {
        "state": outcome.state.value,
        "kept": outcome.kept,
        "id": outcome.id,
        "decision": decision_document(outcome.decision),
        "memory": None if outcome.item is None else outcome.item.to_dict(),
        "notice": outcome.notice or None,
        "trace": outcome.trace or None,
    }


def observation_document(observation: Observation) -> dict[str, Any]:
    return {
        "messages": [_observed_document(one) for one in observation.messages],
        "promotions": [outcome_document(one) for one in observation.promotions],
        "forget_requests": [one.to_dict() for one in observation.forget_requests],
        "summary": None if observation.summary is None else observation.summary.to_dict(),
        "trace": observation.trace,
    }


def _observed_document(message: ObservedMessage) -> dict[str, Any]:
    return {
        "index": message.index,
        "already_observed": message.already_observed,
        "skipped": None if message.skipped is None else message.skipped.value,
        "turn": None if message.turn is None else outcome_document(message.turn),
        "statements": [outcome_document(one) for one in message.statements],
        "ended": [one.to_dict() for one in message.ended],
        "demoted": [one.to_dict() for one in message.demoted],
        "may_replace": list(message.may_replace),
    }


def phase_document(phase: Phase) -> dict[str, Any]:
    return {
        "id": phase.id,
        "name": phase.name,
        "reason": phase.reason,
        "started_tick": phase.started_tick,
        "started_at": format_moment(phase.started_at_us),
    }


def phase_diff_document(diff: PhaseDiff) -> dict[str, Any]:
    return {
        "space": diff.space.to_dict(),
        "from": phase_document(diff.earlier),
        "to": phase_document(diff.later),
        "changes": [
            {
                "change": change.kind,
                "memory": change.item.to_dict(),
                "replaces": None if change.replaces is None else change.replaces.to_dict(),
            }
            for change in diff.changes
        ],
        "summary": diff.summary_lines,
        "trace": diff.trace,
    }


def simulation_document(simulation: Simulation) -> dict[str, Any]:
    return {
        "policy": simulation.policy,
        "decisions": simulation.decisions,
        "changed": len(simulation.changes),
        "counts": simulation.counts,
        "changes": [_changed_document(one) for one in simulation.changes],
        "undecided": dict(simulation.undecided),
    }


def applied_document(applied: AppliedPolicy) -> dict[str, Any]:
    changes = [_changed_document(one) for one in applied.changes]
    return {"changes": changes, "end_now": applied.end_now, "left": dict(applied.left)}


def _changed_document(change: ChangedDecision) -> dict[str, Any]:
    return {
        "id": change.id,
        "levels": list(change.levels),
        "change": change.kind,
        "was": ruling_document(change.was),
        "would": ruling_document(change.would),
    }


def ruling_document(ruling: Ruling) -> dict[str, Any]:
    return {
        "verdict": ruling.verdict.value,
        "reason": ruling.reason.value,
        "status": None if ruling.status is None else ruling.status.value,
        "expires_at": format_moment(ruling.expires_at_us),
        "ticks": ruling.ticks,
    }


def hit_document(hit: Hit) -> dict[str, Any]:
    return {
        "score": hit.score,
        "level": hit.level,
        "reason": hit.reason.value,
        "weak": hit.weak,
        "features": dict(hit.features),
        "memory": hit.item.to_dict(),
    }


def why_lines(found: Recall | Context) -> list[str]:
    """The features of each returned memory, and the number withheld per reason, if that was asked for."""
    if found.withheld is None:
        return []
    return [
        *(f"{hit.id} {hit.score:.3f}: {_shares(hit)}" for hit in found.hits),
        *(f"withheld {count}: {explanation(Reason(reason))} ({reason})" for reason, count in found.withheld.items()),
    ]


def _shares(hit: Hit) -> str:
    return ", ".join(f"{name} {share:.3f}" for name, share in hit.features.items())


def review_document(entry: ReviewEntry) -> dict[str, Any]:
    return {
        "memory": entry.item.to_dict(),
        "reason": entry.reason.value,
        "explanation": entry.explanation,
        "replaces": None if entry.replaces is None else entry.replaces.id,
        "diff": entry.diff,
        "to": None if entry.to is None else entry.to.to_dict(),
    }


def receipt_document(receipt: Receipt) -> dict[str, Any]:
    return {
        "receipt": receipt.id,
        "state": receipt.state,
        "at": format_moment(receipt.at_us),
        "actor": actor_to_dict(receipt.actor),
        "selector": dict(receipt.selector),
        "memories": [{"space": space.to_dict(), "id": id} for space, id in receipt.items],
        "counts": dict(receipt.counts),
        "pending": pending_in_commands(receipt),
        "sentences": [sentence.to_dict() for sentence in receipt.sentences],
        "may_still_say": list(receipt.may_still_say),
        "notes": list(receipt.notes),
        **({"sample": list(receipt.sample)} if receipt.dry_run else {}),
    }


def erasure_document(erasure: Erasure) -> dict[str, Any]:
    return {
        "receipt": erasure.id,
        "at": format_moment(erasure.at_us),
        "state": "complete" if erasure.pending is None else "pending",
        "pending": pending_in_commands(erasure),
        "memories": [id for _, id in erasure.items],
        "counts": dict(erasure.counts),
    }


def pending_in_commands(erased: Receipt | Erasure) -> str | None:
    """Why it is not finished, and the command that goes on with it."""
    return None if erased.pending is None else in_commands(erased.pending)


def erasure_check_document(found: ErasureCheck) -> dict[str, Any]:
    return {"receipt": found.receipt, "ok": found.ok, "problems": list(found.problems)}


def explanation_document(found: Explanation) -> dict[str, Any]:
    return {
        "subject": found.subject,
        "shown": found.shown,
        "reason": found.reason.value,
        "ranking": None if found.ranking is None else asdict(found.ranking),
        "lines": [in_commands(line) for line in found.lines],
    }


def standing_document(held: Standing) -> dict[str, Any]:
    return {
        "level": held.coordinate.level.value,
        "id": held.coordinate.id,
        "reach": held.reach.name.lower(),
        "reason": held.reason.value,
        "explanation": explanation(held.reason),
    }


def share_document(share: Share) -> dict[str, Any]:
    return {
        "id": share.id,
        "space": share.space.to_dict(),
        "reader": dict(zip(("kind", "id"), share.holder_names, strict=True)),
        "granted_by": actor_to_dict(share.granted_by),
        "granted_at": format_moment(share.granted_at_us),
        "may_pass_on": share.may_pass_on,
        "via": share.via,
    }


def withdrawal_document(withdrawal: Withdrawal) -> dict[str, Any]:
    return {"share": withdrawal.share, "id": withdrawal.id, "at": format_moment(withdrawal.at_us)}


def source_document(source: Source) -> dict[str, Any]:
    return {
        "id": source.id,
        "space": source.space.to_dict(),
        "platform": source.platform,
        "filename": source.filename,
        "sha256": source.sha256,
        "imported_at": format_moment(source.imported_at_us),
        "counts": dict(source.counts),
    }


def import_document(report: ImportReport) -> dict[str, Any]:
    return {
        "source": report.source,
        "dry_run": report.dry_run,
        "already_imported": report.already_imported,
        "counts": dict(report.counts),
        "problems": list(report.problems),
        "skipped": list(report.skipped),
    }


def backup_document(made: BackupReport) -> dict[str, Any]:
    return {
        "path": made.path,
        "at": format_moment(made.at_us),
        "bytes": made.bytes,
        "memories": made.memories,
        "spaces": made.spaces,
        "events": made.events,
        "key": made.key,
        "with_key": made.with_key,
    }


def restore_document(report: RestoreReport) -> dict[str, Any]:
    return {
        "path": report.path,
        "backed_up_at": format_moment(report.backed_up_at_us),
        "memories": report.memories,
        "spaces": report.spaces,
        "erased": report.erased,
        "receipt": report.receipt,
        "not_promised": list(report.not_promised),
    }


def outcome_line(outcome: Outcome) -> str:
    """The outcome of one write, in a line."""
    decision, item = outcome.decision, outcome.item
    why = f"{decision.detail.get('problem', decision.explanation)} ({decision.reason})"
    if item is None:
        return f"{outcome.state}: {why}"
    named = f"{item.id} in {item.space}"
    match outcome.state:
        case OutcomeState.IN_FORCE if decision.reason is not Reason.PERSONAL_REDACTED:
            line = f"kept {named}"
        case OutcomeState.IN_FORCE:
            line = f"kept {named}: {why}"
        case OutcomeState.DUPLICATE:
            line = f"known {named}: {why}"
        case OutcomeState.PENDING:
            return f"pending {named}, {outcome.notice}: {why}"
        case state:
            line = f"{state} {named}: {why}"
    return f"{line} [{outcome.notice}]" if outcome.notice else line


def _state(item: Item) -> str:
    """Its status; of a memory that has ended, how it ended."""
    return item.status.value if item.deleted_at_us is None else item.deleted_reason or Reason.FORGOTTEN.value


def memory_table(items: Iterable[Item]) -> Table:
    rows = [(item.id, item.space, item.type, _state(item), item.text) for item in items]
    return Table(("id", "space", "type", "status", "text"), rows, brief=True)


def memory_lines(item: Item) -> list[str]:
    """All that is known about one memory."""
    plain = item.to_dict()
    known = {
        "space": item.space,
        "author": item.author,
        "readers": None if item.readers.is_open else plain["readers"],
        **{name: plain[name] for name in _DETAILS},
    }
    labels = [f"  {name}: {value}" for name, value in known.items() if value not in (None, [], {}, "")]
    return [item.id, *(f"  {line}" for line in item.text.splitlines()), *labels]


def format_moment(moment: Moment | None) -> str | None:
    return None if moment is None else to_text(moment)


_DETAILS = (
    "kind",
    "type",
    "key",
    "tags",
    "origin",
    "source",
    "sensitivity",
    "confidence",
    "authority",
    "importance",
    "status",
    "status_reason",
    "created_at",
    "updated_at",
    "observed_at",
    "occurred",
    "conversation",
    "evidence",
    "expires_at",
    "expires_tick",
    "subjects",
    "phase",
    "supersedes",
    "superseded_by",
    "derived_from",
    "promoted_from",
    "promotion_reason",
    "approvals",
    "deleted_at",
    "deleted_reason",
    "provenance",
    "meta",
    "policy",
    "version",
)
