"""Proofs that a person approved personal data in this very store, so that it need not wait again when it comes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memfort.memory.engine import Engine
from memfort.model.canonical import canonical_json
from memfort.model.item import Item, Status
from memfort.model.reason import Reason
from memfort.model.record import item_to_dict
from memfort.policy.admit import HIGH_RISK
from memfort.trace.keys import is_signed


def was_reviewed(item: Item) -> bool:
    """Whether it is in force because a person approved it in spite of the personal data in it."""
    return item.status is Status.APPROVED and item.pii_risk >= HIGH_RISK and item.status_reason == Reason.APPROVED


def proof_of(engine: Engine, item: Item) -> str:
    return engine.store.keys.sign(_reviewed_record(item)).hex()


def is_proven(engine: Engine, header: Mapping[str, Any], item: Item) -> bool:
    """Whether this very store says that a person approved this very record."""
    reviewed = header.get("reviewed")
    proof = reviewed.get(item.id) if isinstance(reviewed, Mapping) else None
    try:
        signature = bytes.fromhex(proof) if isinstance(proof, str) else b""
    except ValueError:
        return False
    return was_reviewed(item) and is_signed(engine.store.keys.public, _reviewed_record(item), signature)


def _reviewed_record(item: Item) -> bytes:
    """What is signed. A signature and not a keyed digest: those stand in the trail of whoever had a text digested."""
    return b"memfort/review\x00" + canonical_json(item_to_dict(item))
