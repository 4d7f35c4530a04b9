"""Drawing primitives of all charts: axes, grid lines, texts and the frame, as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#475569}.title{font-size:13px;font-weight:600;fill:#0f172a}"
    ".grid{stroke:#e2e8f0}polyline{fill:none;stroke-width:2;stroke-linejoin:round}"
)


@dataclass(frozen=True, slots=True)
class Axis:
    """The position of a value on a logarithmic axis."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        whole = math.log(self.high / self.low) or 1
        return round(self.start + (self.end - self.start) * math.log(value / self.low) / whole, 1)


def decades(values: Sequence[float]) -> list[float]:
    """The powers of ten around these values."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return [10.0**exponent for exponent in range(low, high + 1)]


def duration_label(milliseconds: float) -> str:
    return f"{milliseconds:g} ms" if milliseconds < 1000 else f"{milliseconds / 1000:g} s"


def rule(left: float, right: float, height: float) -> str:
    """A line of the grid."""
    return f'<line class="grid" x1="{left:g}" x2="{right:g}" y1="{height:g}" y2="{height:g}"/>'


def text(x: float, y: float, words: str, anchor: str, style: str = "") -> str:
    styled = f' class="{style}"' if style else ""
    return f'<text{styled} x="{x:g}" y="{y:g}" text-anchor="{anchor}">{words}</text>'


def svg(title: str, width: int, height: int, parts: Sequence[str], more_style: str = "") -> str:
    """The parts on a white ground."""
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
    ground = f'<rect width="{width}" height="{height}" rx="10" fill="#fff"/>'
    style = f"<style>{STYLE}{more_style}</style>"
    return "\n".join([opening, f"<title>{title}</title>", style, ground, *parts, "</svg>"]) + "\n"
