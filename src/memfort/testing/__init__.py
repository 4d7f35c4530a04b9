"""The definition of a store as tests you can run: the conformance suite, generated histories, and hostile names.

    from memfort.testing import StoreConformance

    class TestMyStore(StoreConformance):
        def make_store(self, tmp_path): return MyStore(tmp_path)

The suite needs pytest and Hypothesis (`pip install memfort[testing]`). To compare a store with the reference byte for
byte, open both with the same keys: `MyStore(path, keys=REFERENCE_KEYS)` and
`memfort.store.memory.MemoryStore(REFERENCE_KEYS)`. Product code imports nothing from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfort.trail.keys import Keys

if TYPE_CHECKING:
    from memfort.testing.conformance import StoreConformance

__all__ = ["REFERENCE_KEYS", "StoreConformance"]

# Public keys, so that two stores with one history give equal bytes. They protect nothing.
REFERENCE_KEYS = Keys(secret=b"reference".ljust(32, b"\x00"), signing=b"reference".ljust(32, b"\x01"))


def __getattr__(name: str) -> object:
    if name != "StoreConformance":
        raise AttributeError(f"module `memfort.testing` has no attribute `{name}`")
    from memfort.testing.conformance import StoreConformance

    return StoreConformance
