"""Commands derived from the table of operations: options from the fields of a request, output from the type of the
answer.

This module knows no particular verb. A command loads its verb when its options are needed, so `memfort --help` loads
none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click
from msgspec.structs import replace

from memfort.errors import InvalidInput, NotFound
from memfort.model.value import count_noun
from memfort.operations.requests import Field, fields_of, request_of
from memfort.operations.table import TABLE, Cli, Effect, NotOnCli, Operation, StoreNeed
from memfort.surfaces.cli.failure import Exit
from memfort.surfaces.cli.input.completion import OneOf, levels, memories, types
from memfort.surfaces.cli.input.consent import has_consent
from memfort.surfaces.cli.input.files import STDIN, json_object, read_bytes, read_text, readable_path, words
from memfort.surfaces.cli.input.identity import Identity, identity_options, is_identity
from memfort.surfaces.cli.options import Verb, Verbs, shared_options
from memfort.surfaces.cli.session import Session, space_from

if TYPE_CHECKING:
    from memfort.client import BoundMemory, Memory
    from memfort.surfaces.cli.output.console import Progress

_COMPLETES: dict[str, Callable[..., Any]] = {
    "memories": memories(),
    "pending": memories("pending"),
    "reviewable": memories("pending", "approved"),
    "superseded": memories("superseded"),
    "types": types,
    "levels": levels,
}
_SHARED = frozenset(option.name for option in shared_options(hidden=True))
_NUMBERS: dict[str, click.ParamType[Any]] = {"int": click.INT, "float": click.FLOAT}
_OTHERS = "Other commands"
_METAVARS = {"str": "TEXT", "int": "COUNT", "float": "NUMBER"}


def rows_of(group: str) -> dict[str, Operation]:
    """The verbs of a group that the command line derives, by their last word."""
    return {row.command[-1]: row for row in TABLE.values() if row.group == group and isinstance(row.cli, Cli)}


def command_of(operation: Operation) -> click.Command:
    """The command of a row: derived, or the hand-written one that the row names."""
    assert isinstance(operation.cli, Cli)
    if not operation.cli.module:
        return VerbCommand(operation)
    return written_command(operation.cli.module, operation.command)


def written_command(module: str, words: Sequence[str]) -> click.Command:
    """A hand-written command, imported when it is needed."""
    found = import_module(f"memfort.surfaces.cli.commands.{module}")
    command: click.Command = getattr(found, "_".join((*words, "command")).replace("-", "_"))
    return command


class VerbCommand(Verb):
    """The command of one row."""

    def __init__(self, operation: Operation) -> None:
        assert isinstance(operation.cli, Cli)
        self.operation, self.cli = operation, operation.cli
        text = f"{operation.summary}\n\n{self.cli.help}" if self.cli.help else operation.summary
        super().__init__(operation.command[-1], help=text, short_help=operation.summary, callback=self._call)
        self._is_loaded = False

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        if not self._is_loaded:
            own = _params(self.operation, self.cli)
            taken = {option for parameter in own for option in parameter.opts}
            self.params = [*own, *(shared for shared in self.params if not taken & set(shared.opts))]
            self._is_loaded = True
        return super().get_params(ctx)

    def _call(self, **given: Any) -> int:
        session = click.get_current_context().find_object(Session)
        assert session is not None
        yes, file = bool(given.pop("yes", False)), given.pop("file", None) if self.cli.many else None
        strict = bool(given.pop("strict", False)) or not self.cli.strict
        secret_to = given.pop("to", None) if self.cli.private_field else None
        fields = fields_of(self.operation.request)
        given = {name.rstrip("_"): value for name, value in given.items()}
        identities = [Identity(field, given) for field in fields if is_identity(field)]
        named = _given_fields(session, fields, given)
        _name_the_file(fields, given, named)
        if self.cli.many:
            _check_one_of_two(self.cli, named, file)
        lines = None if file is None else read_text(file, "file")
        if self.cli.makes_store:
            self._check_before_making(named, lines)
        with self._open_for(session, named) as (store, memory):
            named |= {one.field: one.bound(store) for one in identities}
            defaults = {
                one.name: default
                for one in fields
                if "default" in one.extra and (default := getattr(memory, one.extra["default"], None)) is not None
            }
            if lines is not None:
                return self._answer_many(session, memory, {**defaults, **named}, lines)
            if secret_to is not None:
                return self._answer_into_file(session, memory, {**defaults, **named}, Path(secret_to))
            code = self._answer(session, memory, {**defaults, **named}, yes=yes)
            return code if strict or code == Exit.FAILURE else Exit.OK

    def _check_before_making(self, named: Mapping[str, Any], lines: str | None) -> None:
        """Refuse what cannot be read before a store is made for it."""
        if lines is None:
            request_of(self.operation.request, named, strict=False)
            return
        from memfort.surfaces.cli.input.batch import batch_of

        batch_of(lines, {}, self.cli.arguments[0])

    @contextmanager
    def _open_for(self, session: Session, named: Mapping[str, Any]) -> Iterator[tuple[Memory, BoundMemory | Memory]]:
        """The store, and what runs the verb: the store itself, or the memory of whoever asks."""
        if self.cli.as_asker and session.settings["as"] is not None:
            with session.bound_with_store() as asking:
                yield asking
            return
        if self.operation.effect is not Effect.ADMIN and not (self.cli.makes_store and named.get("dry_run")):
            with session.bound_with_store(make=self.cli.makes_store) as asking:
                yield asking
            return
        with self._store(session, named) as memory:
            yield memory, memory

    def _store(self, session: Session, named: Mapping[str, Any]) -> Any:
        if self.cli.makes_store and named.get("dry_run"):
            return session.dry_run_memory()
        if self.cli.store is StoreNeed.NONE:
            return session.empty_memory()
        if self.cli.store is StoreNeed.IF_THERE:
            return session.memory_if_there()
        return session.memory(make=self.cli.makes_store)

    def _check_something_is_named(self, named: Mapping[str, Any]) -> None:
        some_of = self.cli.some_of
        if some_of and not any(name in named for name in some_of):
            ways = [one for one in self.params if str(one.name).rstrip("_") in some_of]
            shown = [_shown_name(one) for one in ways]
            raise InvalidInput(some_of[0], "nothing is named", f"give one of {', '.join(shown)}")

    def _answer(self, session: Session, memory: BoundMemory | Memory, named: dict[str, Any], *, yes: bool) -> int:
        from memfort.surfaces.cli.render import render

        self._check_something_is_named(named)
        request_of(self.operation.request, named, strict=False)  # report errors before asking to confirm
        if self.cli.confirm and not named.get("dry_run"):
            preview = self._run(session, memory, {**named, "dry_run": True}, shows_progress=False)
            if not yes and not session.output.as_json:
                render(self.operation, preview).show_preview(session.output)
            question = self.cli.confirm.format(memories=count_noun(render(self.operation, preview).count, "memory"))
            if not has_consent(session.output, question, yes=yes):
                session.output.note("nothing was done")
                return Exit.FAILURE
        result = self._run(session, memory, named)
        return render(self.operation, result).show(session.output)

    def _answer_into_file(
        self, session: Session, memory: BoundMemory | Memory, named: dict[str, Any], path: Path
    ) -> int:
        """Write the secret of the answer into a new file, and show the rest."""
        from memfort.surfaces.cli.output.private_file import private_file
        from memfort.surfaces.cli.render import render

        with private_file(path, "to") as file:
            result = self._run(session, memory, named)
            file.write(f"{getattr(result, self.cli.private_field)}\n")
        session.output.note(f"wrote it to {path}, which only you can read")
        shown = render(self.operation, replace(result, **{self.cli.private_field: ""}))
        shown.document.pop(self.cli.private_field)
        return shown.show(session.output)

    def _answer_many(self, session: Session, memory: BoundMemory | Memory, named: dict[str, Any], lines: str) -> int:
        """Run the batch verb with the lines of a file. The options apply to all of them."""
        from memfort.surfaces.cli.input.batch import batch_of
        from memfort.surfaces.cli.render import render

        many, [name] = TABLE[self.cli.many], self.cli.arguments
        one = request_of(self.operation.request, {**named, name: "-"}, strict=False)
        batch = batch_of(lines, {field: getattr(one, field) for field in named}, name)
        [field] = fields_of(many.request)
        return render(many, self._run(session, memory, {field.name: batch}, many)).show(session.output)

    def _run(
        self,
        session: Session,
        memory: BoundMemory | Memory,
        named: dict[str, Any],
        operation: Operation | None = None,
        *,
        shows_progress: bool = True,
    ) -> Any:
        operation = operation or self.operation
        reports = operation.reports_progress and shows_progress
        with session.output.progress(self.operation.command[-1]) as show:
            so_far = _PartialAnswer(show)
            try:
                report = so_far if reports and (show is not None or self.cli.resumes) else None
                result = memory.run(operation, named, report, strict=False)
                if result is None and type(None) in get_args(operation.result):
                    raise NotFound(
                        self.cli.absent or "memory", str(named.get(self.cli.arguments[0]) or named.get("key"))
                    )
            except NotFound as error:
                from memfort.surfaces.cli.output.not_found import add_reason

                raise add_reason(memory, error) from None
            except KeyboardInterrupt:
                if not self.cli.resumes:
                    raise
                raise KeyboardInterrupt(so_far.interrupted(" ".join(self.operation.command))) from None
        return result


class _PartialAnswer:
    """The progress of a verb, shown on a terminal."""

    def __init__(self, show: Progress | None) -> None:
        self._show, self._done, self._total = show, 0, 0

    def __call__(self, done: int, total: int) -> None:
        self._done, self._total = done, total
        if self._show is not None:
            self._show(done, total)

    def interrupted(self, command: str) -> str:
        so_far = f"{self._done} of {self._total} are done, and stay so" if self._total else "nothing is done yet"
        return f"interrupted: {so_far}; `memfort {command}` goes on with the rest"


class GroupCommand(Verbs):
    """A group of the table."""

    def __init__(self, group: str, summary: str, written: Mapping[str, tuple[str, str]]) -> None:
        super().__init__(group, help=summary)
        self.rows = rows_of(group)
        self.written = {
            name.removeprefix(f"{group} "): one for name, one in written.items() if name.startswith(f"{group} ")
        }

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return [*self.rows, *self.written]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name in self.rows:
            return command_of(self.rows[cmd_name])
        if cmd_name not in self.written:
            return None
        return written_command(self.written[cmd_name][0], (str(self.name), cmd_name))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        _check_known(ctx, args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Without loading a command."""
        rows = [(name, row.summary) for name, row in self.rows.items()]
        with formatter.section("Commands"):
            formatter.write_dl([*rows, *((name, summary) for name, (_, summary) in self.written.items())])


class TableGroup(click.Group):
    """The top-level commands: rows and groups of the table of operations, and the hand-written ones, each imported when
    it runs. `written` gives the module and purpose of each, `groups` the purpose of each group, and `sections` the
    title in the help of each package of operations."""

    def __init__(
        self,
        *args: Any,
        written: Mapping[str, tuple[str, str]],
        groups: Mapping[str, str],
        sections: Mapping[str, str],
        **settings: Any,
    ) -> None:
        super().__init__(*args, **settings)
        self.written, self.groups, self.sections = written, groups, sections
        self.rows = rows_of("")

    @property
    def summaries(self) -> dict[str, str]:
        """Every command with its purpose, in the order of the help."""
        return {
            **{name: row.summary for name, row in self.rows.items()},
            **self.groups,
            **{name: summary for name, (_, summary) in self.written.items() if " " not in name},
        }

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return list(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name in self.rows:
            return command_of(self.rows[cmd_name])
        if cmd_name in self.groups:
            return GroupCommand(cmd_name, self.groups[cmd_name], self.written)
        if cmd_name not in self.written:
            return None
        return written_command(self.written[cmd_name][0], (cmd_name,))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        _check_known(ctx, args[0], self.summaries)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        titles = [*dict.fromkeys(self.sections.values()), _OTHERS]
        by_title: dict[str, list[tuple[str, str]]] = {title: [] for title in titles}
        for name, summary in self.summaries.items():
            by_title[self._section_of(name)].append((name, summary))
        for title, commands in by_title.items():
            if commands:
                with formatter.section(title):
                    formatter.write_dl(commands)

    def _section_of(self, name: str) -> str:
        """The help section of a verb's package; for a group, that of its first verb."""
        row = self.rows.get(name) or next(iter(rows_of(name).values()), None)
        return _OTHERS if row is None else self.sections.get(row.module.partition(".")[0], _OTHERS)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        names = [
            CompletionItem(name, help=summary)
            for name, summary in self.summaries.items()
            if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)


def _check_known(ctx: click.Context, name: str, known: Collection[str]) -> None:
    """Refuse an unknown command and suggest the nearest one; click suggests only commands registered with it."""
    if name not in known and not name.startswith("-") and not ctx.resilient_parsing:
        raise click.exceptions.NoSuchCommand(name, possibilities=known, ctx=ctx)


def _params(operation: Operation, cli: Cli) -> list[click.Parameter]:
    fields = fields_of(operation.request)
    by_name = {field.name: field for field in fields}
    made: list[click.Parameter] = [_argument(by_name[name], cli) for name in cli.arguments]
    for field in fields:
        if is_identity(field):
            made += identity_options(field)
        elif field.name not in {*cli.arguments, *cli.leaves_out}:
            made += _readers(field) if _is_readers(field) else [_option(field, cli.flags.get(field.name))]
    if cli.many:
        lines = "Many at once: one text per line or one JSON object per line, not mixed; `-` is stdin."
        made.append(click.Option(["--file"], metavar="FILE", type=click.Path(), help=lines))
    if cli.strict:
        made.append(click.Option(["--strict"], is_flag=True, help="Fail if anything in it was refused."))
    if cli.private_field:
        to = "Write it into this new file, which only you can read, instead of printing it."
        made.append(click.Option(["--to"], metavar="FILE", type=click.Path(), help=to))
    if cli.confirm:
        made.append(click.Option(["--yes"], is_flag=True, help="Do it without asking."))
    return made


def _argument(field: Field, cli: Cli) -> click.Argument:
    """A field given by position. A list, or a text at the end that is required or says so, takes all remaining
    words."""
    is_text = field.name == cli.arguments[-1] and field.python == "str" and (field.required or "words" in field.extra)
    takes_all = field.is_list or (is_text and not field.extra.keys() & {"completes", "one_word"})
    return click.Argument(
        [_parameter_name(field)],
        nargs=-1 if takes_all else 1,
        required=(field.required or "or_path" in field.extra) and not cli.many,
        metavar=_metavar(field),
        shell_complete=_COMPLETES.get("levels" if "pairs" in field.extra else field.extra.get("completes", "")),
        type=OneOf(*field.choices) if field.choices else None,
    )


def _metavar(field: Field) -> str | None:
    if field.python == "bytes":
        return "PATH" if "or_path" in field.extra else "FILE"
    if not field.is_list:
        return field.name.upper() if field.name in _SHARED else None
    metavar = f"{_singular(field.name).upper()}..."
    return metavar if field.required else f"[{metavar}]"


def _parameter_name(field: Field) -> str:
    """Click's name for a field. Options that every command takes already have their names."""
    return f"{field.name}_" if field.name in _SHARED else field.name


def _option(field: Field, flag: str | None) -> click.Option:
    word = _singular(field.name) if field.is_list else field.name
    flag = flag or f"--{word.replace('_', '-')}"
    is_flag = field.python == "bool"
    repeated = " Repeat it for more." if field.is_list or "pairs" in field.extra else ""
    choices = f" One of {', '.join(field.choices)}." if field.choices else ""
    default = f" [default: {_text(field.default)}]" if field.default not in (None, (), False, "") else ""
    settings: dict[str, Any] = {
        "help": field.doc + choices + repeated + default,
        "default": None,
        "required": field.required,
        "multiple": field.is_list or "pairs" in field.extra,
    }
    if is_flag:
        has_no = "/" not in flag and (field.is_optional or field.default)
        names = [f"{flag}/--no-{flag[2:]}" if has_no else flag, _parameter_name(field)]
        return click.Option(names, is_flag=True, **{**settings, "multiple": False})
    kind = OneOf(*field.choices) if field.choices else _NUMBERS.get(field.python)
    metavar = field.extra.get("metavar") or field.extra.get("pairs") or ("JSON" if _is_json(field) else None)
    metavar = metavar or (flag[2:].upper() if field.choices or field.is_list else _METAVARS.get(field.python, "TEXT"))
    complete = _COMPLETES.get("levels" if "pairs" in field.extra else field.extra.get("completes", ""))
    return click.Option([flag, _parameter_name(field)], type=kind, metavar=metavar, shell_complete=complete, **settings)


def _shown_name(parameter: click.Parameter) -> str:
    """An option by its flag, an argument by its name in capitals."""
    if isinstance(parameter, click.Option):
        return parameter.opts[0]
    return (parameter.metavar or str(parameter.name).upper()).strip("[.]")


_READERS = {"users": "user", "agents": "agent"}


def _is_readers(field: Field) -> bool:
    return field.python.startswith("Readers")


def _readers(field: Field) -> list[click.Option]:
    """A reader list as two options."""
    return [
        click.Option(
            [f"--reader-{word}", f"{field.name}_{name}"],
            multiple=True,
            metavar="ID",
            help=f"Only this {word} may read it; repeat it for more.",
        )
        for name, word in _READERS.items()
    ]


def _given_fields(session: Session, fields: Sequence[Field], given: dict[str, Any]) -> dict[str, Any]:
    """The fields that the command line offers."""
    for field in fields:
        if _is_readers(field):
            lists = {name: list(given.pop(f"{field.name}_{name}", ())) or None for name in _READERS}
            given[field.name] = lists if any(lists.values()) else None
    by_name = {field.name: field for field in fields}
    named = {name: value for name, value in given.items() if value not in (None, ())}
    for name in [one for one in named if "or_path" in by_name[one].extra and named[one] != STDIN]:
        named[by_name[name].extra["or_path"]] = readable_path(named.pop(name))  # a folder, or too large to be held
    return {name: _read(session, by_name[name], value) for name, value in named.items()}


def _name_the_file(fields: Sequence[Field], given: Mapping[str, Any], named: dict[str, Any]) -> None:
    """Fill in the name of the file that the bytes of a field came from, if the request has a field for it."""
    if not any(field.name == "filename" for field in fields):
        return
    for field in fields:
        if field.python == "bytes" and field.name in named and given[field.name] != STDIN:
            named.setdefault("filename", Path(given[field.name]).name)


def _check_one_of_two(cli: Cli, named: Mapping[str, Any], file: str | None) -> None:
    [name] = cli.arguments
    if name in named and file is not None:
        raise InvalidInput(name, "`--file` is given too", "give one of the two")
    if name not in named and file is None:
        raise InvalidInput(name, "it is missing", "give it, or --file with many")


def _read(session: Session, field: Field, value: Any) -> Any:
    """Convert a value of the command line to the type of the request's field."""
    if field.extra.get("reads") == "policy":
        return session.policy_called(value, field.name.upper() if field.name in _SHARED else field.name)
    if "pairs" in field.extra:
        return space_from((value,) if isinstance(value, str) else value, field.name)
    if field.python == "bytes":
        return read_bytes(value)
    if field.extra.get("reads") == "json":
        return json_object(read_text(value, field.name), field.name, field.extra["remedy"])
    if _is_json(field):
        return json_object(value, field.name)
    if isinstance(value, tuple) and not field.is_list:
        return words(value, field.name)
    return value


def _is_json(field: Field) -> bool:
    return field.python == "Mapping[str, Any]"


def _singular(name: str) -> str:
    if name.endswith("iases"):
        return name.removesuffix("es")
    return name.removesuffix("ies") + "y" if name.endswith("ies") else name.removesuffix("s")


def _text(value: Any) -> str:
    return str(getattr(value, "value", value))


def why_not_on_cli(operation: Operation) -> str | None:
    """Why the command line does not offer a verb; `None` if it does."""
    return operation.cli.reason if isinstance(operation.cli, NotOnCli) else None
