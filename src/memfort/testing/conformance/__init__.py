"""The suite that defines a store. Whatever passes it is one; what it does not ask is not promised.

Subclass it in pytest and say how a store of yours is made:

    class TestMyStore(StoreConformance):
        def make_store(self, tmp_path):
            return MyStore(tmp_path / "memories")

Every negative claim has its positive control beside it, so that a store which answers nothing at all fails.
"""

from __future__ import annotations

from memfort.testing.conformance.atomicity import Atomicity
from memfort.testing.conformance.changing import Changing
from memfort.testing.conformance.counting import Counting
from memfort.testing.conformance.directory import Directory
from memfort.testing.conformance.hearing import Hearing
from memfort.testing.conformance.isolation import Isolation

# What the project's own tests put into a store, and look at it with.
from memfort.testing.conformance.looking import found, handles, listed, shown, statistics, texts  # noqa: F401
from memfort.testing.conformance.news import News
from memfort.testing.conformance.order import Order
from memfort.testing.conformance.people import People
from memfort.testing.conformance.promotion import Promotion
from memfort.testing.conformance.reader_lists import ReaderLists
from memfort.testing.conformance.records import Records
from memfort.testing.conformance.threads import in_another_thread  # noqa: F401
from memfort.testing.conformance.trail import Trail
from memfort.testing.conformance.values import (  # noqa: F401
    ALICE,
    BOB,
    EVERYTHING,
    HOME,
    LATER,
    NEXT_DOOR,
    NOW,
    inserted,
    memory,
    promoted,
    put,
    sight_on,
    updated,
    value_of,
)

__all__ = ["StoreConformance"]


class StoreConformance(
    Isolation,
    ReaderLists,
    Hearing,
    Order,
    Counting,
    Promotion,
    Atomicity,
    Changing,
    News,
    Trail,
    Directory,
    Records,
    People,
):
    """What a store promises. Subclass it, and give it `make_store`."""
