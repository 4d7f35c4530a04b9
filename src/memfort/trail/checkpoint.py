"""Checkpoints: a signature over the head of a chain. Events before a checkpoint cannot be rewritten unnoticed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memfort.model.moment import Instant, Microseconds, Moment, to_moment
from memfort.model.value import Value
from memfort.trail.event import ChainId
from memfort.trail.keys import Keys, is_signed

CHECKPOINT_EVERY = 256  # events of one chain


class Checkpoint(Value, frozen=True):
    chain: ChainId
    number: int  # of the last link it covers
    head: bytes  # that link's hash
    at_us: Microseconds
    signature: bytes

    at = Instant()


class Anchors(Value, frozen=True):
    """The last checkpoint of every chain, to be kept outside the store, and the name of the key that signed them."""

    key: str | None  # `None`: unknown
    checkpoints: tuple[Checkpoint, ...]


def anchors_to_dict(anchors: Anchors) -> dict[str, Any]:
    return {"key": anchors.key, "anchors": [checkpoint_to_dict(one) for one in anchors.checkpoints]}


def anchors_from_dict(data: Mapping[str, Any]) -> Anchors:
    """The anchors that `anchors_to_dict` wrote, or `Anchors.to_dict`. Raises KeyError, TypeError or ValueError on
    anything else."""
    checkpoints = data["checkpoints"] if "checkpoints" in data else data["anchors"]
    return Anchors(data.get("key"), tuple(checkpoint_from_dict(one) for one in checkpoints))


def checkpoint_to_dict(checkpoint: Checkpoint) -> dict[str, Any]:
    """A checkpoint as plain data, to be kept out of reach of those who can change the store."""
    return {
        "chain": {"kind": checkpoint.chain.kind, "key": checkpoint.chain.key.hex()},
        "number": checkpoint.number,
        "head": checkpoint.head.hex(),
        "at": checkpoint.at_us,
        "signature": checkpoint.signature.hex(),
    }


def checkpoint_from_dict(data: Mapping[str, Any]) -> Checkpoint:
    """The checkpoint that `checkpoint_to_dict` wrote. Raises KeyError, TypeError or ValueError on anything else."""
    chain = ChainId(str(data["chain"]["kind"]), bytes.fromhex(data["chain"]["key"]))
    head, signature = bytes.fromhex(data["head"]), bytes.fromhex(data["signature"])
    return Checkpoint(chain, int(data["number"]), head, to_moment(data["at"], "at"), signature)


def sign_checkpoint(keys: Keys, chain: ChainId, number: int, head: bytes, at: Moment) -> Checkpoint:
    return Checkpoint(chain, number, head, at, keys.sign(_message(chain, number, head, at)))


def is_genuine(checkpoint: Checkpoint, public: bytes) -> bool:
    message = _message(checkpoint.chain, checkpoint.number, checkpoint.head, checkpoint.at_us)
    return is_signed(public, message, checkpoint.signature)


def _message(chain: ChainId, number: int, head: bytes, at: Moment) -> bytes:
    place = chain.kind.encode() + b"\x00" + chain.key
    return b"memfort/checkpoint\x00" + place + number.to_bytes(8, "big") + at.to_bytes(8, "big", signed=True) + head
