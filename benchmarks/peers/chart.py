"""Two charts of a run: search time by store size, and recall by the number of results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.peers.report import compared
from benchmarks.peers.systems import SYSTEMS
from benchmarks.plot import Axis, decades, duration_label, rule, svg, text

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 900, 420, 72, 260, 68, 56
LINE_HEIGHT = 15.0
END = WIDTH - RIGHT - 20.0  # the right end of a full line
EXACT = "exact search over the vectors"
SHARED = "#0f172a"
TIE = ".tie{fill:none;stroke-width:1;stroke-opacity:.5}"
COLORS = {system.name: system.color for system in SYSTEMS}

Found = Mapping[str, Any]
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Line:
    """A named line through points of the chart. Lines through the same points are drawn once, with all names."""

    titles: tuple[str, ...]
    color: str
    points: tuple[Point, ...]
    width: float = 2


def latency(run: Found) -> str:
    """Median time of a search in stores of every size, on logarithmic axes."""
    times = {
        system["name"]: {
            store["memories"]: store["search"]["p50"]
            for store in system["stores"]
            if store["search"] and "p50" in store["search"]
        }
        for system in run["systems"]
    }
    sizes = run["settings"]["sizes"]
    powers = decades([time for by_size in times.values() for time in by_size.values()])
    across, down = _across(sizes), Axis(powers[0], powers[-1], HEIGHT - BOTTOM, TOP)
    lines = [
        _line(system, _points(by_size, across, down), "" if max(by_size) == max(sizes) else f" (to {max(by_size):,})")
        for system in run["systems"]
        if (by_size := times[system["name"]])
    ]
    grid = [(down(at), duration_label(at)) for at in powers]
    ticks = [(across(size), f"{size:,}") for size in sizes]
    return _picture("Search, median time", "memories in the store (logarithmic, as is the time)", grid, ticks, lines)


def recall(run: Found) -> str:
    """How often the expected memory is among the first k, in the largest store that most systems could answer from."""
    memories = compared(run)
    answers = {
        system["name"]: store["answers"]["known"]
        for system in run["systems"]
        for store in system["stores"]
        if store["memories"] == memories and store["answers"]
    }
    exact = run["exact"][str(memories)]["known"]
    ranks = [int(k) for k in exact]
    lowest = min(value for known in (*answers.values(), exact) for value in known.values())
    low = min(int(lowest * 10), 9) / 10
    across, down = _across(ranks), _linear(low, 1.0)
    lines = [Line((EXACT,), SHARED, _points(_by_rank(exact), across, down))]
    lines += [
        _line(system, _points(_by_rank(answers[system["name"]]), across, down))
        for system in run["systems"]
        if system["name"] in answers
    ]
    steps = 5 if low == 0.9 else round((1 - low) * 10)
    parts = [low + (1 - low) * step / steps for step in range(steps + 1)]
    grid = [(down(part), f"{part:.0%}") for part in parts]
    title = f"The memory that is meant is among the first k, store of {memories:,}"
    missing = [system["title"] for system in run["systems"] if system["name"] not in answers]
    below = "k (logarithmic)" + (f"; not measured in this store: {', '.join(missing)}" if missing else "")
    return _picture(title, below, grid, [(across(k), str(k)) for k in ranks], lines)


def _by_rank(known: Mapping[str, float]) -> dict[int, float]:
    return {int(k): value for k, value in known.items()}


def _line(system: Found, points: tuple[Point, ...], so_far: str = "") -> Line:
    return Line((system["title"] + so_far,), COLORS[system["name"]], points, 3.5 if system["name"] == "memfort" else 2)


def _across(values: Sequence[int]) -> Axis:
    return Axis(min(values), max(values), LEFT + 20, END)


def _linear(low: float, high: float) -> Callable[[float], float]:
    return lambda value: round(HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (value - low) / (high - low), 1)


def _points(values: Mapping[int, float], across: Axis, down: Callable[[float], float]) -> tuple[Point, ...]:
    return tuple((across(x), down(y)) for x, y in sorted(values.items()))


def _picture(
    title: str,
    below: str,
    grid: Iterable[tuple[float, str]],
    ticks: Iterable[tuple[float, str]],
    lines: Sequence[Line],
) -> str:
    parts = [text(LEFT, 26, title, "start", "title"), text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, below, "middle")]
    for height, audience in grid:
        parts += [rule(LEFT, WIDTH - RIGHT, height), text(LEFT - 10, height + 4, audience, "end")]
    parts += [text(place, HEIGHT - BOTTOM + 20, audience, "middle") for place, audience in ticks]
    together = _together(lines)
    for line in together:
        joined = " ".join(f"{x:g},{y:g}" for x, y in line.points)
        parts.append(f'<polyline style="stroke:{line.color};stroke-width:{line.width}" points="{joined}"/>')
        parts += [f'<circle cx="{x:g}" cy="{y:g}" r="3" fill="{line.color}"/>' for x, y in line.points]
    parts += _labels(together)
    return svg(title, WIDTH, HEIGHT, parts, TIE)


def _together(lines: Sequence[Line]) -> list[Line]:
    """Lines that would cover each other, merged into one with all their names."""
    found: dict[tuple[Point, ...], Line] = {}
    for line in lines:
        same = found.get(line.points)
        found[line.points] = Line((*same.titles, *line.titles), SHARED, line.points) if same else line
    return sorted(found.values(), key=lambda line: line.width)


def _labels(lines: Sequence[Line]) -> list[str]:
    """The names of each line at its end, moved apart if they would overlap, and then connected to it."""
    ordered = sorted(lines, key=lambda line: line.points[-1][1])
    named = [(line, title) for line in ordered for title in line.titles]
    heights = _apart([line.points[-1][1] for line, _ in named])
    parts, left = [], END + 42
    for (line, title), height in zip(named, heights, strict=True):
        x, y = line.points[-1]
        if x == END:
            parts.append(f'<path d="M{x + 5:g},{y:g} L{left - 5:g},{height:g}" stroke="{line.color}" class="tie"/>')
        parts.append(_name(left, height + 4, title, line.color))
    return parts


def _name(x: float, y: float, title: str, color: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" style="fill:{color}">{title}</text>'


def _apart(wanted: Sequence[float]) -> list[float]:
    """The wanted heights, from the top down, at least one line of text apart, and none too low."""
    heights: list[float] = []
    for number, height in enumerate(wanted):
        lowest = HEIGHT - BOTTOM - LINE_HEIGHT * (len(wanted) - 1 - number)
        least = heights[-1] + LINE_HEIGHT if heights else TOP - 8.0
        heights.append(round(max(least, min(height, lowest)), 1))
    return heights
