"""What somebody says and later says otherwise goes through `observe`: is the old value ended, or at least below the new
one; and is what still holds in force?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memfort import Item, Kind, Memory, Status
from memfort.client import BoundMemory
from memfort.clock import FixedClock
from memfort.model.moment import to_moment

LANGUAGES = ("en", "de", "fr", "es", "zh")
_FILE = Path(__file__).parent / "said.txt"
_STARTED = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
_GAP = {"now": timedelta(minutes=2), "later": timedelta(days=20)}
_BEFORE = timedelta(days=5)
_ASKED_AFTER = timedelta(days=10)
_BOTH = "both"


@dataclass(frozen=True, slots=True)
class Said:
    language: str
    when: str
    before: str
    after: str
    ended: str  # the words of the old value; `both` where nothing has ended
    question: str

    @property
    def both_hold(self) -> bool:
        return self.ended == _BOTH


@dataclass(frozen=True, slots=True)
class Judged:
    said: Said
    is_ended: bool  # nothing in force has the old value
    is_below: bool  # the question brings the new one, and the old one below it or not at all
    is_wrong: bool  # something else has ended


def read() -> list[Said]:
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    return [Said(*(part.strip() for part in line.split("|"))) for line in lines if line and not line.startswith("#")]


def judge(said: Sequence[Said]) -> Iterator[Judged]:
    """Each pair in a store of its own, beside what is said first in the other pairs of the language."""
    for one in said:
        life = dict.fromkeys(other.before for other in said if other.language == one.language)
        yield _judge(one, [text for text in life if text != one.before])


def _judge(said: Said, life: Sequence[str]) -> Judged:
    clock = FixedClock(to_moment(_STARTED, "clock"))
    with Memory.open(":memory:", clock=clock) as memory:
        bound = memory.as_user("ada")
        others = [_observe(bound, text, _STARTED - _BEFORE, f"life {place}") for place, text in enumerate(life)]
        first = _observe(bound, said.before, _STARTED, "first")
        known = _in_force(bound)
        clock.advance(_GAP[said.when].total_seconds())
        second = _observe(bound, said.after, _STARTED + _GAP[said.when], "first" if said.when == "now" else "second")
        now = _in_force(bound)
        gone = [item for id, item in known.items() if id not in now]
        old = [item for item in now.values() if item.id in first and item.id not in second]
        is_wrong = any(item.id in other for item in gone for other in others)
        if said.both_hold:
            return Judged(said, is_ended=any(item.id in first for item in gone), is_below=False, is_wrong=is_wrong)
        clock.advance(_ASKED_AFTER.total_seconds())
        hits = [one.item for one in bound.recall(said.question, limit=20)]
        new = [place for place, item in enumerate(hits) if item.id in second]
        below = [place for place, item in enumerate(hits) if item.id in first and item.id not in second]
        return Judged(
            said,
            is_ended=bool(first["kept"]) and not any(said.ended in item.text.lower() for item in old),
            is_below=bool(new) and (not below or new[0] < below[0]),
            is_wrong=is_wrong,
        )


def _observe(bound: BoundMemory, text: str, at: datetime, conversation: str) -> dict[str, Any]:
    """The ids of the turn and of the statements, and under `kept` the statements."""
    seen = bound.observe([{"role": "user", "content": text, "at": at.isoformat()}], conversation=conversation)
    became = seen.messages[0]
    found: dict[str, Any] = {"kept": [one for one in became.statements if one.kept]}
    outcomes = [one for one in (became.turn, *became.statements) if one is not None]
    return found | {one.item.id: one for one in outcomes if one.item is not None}


def _in_force(bound: BoundMemory) -> dict[str, Item]:
    items = bound.list(limit=200).items
    return {item.id: item for item in items if item.kind is not Kind.SHORT_TERM and item.status is Status.APPROVED}
