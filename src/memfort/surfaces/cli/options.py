"""Options that every command takes, before its name or after it; and the shape of commands."""

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
    """Note what was given; a later one takes the place of an earlier one, and places add up."""
    session = context.find_object(Session)
    if session is None or value in (None, (), False):
        return
    name = str(parameter.name)
    session.flags[name] = (*session.flags.get(name, ()), *value) if isinstance(value, tuple) else value


@cache  # an option keeps nothing of a run, so all commands can have the same
def shared_options(*, hidden: bool) -> tuple[click.Option, ...]:
    """The options that say who asks, from where, of which store, and how the answer should look."""
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
            help="A place one stands at; repeat it.",
            shell_complete=levels,
            **common,
        ),
        click.Option(
            ["--store"], metavar="PATH", type=click.Path(), help="The file that memories are kept in.", **common
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
            help="Who says which chats and groups an actor belongs to: the caller, unless they are registered "
            "(trusted), "
            "or the store alone (registered).",
            **common,
        ),
        click.Option(
            ["--embedder"],
            metavar="WHICH",
            help="What finds memories by their meaning: words, none, local, local:NAME, or a server's address.",
            **common,
        ),
        click.Option(
            ["--reranker"],
            metavar="WHICH",
            help="What looks at the first hits once more: none, local:./folder, or a server's address.",
            **common,
        ),
        click.Option(["--json"], is_flag=True, help="Answer with one JSON document on stdout.", **common),
        click.Option(["--trace"], is_flag=True, help="Tell on stderr what the call did, event by event.", **common),
    )


class Verb(click.Command):
    """A command that takes the shared options too."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.epilog = self.epilog or ELSEWHERE
        own = {option for parameter in self.params for option in parameter.opts}
        self.params += [option for option in shared_options(hidden=True) if not own & set(option.opts)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse arguments too many without repeating them: they may be a text that must not be shown."""
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
        help="The space that is meant, one coordinate each; repeat it.",
    )
    return option(function)


def consent_options(function: _Function) -> _Function:
    """`--dry-run` and `--yes`, on everything that destroys."""
    yes = click.option("--yes", is_flag=True, help="Do it without asking.")
    return click.option("--dry-run", is_flag=True, help="Say what would happen, and do nothing.")(yes(function))
