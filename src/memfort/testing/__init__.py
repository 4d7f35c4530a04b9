"""What a store has to be, as tests you can run: the conformance suite, a reference store, and hostile names.

from memfort.testing import StoreConformance

class TestMyStore(StoreConformance):
    def make_store(self, tmp_path): return MyStore(tmp_path)
"""

from __future__ import annotations

from memfort.testing.dict_store import DictStore

__all__ = ["DictStore"]
