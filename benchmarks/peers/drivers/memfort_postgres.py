"""Memfort on a PostgreSQL database, whose address `BENCH_POSTGRES` names."""

from __future__ import annotations

import os
from pathlib import Path

from benchmarks.peers.driver import About, Driver
from benchmarks.peers.drivers.memfort import Memfort
from memfort import Memory


class MemfortPostgres(Memfort):
    about = About(("memfort", "psycopg"), ranks_by="more")

    def open(self, folder: Path) -> None:  # noqa: ARG002  # nothing lies beside a database
        self._memory = Memory.open(os.environ["BENCH_POSTGRES"])
        self._bound, self._receipts = {}, {}


DRIVER: type[Driver] = MemfortPostgres
