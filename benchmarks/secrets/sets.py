"""Sentences that people write: one JSON object a line with `text`, `language`, `class` and `secret`, null in a
sentence that gives nothing away."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from memfort.policy.secrets import find_secrets

HERE = Path(__file__).parent
OWN = {
    "everyday phrasings, development": "development.jsonl",
    "everyday phrasings of another author, now seen": "development_2.jsonl",
    "everyday phrasings of a third author, held out": "held_out.jsonl",
    "technical notes": "technical.jsonl",
}


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def measure(entries: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """How many were found, and how many were flagged that hold nothing, by class and by language."""
    groups: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for entry in entries:
        pair = (entry.get("secret") is not None, bool(find_secrets(entry["text"])))
        for group in ("all", f"class {entry['class']}", f"language {entry['language']}"):
            groups[group].append(pair)
    return {group: _counted(pairs) for group, pairs in sorted(groups.items())}


def _counted(pairs: list[tuple[bool, bool]]) -> dict[str, Any]:
    secret = [found for holds, found in pairs if holds]
    harmless = [found for holds, found in pairs if not holds]
    return {"found": rate(sum(secret), len(secret)), "flagged": rate(sum(harmless), len(harmless))}


def rate(count: int, of: int) -> dict[str, Any] | None:
    """A share with its interval (Wilson, 95 %), or nothing of nothing."""
    if not of:
        return None
    z, share = 1.96, count / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    spread = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return {
        "count": count,
        "of": of,
        "share": share,
        "low": max(0.0, middle - spread),
        "high": min(1.0, middle + spread),
    }


def shown(found: dict[str, Any] | None) -> str:
    if found is None:
        return ""
    return f"{found['count']} of {found['of']}: {found['share']:.1%} ({found['low']:.1%} to {found['high']:.1%})"


def misses(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for one in entries if bool(find_secrets(one["text"])) != (one.get("secret") is not None)]
