"""Who asks through MCP, and what for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from memfort.errors import InvalidInput
from memfort.model.people.access_key import KeyScope
from memfort.operations.table import Effect, Http, Operation

if TYPE_CHECKING:
    from memfort.client import BoundMemory, Memory

SURFACE = "mcp"  # in the trail
_SETS = {"read": frozenset({KeyScope.READ, KeyScope.REVIEW, KeyScope.ADMIN}), "write": frozenset({KeyScope.WRITE})}
ALL_SETS = tuple(_SETS)


class Standing(Struct, frozen=True):
    """A memory as one caller has it, with the scopes of the caller's credential."""

    bound: BoundMemory
    host: Memory  # the store itself, for what administrators may see
    scopes: frozenset[KeyScope]
    is_held_to_spaces: bool = False  # a credential for single spaces
    via: str | None = None  # the credential that an administrator's verb is recorded with

    def may_use(self, row: Operation) -> bool:
        """Whether the credential reaches this verb at all. What a verb shows and does is decided by the verb."""
        is_within = isinstance(row.http, Http) and row.http.within_sight
        return row.key_scope in self.scopes and (is_within or not self.is_held_to_spaces)

    def run(self, row: Operation, fields: Mapping[str, Any]) -> Any:
        if row.effect is not Effect.ADMIN:
            return self.bound.run(row, fields, strict=False)
        recorded = {} if self.via is None else {"via": self.via, "surface": SURFACE}
        return self.host.run(row, fields, **recorded)  # type: ignore[arg-type]  # a text


def scopes_of(sets: str) -> frozenset[KeyScope]:
    """The scopes of sets of tools, named like `read,write`."""
    names = [name.strip() for name in sets.split(",") if name.strip()]
    if not names or set(names) - set(ALL_SETS):
        raise InvalidInput("tools", f"`{sets}` is not possible", "use `read`, `write` or `read,write`")
    return frozenset().union(*(_SETS[name] for name in names))
