"""Completion in the shell: our own words, and ids that the caller may see.

On any error, such as a mistyped setting or a missing store, it offers nothing and prints nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from memfort.errors import InvalidInput, MemfortError, did_you_mean
from memfort.operations.table import TABLE
from memfort.surfaces.cli.session import Session

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

LEVELS = (
    "session",
    "paper",
    "track",
    "chat",
    "workspace",
    "user",
    "project",
    "role",
    "agent",
    "team",
    "org",
    "system",
    "visibility",
)
KINDS = ("short_term", "semantic", "profile")
STATUSES = ("pending", "approved", "rejected", "superseded")
ORIGINS = ("user", "ai", "tool", "system")
VISIBILITIES = ("private", "public", "shared")
SENSITIVITIES = ("public", "personal", "sensitive")
_OFFERED = 50  # memories at most

Complete = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]
Offer = Iterable[tuple[str, str | None]]  # words, each with its description


class OneOf(click.ParamType[str]):
    """One of a few words. They are offered; any other word is refused with the nearest one as a suggestion."""

    name = "choice"

    def __init__(self, *choices: str) -> None:
        self.choices = choices

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002
        if value not in self.choices:
            name = str(param.name).rstrip("_") if param is not None else "value"
            raise InvalidInput(name, f"`{value}` is not possible", did_you_mean(str(value), self.choices))
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        return _matching(((one, None) for one in self.choices), incomplete)


def levels(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The beginnings of `level=id`. Ids are not offered: which ids exist must not leak."""
    return _matching(((f"{one}=", None) for one in LEVELS), incomplete)


def types(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The types of the policy in force."""
    return _completions(context, lambda session: ((name, None) for name in session.policy.types), incomplete)


def memories(*statuses: str) -> Complete:
    """Ids of memories that the caller may see, the newest first, each with its text. This is an ordinary `list`, so it
    is recorded like one."""

    def complete(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return _completions(context, lambda session: _list_memories(session, statuses), incomplete)

    return complete


def _list_memories(session: Session, statuses: tuple[str, ...]) -> Offer:
    from memfort.surfaces.cli.output.escape import escape, shorten

    with session.bound() as memory:
        page = memory.run(TABLE["list"], {"limit": _OFFERED, "statuses": statuses or None})
    return [(item.id, escape(shorten(item.text, 60))) for item in page]


def _completions(context: click.Context, source: Callable[[Session], Offer], incomplete: str) -> list[CompletionItem]:
    session = context.find_object(Session)
    if session is None:
        return []
    try:
        found = list(source(session))
    except (MemfortError, OSError):
        return []
    return _matching(found, incomplete)


def _matching(offer: Offer, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name, help=text) for name, text in offer if name.startswith(incomplete)]
