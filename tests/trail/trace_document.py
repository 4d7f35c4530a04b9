"""The tables and the example in docs/reference/events.md, made from the schemas and by the code.

`python tests/trail/trace_document.py` writes them; a test fails when they are stale.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from trace_story import HOME, MAIL, SESSION, TEA, call, kept

from memfort.model.item import Authority, Candidate, EventType, Kind, Origin
from memfort.model.phase import Phase
from memfort.model.reason import Reason
from memfort.model.space import Level
from memfort.trail.public import builders
from memfort.trail.public.plain import plain_events
from memfort.trail.public.schema import EVENT_TYPES, schema_of
from memfort.trail.public.view import dedup_key, item_view

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "events.md"
CLOSED_SETS = {one.__name__: list(one) for one in (Authority, EventType, Kind, Origin)}  # in their own order
LEVELS = [level.value for level in Level if level is not Level.VISIBILITY]
HEAD = ("type", "trace_version", "ai_profile", "session")


def rendered(page: str) -> str:
    """The page with every part that is made from something made anew."""
    for name, part in _parts().items():
        start, end = f"<!-- {name}: made by tests/trail/trace_document.py -->\n", f"<!-- end of {name} -->"
        page = re.sub(f"{re.escape(start)}.*?{re.escape(end)}", lambda _: start + part + end, page, flags=re.DOTALL)  # noqa: B023
    return page


def _parts() -> dict[str, str]:
    event, shown = schema_of("memory_recall"), schema_of("memory_write")["$defs"]
    memory, meta = shown["MemoryView"], shown["MemoryMeta"]
    event["properties"]["type"] = {"description": "what happened: one of the names below"}
    return {
        "head": _table(event, HEAD),
        "events": "\n".join(_section(type) for type in EVENT_TYPES),
        "memory": _table(memory, tuple(memory["properties"])),
        "meta": _table(meta, tuple(meta["properties"])),
        "example": f"```text\n{plain_events(story())}\n```\n",
    }


def _section(type: str) -> str:
    schema = schema_of(type)
    keys = tuple(key for key in schema["properties"] if key not in HEAD)
    return f"### {type}\n\n{schema['description']}\n\n{_table(schema, keys)}"


def _table(schema: dict[str, Any], keys: tuple[str, ...]) -> str:
    rows = [_row(key, schema["properties"][key], key in schema["required"]) for key in keys]
    return "\n".join(["| Key | Required | What it says |", "|---|---|---|", *rows]) + "\n"


def _row(key: str, value: dict[str, Any], required: bool) -> str:
    named = CLOSED_SETS.get(value.get("$ref", "").rpartition("/")[2], [])
    choices = named or value.get("enum", [value["const"]] if "const" in value else [])
    if choices == LEVELS:  # the page lists them once
        choices = []
    shown = ", ".join(f"`{str(choice).lower()}`" for choice in choices)
    said = f"{value['description']}: {shown}" if shown else value["description"]
    return f"| `{key}` | {'yes' if required else 'no'} | {said} |"


def story() -> list[dict[str, Any]]:
    """A guess gives way to what a person said, a secret is refused, and a question is answered."""
    of = call()
    guess = kept("alice prefers coffee", number=5, origin=Origin.AI, authority=Authority.AI_INFERRED)
    refused = Candidate(text="my key is …", event_type=EventType.FACT)
    return [
        builders.memory_conflict(
            of, winner_id=TEA.id, loser_id=guess.id, rule="authority", dedup_key=dedup_key(of, TEA, TEA.text)
        ),
        builders.memory_denied(of, attempted=refused, space=SESSION, reason=Reason.SECRET),
        builders.memory_recall(
            of,
            query=f"what does {MAIL} drink?",
            recalled=[item_view(of, TEA, words=TEA.text, recall_reason=["matches_query"], score=1.25)],
            hash=builders.deterministic_hash([TEA]),
            consulted=[SESSION.primary, HOME.primary],
            phase=Phase(2, "manual", 7),
            query_digest="0b7e3f64c1d29a58",
        ),
    ]


if __name__ == "__main__":
    PAGE.write_text(rendered(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
