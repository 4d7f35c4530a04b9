"""Templates, and the few functions that they use. Everything that a template prints is escaped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from memfort.model.reason import EXPLANATIONS, Reason
from memfort.surfaces.studio.files import address_of

_TEMPLATES = Path(__file__).with_name("templates")


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals["file"] = address_of
    made.filters |= {
        "number": number,
        "when": when,
        "day": day,
        "why": why,
        "coordinates": coordinates,
        "written": written,
        "initial": initial,
        "count": count,
        "names": names,
        "setting": setting,
    }
    return made


def render(template: str, **values: Any) -> str:
    return _environment().get_template(template).render(**values)


def number(value: float) -> str:
    """1,204, or 0.52."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.2f}"


def count(value: int, one: str, many: str = "") -> str:
    """1 memory, 3 memories."""
    return f"{value:,} {one if value == 1 else many or one + 's'}"


def names(values: list[str]) -> str:
    """alice, bob and carol."""
    return ", ".join(values[:-1]) + (" and " if len(values) > 1 else "") + values[-1] if values else ""


def setting(value: Any) -> str:
    """A value of the policy, as its file would have it."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (bool, list, dict)) else str(value)


def when(value: Any) -> str:
    """A moment as people read it, in UTC."""
    moment = _moment(value)
    return "" if moment is None else f"{moment.day} {moment:%b %Y %H:%M}"


def day(value: Any) -> str:
    moment = _moment(value)
    return "" if moment is None else f"{moment.day} {moment:%b %Y}"


def _moment(value: Any) -> datetime | None:
    if value is None or value == "":
        return None
    if isinstance(value, int):
        return datetime.fromtimestamp(value / 1_000_000, UTC)
    return datetime.fromisoformat(str(value)).astimezone(UTC)


def why(reason: str) -> str:
    """What a reason code means, as a sentence."""
    known = EXPLANATIONS.get(Reason(reason)) if reason in {one.value for one in Reason} else None
    return "" if known is None else f"{known[0].upper()}{known[1:]}."


def coordinates(space: Mapping[str, str] | str) -> list[tuple[str, str]]:
    """The coordinates of a space."""
    if isinstance(space, Mapping):
        return list(space.items())
    parts = (part.strip().partition("=") for part in space.split(",") if part.strip())
    return [(level, id.strip()) for level, _, id in parts]


def written(space: Mapping[str, str]) -> str:
    """A space as it is written in a field: `user=alice, project=apollo`."""
    return ", ".join(f"{level}={id}" for level, id in space.items())


def initial(name: str) -> str:
    kind, _, id = name.rpartition(":")
    letter = (id or name or "?")[0]
    return letter.lower() if kind == "agent" else letter.upper()
