"""The list of erased memories beside a store: `memory.db.erased`.

A backup that is older than an erasure still holds what was erased. The list outlives the database, so that `restore`
can erase it again. It is only appended to, a line is on the disk before the erasure it belongs to is committed, and it
holds keyed digests of ids: neither texts nor ids, and nothing that means anything without the store's key.

A line is JSON: its number, the key's fingerprint, the time, the digests, and a seal over them. The store keeps the
number of the last line; a backup has it too, and so knows which lines are newer than itself. A crash can leave a line
without its erasure, which is on record as pending then, and can cut off the last line.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from memfort.errors import StoreError
from memfort.model.moment import Moment
from memfort.model.serialize.encoding import canonical_json
from memfort.store.port import Change, DropPerson, DropRelation, DropSource, Erase, Erasure
from memfort.store.sqlite.connection import full
from memfort.store.sqlite.files import sync_directory
from memfort.trail.keys import Keys

_DIGESTS_PER_LINE = 256
_LONGEST_LINE_BYTES = 16 * 1024
_TABLE = "erased"  # in the seal


class ErasedNames(Struct, frozen=True):
    """What lists say was erased after a certain line."""

    keys: Keys
    digests: frozenset[str] = frozenset()
    lines: int = 0
    last_number: int = 0
    of_other_keys: int = 0  # lines that cannot be compared, because they were written with another key
    unreadable: int = 0  # damaged lines, or one that a crash cut off

    def has_memory(self, space: bytes, id: str) -> bool:
        return digest_of_memory(self.keys, space, id) in self.digests

    def has_record(self, id: str) -> bool:
        return digest_of_record(self.keys, id) in self.digests


class _Line(Struct, frozen=True):
    number: int
    key: str
    at: int | None
    erased: list[str] = field(default_factory=list)
    seal: str = ""

    def sealed(self, keys: Keys) -> str:
        return keys.seal(_TABLE, canonical_json([self.number, self.key, self.at, self.erased])).hex()


def digest_of_memory(keys: Keys, space: bytes, id: str) -> str:
    """The digest of a memory in the list. It holds the space too: an id is unique only there."""
    return keys.digest_of_bytes(b"memfort/erased memory\x00" + space + b"\x00" + id.encode())


def digest_of_record(keys: Keys, id: str) -> str:
    """The digest of a person, a relation or an import in the list."""
    return keys.digest_of_bytes(b"memfort/erased record\x00" + id.encode())


def digests_of_changes(keys: Keys, changes: Iterable[Change]) -> list[str]:
    """The digests of everything that these changes remove physically."""
    return [found for change in changes if (found := _digest(keys, change)) is not None]


def _digest(keys: Keys, change: Change) -> str | None:
    match change:
        case Erase(space, id):
            return digest_of_memory(keys, space.id, id)
        case DropPerson(id) | DropRelation(id):
            return digest_of_record(keys, id)
        case DropSource(source):
            return digest_of_record(keys, source.id)
    return None


def digests_of_erasures(keys: Keys, erasures: Iterable[Erasure]) -> list[str]:
    """The digests of memories that a store's own records say were erased: for a list that is lost, or of another
    key."""
    return [digest_of_memory(keys, space, id) for erasure in erasures for space, id in erasure.items]


def append_lines(path: Path, keys: Keys, digests: Sequence[str], *, after: int, at: Moment | None) -> int:
    """Append digests durably; returns the number of the last line. `after` is the number that the store knows."""
    try:
        is_new = not path.exists()
        number = max(after, last_number(path))
        lines = []
        for first in range(0, len(digests), _DIGESTS_PER_LINE):
            number += 1
            line = _Line(number, keys.fingerprint, at, list(digests[first : first + _DIGESTS_PER_LINE]))
            lines.append(json.dumps(_document(line, line.sealed(keys)), separators=(",", ":")))
        _append(path, "".join(f"{line}\n" for line in lines).encode())
        if is_new:
            sync_directory(path.parent)
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise full() from error
        problem = f"the list of erased memories `{path}` cannot be written, so nothing was erased"
        raise StoreError(f"{problem}; check its permissions") from error
    return number


def _document(line: _Line, seal: str) -> dict[str, Any]:
    return {"number": line.number, "key": line.key, "at": line.at, "erased": line.erased, "seal": seal}


def _append(path: Path, lines: bytes) -> None:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            lines = b"\n" + lines  # a crash cut the last line off
        while lines:
            lines = lines[os.write(descriptor, lines) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def last_number(path: Path) -> int:
    """The highest number near the end of the list; 0 if there is none."""
    if not path.exists():
        return 0
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - 2 * _LONGEST_LINE_BYTES))
        lines = [_parse(text) for text in file.read().splitlines()]
    return max((line.number for line in lines if line is not None), default=0)


def read_list(path: Path, keys: Keys, after: int = 0) -> ErasedNames:
    """What a list says was erased after the line with this number."""
    digests: set[str] = set()
    lines = last = others = unreadable = 0
    for line in _lines(path):
        if line is None:
            unreadable += 1
            continue
        last = max(last, line.number)
        if line.number <= after:
            continue
        if line.key != keys.fingerprint:
            others += 1
        elif line.seal != line.sealed(keys):
            unreadable += 1
        else:
            lines += 1
            digests.update(line.erased)
    return ErasedNames(keys, frozenset(digests), lines, last, others, unreadable)


def _lines(path: Path) -> Iterator[_Line | None]:
    if not path.exists():
        return
    with path.open("rb") as file:
        for text in file:
            if text.strip():
                yield _parse(text)


def _parse(text: bytes) -> _Line | None:
    try:
        found = json.loads(text)
        line = _Line(found["number"], found["key"], found["at"], found["erased"], found["seal"])
        is_well_formed = isinstance(line.number, int) and all(isinstance(one, str) for one in line.erased)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return line if is_well_formed else None
