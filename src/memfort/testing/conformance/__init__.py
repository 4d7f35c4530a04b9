"""The suite that defines a store. A store that passes it is conformant; what it does not test is not promised.

Subclass it in pytest and say how to make a store:

    class TestMyStore(StoreConformance):
        def make_store(self, tmp_path):
            return MyStore(tmp_path / "memories")

Every negative claim has a positive control beside it, so that a store which answers nothing at all fails.
"""

from __future__ import annotations

from memfort.testing.conformance.atomicity import Atomicity
from memfort.testing.conformance.audience import Audiences
from memfort.testing.conformance.bulk_questions import BulkQuestions
from memfort.testing.conformance.change_keys import ChangeKeyLookup
from memfort.testing.conformance.counters import Counters
from memfort.testing.conformance.directory import Directory

# The samples and inspection helpers that the project's own tests use.
from memfort.testing.conformance.inspection import found, handles, listed, shown, statistics, texts  # noqa: F401
from memfort.testing.conformance.isolation import Isolation
from memfort.testing.conformance.leases import Leases
from memfort.testing.conformance.listing_order import ListingOrder
from memfort.testing.conformance.memory_changes import MemoryChanges
from memfort.testing.conformance.paging import Paging
from memfort.testing.conformance.people import People
from memfort.testing.conformance.promotion import Promotion
from memfort.testing.conformance.queued_turns import QueuedTurns
from memfort.testing.conformance.reader_lists import ReaderLists
from memfort.testing.conformance.records import Records
from memfort.testing.conformance.samples import (  # noqa: F401
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
from memfort.testing.conformance.scope import WriteScope
from memfort.testing.conformance.threads import in_another_thread  # noqa: F401
from memfort.testing.conformance.trail import Trail
from memfort.testing.conformance.turns import Turns

__all__ = ["StoreConformance"]


class StoreConformance(
    Isolation,
    QueuedTurns,
    ReaderLists,
    Audiences,
    ListingOrder,
    Counters,
    Promotion,
    Turns,
    Atomicity,
    WriteScope,
    MemoryChanges,
    ChangeKeyLookup,
    BulkQuestions,
    Trail,
    Directory,
    Records,
    People,
    Paging,
    Leases,
):
    """What a store promises. Subclass it and implement `make_store`."""
