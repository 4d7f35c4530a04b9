"""Research rows: a user's memories with workspace, scope, kind, confidence and status."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from memfort.capture.importers.record import Imported
from memfort.errors import InvalidInput
from memfort.model.moment import Moment, to_moment

_SCOPES = ("track", "project", "paper")


def is_research_row(record: Any) -> bool:
    return isinstance(record, Mapping) and "user_id" in record and "content" in record and "kind" in record


def read_research_row(place: str, record: Mapping[str, Any], now: Moment) -> Imported:
    """One row as a statement. A row that its own store would not have shown is skipped."""
    if record.get("deleted_at"):
        return Imported(place, skip="deleted")
    if record.get("status") == "superseded":
        return Imported(place, skip="superseded")
    try:
        expires_at = _time(record.get("expires_at"), "expires_at")
        created_at = _time(record.get("created_at"), "created_at")
        space = _space(record)
    except InvalidInput as error:
        return Imported(place, problem=f"{error.field}: {error.problem}")
    if expires_at is not None and expires_at <= now:
        return Imported(place, skip="expired")
    notes = () if record.get("source_id") is not None else ("without_provenance",)
    fields = {
        "text": record["content"],
        "space": space,
        "type": record["kind"],
        "tags": record.get("tags"),
        "confidence": record.get("confidence"),
        "status": record.get("status"),
        "expires_at": expires_at,
        "meta": {"evidence": record["evidence"]} if record.get("evidence") else None,
        "provenance": {"source": f"row {record.get('id', '')}".strip(), "batch": record.get("source_id")},
    }
    return Imported(place, fields=fields, owner=str(record["user_id"]), created_at=created_at, notes=notes)


def _space(record: Mapping[str, Any]) -> dict[str, str]:
    """The space of a row: `global`, or no scope at all, is the user's own space; a row without a scope type counts as
    global."""
    space = {"user": str(record["user_id"])}
    if record.get("workspace_id") is not None:
        space["workspace"] = str(record["workspace_id"])
    scope = record.get("scope_type")
    if scope is None or scope == "global":
        return space
    if scope not in _SCOPES or record.get("scope_id") is None:
        raise InvalidInput("scope_type", f"`{scope}` is not a scope with an id", f"use one of {', '.join(_SCOPES)}")
    return {**space, scope: str(record["scope_id"])}


def _time(value: Any, field: str) -> Moment | None:
    if value is None:
        return None
    try:
        parsed = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        parsed = value
    if isinstance(parsed, datetime) and parsed.tzinfo is None:
        parsed = parsed.replace(tzinfo=UTC)  # these rows are in UTC without a zone
    return to_moment(parsed, field)
