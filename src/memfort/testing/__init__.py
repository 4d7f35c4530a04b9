"""What a store has to be, as tests you can run: the conformance suite, a reference store, and hostile names.

    from memfort.testing import StoreConformance

    class TestMyStore(StoreConformance):
        def make_store(self, tmp_path): return MyStore(tmp_path)

The suite needs pytest and Hypothesis (`pip install memfort[testing]`); the reference store needs neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfort.testing.dict_store import DictStore

if TYPE_CHECKING:
    from memfort.testing.conformance import StoreConformance

__all__ = ["DictStore", "StoreConformance"]


def __getattr__(name: str) -> object:
    if name != "StoreConformance":
        raise AttributeError(f"module `memfort.testing` has no attribute `{name}`")
    from memfort.testing.conformance import StoreConformance

    return StoreConformance
