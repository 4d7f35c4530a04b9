"""Questions about the trail: its chains, their links and their signed checkpoints."""

from __future__ import annotations

from collections.abc import Iterator

from memfort.store.memory.transactions import Transactions
from memfort.trail.checkpoint import Checkpoint
from memfort.trail.event import ChainId, Link


class TrailQuestions(Transactions):
    def chains(self) -> Iterator[tuple[ChainId, int, bytes]]:
        chains = sorted(self._state.chains.items(), key=lambda pair: (pair[0].kind, pair[0].key))
        return iter([(chain, len(links), links[-1].hash) for chain, links in chains])

    def links(self, chain: ChainId, after: int = 0) -> Iterator[Link]:
        yield from self._state.chains.get(chain, ())[after:]

    def checkpoints(self, chain: ChainId, after: int = 0) -> Iterator[Checkpoint]:
        return (signed for signed in self._state.checkpoints.get(chain, ()) if signed.number > after)
