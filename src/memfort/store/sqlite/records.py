"""Import batches and erasures, written as plain data and read back."""

from __future__ import annotations

import json

from memfort.model.canonical import canonical_json
from memfort.model.moment import Moment
from memfort.model.space import Space
from memfort.store.port import Erasure, Source


def write_source(source: Source) -> str:
    return canonical_json(
        {
            "id": source.id,
            "space": source.space.as_dict(),
            "platform": source.platform,
            "filename": source.filename,
            "sha256": source.sha256,
            "imported_at": source.imported_at,
            "counts": dict(source.counts),
        }
    ).decode()


def read_source(record: str) -> Source:
    data = json.loads(record)
    return Source(**{**data, "space": Space.of(data["space"]), "imported_at": Moment(data["imported_at"])})


def write_erasure(erasure: Erasure) -> str:
    return canonical_json(
        {
            "id": erasure.id,
            "at": erasure.at,
            "actor": erasure.actor.hex(),
            "items": [[space.hex(), id] for space, id in erasure.items],
            "counts": dict(erasure.counts),
            "pending": erasure.pending,
        }
    ).decode()


def read_erasure(record: str) -> Erasure:
    data = json.loads(record)
    return Erasure(
        id=data["id"],
        at=Moment(data["at"]),
        actor=bytes.fromhex(data["actor"]),
        items=tuple((bytes.fromhex(space), id) for space, id in data["items"]),
        counts=data["counts"],
        pending=data["pending"],
    )
