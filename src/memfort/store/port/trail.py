"""The trail: chains of events and their signed checkpoints. It holds no contents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from memfort.trail.checkpoint import Checkpoint
from memfort.trail.event import ChainId, Link


class Trail(Protocol):
    """What has happened, as it was recorded."""

    def chains(self) -> Iterator[tuple[ChainId, int, bytes]]:
        """Every chain with its length and head, by kind and key, read in pages. The head is `NOT_OURS` if this store
        did not write it."""

    def links(self, chain: ChainId, after: int = 0) -> Iterator[Link]: ...
    def checkpoints(self, chain: ChainId, after: int = 0) -> Iterator[Checkpoint]:
        """The checkpoints of a chain at a link past `after`, the first link first, read in pages."""
