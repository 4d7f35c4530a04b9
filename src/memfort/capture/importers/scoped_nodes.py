"""Scoped memory nodes: records with a scope, provenance, retention and reader lists, in the old or the new format.

No record becomes visible to more people than before: a session's record goes to the importing user's own session, and a
record without a scope, which could not be retrieved by scope, to the user it names or else to the importing user.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from memfort.capture.importers.record import Imported
from memfort.errors import InvalidInput
from memfort.model.moment import MICROSECONDS_PER_SECOND, Moment, to_moment

_LEVELS = ("session", "project", "role", "org")
_MILLISECOND = 1_000


def is_scoped_node(record: Any) -> bool:
    return isinstance(record, Mapping) and "content" in record and isinstance(record.get("metadata"), Mapping)


def read_scoped_node(place: str, record: Mapping[str, Any], now: Moment) -> Imported:
    """One node as a statement. Dates are milliseconds; a lifetime counts from the last update."""
    try:
        return _read(place, record, now)
    except InvalidInput as error:
        return Imported(place, problem=f"{error.field}: {error.problem}")


def _read(place: str, record: Mapping[str, Any], now: Moment) -> Imported:
    metadata = record["metadata"]
    updated_at = _time(record.get("updatedAt")) or now
    created_at = _time(record.get("createdAt")) or updated_at
    notes: list[str] = []
    fields: dict[str, Any] = {
        "text": record["content"],
        "type": metadata.get("domain"),
        "tags": metadata.get("tags"),
        "space": _space(metadata.get("scope")),
        "confidence": _confidence(metadata),
        "provenance": _provenance(metadata, updated_at, notes),
        "access": _access(metadata.get("access"), notes),
        "meta": {"imported": {key: record[key] for key in ("id", "version") if isinstance(record.get(key), str | int)}},
    }
    expires_at = _expiry(metadata, updated_at)
    if expires_at is not None and expires_at <= now:
        return Imported(place, skip="expired", notes=tuple(notes))
    fields["expires_at"] = expires_at
    if record.get("embedding"):
        notes.append("embeddings_dropped")
    user = metadata.get("userId") or None
    if user is not None and not isinstance(user, str):
        raise InvalidInput("userId", "it is not a text", "name the user")
    owner = user if fields["space"] is None else None
    return Imported(place, fields=fields, owner=owner, written_by=user, created_at=created_at, notes=tuple(notes))


def _space(scope: Any) -> dict[str, str] | None:
    if not isinstance(scope, Mapping):
        return None
    return {level: scope[level] for level in _LEVELS if scope.get(level)} or None


def _confidence(metadata: Mapping[str, Any]) -> float:
    """The provenance's confidence, else the older field, else 1; values out of range are clamped."""
    provenance = metadata.get("provenance")
    given = provenance.get("confidence") if isinstance(provenance, Mapping) else None
    value = given if given is not None else metadata.get("confidenceScore")
    if value is None:
        return 1.0
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return 0.0
    return float(min(max(value, 0), 1))


def _provenance(metadata: Mapping[str, Any], updated_at: Moment, notes: list[str]) -> dict[str, Any]:
    given = metadata.get("provenance")
    provenance = dict(given) if isinstance(given, Mapping) else {}
    source = provenance.get("source") or metadata.get("sourceId")
    if not source:
        notes.append("without_provenance")
    known = {name: metadata[name] for name in ("agentId", "userId") if metadata.get(name)}
    timestamp = _time(provenance.get("timestamp")) or updated_at
    return {"source": source or "unknown", "timestamp": timestamp, "confidence": _confidence(metadata), **known}


def _access(access: Any, notes: list[str]) -> dict[str, list[str]] | None:
    """Reader lists. An empty list did not restrict readers in the original, so the record stays open, with a note. An
    unreadable list refuses the record: it was not meant for everyone."""
    if access is None:
        return None
    read = access.get("read") if isinstance(access, Mapping) else access
    if read is None:
        return None
    if not isinstance(read, Mapping) or not set(read) <= {"userIds", "agentIds"}:
        raise InvalidInput("access", "its reader list cannot be read", "use `read` with `userIds` and `agentIds`")
    lists = {"users": read.get("userIds"), "agents": read.get("agentIds")}
    if any(names == [] for names in lists.values()):
        notes.append("open_reader_list")
    return {name: names for name, names in lists.items() if names} or None


def _expiry(metadata: Mapping[str, Any], updated_at: Moment) -> Moment | None:
    retention = metadata.get("retention")
    retention = retention if isinstance(retention, Mapping) else {}
    if (absolute := _time(retention.get("expiresAt"))) is not None:
        return absolute
    lifetime = retention.get("ttlSec")
    lifetime = metadata.get("ttlSec") if lifetime is None else lifetime
    if isinstance(lifetime, bool) or not isinstance(lifetime, int | float) or not 0 < lifetime < math.inf:
        return None
    return Moment(updated_at + round(lifetime * MICROSECONDS_PER_SECOND))


def _time(value: Any) -> Moment | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return to_moment(round(value * _MILLISECOND), "time")
