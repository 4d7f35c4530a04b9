"""A run as a picture: how long things take as the store grows, on logarithmic axes, a panel per number of users."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LINES = {
    "delete_a_user": ("delete a user", "#c2410c"),
    "cold_open_and_recall": ("cold open and recall", "#7c3aed"),
    "remember": ("remember", "#15803d"),
    "recall": ("recall", "#1d4ed8"),
    "get": ("get", "#64748b"),
}
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, GAP = 900, 380, 64, 86, 52, 28
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#475569}.title{font-size:13px;font-weight:600;fill:#0f172a}"
    ".grid{stroke:#e2e8f0}polyline{fill:none;stroke-width:2;stroke-linejoin:round}"
)


@dataclass(frozen=True, slots=True)
class Axis:
    """From a value to a place, by its logarithm."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        whole = math.log(self.high / self.low) or 1
        return round(self.start + (self.end - self.start) * math.log(value / self.low) / whole, 1)


def draw(run: Mapping[str, Any]) -> str:
    """The medians of a run as SVG."""
    stores = run["stores"]
    users = sorted({store["users"] for store in stores})
    decades = _decades([store[line]["p50"] for store in stores for line in LINES])
    down = Axis(decades[0], decades[-1], HEIGHT - BOTTOM, TOP)
    parts = [*_legend(), *(_text(LEFT - 10, down(at) + 4, _duration(at), "end") for at in decades)]
    width = (WIDTH - LEFT - GAP * len(users)) / len(users)
    for number, count in enumerate(users):
        left = LEFT + number * (width + GAP)
        sizes = sorted({store["memories"] for store in stores})
        across = Axis(sizes[0], sizes[-1], left + 20, left + width - 20)
        parts += [_rule(left, left + width, down(at)) for at in decades]
        parts += _panel([store for store in stores if store["users"] == count], across, down)
        parts += [_text(across(size), HEIGHT - BOTTOM + 20, f"{size:,}", "middle") for size in sizes]
        parts.append(_text(left, TOP - 14, f"{count:,} user{'s' if count > 1 else ''}", "start", "title"))
    parts.append(_text(WIDTH / 2, HEIGHT - 10, "memories in the store", "middle"))
    return _svg(parts)


def _decades(values: Sequence[float]) -> list[float]:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return [10.0**exponent for exponent in range(low, high + 1)]


def _duration(milliseconds: float) -> str:
    return f"{milliseconds:g} ms" if milliseconds < 1000 else f"{milliseconds / 1000:g} s"


def _legend() -> list[str]:
    parts, left = [], float(LEFT)
    for name, color in LINES.values():
        parts.append(f'<circle cx="{left + 5:g}" cy="28" r="4" fill="{color}"/>' + _text(left + 16, 32, name, "start"))
        left += 46 + 6.5 * len(name)
    return parts


def _panel(stores: Sequence[Mapping[str, Any]], across: Axis, down: Axis) -> list[str]:
    parts = []
    for line, (_, color) in LINES.items():
        points = [(across(store["memories"]), down(store[line]["p50"])) for store in stores]
        parts.append(f'<polyline stroke="{color}" points="{" ".join(f"{x:g},{y:g}" for x, y in points)}"/>')
        parts += [f'<circle cx="{x:g}" cy="{y:g}" r="3" fill="{color}"/>' for x, y in points]
    return parts


def _rule(left: float, right: float, height: float) -> str:
    return f'<line class="grid" x1="{left:g}" x2="{right:g}" y1="{height:g}" y2="{height:g}"/>'


def _text(x: float, y: float, text: str, anchor: str, style: str = "") -> str:
    styled = f' class="{style}"' if style else ""
    return f'<text{styled} x="{x:g}" y="{y:g}" text-anchor="{anchor}">{text}</text>'


def _svg(parts: Sequence[str]) -> str:
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
    ground = f'<rect width="{WIDTH}" height="{HEIGHT}" rx="10" fill="#fff"/>'
    title = "<title>Median times by number of memories and users</title>"
    return "\n".join([opening, title, f"<style>{STYLE}</style>", ground, *parts, "</svg>"]) + "\n"
