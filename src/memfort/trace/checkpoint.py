"""Checkpoints: a signature over where a chain stood. What lies before one cannot be rewritten unnoticed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memfort.model.moment import Moment
from memfort.trace.event import ChainId
from memfort.trace.keys import Keys, is_signed

CHECKPOINT_EVERY = 256  # events of one chain


@dataclass(frozen=True, slots=True)
class Checkpoint:
    chain: ChainId
    number: int  # of the last link it covers
    head: bytes  # that link's hash
    at: Moment
    signature: bytes


def checkpoint_to_dict(checkpoint: Checkpoint) -> dict[str, Any]:
    """A checkpoint as plain data, to be kept where whoever can change the store cannot change it."""
    return {
        "chain": {"kind": checkpoint.chain.kind, "key": checkpoint.chain.key.hex()},
        "number": checkpoint.number,
        "head": checkpoint.head.hex(),
        "at": checkpoint.at,
        "signature": checkpoint.signature.hex(),
    }


def checkpoint_from_dict(data: Mapping[str, Any]) -> Checkpoint:
    """The checkpoint that `checkpoint_to_dict` wrote. Raises KeyError, TypeError or ValueError on anything else."""
    chain = ChainId(str(data["chain"]["kind"]), bytes.fromhex(data["chain"]["key"]))
    head, signature = bytes.fromhex(data["head"]), bytes.fromhex(data["signature"])
    return Checkpoint(chain, int(data["number"]), head, Moment(int(data["at"])), signature)


def sign_checkpoint(keys: Keys, chain: ChainId, number: int, head: bytes, at: Moment) -> Checkpoint:
    return Checkpoint(chain, number, head, at, keys.sign(_message(chain, number, head, at)))


def is_genuine(checkpoint: Checkpoint, public: bytes) -> bool:
    message = _message(checkpoint.chain, checkpoint.number, checkpoint.head, checkpoint.at)
    return is_signed(public, message, checkpoint.signature)


def _message(chain: ChainId, number: int, head: bytes, at: Moment) -> bytes:
    place = chain.kind.encode() + b"\x00" + chain.key
    return b"memfort/checkpoint\x00" + place + number.to_bytes(8, "big") + at.to_bytes(8, "big", signed=True) + head
