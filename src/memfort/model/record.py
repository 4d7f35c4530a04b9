"""An item written as plain data and read back: the shape of exports, and of what a store keeps."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import msgspec

from memfort.errors import a
from memfort.model.actor import Actor, ActorKind
from memfort.model.event_type import EventType
from memfort.model.item import NOTHING, Authority, Item, Kind, Origin, Readers, Sensitivity, Status
from memfort.model.space import Space


def actor_to_dict(actor: Actor) -> dict[str, Any]:
    return {"kind": str(actor.kind), "id": actor.id, "acting_for": actor.acting_for, "owner": actor.owner}


def actor_from_dict(data: Mapping[str, Any]) -> Actor:
    return _actor(data["kind"], data["id"], data["acting_for"], data["owner"])


def item_to_dict(item: Item) -> dict[str, Any]:
    """Every field of the item, in JSON's own types."""
    said = msgspec.to_builtins(item, enc_hook=_plain, order="deterministic")
    plain: dict[str, Any] = {name: said[name] if name in said else _DEFAULTS[name] for name in _FIELDS}
    for name in _LISTS:
        plain[name] = list(plain[name])
    return plain | {"readers": item.readers.as_dict()}


class _Last:
    """The record that was written last. A write needs the same one for its row and for its event."""

    of: tuple[Item | None, bytes] = (None, b"")


def item_record(item: Item) -> bytes:
    """The item as JSON, the same for equal items: what a store keeps, and what the trail has a digest of. What is as it
    is by default is left out."""
    known, record = _Last.of
    if known is not item:  # an item never changes, so it is the same as long as it is this very one
        record = _ENCODER.encode(item)
        _Last.of = (item, record)
    return record


def item_of_record(record: bytes) -> Item:
    """The item that `item_record` wrote, in this version or in one that left nothing out. Raises ValueError on anything
    else."""
    try:
        return _DECODER.decode(record)
    except msgspec.DecodeError as error:
        raise ValueError("it is no record of a memory") from error


def item_from_dict(data: Mapping[str, Any]) -> Item:
    """The item that `item_to_dict` wrote, whoever wrote it. Raises KeyError, TypeError or ValueError on anything
    else."""
    values = {**data, **{name: data[name] for name in _SAID}}
    values["space"] = _space(tuple(values["space"].items()))
    values["author"] = actor_from_dict(values["author"])
    values["readers"] = Readers.of(values["readers"]["users"], values["readers"]["agents"])
    for name, enum in _ENUMS.items():
        values[name] = enum(values[name])
    for name in _LISTS:
        values[name] = tuple(values[name])
    for name in ("provenance", "meta"):
        values[name] = MappingProxyType(dict(values[name]))
    return Item(**values)


_FIELDS = Item.__struct_fields__
_DEFAULTS = {
    field.name: msgspec.to_builtins(field.default)
    for field in msgspec.structs.fields(Item)
    if field.default is not msgspec.NODEFAULT
}
# What an export says of every memory, also that there is none of it.
_SAID = ("key", "source", "observed_at", "expires_at", "supersedes", "superseded_by", "deleted_at", "deleted_reason")
_LISTS = ("tags", "derived_from", "subjects", "importance_reasons", "policy_tags", "approvals", "replaces")
_ENUMS: dict[str, type[StrEnum]] = {
    "kind": Kind,
    "origin": Origin,
    "sensitivity": Sensitivity,
    "authority": Authority,
    "status": Status,
    "event_type": EventType,
}


# -- what the codec asks for ------------------------------------------------------------------------------------------


def _plain(value: object) -> object:
    """What JSON has no type for, in types that it has."""
    if isinstance(value, Space):
        return value.as_dict()
    if isinstance(value, MappingProxyType):
        return dict(value)
    raise TypeError(f"{a(type(value).__name__)} is no part of a record")


def _made(kind: Any, value: Any) -> object:
    """The other way round."""
    if not isinstance(value, dict):
        raise TypeError("it is not a mapping")
    if kind is Space:
        return _space(tuple(value.items()))
    return MappingProxyType(value) if value else NOTHING


# Names, not contents: the same few actors and spaces come back with every memory that is read.


@lru_cache(maxsize=4096)
def _space(coordinates: tuple[tuple[str, str], ...]) -> Space:
    return Space.of(dict(coordinates))


@lru_cache(maxsize=4096)
def _actor(kind: str, id: str, acting_for: str | None, owner: str | None) -> Actor:
    return Actor(ActorKind(kind), id, acting_for, owner)


# Fields in the order of the class, in which the decoder looks for them: of a record whose fields are in the order of
# the alphabet, as all were once, a third of the time goes into looking.
_ENCODER = msgspec.json.Encoder(enc_hook=_plain, order="deterministic")
_DECODER = msgspec.json.Decoder(Item, dec_hook=_made)
