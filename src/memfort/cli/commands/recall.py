"""recall, get, list, history."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memfort.cli.completing import STATUSES, OneOf, memories
from memfort.cli.options import Verb, filter_options
from memfort.cli.output import Table
from memfort.cli.plain import counted
from memfort.cli.reading import words
from memfort.cli.session import Session, space_from

if TYPE_CHECKING:
    from memfort.errors import NotFound
    from memfort.memory import BoundMemory
    from memfort.memory.prompting import Context


as_of_option = click.option(
    "--as-of", metavar="WHEN", help="What was known then: a time in ISO 8601 with a zone, or `phase-1`."
)


@click.command("recall", cls=Verb)
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=int, default=10, show_default=True, help="How many at most.")
@as_of_option
@click.option("--explain", is_flag=True, help="Say what speaks for each, and count by reason what did not come.")
@filter_options
@click.pass_obj
def recall_command(
    session: Session,
    query: tuple[str, ...],
    limit: int,
    as_of: str | None,
    explain: bool,
    space: tuple[str, ...],
    types: tuple[str, ...],
    tags: tuple[str, ...],
    kinds: tuple[str, ...],
) -> None:
    """Find what answers a query.

    The most specific level comes first, each level ranked. QUERY is words, never a query language; `-` reads it
    from standard input. Finding nothing is no error.
    """
    from memfort.cli.documents import hit_document, why_lines

    asked = words(query, "query")
    with session.bound() as memory:
        found = memory.recall(asked, limit=limit, space=space_from(space), types=types or None,
                              tags=tags, kinds=kinds or None, as_of=as_of, explain=explain)  # fmt: skip
    output = session.output
    rows = [(hit.id, hit.level, f"{hit.score:.3f}", hit.text) for hit in found]
    document = {
        "hits": [hit_document(hit) for hit in found],
        "trace": found.trace,
        "hash": found.hash,
        "damaged": list(found.damaged),
        "warnings": list(found.warnings),
        "withheld": found.withheld,
    }
    output.answer(document, *([Table(("id", "level", "score", "text"), rows)] if rows else []), *why_lines(found))
    for id in found.damaged:
        output.note(f"`{id}` matches, but its stored bytes are damaged and it is not shown; run `memfort doctor`")
    for warning in found.warnings:
        output.note(warning)
    if not output.as_json:
        output.note(f"trace {found.trace}" if rows else f"nothing found (trace {found.trace})")


@click.command("context", cls=Verb)
@click.argument("query", nargs=-1, required=True)
@click.option("--budget-tokens", type=int, default=1000, show_default=True, help="About how many tokens at most.")
@click.option("--limit", type=int, default=50, show_default=True, help="How many memories at most.")
@as_of_option
@click.option(
    "--explain", is_flag=True, help="Say on stderr what speaks for each, and count by reason what is not in it."
)
@filter_options
@click.pass_obj
def context_command(
    session: Session,
    query: tuple[str, ...],
    budget_tokens: int,
    limit: int,
    as_of: str | None,
    explain: bool,
    space: tuple[str, ...],
    types: tuple[str, ...],
    tags: tuple[str, ...],
    kinds: tuple[str, ...],
) -> None:
    """Recall for a prompt, within a budget of tokens.

    The best that fit stand between fences, one a line, quoted: data, and not instructions. What many have in common, a
    person or a day, stands above them once where that is shorter. Equal memories give equal bytes.
    """
    from memfort.cli.documents import hit_document, why_lines

    asked = words(query, "query")
    with session.bound() as memory:
        found = memory.context(asked, budget_tokens=budget_tokens, limit=limit, space=space_from(space),
                               types=types or None, tags=tags, kinds=kinds or None, as_of=as_of,
                               explain=explain)  # fmt: skip
    output = session.output
    document = {
        "context": found.text,
        "memories": [hit.id for hit in found.hits],
        "left_out": found.left_out,
        "tokens": found.tokens,
        "trace": found.trace,
        "warnings": list(found.warnings),
        "withheld": found.withheld,
        "hits": [hit_document(hit) for hit in found.hits] if explain else None,
    }
    output.answer(document, *found.text.splitlines())
    for warning in found.warnings:
        output.note(warning)
    if not output.as_json:
        for line in why_lines(found):  # beside the answer, which is a prompt's
            output.note(line)
        output.note(_told(found))


def _told(found: Context) -> str:
    """What a context holds. Nothing that fits is something else than nothing found: a larger budget helps."""
    if found.text:
        more = f", {found.left_out} left out" if found.left_out else ""
        return f"{counted(len(found.hits), 'memory')}, about {found.tokens} tokens{more}"
    if found.left_out:
        return f"{counted(found.left_out, 'memory')} found, and none fits; give more with `--budget-tokens`"
    return "nothing found"


@click.command("get", cls=Verb)
@click.argument("id", shell_complete=memories())
@click.pass_obj
def get_command(session: Session, id: str) -> None:
    """Show one memory."""
    from memfort.cli.documents import memory_document, memory_lines

    with session.bound() as memory:
        item = memory.get(id)
        if item is None:
            raise not_in_force(memory, id)
    session.output.answer({"memory": memory_document(item)}, *memory_lines(item))


@click.command("list", cls=Verb)
@click.option("--limit", type=int, default=50, show_default=True, help="How many at most.")
@click.option("--cursor", help="Go on where the page before ended.")
@filter_options
@click.option("--status", "statuses", multiple=True, type=OneOf(*STATUSES), metavar="STATUS",
              help="pending, approved (the default), rejected or superseded.")  # fmt: skip
@click.option("--source", metavar="ID", help="Only what came from this import.")
@click.option("--deleted", is_flag=True, help="Forgotten and expired ones too.")
@click.pass_obj
def list_command(
    session: Session,
    limit: int,
    cursor: str | None,
    space: tuple[str, ...],
    types: tuple[str, ...],
    tags: tuple[str, ...],
    kinds: tuple[str, ...],
    statuses: tuple[str, ...],
    source: str | None,
    deleted: bool,
) -> None:
    """List memories, newest first.

    What is not in force is listed only where you may write.
    """
    from memfort.cli.documents import memory_document, memory_table

    with session.bound() as memory:
        page = memory.list(limit=limit, cursor=cursor, space=space_from(space), types=types or None, tags=tags,
                           kinds=kinds or None, statuses=statuses or None, source=source, deleted=deleted)  # fmt: skip
    output = session.output
    document = {
        "memories": [memory_document(item) for item in page],
        "cursor": page.cursor,
        "damaged": list(page.damaged),
    }
    output.answer(document, memory_table(page)) if len(page) else output.answer(document)
    for id in page.damaged:
        output.note(f"`{id}` is damaged and is not shown; run `memfort doctor`")
    if output.as_json:
        return
    if not len(page):
        output.note("nothing here")
    elif page.cursor is not None:
        output.note(f"there may be more: --cursor {page.cursor}")


@click.command("history", cls=Verb)
@click.argument("id", shell_complete=memories())
@click.pass_obj
def history_command(session: Session, id: str) -> None:
    """Show all versions of a memory, oldest first."""
    from memfort.cli.documents import memory_document, memory_table

    with session.bound() as memory:
        versions = memory.history(id)
    session.output.answer({"versions": [memory_document(item) for item in versions]}, memory_table(versions))


def not_in_force(memory: BoundMemory, id: str) -> NotFound:
    """The error for a memory that is not shown. Who could change it is told why; for anybody else `explain` knows no
    more than this does, and the error is the same as for a memory that never was."""
    from memfort.errors import NotFound
    from memfort.model.reason import Reason, explanation

    found = memory.explain(id)
    if id.startswith("trc_") and found.shown:
        return NotFound("memory", id, f"it is the trace of a recall: see `memfort explain {id}`")
    if found.shown or found.reason is Reason.NOT_FOUND:
        return NotFound("memory", id)
    return NotFound("memory", id, f"{explanation(found.reason)}: see `memfort explain {id}`")
