"""Write what follows from the table of operations: the typed methods of the client and the tables of
docs/reference/telemetry.md. `make generate` runs it.

Editors and type checkers must see signatures, so the methods are real source, checked in; a test writes them again and
compares.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from subprocess import run as run_program
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from msgspec import Struct

from memfort.operations.requests import Field, fields_of
from memfort.operations.table import TABLE, Effect, Operation
from memfort.operations.trail.activities import activities
from memfort.telemetry import OPERATIONS

RUFF = Path(sys.executable).parent / "ruff"
TELEMETRY = Path(__file__).parent.parent / "docs" / "reference" / "telemetry.md"
CLIENT = Path(__file__).parent.parent / "src" / "memfort" / "client"
HEAD = '''"""The verbs as typed methods. Generated from the table of operations by `make generate`; a test compares."""

from __future__ import annotations

import builtins
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from memfort.client.async_memory import AsyncBoundMemory
    from memfort.engine.call import Progress
{imports}

{calls}

'''


class Style(NamedTuple):
    """How the same verbs are written for one kind of caller."""

    path: Path
    prefix: str  # of the names of classes
    calls: str  # the types of what a method calls
    of_class: str  # what a method calls, in the class of all verbs
    of_group: str  # and in the class of a group, which is given it
    given: str


PLAIN = Style(
    CLIENT / "_methods.py",
    "",
    "Ask = Callable[..., Any]  # runs the verb of this name with these fields",
    """
    def _ask(self, name: str, fields: dict[str, Any], progress: Progress | None = None) -> Any:
        raise NotImplementedError
""",
    """
    def __init__(self, ask: Ask) -> None:
        self._ask = ask
""",
    "self._ask",
)
ASYNC = Style(
    CLIENT / "_async_methods.py",
    "Async",
    """Ask = Callable[..., Awaitable[Any]]  # runs the verb of this name with these fields
Stream = Callable[..., AsyncIterator[Any]]  # the same for a verb that gives an iterator""",
    """
    async def _ask(self, name: str, fields: dict[str, Any], progress: Progress | None = None) -> Any:
        raise NotImplementedError

    def _stream(self, name: str, fields: dict[str, Any], progress: Progress | None = None) -> AsyncIterator[Any]:
        raise NotImplementedError
""",
    """
    def __init__(self, ask: Ask, stream: Stream) -> None:
        self._ask, self._stream = ask, stream
""",
    "self._ask, self._stream",
)
STYLES = (PLAIN, ASYNC)


def methods(style: Style) -> str:
    rows = list(TABLE.values())
    bound = [row for row in rows if row.effect is not Effect.ADMIN or row.also_bound]
    store = [row for row in rows if row.effect is Effect.ADMIN]
    body = "".join((*_classes(bound, "Bound", style), *_classes(store, "Store", style)))
    text = HEAD.format(imports="\n".join(_imports(rows)), calls=style.calls) + body
    return _ruff(_ruff(text, style, "check", "--fix", "--quiet", "--select", "F401,I001"), style, "format")


def _ruff(text: str, style: Style, *words: str) -> str:
    """Source as our formatter leaves it. Imports that no verb needs go."""
    command = [str(RUFF), *words, "--stdin-filename", str(style.path), "-"]
    return run_program(command, input=text, capture_output=True, text=True, check=True).stdout


def _classes(rows: list[Operation], kind: str, style: Style) -> Iterator[str]:
    prefix = style.prefix + kind
    groups = list(dict.fromkeys(row.group for row in rows if row.group))
    for group in groups:
        of_group = [row for row in rows if row.group == group]
        yield _class(f"{prefix}{group.title()}", f"`{group}` and its verbs.", style.of_group, of_group, style)
    plain = [row for row in rows if not row.group]
    properties = "".join(
        f"\n    @property\n    def {group}(self) -> {prefix}{group.title()}:\n"
        f"        return {prefix}{group.title()}({style.given})\n"
        for group in groups
    )
    yield _class(f"{prefix}Methods", "The verbs.", style.of_class, plain, style) + properties + "\n\n"


def _class(name: str, doc: str, start: str, rows: list[Operation], style: Style) -> str:
    return f'class {name}:\n    """{doc}"""\n{start}' + "".join(_method(row, style) for row in rows) + "\n\n"


def _method(row: Operation, style: Style) -> str:
    fields = fields_of(row.request)
    arguments = getattr(row.cli, "arguments", ())
    by_name = {field.name: field for field in fields}
    first = [by_name[name] for name in (*arguments, *row.positional)]
    rest = [field for field in fields if field not in first]
    parameters = ["self", *(_positional(field, is_argument=field.name in arguments) for field in first)]
    named = [_parameter(field) for field in rest] + (
        ["progress: Progress | None = None"] if row.reports_progress else []
    )
    if named and not any(one.startswith("*") for one in parameters):
        parameters.append("*")
    parameters += named
    define, call, result = _calling(row, style)
    docs = "\n".join(f"        {field.name}: {field.doc}" for field in (*first, *rest))
    given = ", ".join(f'"{field.name}": {field.name}' for field in (*first, *rest))
    progress = ", progress" if row.reports_progress else ""
    signature = f"{', '.join(parameters)}".replace("BoundMemory", f"{style.prefix}BoundMemory")
    return (
        f"\n    {define} {row.method}({signature}) -> {result}:\n"
        f'        """{row.summary}\n\n{docs}\n        """\n'.replace("\n\n\n", "\n\n")
        + f'        result: {result} = {call}("{row.name}", {{{given}}}{progress})\n        return result\n'
    )


def _calling(row: Operation, style: Style) -> tuple[str, str, str]:
    """How a method is defined, what it calls, and what it gives back. An async iterator is no coroutine: the verb runs
    when its first line is asked for."""
    result = _result(row.result)
    if style is PLAIN:
        return "def", "self._ask", result
    if get_origin(row.result) is Iterator:
        return "def", "self._stream", f"Async{result}"
    return "async def", "await self._ask", result


def _positional(field: Field, *, is_argument: bool) -> str:
    return f"*{field.name}: {field.python}" if field.is_list and is_argument else _parameter(field)


def _parameter(field: Field) -> str:
    kind = f"Iterable[{field.python}]" if field.is_list else field.python
    kind = f"{kind} | None" if field.is_optional else kind
    return f"{field.name}: {kind}" + ("" if field.required else f" = {_default(field.default)}")


def _default(value: Any) -> str:
    if isinstance(value, tuple) and value:
        return f"({', '.join(map(_default, value))},)"
    return repr(getattr(value, "value", value)).replace("'", '"')


def _result(kind: Any) -> str:
    """A type as it is written. `list` is a verb too, so lists are written with their module."""
    if kind is None or kind is type(None):
        return "None"
    if (origin := get_origin(kind)) is not None:
        name = "builtins.list" if origin is list else getattr(origin, "__name__", str(origin))
        if name in {"Union", "UnionType"}:
            return " | ".join(map(_result, get_args(kind)))
        return f"{name}[{', '.join(map(_result, get_args(kind)))}]"
    return "builtins.list" if kind is list else getattr(kind, "__name__", str(kind))


def _imports(rows: Iterable[Operation]) -> list[str]:
    kinds = {kind for row in rows for kind in _parts(row.result)}
    kinds |= {kind for row in rows for kind in _given(row.request)}
    imported = {
        f"    from {module} import {name}"
        for row in rows
        for field in fields_of(row.request)
        for name, module in field.imports.items()
    }
    lines = imported | {
        f"    from {kind.__module__} import {kind.__name__}" for kind in kinds if kind.__module__.startswith("memfort")
    }
    return sorted(lines)


def _parts(kind: Any) -> Iterator[Any]:
    if get_origin(kind) is not None:
        for part in get_args(kind):
            yield from _parts(part)
    elif isinstance(kind, type):
        yield kind


def _given(request: type[Struct]) -> Iterator[Any]:
    """The classes of ours that a signature names."""
    named = " ".join(field.python for field in fields_of(request))
    for hint in get_type_hints(request).values():
        yield from (kind for kind in _parts(hint) if re.search(rf"\b{kind.__name__}\b", named))


def telemetry_page(page: str) -> str:
    """The page with its two tables made anew: which verb is which operation, and which activity."""
    page = _with_table(page, "Operation", _by_value({f"`{name}`": f"`{one}`" for name, one in OPERATIONS.items()}))
    named = {f"`{name}`": one.name.capitalize() for name, one in activities().items()}
    rest = {"Other, under its own name": ["everything else: sharing, the directory, keys, upkeep"]}
    return _with_table(page, "Activity", {**_by_value(named), **rest})


def _by_value(names: dict[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in names.items():
        found.setdefault(value, []).append(name)
    return {value: sorted(found[value]) for value in sorted(found)}


def _with_table(page: str, first: str, rows: dict[str, list[str]]) -> str:
    lines = [f"| {first} | Verbs |", "|---|---|", *(f"| {name} | {', '.join(verbs)} |" for name, verbs in rows.items())]
    before, head, after = page.partition(f"| {first} | Verbs |\n")
    assert head, f"docs/reference/telemetry.md has no table of {first}"
    return before + "\n".join(lines) + "\n" + after[re.match(r"(\|.*\n)*", after).end() :]  # type: ignore[union-attr]


if __name__ == "__main__":
    for style in STYLES:
        style.path.write_text(methods(style))
    TELEMETRY.write_text(telemetry_page(TELEMETRY.read_text()))
