"""Write what follows from the table of operations: the typed methods of the client and the tables of
docs/telemetry.md. `make generate` runs it.

Editors and type checkers must see signatures, so the methods are real source, checked in; a test writes them again and
compares.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from subprocess import run as run_program
from typing import Any, get_args, get_origin, get_type_hints

from msgspec import Struct

from memfort.operations.requests import Field, fields_of
from memfort.operations.table import TABLE, Effect, Operation
from memfort.operations.trail.activities import activities
from memfort.telemetry import OPERATIONS

RUFF = Path(sys.executable).parent / "ruff"
TELEMETRY = Path(__file__).parent.parent / "docs" / "telemetry.md"
METHODS = Path(__file__).parent.parent / "src" / "memfort" / "client" / "_methods.py"
HEAD = '''"""The verbs as typed methods. Generated from the table of operations by `make generate`; a test compares."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from memfort.engine.call import Progress
{imports}

Ask = Callable[..., Any]  # runs the verb of this name with these fields

'''


def methods() -> str:
    rows = list(TABLE.values())
    bound = [row for row in rows if row.effect is not Effect.ADMIN]
    store = [row for row in rows if row.effect is Effect.ADMIN]
    body = "".join((*_classes(bound, "Bound"), *_classes(store, "Store")))
    text = HEAD.format(imports="\n".join(_imports(rows))) + body
    return _ruff(_ruff(text, "check", "--fix", "--quiet", "--select", "F401,I001"), "format")


def _ruff(text: str, *words: str) -> str:
    """Source as our formatter leaves it. Imports that no verb needs yet go."""
    command = [str(RUFF), *words, "--stdin-filename", str(METHODS), "-"]
    return run_program(command, input=text, capture_output=True, text=True, check=True).stdout


def _classes(rows: list[Operation], prefix: str) -> Iterator[str]:
    groups = list(dict.fromkeys(row.group for row in rows if row.group))
    for group in groups:
        yield _class(
            f"{prefix}{group.title()}", f"`{group}` and its verbs.", [row for row in rows if row.group == group]
        )
    plain = [row for row in rows if not row.group]
    properties = "".join(
        f"\n    @property\n    def {group}(self) -> {prefix}{group.title()}:\n"
        f"        return {prefix}{group.title()}(self._ask)\n"
        for group in groups
    )
    yield _class(f"{prefix}Methods", "The verbs.", plain) + properties + "\n\n"


def _class(name: str, doc: str, rows: list[Operation]) -> str:
    start = f'class {name}:\n    """{doc}"""\n\n'
    if name.endswith("Methods"):
        ask = "    def _ask(self, name: str, fields: dict[str, Any], progress: Progress | None = None) -> Any:\n"
        ask += "        raise NotImplementedError\n"
    else:
        ask = "    def __init__(self, ask: Ask) -> None:\n        self._ask = ask\n"
    return start + ask + "".join(map(_method, rows)) + "\n\n"


def _method(row: Operation) -> str:
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
    result = _result(row.result)
    docs = "\n".join(f"        {field.name}: {field.doc}" for field in (*first, *rest))
    given = ", ".join(f'"{field.name}": {field.name}' for field in (*first, *rest))
    progress = ", progress" if row.reports_progress else ""
    return (
        f"\n    def {row.method}({', '.join(parameters)}) -> {result}:\n"
        f'        """{row.summary}\n\n{docs}\n        """\n'.replace("\n\n\n", "\n\n")
        + f'        result: {result} = self._ask("{row.name}", {{{given}}}{progress})\n        return result\n'
    )


def _positional(field: Field, *, is_argument: bool) -> str:
    return f"*{field.name}: {field.python}" if field.is_list and is_argument else _parameter(field)


def _parameter(field: Field) -> str:
    kind = f"Iterable[{field.python}]" if field.is_list else field.python
    kind = f"{kind} | None" if field.is_optional else kind
    return f"{field.name}: {kind}" + ("" if field.required else f" = {_default(field.default)}")


def _default(value: Any) -> str:
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
    assert head, f"docs/telemetry.md has no table of {first}"
    return before + "\n".join(lines) + "\n" + after[re.match(r"(\|.*\n)*", after).end() :]  # type: ignore[union-attr]


if __name__ == "__main__":
    METHODS.write_text(methods())
    TELEMETRY.write_text(telemetry_page(TELEMETRY.read_text()))
