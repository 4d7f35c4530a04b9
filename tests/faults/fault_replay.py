"""The disk as it may be found after a power cut, rebuilt from what `disk.c` recorded.

What was synced is kept. Of what was not, each 512-byte sector is there or not, at random and each for itself; a change
of length likewise; and of the names made, dropped and changed since the directory was last synced, the first few.
"""

from __future__ import annotations

import json
import random
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SECTOR = 512
_IGNORED = (".lock", ".lock-queue", ".ballast")


@dataclass(frozen=True)
class Op:
    kind: str  # write, truncate, sync, create, unlink, rename, mark: by their first letters
    name: str
    other: str
    number: int
    data: bytes


def read_trace(path: Path) -> list[Op]:
    raw, at, ops = path.read_bytes(), 0, []
    while at < len(raw):
        kind, first, second, number, size = struct.unpack_from("<cBBqQ", raw, at)
        at += 19
        name, other = raw[at : at + first].decode(), raw[at + first : at + first + second].decode()
        at += first + second
        ops.append(Op(kind.decode(), name, other, number, raw[at : at + size]))
        at += size
    return [op for op in ops if not op.name.endswith(_IGNORED)]


def change_keys(ops: list[Op]) -> list[dict[str, Any]]:
    """What the worker had said by then."""
    return [json.loads(op.data) for op in ops if op.kind == "m"]


@dataclass
class _File:
    durable: bytearray = field(default_factory=bytearray)
    pending: list[Op] = field(default_factory=list)

    def sync(self) -> None:
        for op in self.pending:
            _apply(self.durable, op)
        self.pending.clear()

    def after_cut(self, rng: random.Random, keep: float) -> bytes:
        content = bytearray(self.durable)
        for op in self.pending:
            if op.kind == "t":
                if rng.random() < keep:
                    _apply(content, op)
                continue
            for sector in _sectors(op):
                if rng.random() < keep:
                    _apply(content, sector)
        return bytes(content)


def after_power_cut(ops: list[Op], rng: random.Random) -> dict[str, bytes]:
    """The files as the next start finds them, by name, when the power fails after these operations."""
    files: list[_File] = []
    names: dict[str, int] = {}  # as the running system sees them
    durable_names: dict[str, int] = {}
    pending_names: list[Op | tuple[str, int]] = []
    for op in ops:
        match op.kind:
            case "c":
                files.append(_File())
                names[op.name] = len(files) - 1
                pending_names.append((op.name, len(files) - 1))
            case "u":
                names.pop(op.name, None)
                pending_names.append(op)
            case "r":
                names[op.other] = names.pop(op.name)
                pending_names.append(op)
            case "w" | "t":
                files[names[op.name]].pending.append(op)
            case "s" if op.name == "":
                for change in pending_names:
                    _rename(durable_names, change)
                pending_names.clear()
            case "s":
                files[names[op.name]].sync()
    for change in pending_names[: rng.randint(0, len(pending_names))]:
        _rename(durable_names, change)
    keep = rng.choice([0.1, 0.5, 0.5, 0.9])
    return {name: files[number].after_cut(rng, keep) for name, number in durable_names.items()}


def _rename(names: dict[str, int], change: Op | tuple[str, int]) -> None:
    if isinstance(change, tuple):
        names[change[0]] = change[1]
    elif change.kind == "u":
        names.pop(change.name, None)
    elif change.name in names:
        names[change.other] = names.pop(change.name)


def _sectors(op: Op) -> list[Op]:
    """The parts of a write that fall into different sectors."""
    parts, at = [], op.number
    end = op.number + len(op.data)
    while at < end:
        border = min((at // SECTOR + 1) * SECTOR, end)
        parts.append(Op("w", op.name, "", at, op.data[at - op.number : border - op.number]))
        at = border
    return parts


def _apply(content: bytearray, op: Op) -> None:
    if op.kind == "t":
        if op.number < len(content):
            del content[op.number :]
        else:
            content.extend(bytes(op.number - len(content)))
        return
    if op.number > len(content):
        content.extend(bytes(op.number - len(content)))
    content[op.number : op.number + len(op.data)] = op.data
