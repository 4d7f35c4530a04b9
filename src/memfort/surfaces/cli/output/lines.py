"""Answers as lines and tables for people. Times are ISO 8601 in UTC."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from memfort.model.decision import Outcome, OutcomeState
from memfort.model.item import Item
from memfort.model.moment import Moment, to_text
from memfort.model.reason import Reason, explanation
from memfort.model.results import Hit, Recall, Receipt
from memfort.store.port import Erasure
from memfort.surfaces.cli.output.console import Table
from memfort.surfaces.cli.wording import in_commands

if TYPE_CHECKING:
    from memfort.recall.render import Context


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


def pending_in_commands(erased: Receipt | Erasure) -> str | None:
    """Why it is not finished, and the command that goes on with it."""
    return None if erased.pending is None else in_commands(erased.pending)


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
