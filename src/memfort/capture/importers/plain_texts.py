"""Plain texts: records with the fields that `remember` takes, or nothing but texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memfort.capture.importers.record import Imported
from memfort.model.moment import Moment

_FIELDS = frozenset(
    {"text", "space", "type", "kind", "key", "tags", "observed_at", "sensitivity", "access", "confidence", "importance",
     "expires_at", "occurred", "meta", "portable", "conversation"}
)  # fmt: skip


def is_plain_text(record: Any) -> bool:
    return isinstance(record, str) or (isinstance(record, Mapping) and isinstance(record.get("text"), str))


def read_plain_text(place: str, record: Any, now: Moment) -> Imported:  # noqa: ARG001  # readers have one signature
    """One text as a statement."""
    if isinstance(record, str):
        return Imported(place, fields={"text": record})
    if unknown := sorted(str(name) for name in record if name not in _FIELDS):
        return Imported(place, problem=f"it has the field `{unknown[0][:40]}`, which a plain text cannot have")
    return Imported(place, fields=dict(record))
