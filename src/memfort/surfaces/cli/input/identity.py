"""Options that name an actor other than the caller: its identity, the user it acts for, and its places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memfort.errors import InvalidInput
from memfort.operations.requests import Field
from memfort.surfaces.cli.input.completion import levels
from memfort.surfaces.cli.input.values import Places, coordinate, places
from memfort.surfaces.cli.session import check_standpoint, stand

if TYPE_CHECKING:
    from memfort.client import BoundMemory, Memory


class Identity:
    """The actor that the options of one field name."""

    def __init__(self, field: Field, given: dict[str, Any]) -> None:
        """Take the options out of the given values, and refuse an impossible actor before a store is opened."""
        name = field.name
        self.field = name
        self.actor: str | None = given.pop(name, None)
        self.acting_for: str | None = given.pop(f"{name}_acting_for", None)
        named = tuple(coordinate(one, f"{name}_at") for one in given.pop(f"{name}_at", None) or ())
        if self.actor is None and (named or self.acting_for is not None):
            raise InvalidInput(name, "no actor is named", f"name the actor with --{name}")
        self.at: Places = tuple(places(named, f"{name}_at", f"--{name}").items())
        if self.actor is not None:
            check_standpoint(self.actor, self.at, acting_for=self.acting_for, who=name)

    def bound(self, store: Memory) -> BoundMemory | None:
        return None if self.actor is None else stand(store, self.actor, self.at, acting_for=self.acting_for)


def is_identity(field: Field) -> bool:
    return "identity" in field.extra


def identity_options(field: Field) -> list[click.Option]:
    name, flag = field.name, f"--{field.name}"
    at: dict[str, Any] = {"multiple": True, "metavar": "LEVEL=ID", "shell_complete": levels}
    return [
        click.Option([flag, name], metavar="ACTOR", help=f"{field.doc[:-1]}, written as for --as."),
        click.Option(
            [f"{flag}-acting-for"], metavar="USER", help=f"The user that the {field.name}, an agent, acts for."
        ),
        click.Option([f"{flag}-at"], help=f"A place where the {name} stands; repeat it.", **at),
    ]
