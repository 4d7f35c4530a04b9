"""The answers of verbs that read."""

from __future__ import annotations

from memfort.model.item import Item
from memfort.model.reason import Reason
from memfort.model.results import Edge, Explanation, Page, Recall
from memfort.model.value import count_noun
from memfort.operations.table import Operation
from memfort.recall.render import Context
from memfort.surfaces.cli.failure import Exit, error_document
from memfort.surfaces.cli.output.console import Table
from memfort.surfaces.cli.output.documents import (
    explanation_document,
    hit_document,
    memory_lines,
    memory_table,
    why_lines,
)
from memfort.surfaces.cli.render.rendered import Rendered, Renderers

NOTHING_HERE = "nothing here"


def render_item(_: Operation, item: Item) -> Rendered:
    return Rendered({"memory": item.to_dict()}, memory_lines(item))


def render_listed(name: str, items: list[Item]) -> Rendered:
    """Memories in a table; `name` is what the JSON document calls them."""
    notes = () if items else (NOTHING_HERE,)
    return Rendered({name: [item.to_dict() for item in items]}, [memory_table(items)] if items else (), notes)


def render_recall(_: Operation, found: Recall) -> Rendered:
    rows = [(hit.id, hit.level, f"{hit.score:.3f}{' (weak)' if hit.weak else ''}", hit.text) for hit in found]
    document = {
        "hits": [hit_document(hit) for hit in found],
        "trace": found.trace,
        "hash": found.hash,
        "damaged": list(found.damaged),
        "warnings": list(found.warnings),
        "withheld": found.withheld,
    }
    table = [Table(("id", "level", "score", "text"), rows)] if rows else []
    damaged = [
        f"`{id}` matches, but its stored bytes are damaged and it is not shown; run `memfort doctor`"
        for id in found.damaged
    ]
    note = f"trace {found.trace}" if rows else f"nothing found (trace {found.trace})"
    return Rendered(document, [*table, *why_lines(found)], (note,), [*damaged, *found.warnings])


def render_context(_: Operation, found: Context) -> Rendered:
    document = {
        "context": found.text,
        "memories": [hit.id for hit in found.hits],
        "left_out": found.left_out,
        "tokens": found.tokens,
        "trace": found.trace,
        "warnings": list(found.warnings),
        "withheld": found.withheld,
        "hits": None if found.withheld is None else [hit_document(hit) for hit in found.hits],
    }
    # The features of each memory are printed beside the answer: the answer itself is for a prompt.
    return Rendered(document, found.text.splitlines(), [*why_lines(found), _summary(found)], found.warnings)


def _summary(found: Context) -> str:
    """A summary of a context. "Nothing fits" differs from "nothing found": a larger budget helps."""
    if found.text:
        more = f", {found.left_out} left out" if found.left_out else ""
        return f"{count_noun(len(found.hits), 'memory')}, about {found.tokens} tokens{more}"
    if found.left_out:
        return f"{count_noun(found.left_out, 'memory')} found, and none fits; give more with `--budget-tokens`"
    return "nothing found"


def render_page(_: Operation, page: Page) -> Rendered:
    document = {
        "memories": [item.to_dict() for item in page],
        "cursor": page.cursor,
        "damaged": list(page.damaged),
    }
    damaged = [f"`{id}` is damaged and is not shown; run `memfort doctor`" for id in page.damaged]
    notes = [NOTHING_HERE] if not len(page) else []
    notes += [] if page.cursor is None else [f"there may be more: --cursor {page.cursor}"]
    return Rendered(document, [memory_table(page)] if len(page) else (), notes, damaged)


def render_edges(_: Operation, edges: list[Edge]) -> Rendered:
    rows = [(edge.source, f"{edge.kind} {edge.term}".rstrip(), edge.target) for edge in edges]
    document = [
        {"kind": edge.kind.value, "source": edge.source, "target": edge.target, "term": edge.term} for edge in edges
    ]
    table = [Table(("from", "is", "to"), rows)] if rows else ()
    return Rendered({"edges": document}, table, () if rows else (NOTHING_HERE,))


def render_explanation(_: Operation, found: Explanation) -> Rendered:
    document = explanation_document(found)
    if found.reason is not Reason.NOT_FOUND:
        return Rendered(document, document["lines"])
    error = error_document("not_found", found.lines[0], field="id")
    return Rendered({**document, "error": error}, notes=(f"memfort: {found.lines[0]}",), exit=Exit.NOT_FOUND)


RENDERERS: Renderers = {
    Item: render_item,
    Recall: render_recall,
    Context: render_context,
    Page: render_page,
    Explanation: render_explanation,
    ("list", Edge): render_edges,
}
