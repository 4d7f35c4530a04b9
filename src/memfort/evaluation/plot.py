"""The measures as one picture: a bar each, with its interval and its target. Plain SVG, so that nothing has to be
installed."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from memfort.evaluation.metrics import Score

_WIDTH, _LEFT, _RIGHT, _TOP, _ROW = 760, 216, 620, 84, 44
_MET, _MISSED = "#2dd4bf", "#f87171"
_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#475569}.title{font-size:14px;font-weight:600;fill:#0f172a}"
    ".grid{stroke:#e2e8f0}.range{stroke:#0f172a;stroke-width:1.5}.target{stroke:#0f172a;stroke-dasharray:3 3}"
)


def plot(title: str, scores: Sequence[Score]) -> str:
    """Bars from 0 to 1. The dashed line is the target: a bar has to reach it, or to stay below it."""
    height = _TOP + _ROW * len(scores) + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect width="{_WIDTH}" height="{height}" rx="10" fill="#fff"/>',
        _text(24, 30, title, "start", "title"),
        _text(24, 50, "dashed line: the target; solid line: the 95 % interval; red: the target is missed", "start"),
        *_grid(height - 34),
        *(part for number, one in enumerate(scores) for part in _bar(_TOP + _ROW * number, one)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _grid(bottom: float) -> list[str]:
    parts = []
    for tenths in range(0, 11, 2):
        x = _x(tenths / 10)
        parts.append(f'<line class="grid" x1="{x:g}" x2="{x:g}" y1="{_TOP - 12}" y2="{bottom:g}"/>')
        parts.append(_text(x, bottom + 18, f"{tenths / 10:.1f}", "middle"))
    return parts


def _bar(top: float, one: Score) -> list[str]:
    (low, high), middle = one.interval, top + 11
    colour, target = _MET if one.is_met else _MISSED, _x(one.target)
    target_text = f"{'≤' if one.measure.is_error_rate else '≥'} {one.target:.2f}"
    return [
        f"<g><title>{escape(one.measure.title)}: {target_text}</title>",
        _text(_LEFT - 12, middle + 4, one.measure.name.replace("_", " "), "end"),
        f'<rect x="{_LEFT}" y="{top:g}" width="{_x(one.value) - _LEFT:g}" height="22" rx="3" fill="{colour}"/>',
        f'<line class="range" x1="{_x(low):g}" x2="{_x(high):g}" y1="{middle:g}" y2="{middle:g}"/>',
        f'<line class="target" x1="{target:g}" x2="{target:g}" y1="{top - 6:g}" y2="{top + 28:g}"/>',
        _text(_RIGHT + 12, middle + 4, f"{one.value:.2f} ({target_text})", "start"),
        "</g>",
    ]


def _x(share: float) -> float:
    return round(_LEFT + (_RIGHT - _LEFT) * share, 1)


def _text(x: float, y: float, words: str, anchor: str, style: str = "") -> str:
    styled = f' class="{style}"' if style else ""
    return f'<text{styled} x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(words)}</text>'
