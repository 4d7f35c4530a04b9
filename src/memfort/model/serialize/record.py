"""Encode an item as plain data and back: the format of exports and of stored records."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, get_origin

import msgspec
from msgspec.structs import replace

from memfort.errors import a
from memfort.model.item import NOTHING, Item, Readers
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.serialize.fields import REQUIRED_IN_EXPORTS
from memfort.model.space import Space


def actor_to_dict(actor: Actor) -> dict[str, Any]:
    return {"kind": str(actor.kind), "id": actor.id, "acting_for": actor.acting_for, "owner": actor.owner}


def actor_from_dict(data: Mapping[str, Any]) -> Actor:
    return _actor(data["kind"], data["id"], data["acting_for"], data["owner"])


def item_to_dict(item: Item) -> dict[str, Any]:
    """Every field of the item, in JSON's own types."""
    stored: dict[str, Any] = msgspec.to_builtins(item, enc_hook=_plain, order="deterministic")
    plain: dict[str, Any] = dict.fromkeys(Item.__struct_encode_fields__) | _DEFAULTS | stored
    for name in _LISTS:
        plain[name] = list(plain[name])
    return plain | {"readers": item.readers.to_dict()}


def item_from_dict(data: Mapping[str, Any]) -> Item:
    """The item that `item_to_dict` wrote, from any source. Raises ValueError on anything else."""
    if missing := REQUIRED_IN_EXPORTS - data.keys():
        raise ValueError(f"it does not say {min(missing)}")
    try:
        item = msgspec.convert(dict(data), Item, dec_hook=_made)
    except msgspec.ValidationError as error:
        raise ValueError("it is not a memory") from error
    return replace(item, readers=Readers.of(item.readers.users, item.readers.agents))


def item_record(item: Item) -> bytes:
    """The item as JSON, the same for equal items: the stored record, which the trail digests. Records omit
    default values. A write needs the same bytes for its event and for its row: the first of the two encodes them, and
    they are kept until the second takes them."""
    encoded = _ENCODED.pop(id(item), None)
    if encoded is not None:
        return encoded[1]
    record = _ENCODER.encode(item)
    if len(_ENCODED) >= _MOST_ENCODED:
        _ENCODED.clear()
    _ENCODED[id(item)] = item, record
    return record


def item_of_record(record: bytes) -> Item:
    """The item that `item_record` wrote. Raises ValueError on anything else."""
    try:
        return _DECODER.decode(record)
    except msgspec.DecodeError as error:
        raise ValueError("it is not a record of a memory") from error


_FIELDS = msgspec.structs.fields(Item)
_DEFAULTS = {
    field.encode_name: msgspec.to_builtins(field.default) for field in _FIELDS if field.default is not msgspec.NODEFAULT
}
_LISTS = tuple(field.name for field in _FIELDS if get_origin(field.type) is tuple)

_MOST_ENCODED = 256
_ENCODED: dict[int, tuple[Item, bytes]] = {}  # by identity; the item is kept alive, so that its id stays unique


# -- what the codec asks for ------------------------------------------------------------------------------------------


def _plain(value: object) -> object:
    """Encode types that JSON does not have."""
    if isinstance(value, Space):
        return value.to_dict()
    if isinstance(value, MappingProxyType):
        return dict(value)
    raise TypeError(f"{a(type(value).__name__)} cannot be in a record")


def _made(kind: Any, value: Any) -> object:
    """Decode types that JSON does not have."""
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


# Fields in the order of the class, in which the decoder expects them: decoding a record in alphabetical order, as in
# earlier versions, takes a third longer.
_ENCODER = msgspec.json.Encoder(enc_hook=_plain, order="deterministic")
_DECODER = msgspec.json.Decoder(Item, dec_hook=_made)
