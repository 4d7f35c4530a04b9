"""An item written as plain data and read back: the shape of exports, and of what a store keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from enum import StrEnum
from functools import lru_cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from memfort.model.actor import Actor, ActorKind
from memfort.model.canonical import canonical_json
from memfort.model.event_type import EventType
from memfort.model.item import EVERYONE, Authority, Item, Kind, Origin, Readers, Sensitivity, Status
from memfort.model.space import Space


def actor_to_dict(actor: Actor) -> dict[str, Any]:
    return {"kind": actor.kind.value, "id": actor.id, "acting_for": actor.acting_for, "owner": actor.owner}


def actor_from_dict(data: Mapping[str, Any]) -> Actor:
    return _actor(data["kind"], data["id"], data["acting_for"], data["owner"])


def item_to_dict(item: Item) -> dict[str, Any]:
    """Every field of the item, in JSON's own types."""
    plain = dict(zip(_FIELDS, _values(item), strict=True))
    plain["space"] = item.space.as_dict()
    plain["author"] = actor_to_dict(item.author)
    plain["readers"] = item.readers.as_dict()
    for name in _LISTS:
        plain[name] = list(plain[name])
    for name in ("provenance", "meta"):
        plain[name] = dict(plain[name])
    return plain


class _Last:
    """The record that was written last. A write needs the same one for its row and for its event."""

    of: tuple[Item | None, bytes] = (None, b"")


def item_record(item: Item) -> bytes:
    """The item as canonical JSON: what a store keeps, and what the trail has a digest of."""
    known, record = _Last.of
    if known is not item:  # an item never changes, so it is the same as long as it is this very one
        record = canonical_json(item_to_dict(item))
        _Last.of = (item, record)
    return record


_FIELDS = tuple(field.name for field in fields(Item))
_values = attrgetter(*_FIELDS)
_LISTS = ("tags", "derived_from", "subjects", "importance_reasons", "policy_tags", "approvals", "replaces")
_ENUMS: dict[str, type[StrEnum]] = {
    "kind": Kind,
    "origin": Origin,
    "sensitivity": Sensitivity,
    "authority": Authority,
    "status": Status,
    "event_type": EventType,
}
_MEMBERS = [(name, {member.value: member for member in enum}) for name, enum in _ENUMS.items()]


def item_from_dict(data: Mapping[str, Any]) -> Item:
    """The item that `item_to_dict` wrote. Raises KeyError, TypeError or ValueError on anything else."""
    values = dict(data)
    values["space"] = _space(tuple(values["space"].items()))
    values["author"] = actor_from_dict(values["author"])
    users, agents = values["readers"]["users"], values["readers"]["agents"]
    values["readers"] = EVERYONE if users is None and agents is None else Readers.of(users, agents)
    for name, members in _MEMBERS:
        values[name] = members[values[name]]
    for name in _LISTS:
        values[name] = tuple(values[name])
    for name in ("provenance", "meta"):
        values[name] = MappingProxyType(dict(values[name]))
    return Item(**values)


# Names, not contents: the same few actors and spaces come back with every memory that is read.


@lru_cache(maxsize=4096)
def _space(coordinates: tuple[tuple[str, str], ...]) -> Space:
    return Space.of(dict(coordinates))


@lru_cache(maxsize=4096)
def _actor(kind: str, id: str, acting_for: str | None, owner: str | None) -> Actor:
    return Actor(ActorKind(kind), id, acting_for, owner)
