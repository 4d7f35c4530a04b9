"""Signed proofs in an export: that a person approved personal data in this very store, so that it need not wait again
on import, and that a person other than the author said a statement. Without a proof a file is not believed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memfort.model.item import Item, Status
from memfort.model.people.actor import Actor
from memfort.model.people.person import person_of_user
from memfort.model.reason import Reason
from memfort.model.serialize.encoding import canonical_json
from memfort.model.serialize.record import item_to_dict
from memfort.policy.admission import HIGH_RISK
from memfort.trail.keys import Keys, is_signed


def was_reviewed(item: Item) -> bool:
    """Whether the memory is in force because a person approved its personal data."""
    return item.status is Status.APPROVED and item.pii_risk >= HIGH_RISK and item.status_reason == Reason.APPROVED


def is_by_another(item: Item, actor: Actor) -> bool:
    """Whether a person other than the actor said it, as in a memory that was promoted for them."""
    return item.stated_by is not None and (actor.user is None or item.stated_by != person_of_user(actor.user))


def proof_of(keys: Keys, item: Item, what: str) -> str:
    return keys.sign(_record(item, what)).hex()


def is_proven(keys: Keys, header: Mapping[str, Any], item: Item, what: str) -> bool:
    """Whether this store signed this record as `reviewed`, or as `stated` by the person it names."""
    proofs = header.get(what)
    proof = proofs.get(item.id) if isinstance(proofs, Mapping) else None
    try:
        signature = bytes.fromhex(proof) if isinstance(proof, str) else b""
    except ValueError:
        return False
    return is_signed(keys.public, _record(item, what), signature)


def _record(item: Item, what: str) -> bytes:
    """The signed bytes. A signature and not a keyed digest, because callers find keyed digests of their own texts in
    the trail."""
    return _PURPOSES[what] + canonical_json(item_to_dict(item))


REVIEWED, STATED = "reviewed", "stated"
_PURPOSES = {REVIEWED: b"memfort/review\x00", STATED: b"memfort/statement\x00"}
