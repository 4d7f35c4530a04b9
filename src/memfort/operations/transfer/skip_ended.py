"""The age of what a file says, by which the gate on tombstones knows what is older than the ending of its words."""

from __future__ import annotations

from msgspec.structs import replace

from memfort.capture.importers.record import Imported
from memfort.policy.admission import Placement


def skip_ended(placement: Placement, record: Imported, *, bring_back: bool) -> Placement:
    """The statement of a record with the moment at which it was said. The gate refuses it with `ended_before` if its
    words were forgotten or erased after that, or if the file does not say when; unless the importer wants such memories
    back."""
    said_at, written_at = record.created_at, None
    if record.item is not None:
        said_at, written_at = record.item.observed_at_us or record.item.created_at_us, record.item.created_at_us
    elif placement.candidate.observed_at_us is not None:
        said_at = placement.candidate.observed_at_us
    return replace(placement, said_at=said_at, written_at=written_at, brings_back=bring_back)
