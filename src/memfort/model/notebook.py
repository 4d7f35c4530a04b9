"""Results as small tables for notebooks. Every text is escaped: what is shown was written by somebody, and is data.

The colours are the reader's own, so that it can be read on a light page and on a dark one. No scripts, no links.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

_MOST_ROWS = 100
_MOST_CHARACTERS = 2000
_CELL = "text-align:left;vertical-align:top;white-space:pre-wrap"
_CAPTION = "text-align:left;caption-side:top;color:inherit;font-weight:bold"


def table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with a caption. Of a long one, the first rows."""
    known = list(rows)
    head = "".join(f'<th style="{_CELL}">{_text(name)}</th>' for name in columns)
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in known[:_MOST_ROWS])
    left = len(known) - _MOST_ROWS
    more = f'<tr><td colspan="{len(columns)}">… and {left} more</td></tr>' if left > 0 else ""
    title = f'<caption style="{_CAPTION}">{_text(caption)}</caption>'
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}{more}</tbody></table>"


def facts(caption: str, named: dict[str, object]) -> str:
    """A table of names and what stands under them; what is empty is left out."""
    return table(caption, ("", ""), [(name, value) for name, value in named.items() if value not in (None, "", ())])


def _cells(row: Sequence[object]) -> str:
    return "".join(f'<td style="{_CELL}">{_text(value)}</td>' for value in row)


def _text(value: object) -> str:
    from html import escape  # it loads the names of all entities, which nobody needs outside a notebook

    if value is None:
        return ""
    shown = f"{value:%Y-%m-%d %H:%M:%S} UTC" if isinstance(value, datetime) else str(value)
    return escape(shown if len(shown) <= _MOST_CHARACTERS else shown[:_MOST_CHARACTERS] + "…")
