"""The answers of verbs that read."""

from __future__ import annotations

from memfort.model.comparison import Comparison, RoomKind
from memfort.model.item import Item
from memfort.model.reason import Reason
from memfort.model.results import Edge, Explanation, Page, Recall
from memfort.model.value import count_noun
from memfort.operations.table import Operation
from memfort.recall.render import Context
from memfort.surfaces.cli.failure import Exit, error_document
from memfort.surfaces.cli.output.console import Table
from memfort.surfaces.cli.output.lines import memory_lines, memory_table, why_lines
from memfort.surfaces.cli.render.rendered import Rendered, Renderers
from memfort.surfaces.cli.wording import in_commands

NOTHING_HERE = "nothing here"


def render_item(_: Operation, item: Item) -> Rendered:
    return Rendered(memory_lines(item))


def render_listed(items: list[Item]) -> Rendered:
    """Memories in a table."""
    return Rendered([memory_table(items)] if items else (), () if items else (NOTHING_HERE,))


def render_recall(_: Operation, found: Recall) -> Rendered:
    rows = [(hit.id, hit.level, f"{hit.score:.3f}{' (weak)' if hit.weak else ''}", hit.text) for hit in found]
    table = [Table(("id", "level", "score", "text"), rows)] if rows else []
    damaged = [
        f"`{id}` matches, but its stored bytes are damaged and it is not shown; run `memfort doctor`"
        for id in found.damaged
    ]
    note = f"trace {found.trace}" if rows else f"nothing found (trace {found.trace})"
    return Rendered([*table, *why_lines(found)], (note,), [*damaged, *found.warnings])


def render_context(_: Operation, found: Context) -> Rendered:
    # The features of each memory are printed beside the answer: the answer itself is for a prompt.
    return Rendered(found.text.splitlines(), [*why_lines(found), _summary(found)], found.warnings)


def _summary(found: Context) -> str:
    """A summary of a context. "Nothing fits" differs from "nothing found": a larger budget helps."""
    if found.text:
        more = f", {found.left_out} left out" if found.left_out else ""
        return f"{count_noun(len(found.hits), 'memory')}, about {found.tokens} tokens{more}"
    if found.left_out:
        return f"{count_noun(found.left_out, 'memory')} found, and none fits; give more with `--budget-tokens`"
    return "nothing found"


def render_page(_: Operation, page: Page) -> Rendered:
    damaged = [f"`{id}` is damaged and is not shown; run `memfort doctor`" for id in page.damaged]
    notes = [NOTHING_HERE] if not len(page) else []
    notes += [] if page.cursor is None else [f"there may be more: --cursor {page.cursor}"]
    return Rendered([memory_table(page)] if len(page) else (), notes, damaged)


def render_edges(_: Operation, edges: list[Edge]) -> Rendered:
    rows = [(edge.source, f"{edge.kind} {edge.term}".rstrip(), edge.target) for edge in edges]
    table = [Table(("from", "is", "to"), rows)] if rows else ()
    return Rendered(table, () if rows else (NOTHING_HERE,))


def render_explanation(_: Operation, found: Explanation) -> Rendered:
    if found.reason is not Reason.NOT_FOUND:
        return Rendered([in_commands(line) for line in found.lines])
    error = error_document("not_found", found.lines[0], field="id")
    return Rendered(notes=(f"memfort: {found.lines[0]}",), exit=Exit.NOT_FOUND, error=error)


def render_comparison(_: Operation, found: Comparison) -> Rendered:
    where = {RoomKind.ALONE: "outside any chat, each alone"}.get(found.room, f"{found.room} of {len(found.listeners)}")
    lines = [f"asked {where}: {', '.join(found.listeners) or ', '.join(found.viewers)}"]
    for one in found:
        lines.append(f"{one.id}  {one.item.text}")
        for verdict in one.verdicts:
            gets = {True: "gets it", False: "does not get it", None: "not told"}[verdict.shown]
            decided = f"; {', '.join(verdict.decided_by)} decides" if verdict.decided_by else ""
            lines.append(f"  {verdict.viewer} {gets}: {verdict.explanation} ({verdict.reason}){decided}")
    notes = [] if len(found) else [NOTHING_HERE]
    notes += ["there is more: raise --limit"] if found.has_more else []
    return Rendered(lines, notes)


RENDERERS: Renderers = {
    Comparison: render_comparison,
    Item: render_item,
    Recall: render_recall,
    Context: render_context,
    Page: render_page,
    Explanation: render_explanation,
    ("list", Edge): render_edges,
}
