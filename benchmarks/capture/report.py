"""Render a run as Markdown, from its JSON alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.capture.labels import LANGUAGES

Shares = Mapping[str, Mapping[str, Any]]

# What is measured, under which names, and what is aimed at: for all, or for English and the others
ROWS: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    ("facts kept", "kept", (80, 60)),
    ("of what is kept, worth keeping", "worth keeping", (75,)),
    ("type right", "type", (65,)),
    ("subject right", "subject", (80,)),
    ("event date exact, of all facts with a date", "date", (65, 45)),
    ("event date exact, of those kept", "date of kept", ()),
    ("sensitivity not below the label", "sensitivity", ()),
    ("old value below the new one", "old below new", (90,)),
    ("old value ended", "old ended", (50,)),
    ("what nothing corrects is still in force", "still in force", ()),
    ("lasting facts in the top 5 ten days later, statements alone", "top statements", (60,)),
    ("lasting facts in the top 5 ten days later, with turns", "top with turns", (75,)),
    ("requests to forget recognised", "forget requests", ()),
)


def render(found: Mapping[str, Any]) -> str:
    shares: Shares = found["shares"]
    counts = found["set"]
    origin = (
        f"Commit `{found['commit']}`, {found['started'][:10]}. Set `{counts['name']}`: {counts['messages']} messages "
        f"in {counts['conversations']} conversations, {counts['empty']} with nothing to keep; {counts['facts']} facts, "
        f"{counts['corrections']} corrections, {counts['dates']} dates."
    )
    head = ["| | required | all | English | other |", "|---|---|---|---|---|"]
    rows = [_row(title, shares[measure], aims) for title, measure, aims in ROWS if measure in shares]
    more = [*rows, *_compared(found)]
    languages = ["| | " + " | ".join(LANGUAGES) + " |", "|---" * (len(LANGUAGES) + 1) + "|"]
    by_language = [
        f"| {title} | " + " | ".join(_cell(shares[measure][lang]) for lang in LANGUAGES) + " |"
        for title, measure, _ in ROWS
        if measure in shares
    ]
    mistaken = shares.get("no forget request", {}).get("all", {"n": 0})["n"]
    forgetting = f"Messages taken for a request to forget that are none: {mistaken}."
    return "\n\n".join([origin, "\n".join([*head, *more]), forgetting, "\n".join([*languages, *by_language])]) + "\n"


def _row(title: str, shares: Mapping[str, Any], aims: tuple[int, ...]) -> str:
    aim = " / ".join(map(str, aims))
    return f"| {title} | {aim} | " + " | ".join(_cell(shares[group]) for group in ("all", "English", "other")) + " |"


def _compared(found: Mapping[str, Any]) -> list[str]:
    """The same conversations, remembered message by message: what `observe` has to be better than."""
    return [
        _row(f"{title}: every message by `remember`", found["remembered"][measure], ())
        for title, measure, _ in ROWS
        if measure in ("top statements", "old below new")
    ]


def _cell(share: Mapping[str, Any]) -> str:
    if not share["n"]:
        return "–"
    return f"**{share['share']:.1f}** ({share['low']:.0f}–{share['high']:.0f}; {share['n']})"
