"""Shares, phases, policies, rejected values, import batches, queued turns and erasures, written as rows and read back.

All but shares carry a seal made with the store's key. A row without it is not the store's: it is never used, and
`checkup` names it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from msgspec.structs import asdict

from memfort.errors import StoreBroken
from memfort.model.moment import Moment
from memfort.model.people.access_key import KeptKey, key_from_dict, key_to_dict
from memfort.model.people.actor import Actor, ActorKind, Standpoint
from memfort.model.people.directory import ChatKind, Principal, Share, Trust, share_from_dict, share_to_dict
from memfort.model.phase import Phase
from memfort.model.results import Source, source_from_dict, source_to_dict
from memfort.model.serialize.encoding import canonical_json
from memfort.model.space import Coordinate, Level, Space
from memfort.store.port import Erasure, QueuedTurn, RejectedValue
from memfort.store.sql.rows import readers_text, seal
from memfort.trail.keys import Keys


def with_seal(keys: Keys, table: str, *values: Any) -> tuple[Any, ...]:
    """The values of a row, and their seal."""
    return (*values, seal(keys, table, *values))


def is_sealed(keys: Keys, table: str, row: tuple[Any, ...]) -> bool:
    return bool(row[-1] == seal(keys, table, *row[:-1]))


def filter_sealed(keys: Keys, table: str, rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Those of the rows that this store wrote."""
    return [row for row in rows if is_sealed(keys, table, row)]


@contextmanager
def _damage_if_unreadable(what: str) -> Iterator[None]:
    """What cannot be read any more is damage, and is called so."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreBroken(f"the record of {what} is damaged; restore the store from a copy") from error


def read_space(coordinates: str, id: bytes | None = None) -> Space:
    """A space from its row; `id` is the digest that it is found by, if that is known."""
    with _damage_if_unreadable("a space"):
        space = _space_of(coordinates)
        if id not in {None, space.id}:
            raise ValueError("the digest is another space's")
        return space


@lru_cache(4096)  # whoever erases goes through all spaces several times
def _space_of(coordinates: str) -> Space:
    return Space.of(json.loads(coordinates))


def write_share(share: Share) -> str:
    return canonical_json(share_to_dict(share)).decode()


def read_share(record: str) -> Share:
    with _damage_if_unreadable("a share"):
        return share_from_dict(json.loads(record))


def access_key_row(keys: Keys, kept: KeptKey) -> tuple[Any, ...]:
    return with_seal(keys, "access_key", kept.key.id, canonical_json(key_to_dict(kept)).decode())


def read_access_keys(keys: Keys, rows: Iterable[tuple[Any, ...]]) -> list[KeptKey]:
    """The API keys that this store wrote. A row that another program wrote opens nothing."""
    with _damage_if_unreadable("an API key"):
        return [
            key_from_dict(json.loads(sealed[1]), last_used)
            for last_used, *sealed in rows
            if is_sealed(keys, "access_key", tuple(sealed))
        ]


def phase_row(keys: Keys, space: int, phase: Phase) -> tuple[Any, ...]:
    return with_seal(keys, "phase", space, phase.index, canonical_json(asdict(phase)).decode())


def read_phase(record: str) -> Phase:
    with _damage_if_unreadable("a phase"):
        return Phase(**json.loads(record))


def read_trust(trust: str) -> Trust:
    with _damage_if_unreadable("a member"):
        return Trust(trust)


def read_member(kind: str, name: str) -> Principal:
    with _damage_if_unreadable("a member"):
        return Principal(ActorKind(kind), name)


def read_chat_kind(kind: str) -> ChatKind:
    with _damage_if_unreadable("a chat"):
        return ChatKind(kind)


def rejected_value_row(keys: Keys, space: int, rejected_value: RejectedValue) -> tuple[Any, ...]:
    return with_seal(
        keys,
        "rejected",
        space,
        readers_text(rejected_value.readers),
        rejected_value.value,
        rejected_value.authority.value,
    )


def ended_value_row(keys: Keys, space: int, ended: RejectedValue) -> tuple[Any, ...]:
    readers, audience = readers_text(ended.readers), ended.audience.text
    return with_seal(keys, "ended", space, readers, ended.value, audience, ended.authority.value, ended.ended_at)


def statement_to_put(keys: Keys, space: int, value: RejectedValue) -> tuple[Any, ...]:
    """The statement that writes a rejected or an ended value, and what it takes."""
    if value.ended_at is None:
        return "put_rejected_value", *rejected_value_row(keys, space, value)
    return "put_ended_value", *ended_value_row(keys, space, value)


def statement_to_drop(value: RejectedValue) -> tuple[Any, ...]:
    place = (value.space.id, readers_text(value.readers), value.value)
    if value.ended_at is None:
        return "drop_rejected_value", *place
    return "drop_ended_value", *place, value.audience.text


def source_row(keys: Keys, space: int, source: Source) -> tuple[Any, ...]:
    return with_seal(keys, "source", space, source.id, canonical_json(source_to_dict(source)).decode())


def read_source(record: str) -> Source:
    with _damage_if_unreadable("an import"):
        return source_from_dict(json.loads(record))


def queued_turn_row(keys: Keys, space: int, queued: QueuedTurn) -> tuple[Any, ...]:
    record = {
        "space": queued.space.to_dict(),
        "as": _standpoint_to_dict(queued.standpoint),
        "named": queued.is_named,
        "registered": queued.is_registered,
        "attempts": queued.attempts,
        "problem": queued.problem,
    }
    row = (space, queued.turn, queued.queued_at, queued.due_at, canonical_json(record).decode())
    return with_seal(keys, "queued_turn", *row)


def read_queued_turn(row: tuple[Any, ...]) -> QueuedTurn:
    _, turn, queued_at, due_at, record, _ = row
    with _damage_if_unreadable("a queued turn"):
        data = json.loads(record)
        return QueuedTurn(
            Space.of(data["space"]),
            turn,
            _standpoint_from_dict(data["as"]),
            data["named"],
            data["registered"],
            Moment(queued_at),
            None if due_at is None else Moment(due_at),
            data["attempts"],
            data["problem"],
        )


def _standpoint_to_dict(standpoint: Standpoint) -> dict[str, Any]:
    actor, within = standpoint.actor, standpoint.within
    return {
        "kind": actor.kind.value,
        "id": actor.id,
        "acting_for": actor.acting_for,
        "owner": actor.owner,
        "at": [[one.level.value, one.id] for one in standpoint.coordinates],
        "within": None if within is None else [space.to_dict() for space in within],
    }


def _standpoint_from_dict(data: dict[str, Any]) -> Standpoint:
    actor = Actor(ActorKind(data["kind"]), data["id"], data["acting_for"], data["owner"])
    places = tuple(Coordinate(Level(level), id) for level, id in data["at"])
    within = data["within"]
    return Standpoint(actor, places, None if within is None else tuple(map(Space.of, within)))


def erasure_row(keys: Keys, erasure: Erasure) -> tuple[Any, ...]:
    record = canonical_json(
        {
            "id": erasure.id,
            "at": erasure.at_us,
            "actor": erasure.actor.hex(),
            "items": [[space.hex(), id] for space, id in erasure.items],
            "counts": dict(erasure.counts),
            "pending": erasure.pending,
            **({"rewritten": [[space.hex(), id] for space, id in erasure.rewritten]} if erasure.rewritten else {}),
        }
    ).decode()
    return with_seal(keys, "erasure", erasure.id, erasure.at_us, erasure.pending, record)


def read_erasure(record: str) -> Erasure:
    with _damage_if_unreadable("an erasure"):
        data = json.loads(record)
        return Erasure(
            id=data["id"],
            at_us=Moment(data["at"]),
            actor=bytes.fromhex(data["actor"]),
            items=tuple((bytes.fromhex(space), id) for space, id in data["items"]),
            counts=data["counts"],
            pending=data["pending"],
            rewritten=tuple((bytes.fromhex(space), id) for space, id in data.get("rewritten", ())),
        )
