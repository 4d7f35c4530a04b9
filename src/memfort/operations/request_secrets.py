"""Refuse a request that has a secret in a field which no gate reads: a name, an id, a place, a note.

The texts of a statement pass the gate for secrets in the chain of a write, which records the refusal. Every other text
of a verb that changes something is checked here, before its handler sees it; so a new field is checked without being
listed anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache

from msgspec import Struct

from memfort.model.people.actor import Actor
from memfort.operations.table import Effect, Operation
from memfort.policy.gates.secrets import FieldText, check_names
from memfort.policy.settings.policy import Policy

# Texts of statements, conversations and files. Their handlers put each of them through the chain.
_PASS_THE_GATES = frozenset({"text", "key", "tags", "provenance", "meta", "memories", "messages", "data"})

_NAMES_OF_PEOPLE = frozenset({"name", "aliases", "relation", "term"})  # refused with an event, as personal data is


def check_request(policy: Policy, actor: Actor, operation: Operation, request: Struct) -> None:
    """Raise `Denied` if a name in the request is a secret. A verb that only reads keeps nothing of its request."""
    if operation.effect is not Effect.READ and (texts := list(_names_in(operation, request))):
        check_names(texts, policy, actor)


def _names_in(operation: Operation, request: Struct) -> Iterator[FieldText]:
    for field in _checked_fields(operation.group, type(request)):
        value = getattr(request, field)
        if value is not None:
            yield from ((field, text) for text in texts_in(value))


@cache
def _checked_fields(group: str, request: type[Struct]) -> tuple[str, ...]:
    by_handler = _PASS_THE_GATES | (_NAMES_OF_PEOPLE if group == "people" else frozenset())
    return tuple(name for name in request.__struct_fields__ if name not in by_handler)


def texts_in(value: object) -> Iterator[str]:
    """Every text in a value, with the keys of mappings. Enums and types of our own are none."""
    if isinstance(value, str):
        if not isinstance(value, Enum):
            yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from (*texts_in(key), *texts_in(inner))
    elif isinstance(value, list | tuple | set | frozenset):
        for inner in value:
            yield from texts_in(inner)
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield from texts_in(getattr(value, name))
