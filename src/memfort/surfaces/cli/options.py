"""Options that every command takes, before or after its name, and the base classes of commands."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import click

from memfort.model.value import count_noun
from memfort.surfaces.cli.input.completion import OneOf, levels
from memfort.surfaces.cli.session import Session

_Function = TypeVar("_Function", bound=Callable[..., Any])
ELSEWHERE = (
    "--as, --at, --store, --read-only, --policy, --memberships, --embedder, --reranker, --json and --trace may stand "
    "here too; see `memfort --help`."
)


def keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Record an option's value; a later value replaces an earlier one, and places add up."""
    session = context.find_object(Session)
    if session is None or value in (None, (), False):
        return
    name = str(parameter.name)
    session.flags[name] = (*session.flags.get(name, ()), *value) if isinstance(value, tuple) else value


@cache  # options hold no state of a run, so all commands share them
def shared_options(*, hidden: bool) -> tuple[click.Option, ...]:
    """The options for the caller, the caller's places, the store, and the output format."""
    common: dict[str, Any] = {"expose_value": False, "callback": keep, "hidden": hidden, "is_eager": True}
    return (
        click.Option(
            ["--as", "as"], metavar="ACTOR", help="Who asks: alice, user:alice, agent:helper or system.", **common
        ),
        click.Option(["--acting-for"], metavar="USER", help="The user that an agent acts for.", **common),
        click.Option(["--owner"], metavar="USER", help="The owner of an agent that is not registered yet.", **common),
        click.Option(
            ["--at"],
            metavar="LEVEL=ID",
            multiple=True,
            help="A place where the caller stands; repeat it.",
            shell_complete=levels,
            **common,
        ),
        click.Option(
            ["--store"],
            metavar="PATH",
            type=click.Path(),
            help="The file that memories are kept in, or the address of a server (with its key in MEMFORT_KEY).",
            **common,
        ),
        click.Option(
            ["--read-only"], is_flag=True, help="Write nothing, not even beside the store: reads alone.", **common
        ),
        click.Option(
            ["--policy"],
            metavar="FILE",
            type=click.Path(),
            help="The policy in force: a TOML file, or a preset's name.",
            **common,
        ),
        click.Option(
            ["--memberships"],
            metavar="WHOSE",
            type=OneOf("trusted", "registered"),
            help="Which memberships of chats and groups count: those that the caller names, unless they are registered "
            "(trusted), "
            "or only those in the store (registered).",
            **common,
        ),
        click.Option(
            ["--embedder"],
            metavar="WHICH",
            help="The embedder for semantic search: words, none, local, local:NAME, or a server's address.",
            **common,
        ),
        click.Option(
            ["--reranker"],
            metavar="WHICH",
            help="The reranker of the first hits: none, local:./folder, or a server's address.",
            **common,
        ),
        click.Option(["--json"], is_flag=True, help="Answer with one JSON document on stdout.", **common),
        click.Option(["--trace"], is_flag=True, help="Print on stderr what the call did, event by event.", **common),
    )


class Verb(click.Command):
    """A command that takes the shared options too."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.epilog = self.epilog or ELSEWHERE
        own = {option for parameter in self.params for option in parameter.opts}
        self.params += [option for option in shared_options(hidden=True) if not own & set(option.opts)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse surplus arguments without repeating them: they may be a text that must not be shown."""
        ctx.allow_extra_args = True
        session = ctx.find_object(Session)
        if session is not None:
            session.command = self
        left = super().parse_args(ctx, args)
        if left and not ctx.resilient_parsing:
            ctx.fail(f"{count_noun(len(left), 'argument')} too many; put quotes around a text with spaces")
        return left


class Verbs(click.Group):
    """A group of commands that takes the shared options too."""

    command_class = Verb

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.params += shared_options(hidden=True)


def space_option(function: _Function) -> _Function:
    """`--space`, repeated: the coordinates of one space."""
    option = click.option(
        "--space",
        metavar="LEVEL=ID",
        multiple=True,
        shell_complete=levels,
        help="One coordinate of the space; repeat it.",
    )
    return option(function)


def consent_options(function: _Function) -> _Function:
    """`--dry-run` and `--yes`, on every command that deletes."""
    yes = click.option("--yes", is_flag=True, help="Do it without asking.")
    return click.option("--dry-run", is_flag=True, help="Show what would happen, and do nothing.")(yes(function))
