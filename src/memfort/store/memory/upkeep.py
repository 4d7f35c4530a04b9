"""Questions of maintenance. There are no files here: nothing can be damaged, and an erasure leaves no bytes behind."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memfort.errors import StoreError
from memfort.model.moment import Moment
from memfort.model.sight import Sight
from memfort.model.space import Level, Space
from memfort.store.memory.transactions import Transactions
from memfort.store.port import Backup, Erasure, Progress, QueuedTurn, Scrub
from memfort.store.port.values.records import order_of_queued


class UpkeepQuestions(Transactions):
    _leases: dict[str, tuple[str, float]]

    def spaces(self, user: str | None = None) -> Iterator[Space]:
        found = [space for space in self._state.spaces.values() if user is None or space.get(Level.USER) == user]
        return iter(sorted(found, key=lambda space: space.id))

    def erasures(self) -> Iterator[Erasure]:
        return iter(sorted(self._state.erasures.values(), key=lambda erasure: (erasure.at_us, erasure.id)))

    def due_turns(self, now: Moment, limit: int, *, is_imported: bool = False) -> list[QueuedTurn]:
        queued, memories = self._state.queued_turns, self._state.memories
        due = [one for one in queued.values() if one.due_at is not None and one.due_at <= now]
        of_kind = [one for one in due if (memories[one.place].item.source is not None) is is_imported]
        places, ranked = Counter[bytes](), list[tuple[int, QueuedTurn]]()
        for one in sorted(of_kind, key=order_of_queued):
            places[one.space.id] += 1
            ranked.append((places[one.space.id], one))
        ranked.sort(key=lambda pair: pair[0])
        return [one for _, one in ranked[:limit]]

    def waiting_turns(self, first: QueuedTurn, limit: int) -> list[QueuedTurn]:
        there = [one for one in self._state.queued_turns.values() if one.space == first.space]
        waiting = [one for one in there if one.due_at is not None and one.queued_at >= first.queued_at]
        return sorted(waiting, key=order_of_queued)[:limit]

    def count_queued_turns(self) -> tuple[int, int]:
        given_up = sum(one.due_at is None for one in self._state.queued_turns.values())
        return len(self._state.queued_turns) - given_up, given_up

    def take_lease(self, name: str, holder: str, seconds: float) -> bool:
        now = time.monotonic()
        known, until = self._leases.get(name, (holder, now))
        if known != holder and until > now:
            return False
        self._leases[name] = holder, now + seconds
        return True

    def give_back_lease(self, name: str, holder: str) -> None:
        if self._leases.get(name, ("", 0.0))[0] == holder:
            del self._leases[name]

    def count_leases(self, beginning: str) -> int:
        now = time.monotonic()
        return sum(name.startswith(beginning) and until > now for name, (_, until) in self._leases.items())

    def scrub(self) -> Scrub:
        return Scrub(pending=None)

    def residue(self) -> Mapping[str, int]:
        return {}

    def unlisted(self, erasure: Erasure) -> list[str]:  # noqa: ARG002
        return []

    def backup(self, target: Path, at: Moment, *, with_key: bool, progress: Progress | None = None) -> Backup:  # noqa: ARG002
        raise StoreError("a store without a file has no backup; export its memories, or keep them in a file")

    def checkup(self) -> list[tuple[str, str]]:
        return []

    def damaged(self, sight: Sight) -> list[str]:  # noqa: ARG002
        return []

    def quarantined(self, sight: Sight) -> list[str]:  # noqa: ARG002
        return []

    def all_damaged(self) -> Iterator[str]:
        return iter(())

    def info(self) -> Mapping[str, Any]:
        return {"engine": "memory", "memories": len(self._state.memories), "spaces": len(self._state.spaces)}
