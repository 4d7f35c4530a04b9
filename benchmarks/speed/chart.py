"""A chart of a run: times as the store grows, on logarithmic axes, a panel per number of users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.plot import Axis, decades, duration_label, rule, svg, text

LINES = {
    "delete_a_user": ("delete a user", "#c2410c"),
    "cold_open_and_recall": ("cold open and recall", "#7c3aed"),
    "remember": ("remember", "#15803d"),
    "recall": ("recall", "#1d4ed8"),
    "get": ("get", "#64748b"),
}
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, GAP = 900, 380, 64, 86, 52, 28


def draw(run: Mapping[str, Any]) -> str:
    """The medians of a run as SVG."""
    stores = run["stores"]
    users = sorted({store["users"] for store in stores})
    heights = decades([store[line]["p50"] for store in stores for line in LINES])
    down = Axis(heights[0], heights[-1], HEIGHT - BOTTOM, TOP)
    parts = [*_legend(), *(text(LEFT - 10, down(at) + 4, duration_label(at), "end") for at in heights)]
    width = (WIDTH - LEFT - GAP * len(users)) / len(users)
    for number, count in enumerate(users):
        left = LEFT + number * (width + GAP)
        sizes = sorted({store["memories"] for store in stores})
        across = Axis(sizes[0], sizes[-1], left + 20, left + width - 20)
        parts += [rule(left, left + width, down(at)) for at in heights]
        parts += _panel([store for store in stores if store["users"] == count], across, down)
        parts += [text(across(size), HEIGHT - BOTTOM + 20, f"{size:,}", "middle") for size in sizes]
        parts.append(text(left, TOP - 14, f"{count:,} user{'s' if count > 1 else ''}", "start", "title"))
    parts.append(text(WIDTH / 2, HEIGHT - 10, "memories in the store", "middle"))
    return svg("Median times by number of memories and users", WIDTH, HEIGHT, parts)


def _legend() -> list[str]:
    parts, left = [], float(LEFT)
    for name, color in LINES.values():
        parts.append(f'<circle cx="{left + 5:g}" cy="28" r="4" fill="{color}"/>' + text(left + 16, 32, name, "start"))
        left += 46 + 6.5 * len(name)
    return parts


def _panel(stores: Sequence[Mapping[str, Any]], across: Axis, down: Axis) -> list[str]:
    parts = []
    for line, (_, color) in LINES.items():
        points = [(across(store["memories"]), down(store[line]["p50"])) for store in stores]
        parts.append(f'<polyline stroke="{color}" points="{" ".join(f"{x:g},{y:g}" for x, y in points)}"/>')
        parts += [f'<circle cx="{x:g}" cy="{y:g}" r="3" fill="{color}"/>' for x, y in points]
    return parts
