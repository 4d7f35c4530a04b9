"""How much of a rate each server process allows, of all that serve one store: they count each other by leases in the
store and divide the rate. So no request has to write a count that others read."""

from __future__ import annotations

import secrets
from contextlib import suppress
from threading import Event, Thread

from memfort.errors import StoreError
from memfort.store.port import Store
from memfort.surfaces.http.limits import RateLimit

_NAMES = "server "  # what the leases of server processes begin with
_RENEWED_SECONDS = 10.0
_LEASE_SECONDS = 35.0  # a process that is killed is counted for so long


class Allotment:
    """The share of one process. `workers` are those of its own server, among which its rates are divided already."""

    def __init__(self, store: Store, workers: int, rates: tuple[RateLimit, ...]) -> None:
        self._store, self._workers, self._rates = store, workers, rates
        self._holder = secrets.token_hex(8)
        self._stop = Event()
        self._thread = Thread(target=self._run, name="memfort-allotment", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def renew(self) -> None:
        """Say that this process serves the store, and take its share of those that do."""
        self._store.take_lease(_NAMES + self._holder, self._holder, _LEASE_SECONDS)
        processes = self._store.count_leases(_NAMES)
        for rate in self._rates:
            rate.share(min(1.0, self._workers / processes))

    def close(self) -> None:
        """Leave the share to the others."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()
        with suppress(StoreError):
            self._store.give_back_lease(_NAMES + self._holder, self._holder)

    def _run(self) -> None:
        while True:
            with suppress(StoreError):  # the share of before holds until the store answers again
                self.renew()
            if self._stop.wait(_RENEWED_SECONDS):
                return
