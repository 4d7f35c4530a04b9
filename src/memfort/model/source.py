"""An import batch: where memories came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memfort.model.moment import Moment
from memfort.model.space import Space


@dataclass(frozen=True, slots=True)
class Source:
    """A batch and what became of it. The platform is provenance, never a filter."""

    id: str
    space: Space
    platform: str
    filename: str | None
    sha256: str
    imported_at: Moment
    counts: Mapping[str, int]
    items: tuple[tuple[bytes, str], ...] | None = None  # what came back from an export of ours: (space id, memory id)


def source_to_dict(source: Source) -> dict[str, Any]:
    return {
        "id": source.id,
        "space": source.space.as_dict(),
        "platform": source.platform,
        "filename": source.filename,
        "sha256": source.sha256,
        "imported_at": source.imported_at,
        "counts": dict(source.counts),
        "items": None if source.items is None else [[space.hex(), id] for space, id in source.items],
    }


def source_from_dict(data: Mapping[str, Any]) -> Source:
    """The source that `source_to_dict` wrote. Raises KeyError, TypeError or ValueError on anything else."""
    return Source(
        id=data["id"],
        space=Space.of(data["space"]),
        platform=data["platform"],
        filename=data["filename"],
        sha256=data["sha256"],
        imported_at=Moment(int(data["imported_at"])),
        counts={str(name): int(count) for name, count in data["counts"].items()},
        items=None if data["items"] is None else tuple((bytes.fromhex(space), str(id)) for space, id in data["items"]),
    )
