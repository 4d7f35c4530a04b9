"""The state that all requests share: the store, the threads, the limits. It holds nobody's memories."""

from __future__ import annotations

from memfort.client import Memory
from memfort.client.threads import run_alone
from memfort.clock import Clock, SystemClock
from memfort.surfaces.http.allotment import Allotment
from memfort.surfaces.http.identity import Identity
from memfort.surfaces.http.key_uses import KeyUses
from memfort.surfaces.http.limits import BodyMemory, RateLimit
from memfort.surfaces.http.metrics import Metrics
from memfort.surfaces.http.settings import ServerSettings
from memfort.surfaces.http.shares import ThreadShares


class Server:
    """One worker process of a server. Its memory must be opened with `memberships="registered"`."""

    def __init__(self, memory: Memory, settings: ServerSettings, clock: Clock | None = None) -> None:
        self.memory, self.settings, self.clock = memory, settings, clock or SystemClock()
        self.rates = RateLimit(settings.requests_per_minute)
        self.bodies = BodyMemory(settings.max_bodies_bytes, settings.max_bodies_bytes // 2)
        self.threads = ThreadShares(settings, self.rates)
        self.key_uses = KeyUses(memory.store_in_use)
        self.identity = Identity(memory.store_in_use, settings, self.clock, self.key_uses)
        rates = (self.rates, self.identity.failures)
        self.allotment = Allotment(memory.store_in_use, settings.workers, rates)
        self.metrics = Metrics()
        self.is_stopping = False

    async def close(self) -> None:
        """Take no more requests, finish those under way, and close the store."""
        self.is_stopping = True
        await self.identity.close()
        await run_alone(self.key_uses.close)
        await run_alone(self.allotment.close)
        await self.threads.close(self.memory.close)
