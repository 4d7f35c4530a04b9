"""Import batches and erasures, written as plain data and read back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from memfort.errors import StoreBroken
from memfort.model.canonical import canonical_json
from memfort.model.moment import Moment
from memfort.model.source import Source, source_from_dict, source_to_dict
from memfort.model.space import Space
from memfort.store.port import Erasure


@contextmanager
def _as_written(what: str) -> Iterator[None]:
    """These rows have no seal of their own; what cannot be read any more is damage, and is called so."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreBroken(f"the record of {what} is damaged; restore the store from a copy") from error


def read_space(coordinates: str) -> Space:
    with _as_written("a space"):
        return Space.of(json.loads(coordinates))


def write_source(source: Source) -> str:
    return canonical_json(source_to_dict(source)).decode()


def read_source(record: str) -> Source:
    with _as_written("an import"):
        return source_from_dict(json.loads(record))


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
    with _as_written("an erasure"):
        data = json.loads(record)
        return Erasure(
            id=data["id"],
            at=Moment(data["at"]),
            actor=bytes.fromhex(data["actor"]),
            items=tuple((bytes.fromhex(space), id) for space, id in data["items"]),
            counts=data["counts"],
            pending=data["pending"],
        )
