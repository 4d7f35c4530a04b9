"""mem0 without a language model (`infer=False`), on pgvector, in the database that `BENCH_POSTGRES` names."""

from __future__ import annotations

import os
from pathlib import Path

from mem0 import Memory  # type: ignore[import-not-found]  # in its own environment

from benchmarks.peers.driver import About, Driver
from benchmarks.peers.drivers.mem0 import Mem0
from benchmarks.peers.given import DIMENSIONS


class Mem0Pgvector(Mem0):
    about = About(("mem0ai", "psycopg"))

    def open(self, folder: Path) -> None:
        place = {"connection_string": os.environ["BENCH_POSTGRES"], "collection_name": "memories"}
        self._memory = Memory.from_config({
            "vector_store": {"provider": "pgvector", "config": {**place, "embedding_model_dims": DIMENSIONS}},
            "embedder": {"provider": "langchain", "config": {}},
            "llm": {"provider": "openai", "config": {"api_key": "never asked"}},
            "history_db_path": str(folder / "history.db"),
        })  # fmt: skip


DRIVER: type[Driver] = Mem0Pgvector
