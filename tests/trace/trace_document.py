"""The tables and the example in docs/traces.md, made from the schemas and by the code.

`python tests/trace/trace_document.py` writes them; a test fails when they are stale.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from trace_story import HOME, MAIL, SESSION, TEA, call, kept

from memfort.model.event_type import EventType
from memfort.model.item import Authority, Candidate, Origin
from memfort.model.phase import Phase
from memfort.model.reason import Reason
from memfort.trace import public
from memfort.trace.plain import plain_events
from memfort.trace.schema import EVENT_TYPES, schema_of
from memfort.trace.view import dedup_key, item_view

PAGE = Path(__file__).parents[2] / "docs" / "traces.md"
HEAD = ("type", "trace_version", "ai_profile", "session")


def rendered(page: str) -> str:
    """The page with every part that is made from something made anew."""
    for name, part in _parts().items():
        start, end = f"<!-- {name}: made by tests/trace/trace_document.py -->\n", f"<!-- end of {name} -->"
        page = re.sub(f"{re.escape(start)}.*?{re.escape(end)}", lambda _: start + part + end, page, flags=re.DOTALL)  # noqa: B023
    return page


def _parts() -> dict[str, str]:
    memory, event = schema_of("memory_recall")["$defs"]["item"], schema_of("memory_recall")
    event["properties"]["type"] = {"description": "what happened: one of the names below"}
    return {
        "head": _table(event, HEAD),
        "events": "\n".join(_section(type) for type in EVENT_TYPES),
        "memory": _table(memory, tuple(memory["properties"])),
        "meta": _table(memory["properties"]["meta"], tuple(memory["properties"]["meta"]["properties"])),
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
    choices = value.get("enum", [value["const"]] if "const" in value else [])
    shown = ", ".join(f"`{str(choice).lower()}`" for choice in choices)
    said = f"{value['description']}: {shown}" if shown else value["description"]
    return f"| `{key}` | {'yes' if required else 'no'} | {said} |"


def story() -> list[dict[str, Any]]:
    """A guess gives way to what a person said, a secret is refused, and a question is answered."""
    of, digest = call(), bytes.fromhex("6f1d0c9ab2e34d58")
    guess = kept("alice prefers coffee", number=5, origin=Origin.AI, authority=Authority.AI_INFERRED)
    refused = Candidate(text="my key is …", event_type=EventType.FACT)
    return [
        public.memory_conflict(
            of, winner_id=TEA.id, loser_id=guess.id, rule="authority", dedup_key=dedup_key(of, TEA, digest) or ""
        ),
        public.memory_denied(of, attempted=refused, space=SESSION, reason=Reason.SECRET),
        public.memory_recall(
            of,
            query=f"what does {MAIL} drink?",
            recalled=[item_view(of, TEA, recall_reason=["matches_query"], score=1.25, digest=digest)],
            hash=public.deterministic_hash([TEA]),
            consulted=[SESSION.primary, HOME.primary],
            phase=Phase(2, "manual", 7),
            query_digest="0b7e3f64c1d29a58",
        ),
    ]


if __name__ == "__main__":
    PAGE.write_text(rendered(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
