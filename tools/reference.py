"""Write the reference pages that follow from the code. `make generate` runs it, and a test compares.

| Page | From |
|---|---|
| docs/reference/python.md | the table of operations, the requests and the docstrings of `Memory` |
| docs/reference/results.md | the structs that verbs return, with the comment at each field |
| docs/reference/errors.md | the classes of errors and the table of reason codes |
| docs/reference/http.md | the table of operations, the requests of the routes for memories, the codes of problems |
| docs/reference/mcp.md | the table of operations, the tools, resources and prompts of MCP |
| docs/reference/memory.md | the table of fields; the types of the default policy |
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from memfort import BoundMemory, MemfortError, Memory, Policy, RestoreReport, errors
from memfort.model import reason as reasons
from memfort.model.item import Item
from memfort.model.serialize.fields import FIELDS, MemoryField
from memfort.operations.limits import LONGEST_TEXT, MOST_ENTRIES, MOST_ENTRIES_OVER_HTTP
from memfort.operations.requests import Field, fields_of, most_over_http
from memfort.operations.table import NOT_TOOLS, TABLE, Effect, Http, NotOnCli, NotOnHttp, Operation
from memfort.surfaces.cli.failure import Exit
from memfort.surfaces.http.memories import CreateMemoryRequest, SearchMemoryRequest
from memfort.surfaces.http.problems import CODES
from memfort.surfaces.mcp import wording
from memfort.surfaces.mcp.resources import offered_prompts, offered_resources
from memfort.surfaces.mcp.tools import OfferedTool, offered_tools

PAGES = Path(__file__).parent.parent / "docs" / "reference"
MADE = "<!-- Made from the code by `make generate`; a test compares. -->"
ELSEWHERE = {Item: "memory.md", Policy: "policy.md"}  # types with a page of their own
SECONDS_A_DAY = 86_400


def pages() -> dict[Path, str]:
    """Every page that this writes, with its text."""
    memory, http, mcp = PAGES / "memory.md", PAGES / "http.md", PAGES / "mcp.md"
    return {
        PAGES / "python.md": python_page(),
        PAGES / "results.md": results_page(),
        PAGES / "errors.md": errors_page(),
        http: http_page(http.read_text(encoding="utf-8")),
        mcp: mcp_page(mcp.read_text(encoding="utf-8")),
        memory: memory_page(memory.read_text(encoding="utf-8")),
    }


# -- MCP ---------------------------------------------------------------------------------------------------------------


def mcp_page(page: str) -> str:
    """The page with what follows from the table made anew."""
    before, mark, _ = page.partition(MADE_OF_ROUTES)
    assert mark, "docs/reference/mcp.md has lost its mark"
    parts = [before + mark, "", "## Tools", ""]
    for tool in offered_tools().values():
        parts += _tool(tool)
    parts += ["## Resources", "", "| Address | Scope | What it has |", "|---|---|---|"]
    parts += [
        f"| `{one.address}` | {one.row.key_scope} | {wording.RESOURCES[one.name].description} |"
        for one in offered_resources()
    ]
    parts += ["", "## Prompts", "", "| Prompt | Scope | Arguments | What it does |", "|---|---|---|---|"]
    for prompt in offered_prompts().values():
        arguments = ", ".join(f"`{name}`" for name in prompt.form.prompt_takes) or "none"
        description = wording.PROMPTS[prompt.name].description
        parts.append(f"| `{prompt.name}` | {prompt.row.key_scope} | {arguments} | {description} |")
    parts += ["", "## Not offered", "", "| Verbs | Why |", "|---|---|"]
    for package, reason in NOT_TOOLS.items():
        names = ", ".join(f"`{row.name}`" for row in TABLE.values() if row.mcp is None and row.package == package)
        parts.append(f"| {names} | {reason.reason} |")
    return "\n".join(parts)


def _tool(tool: OfferedTool) -> Iterator[str]:
    schema, words = tool.described.input_schema, wording.TOOLS[tool.name]
    hints = [str(tool.row.key_scope)]
    hints += ["destructive"] if tool.form.is_destructive else []
    yield from (f"### `{tool.name}`", "", f"{words.title} ({', '.join(hints)}): `{tool.row.name}`.", "")
    yield from ("| Argument | What it is |", "|---|---|")
    for name, field in schema["properties"].items():
        needed = " Required." if name in schema["required"] else ""
        yield f"| `{name}` | {field['description']}{needed} |"
    yield ""


# -- HTTP --------------------------------------------------------------------------------------------------------------


MADE_OF_ROUTES = "<!-- From here on made from the code by `make generate`; a test compares. -->"


def http_page(page: str) -> str:
    """The page with what follows from the table made anew."""
    before, mark, _ = page.partition(MADE_OF_ROUTES)
    assert mark, "docs/reference/http.md has lost its mark"
    parts = [before + mark, ""]
    for request in (CreateMemoryRequest, SearchMemoryRequest):
        parts += [f"### `{request.__name__}`", "", *_http_fields(request), ""]
    parts += ["## Verbs", "", "| Route | Scope | Answer | What it does |", "|---|---|---|---|"]
    parts += [_http_row(row) for row in TABLE.values() if isinstance(row.http, Http)]
    absent = {row.name: row.http.reason for row in TABLE.values() if isinstance(row.http, NotOnHttp)}
    parts += [
        "",
        "A key that is bound to a space can use the verbs marked with \\*: they reach no further than the caller sees.",
        "",
    ]
    parts += [
        "Not offered: " + "; ".join(f"`{name}` ({reason.rstrip('.')})" for name, reason in absent.items()) + ".",
        "",
    ]
    parts += [*_limits(), ""]
    parts += [
        "## Problems",
        "",
        "A refusal or a failure is `application/problem+json` (RFC 9457) with a stable `code`.",
        "",
    ]
    parts += ["| Status | Code | Meaning |", "|---|---|---|"]
    parts += [f"| {status} | `{code}` | {meaning} |" for code, (status, meaning) in CODES.items()]
    return "\n".join(parts) + "\n"


def _limits() -> Iterator[str]:
    """What holds for all fields, and the fields of which something else holds."""
    yield from ("## Limits", "")
    yield (
        f"A list or a mapping of a request has at most {MOST_ENTRIES_OVER_HTTP:,} entries, those of lists in it "
        f"included, and {MOST_ENTRIES:,} in Python and on the command line. A text has at most {LONGEST_TEXT} "
        "characters. A request that has more is refused with 422, before anything is done: it names the field and the "
        "limit. These fields have other limits:"
    )
    yield from ("", "| Field | Limit | Verbs |", "|---|---|---|")
    verbs: dict[tuple[str, str], list[str]] = {}
    for row in TABLE.values():
        for field in fields_of(row.request):
            if limit := _limit_of(row, field):
                verbs.setdefault((field.name, limit), []).append(f"`{row.name}`")
    yield from (f"| `{name}` | {limit} | {', '.join(names)} |" for (name, limit), names in verbs.items())


def _limit_of(row: Operation, field: Field) -> str:
    """The limits of a field that are not those of all fields."""
    stated = row.http.most if isinstance(row.http, Http) else {}
    over_http = most_over_http(field.name, field.most, stated)
    parts = []
    if field.most != MOST_ENTRIES or field.name in stated:
        is_same = over_http == field.most
        parts.append(f"{field.most:,} entries" if is_same else f"{over_http:,} entries; elsewhere {field.most:,}")
    if isinstance(row.http, Http) and field.name in row.http.characters:
        parts.append(f"over HTTP {row.http.characters[field.name]:,} characters in all")
    if field.longest != LONGEST_TEXT:
        parts.append(f"{field.longest:,} {'bytes' if field.python == 'bytes' else 'characters'}")
    return "; ".join(parts)


def _http_fields(request: type[Struct]) -> Iterator[str]:
    yield "| Field | Needed | Meaning |"
    yield "|---|---|---|"
    for field in fields_of(request):
        yield f"| `{field.name}` | {'yes' if field.required else ''} | {field.doc} |"


def _http_row(row: Operation) -> str:
    assert isinstance(row.http, Http)
    mark = " \\*" if row.http.within_sight else ""
    return f"| `POST {row.path}`{mark} | {row.key_scope} | {row.http.status} | {row.summary} |"


# -- the Python API ----------------------------------------------------------------------------------------------------


OPTIONS = {
    "policy": "The policy in force. Without one it is the one in use in the store, else the default.",
    "clock": "Says what time it is: something with `now()`. `FixedClock` is for tests.",
    "memberships": "`trusted`: the host vouches for chats and groups. `registered`: only those in the store count.",
    "audit_reads": "How reads get into the trail, in place of the policy: `off`, `batched` or `durable`.",
    "max_entries": "How many memories one author may keep everywhere, in place of the policy's `budget.owner`.",
    "extraction_enabled": "Whether `observe` keeps anything but the turns of a conversation.",
    "extraction_confidence_threshold": "In place of the policy's `discard_confidence`.",
    "auto_gc": "Collect what has ended now.",
    "gc_every": "Collect again whenever so many seconds have passed, in a thread, until it is closed: for a server.",
    "embedder": "Finds memories by meaning: one of your own, `words`, `none`, `local`, or an address.",
    "reembed": "`background`: memories of another embedder get their vectors in a thread.",
    "reranker": "Reads the first hits once more: one of your own, `none`, `local:./folder`, or an address.",
    "classifier": "Judges what words do not settle of how private it is: one of your own, `auto`, `none`, `local:…`.",
    "extractor": "Reads conversations once more: `https://…/v1#model`, a function, `entry:NAME` or one of your own.",
    "judge": "`background`: in a thread. `on_demand`: only when `store.judge` is called.",
    "surface": "What the trail calls the program that asks.",
    "policy_origin": "What `policy.show` says of where a given policy comes from.",
}
PYTHON = f"""\
# Python

{MADE}

`Memory` is one store. It has no memories of its own to show: bind an identity to get the verbs.

```python
>>> from memfort import Memory
>>> memory = Memory.open("memory.db")
>>> alice = memory.as_user("alice", project="apollo")
>>> alice
<memory of user:alice at user=alice, project=apollo>

```

Every argument is checked. A wrong one raises `InvalidInput`, which names the argument and says what to do. A caller
who may not do something at all gets `Denied`; a statement that the policy refuses is an `Outcome` that says so.
[Errors and reasons](errors.md) has all of them, [Results](results.md) what verbs give back. How long a text and a list
may be is in [Limits](http.md#limits).

`AsyncMemory` has the same verbs with the same parameters, awaited: [Use it from async code](../how-to/use-async.md).
"""


def python_page() -> str:
    bound = [row for row in TABLE.values() if row.effect is not Effect.ADMIN]
    shared = [row for row in TABLE.values() if row.also_bound]
    store = [row for row in TABLE.values() if row.effect is Effect.ADMIN]
    return "\n".join(
        [
            PYTHON,
            "## Open a store\n",
            *_method(Memory, "open"),
            *_options(),
            *_method(Memory, "close"),
            *_method(Memory, "restore", "Memory.restore"),
            "## Bind an identity\n",
            *_method(Memory, "as_user"),
            *_method(Memory, "as_agent"),
            *_method(Memory, "as_system"),
            "A bound memory also says who it is:\n",
            *_properties(BoundMemory),
            "\n## Verbs\n",
            "Call these on a bound memory, `alice` in what follows.\n",
            *_index([*bound, *shared]),
            *(line for row in bound for line in _verb(row, "alice")),
            "## Upkeep and the directory\n",
            "Call these on the store itself, `memory` in what follows. They are for the host program; those "
            "that are also in the table of verbs above are an actor's too, as far as it is trusted.\n",
            *_index(store),
            *(line for row in store for line in _verb(row, "memory")),
        ]
    )


def _method(owner: type, name: str, heading: str = "") -> Iterator[str]:
    function = getattr(owner, name)
    signature = re.sub(r"^\((self|cls)(, /)?(, )?", "(", str(inspect.signature(function)))
    signature = re.sub(r": Unpack\[\w+\]| -> None$", "", signature.replace("'", ""))
    yield from (f"### {heading or name}", "", f"`{owner.__name__}.{name}{signature}`", "", _prose(function), "")


def _options() -> Iterator[str]:
    """What `Memory.open` takes beside the path."""
    yield from ("| Option | Type | Default | What it says |", "|---|---|---|---|")
    for one in inspect.signature(Memory).parameters.values():
        if one.kind is one.KEYWORD_ONLY:
            kind = str(one.annotation).replace("|", "or")
            yield f"| `{one.name}` | `{kind}` | `{one.default!r}` | {OPTIONS[one.name]} |"
    yield ""


def _properties(owner: type) -> Iterator[str]:
    yield from ("| Property | What it says |", "|---|---|")
    for name, value in vars(owner).items():
        if isinstance(value, property) and not name.startswith("_") and value.__doc__:
            yield f"| `{name}` | {_prose(value)} |"


def _index(rows: Iterable[Operation]) -> Iterator[str]:
    yield from ("| Verb | What it does |", "|---|---|")
    yield from (f"| [`{row.name}`](#{_anchor(row.name)}) | {row.summary} |" for row in rows)
    yield ""


def _verb(row: Operation, owner: str) -> Iterator[str]:
    fields = _in_order(row)
    group = f"{row.group}." if row.group else ""
    result = _linked(row.result)
    yield from (f"### {row.name}", "", row.summary, "")
    yield f"`{owner}.{group}{row.method}({_parameters(row, fields)})`, which gives {result}."
    yield ""
    if fields:
        yield from ("| Parameter | Type | Default | What it says |", "|---|---|---|---|")
        yield from map(_parameter, fields)
        yield ""
    if row.reports_progress:
        yield from ("`progress` is called with how far it came, and may raise `Cancelled` to stop it.", "")
    if isinstance(row.cli, NotOnCli):
        yield f"Not on the command line: {row.cli.reason}"
    else:
        words = " ".join(("memfort", *row.command))
        yield f"On the command line: [`{words}`](cli.md#{_anchor(words)})."
    yield ""


def _in_order(row: Operation) -> list[Field]:
    """The parameters as Python has them: those that are given by position first."""
    by_name = {field.name: field for field in fields_of(row.request)}
    first = [by_name[name] for name in (*getattr(row.cli, "arguments", ()), *row.positional)]
    return [*first, *(field for field in by_name.values() if field not in first)]


def _parameters(row: Operation, fields: list[Field]) -> str:
    arguments = getattr(row.cli, "arguments", ())
    positional = {*arguments, *row.positional}
    shown = [
        f"*{one.name}" if one.is_list and one.name in arguments else one.name
        for one in fields
        if one.name in positional
    ]
    named = [one.name for one in fields if one.name not in positional] + ["progress"] * row.reports_progress
    star = ["*"] if named and not any(one.startswith("*") for one in shown) else []
    required = [one.name for one in fields if one.required]
    named = [name if name in required else f"{name}=…" for name in named]
    return ", ".join([*shown, *star, *named])


def _parameter(field: Field) -> str:
    kind = f"list of {field.python}" if field.is_list else field.python
    kind = ", ".join(f"`{one}`" for one in field.choices) if field.choices else f"`{kind}`".replace("|", "or")
    default = (
        "required"
        if field.required
        else f"`{getattr(field.default, 'value', field.default)!r}`".replace("`()`", "none")
    )
    return f"| `{field.name}` | {kind} | {default.replace('`None`', '')} | {field.doc} |"


# -- results -----------------------------------------------------------------------------------------------------------


RESULTS = f"""\
# Results

{MADE}

What verbs give back. A memory itself is an [`Item`](memory.md). Results are frozen values: `msgspec.structs.replace`
makes a changed copy. `to_dict()` gives plain values for JSON, with times in ISO 8601; in Python times are `datetime`.
Results can be pickled and copied, `repr` is short, and a notebook shows them as tables.
"""


def results_page() -> str:
    found = sorted(set(_result_types()), key=lambda kind: kind.__name__)
    index = ", ".join(f"[`{kind.__name__}`](#{_anchor(kind.__name__)})" for kind in found)
    sections = [line for kind in found for line in _type(kind)]
    return "\n".join([RESULTS, f"{index}.\n", *sections])


def _result_types() -> Iterator[type[Struct] | type[Enum]]:
    seen: set[type] = set(ELSEWHERE)
    ahead = [RestoreReport, *(kind for row in TABLE.values() for kind in _parts(row.result))]  # of no verb
    while ahead:
        kind = ahead.pop()
        if kind in seen or not kind.__module__.startswith("memfort") or kind is reasons.Reason:
            continue
        seen.add(kind)
        if issubclass(kind, Struct):
            yield kind
            ahead += [part for hint in _hints(kind).values() for part in _parts(hint)]
        elif issubclass(kind, Enum):
            yield kind


def _type(kind: type[Struct] | type[Enum]) -> Iterator[str]:
    yield from (f"## {kind.__name__}", "", *([said, ""] if (said := _prose(kind)) else []))
    yield from _fields(kind) if issubclass(kind, Struct) else _values(kind)


def _fields(kind: type[Struct]) -> Iterator[str]:
    yield from ("| Field | Type | What it says |", "|---|---|---|")
    comments, hints = _comments(kind), _hints(kind)
    for field in msgspec.structs.fields(kind):
        name, hint = _public(kind, field.name, hints[field.name])
        yield f"| `{name}` | {_linked(hint)} | {comments.get(field.name, '')} |"
    for name, value in inspect.getmembers(kind, lambda one: isinstance(one, property)):
        if not name.startswith("_"):
            yield f"| `{name}` | {_linked(get_type_hints(value.fget).get('return'))} | {_prose(value)} |"
    yield ""


def _public(kind: type[Struct], name: str, hint: Any) -> tuple[str, Any]:
    """A time that is kept in microseconds, under a name with `_us`, is read as a `datetime` under the name without."""
    public = name.removesuffix("_us")
    if public == name or not hasattr(kind, public):
        return name, hint
    return public, datetime | None if type(None) in get_args(hint) else datetime


def _values(kind: type[Enum]) -> Iterator[str]:
    yield from (f"One of {', '.join(f'`{one.value}`' for one in kind)}.", "")


def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _comments(kind: type) -> dict[str, str]:
    """What the source says of each field: the comment behind it, or the lines of comment before it."""
    found: dict[str, str] = {}
    above: list[str] = []
    for line in inspect.getsource(kind).splitlines():
        if comment := re.match(r"^    # (.*)$", line):
            above.append(comment[1])
        elif field := re.match(r"^    (\w+): [^#]*(?:#\s*(?!type:|noqa)(.*))?$", line):
            found[field[1]] = field[2] or " ".join(above)
            above = []
        elif line.startswith("    def ") or not line.strip():
            above = []
    return {name: said.partition("  # ")[0] for name, said in found.items() if said}


def _linked(hint: Any) -> str:
    """A type in words, with links to those that have a section."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint is None or hint is type(None):
        return "nothing"
    if hint is Any:
        return "anything"
    if origin is Literal:
        return ", ".join(f"`{one}`" for one in parts)
    if origin is not None and (origin is Union or origin.__name__ == "UnionType"):
        return " or ".join(_linked(one) for one in parts).replace("or nothing", "or `None`")
    if origin is tuple and len(parts) > 1 and parts[-1] is not Ellipsis:
        return f"({', '.join(map(_linked, parts))})"
    if origin in {list, tuple} or (origin is not None and origin.__name__ == "Iterator"):
        word = {"list": "a list", "tuple": "a tuple", "Iterator": "an iterator"}[origin.__name__]
        return f"{word} of {_linked(parts[0])}"
    if origin is not None and origin.__name__ in {"Mapping", "dict"}:
        return f"a mapping of {_linked(parts[0])} to {_linked(parts[1])}"
    if hint is reasons.Reason:
        return "a [reason](errors.md#reasons)"
    if hint in ELSEWHERE:
        return f"[`{hint.__name__}`]({ELSEWHERE[hint]})"
    name = getattr(hint, "__name__", str(hint))
    is_ours = isinstance(hint, type) and hint.__module__.startswith("memfort") and issubclass(hint, Struct | Enum)
    return f"[`{name}`](results.md#{_anchor(name)})" if is_ours else f"`{name}`"


def _parts(hint: Any) -> Iterator[type]:
    if get_origin(hint) is not None:
        for part in get_args(hint):
            yield from _parts(part)
    elif isinstance(hint, type):
        yield hint


# -- errors and reasons ------------------------------------------------------------------------------------------------


ERRORS = f"""\
# Errors and reasons

{MADE}

An **error** is raised. A **reason** is a stable code that stands in decisions, events, denials and explanations: what
it means never changes. No message holds text that was refused.

Absence, failure and denial are three different things, and none is turned into another. A memory that you may not see
looks exactly like one that does not exist: `NotFound`.

## The tree of errors

```text
TREE
```

The exit code is that of the command line.

| Error | What it says | Exit code |
|---|---|---|
"""


def errors_page() -> str:
    return "\n".join(
        [
            ERRORS.replace("TREE", inspect.cleandoc(_tree())).rstrip("\n"),
            *(f"| `{kind.__name__}` | {_prose(kind)} | {_exit_code(kind)} |" for kind in _errors()),
            "\n## Reasons\n",
            *(line for title, group in _reason_groups() for line in _reason_table(title, group)),
        ]
    )


def _tree() -> str:
    lines = (errors.__doc__ or "").splitlines()
    drawn = [line for line in lines if re.match(r"^ {4}(MemfortError|[├│└ ])", line)]
    return "\n".join(drawn)


def _errors() -> list[type[MemfortError]]:
    found = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, MemfortError)]
    return sorted(found, key=lambda kind: inspect.getsourcelines(kind)[1])


def _exit_code(kind: type[MemfortError]) -> int:
    codes = {errors.InvalidInput: Exit.USAGE, errors.Denied: Exit.DENIED, errors.NotFound: Exit.NOT_FOUND}
    return codes.get(kind, Exit.FAILURE).value


def _reason_groups() -> Iterator[tuple[str, list[reasons.Reason]]]:
    """The reasons under the comments that divide them in the source."""
    title, group = "", list[reasons.Reason]()
    for line in inspect.getsource(reasons.Reason).splitlines():
        if heading := re.match(r"^    # (.*)$", line):
            if group:
                yield title, group
            title, group = heading[1], []
        elif member := re.match(r"^    ([A-Z_]+) = ", line):
            group.append(reasons.Reason[member[1]])
    yield title, group


def _reason_table(title: str, group: list[reasons.Reason]) -> Iterator[str]:
    heading, _, question = title.partition(": ")
    yield from (f"### {heading.capitalize()}", "", *([question.capitalize(), ""] if question else []))
    yield from ("| Reason | What it says |", "|---|---|")
    yield from (f"| `{one.value}` | {reasons.explanation(one)} |" for one in group)
    yield ""


# -- the fields of a memory --------------------------------------------------------------------------------------------


def memory_page(page: str) -> str:
    """The page with its tables made anew."""
    page = _between(page, "fields", ["| Field | Who sets it | What it says |", "|---|---|---|", *map(_field, FIELDS)])
    return _between(page, "types", list(_types()))


def _between(page: str, part: str, lines: list[str]) -> str:
    start, end = f"<!-- {part}: made by `make generate` -->\n", f"<!-- end of {part} -->"
    assert start in page, f"docs/reference/memory.md has no part {part}"
    made = start + "\n".join(lines) + "\n" + end
    return re.sub(f"{re.escape(start)}.*?{re.escape(end)}", lambda _: made, page, flags=re.DOTALL)


def _field(field: MemoryField) -> str:
    name = f"`{field.name}`" if field.stored else f"`{field.name}` (not stored)"
    given_as = f" as `{field.given_as}`" if field.given_as else ""
    options = f" ({', '.join(f'`{one}`' for one in field.options)})" if field.options else ""
    return f"| {name} | {f'the caller{given_as}{options}' if field.given else 'Memfort'} | {field.description} |"


def _types() -> Iterator[str]:
    yield from ("| Type | Event type | Lives | Also called |", "|---|---|---|---|")
    for name, rule in Policy().types.items():
        lives = f"{rule.lifetime_seconds / SECONDS_A_DAY:g} days" if rule.lifetime_seconds else "until it is ended"
        yield f"| `{name}` | `{rule.event_type}` | {lives} | {', '.join(f'`{one}`' for one in rule.aliases)} |"


# -- words -------------------------------------------------------------------------------------------------------------


def _prose(documented: object) -> str:
    """A docstring as one line; nothing where there is none of its own."""
    own = vars(documented).get("__doc__") if isinstance(documented, type) else documented.__doc__
    return " ".join((own or "").split())


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def main() -> int:
    for page, text in pages().items():
        page.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
