"""Memfort, through its public interface, with everything on: policy, sight, seals and the trail."""
# ruff: noqa: ARG002  # each driver is given all there is, and takes what its system wants

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers.driver import About, Driver, Entry
from benchmarks.peers.given import Vector
from memfort import BoundMemory, Memory


class Memfort:
    about = About(("memfort", "apsw"), ranks_by="more")  # it makes the same vectors itself, and weighs words too

    def open(self, folder: Path) -> None:
        self._memory = Memory.open(folder / "memory.db")
        self._bound: dict[str, BoundMemory] = {}
        self._receipts: dict[str, str] = {}

    def add(self, user: str, id: str, text: str, vector: Vector) -> None:
        _kept([self._as(user).remember(text, meta={"id": id})])

    def add_many(self, user: str, entries: Sequence[Entry]) -> None:
        _kept(self._as(user).remember_many({"text": entry.text, "meta": {"id": entry.id}} for entry in entries))

    def settle(self) -> None:
        """Nothing is left to do."""

    def search(self, user: str, text: str, vector: Vector, limit: int) -> list[str]:
        return [str(hit.item.meta["id"]) for hit in self._as(user).recall(text, limit=limit)]

    def search_unnamed(self, text: str, vector: Vector, limit: int) -> list[str] | None:
        """A recall without an actor is impossible, so the system actor asks."""
        return [str(hit.item.meta["id"]) for hit in self._memory.as_system().recall(text, limit=limit)]

    def explain(self, user: str, text: str, vector: Vector) -> list[str]:
        (best,) = self._as(user).recall(text, limit=1)
        return ["score", "reason", *best.features]

    def delete_user(self, user: str) -> int | None:
        receipt = self._as(user).erase(scope={"user": user})
        if receipt.pending is not None:
            raise RuntimeError(f"the erasure is not finished: {receipt.pending}")
        self._receipts[user] = receipt.id
        return receipt.counts["memories"]

    def residue(self, user: str) -> int | None:
        return len(self._as(user).verify_erasure(self._receipts[user]).problems)

    def close(self) -> None:
        self._memory.close()

    def _as(self, user: str) -> BoundMemory:
        if user not in self._bound:
            self._bound[user] = self._memory.as_user(user)
        return self._bound[user]


def _kept(outcomes: Sequence[Any]) -> None:
    """A store with less in it than it should have would be measured too fast."""
    refused = [outcome for outcome in outcomes if outcome.item is None]
    if refused:
        raise RuntimeError(f"{len(refused)} statements were refused, the first for {refused[0].decision}")


DRIVER: type[Driver] = Memfort
