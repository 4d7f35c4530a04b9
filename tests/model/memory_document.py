"""The table in docs/memory.md, made from the table of fields.

`python tests/model/memory_document.py` writes it; a test fails when it is stale.
"""

from __future__ import annotations

import re
from pathlib import Path

from memfort.model.serialize.fields import FIELDS, MemoryField

PAGE = Path(__file__).parents[2] / "docs" / "memory.md"
START, END = "<!-- fields: made by tests/model/memory_document.py -->\n", "<!-- end of fields -->"


def rendered(page: str) -> str:
    """The page with its table made anew."""
    return re.sub(f"{re.escape(START)}.*?{re.escape(END)}", lambda _: START + _table() + END, page, flags=re.DOTALL)


def _table() -> str:
    return "\n".join(["| Field | Who sets it | What it says |", "|---|---|---|", *map(_row, FIELDS)]) + "\n"


def _row(field: MemoryField) -> str:
    name = f"`{field.name}`" if field.stored else f"`{field.name}` (not stored)"
    given_as = f" as `{field.given_as}`" if field.given_as else ""
    options = f" ({', '.join(f'`{one}`' for one in field.options)})" if field.options else ""
    return f"| {name} | {f'the caller{given_as}{options}' if field.given else 'Memfort'} | {field.description} |"


if __name__ == "__main__":
    PAGE.write_text(rendered(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
