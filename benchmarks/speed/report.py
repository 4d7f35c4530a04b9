"""Render a run: the tables in `benchmarks/README.md`, made from the JSON alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

GROWTH_LIMIT = 1.3
BEGIN = "<!-- `python -m benchmarks.speed --publish` writes from here -->\n"
END = "<!-- to here -->\n"

Store = Mapping[str, Any]
Column = tuple[str, Callable[[Store], str]]


def render(run: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    parts = (_origin(run), _table(WAITING, run["stores"]), _table(TAKING, run["stores"]), _growth(run), _targets(run))
    return "\n\n".join(parts) + "\n"


def placed(page: str, rendering: str, begin: str = BEGIN) -> str:
    """The page with this rendering in its place, otherwise unchanged."""
    before, _, rest = page.partition(begin)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"the page has no place for the tables; put `{begin.strip()}` and `{END.strip()}` into it")
    return before + begin + rendering + END + after


def duration(milliseconds: float) -> str:
    """Three significant digits; more would be noise."""
    decimals = 3 if milliseconds < 1 else 2 if milliseconds < 10 else 1 if milliseconds < 100 else 0
    return f"{milliseconds:,.{decimals}f}"


def _times(taken: Mapping[str, float]) -> str:
    return " / ".join(duration(taken[name]) for name in ("p50", "p95", "p99"))


def _deleted(store: Store) -> str:
    deleted = store["delete_a_user"]
    return f"{_times(deleted)} ({deleted['times']} × {deleted['memories']:,})"


def _cold(store: Store) -> float:
    return float(store["cold_open_and_recall"]["p50"])


def _batch_rate(store: Store) -> str:
    return f"{1000 / store['batch']['1000']['p50'] * 1000:,.0f}"


SIZE: tuple[Column, ...] = (
    ("memories", lambda store: f"{store['memories']:,}"),
    ("users", lambda store: f"{store['users']:,}"),
)
WAITING: tuple[Column, ...] = (
    *SIZE,
    ("recall", lambda store: _times(store["recall"])),
    ("first recall of a user", lambda store: _times(store["first_recall"])),
    ("get", lambda store: _times(store["get"])),
    ("remember", lambda store: _times(store["remember"])),
    ("over a bare commit", lambda store: f"{store['remember_over_bare_commit']:.1f}×"),
    ("cold open and recall", lambda store: _times(store["cold_open_and_recall"])),
    ("delete a user (times × memories)", _deleted),
)
TAKING: tuple[Column, ...] = (
    *SIZE,
    ("batch of 10", lambda store: _times(store["batch"]["10"])),
    ("batch of 100", lambda store: _times(store["batch"]["100"])),
    ("batch of 1,000", lambda store: _times(store["batch"]["1000"])),
    ("memories per s", _batch_rate),
    ("memory MB (peak)", lambda store: "{resident_megabytes} ({peak_megabytes})".format(**store["memory"])),
    ("database MB", lambda store: str(store["disk"]["database_megabytes"])),
)

# The store, what is aimed at in it, how much at most, and how much it is.
TARGETS: tuple[tuple[tuple[int, int], str, float, Callable[[Store], float]], ...] = (
    ((10_000, 1), "recall, 10,000 in sight, ms p50", 4, lambda store: float(store["recall"]["p50"])),
    ((100_000, 1), "recall, 100,000 in sight, ms p50", 25, lambda store: float(store["recall"]["p50"])),
    ((100_000, 100), "cold open and recall, 1,000 in sight of 100,000, ms p50", 50, _cold),
    ((100_000, 100), "remember, times a bare commit", 1.5, lambda store: float(store["remember_over_bare_commit"])),
    ((100_000, 100), "a memory of a batch of 1,000, ms", 1 / 3, lambda store: store["batch"]["1000"]["p50"] / 1000),
)


def _origin(run: Mapping[str, Any]) -> str:
    return (
        f"Commit `{run['commit']}`, {run['started'][:10]}, Python {run['python']}, SQLite {run['sqlite']}, "
        f"{run['cores']} cores. Milliseconds, p50 / p95 / p99."
    )


def _table(columns: Sequence[Column], stores: Sequence[Store]) -> str:
    rows = [[title for title, _ in columns], ["---"] * len(columns)]
    rows += [[cell(store) for _, cell in columns] for store in stores]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _growth(run: Mapping[str, Any]) -> str:
    found = run["growth"]
    return (
        f"Recall by a user with {found['each_user']:,} memories, the same questions in turns: "
        f"{duration(found['small']['p50'])} ms in a store of {found['small_memories']:,}, "
        f"{duration(found['large']['p50'])} ms in a store of {found['large_memories']:,}; "
        f"the median of the ratios is **{found['ratio']:.2f}** (at most {GROWTH_LIMIT} allowed). "
        f"Embedding the question is part of every recall; by itself it takes {_times(run['embedding'])} ms."
    )


def _targets(run: Mapping[str, Any]) -> str:
    """The targets beside the results of this run."""
    stores = {(store["memories"], store["users"]): store for store in run["stores"]}
    found = run["growth"]
    sight = f"recall, {found['each_user']:,} in sight of {found['large_memories']:,}"
    aims = [(f"{sight}, ms p50", 1.5, found["large"]["p50"]), (f"{sight}, ms p99", 6.0, found["large"]["p99"])]
    aims += [(title, most, value(stores[store])) for store, title, most, value in TARGETS if store in stores]
    aims.append(("growth of recall with the memories of others", GROWTH_LIMIT, found["ratio"]))
    return "\n".join(
        ["| aimed at | at most | measured | |", "| --- | --- | --- | --- |", *(_target(*aim) for aim in aims)]
    )


def _target(title: str, most: float, measured: float) -> str:
    return f"| {title} | {most:.3g} | {measured:.3g} | {'met' if measured <= most else '**not met**'} |"
