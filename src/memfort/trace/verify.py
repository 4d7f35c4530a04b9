"""Check a trail link by link, and play it back. Reads links and nothing else: no store, no policy."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memfort.trace.checkpoint import Checkpoint, is_genuine
from memfort.trace.event import GENESIS, ChainId, Link, next_link


@dataclass(frozen=True, slots=True)
class Break:
    """The first place where a chain does not hold."""

    chain: str
    number: int
    problem: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What a check of the whole trail found."""

    chains: int
    events: int
    unanchored: int  # events after the last checkpoint of their chain: a cut tail there would go unnoticed
    broken: tuple[Break, ...] = field(default=())

    @property
    def ok(self) -> bool:
        return not self.broken


def verify_chain(
    chain: ChainId,
    links: Iterable[Link],
    checkpoints: Iterable[Checkpoint],  # of the store, and those that were kept outside it as anchors
    public: bytes,
    head: tuple[int, bytes] | None = None,
) -> tuple[int, int, Break | None]:
    """Recompute one chain. Returns its length, how many events lie after the last checkpoint, and the first break."""
    signed: dict[int, list[Checkpoint]] = {}
    for checkpoint in checkpoints:
        signed.setdefault(checkpoint.number, []).append(checkpoint)
    previous, number, anchored = GENESIS, 0, 0
    for link in links:
        if link.number != number + 1:
            return number, 0, Break(str(chain), number + 1, f"the link is missing; the next there is {link.number}")
        number = link.number
        if next_link(chain, number, previous, link.body).hash != link.hash:
            return number, 0, Break(str(chain), number, "the link does not match its hash")
        previous = link.hash
        for checkpoint in signed.pop(number, ()):
            if problem := _problem(checkpoint, previous, public):
                return number, 0, Break(str(chain), number, problem)
            anchored = number
    if signed:
        return number, 0, Break(str(chain), number + 1, f"links up to {max(signed)} were signed, and are gone")
    if head is not None and head != (number, previous):
        return number, 0, Break(str(chain), number + 1, f"the chain's head is at {head[0]}, its links end at {number}")
    return number, number - anchored, None


def replay(links: Iterable[Link]) -> dict[tuple[str, str], Mapping[str, Any]]:
    """The state that the trail says the store is in: for each space and memory, its labels after the last change."""
    state: dict[tuple[str, str], Mapping[str, Any]] = {}
    for link in links:
        event = json.loads(link.body)
        if "after" not in event["detail"]:
            continue
        place = (json.dumps(event["space"], sort_keys=True, ensure_ascii=False), event["item"])
        if event["detail"]["after"] is None:
            state.pop(place, None)
        else:
            state[place] = event["detail"]["after"]
    return state


def _problem(checkpoint: Checkpoint, head: bytes, public: bytes) -> str | None:
    if not is_genuine(checkpoint, public):
        return "the checkpoint's signature is not genuine"
    if checkpoint.head != head:
        return "the checkpoint was signed over another history"
    return None
