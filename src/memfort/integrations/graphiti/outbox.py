"""What the mirror still has to do, in a file that survives a kill: ids, groups and places in the trail, and no words.

The trail of a store is written in the commit of each change. How far the mirror has read it, and which memories changed
there, is one line of this file, written through to the disk. A change is taken out only after the graph has it; one
that was interrupted is done again, and gives the same edge.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO, Self

import msgspec
from msgspec import Struct, field

_COMPACT_LINES = 10_000


class Mirrored(Struct, frozen=True, omit_defaults=True):
    """A memory that the graph has: its group and space, and the node that its edge leads to."""

    group: str
    space: dict[str, str]
    node: str


class _Line(Struct, omit_defaults=True):
    """One step. What it names last is what holds."""

    cursors: dict[str, int] = field(default_factory=dict)
    waiting: dict[str, dict[str, str]] = field(default_factory=dict)  # ids with their spaces
    done: list[str] = field(default_factory=list)
    mirrored: dict[str, Mirrored | None] = field(default_factory=dict)
    erased: list[str] = field(default_factory=list)  # their words may still be in the file of the graph
    written: list[str] = field(default_factory=list)  # into the file of the graph since it was made
    is_new_file: bool = False


class Outbox:
    """The file and what it says. One mirror at a time writes it."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.cursors: dict[str, int] = {}
        self.waiting: dict[str, dict[str, str]] = {}
        self.mirrored: dict[str, Mirrored] = {}
        self.written: set[str] = set()
        self.erased: set[str] = set()
        self._read()
        self._file, self._lines = self._compacted(), 1

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- steps ---------------------------------------------------------------------------------------------------------

    def take(self, cursors: Mapping[str, int], waiting: Mapping[str, dict[str, str]], erased: Iterable[str]) -> None:
        """Note what the trail says, and how far it was read."""
        gone = [id for id in erased if id in self.written]
        self._write(_Line(cursors=dict(cursors), waiting=dict(waiting), erased=gone))

    def about_to_write(self, ids: Iterable[str]) -> None:
        """Note whose words go into the graph now: from here on they may be in its file."""
        if new := [id for id in ids if id not in self.written]:
            self._write(_Line(written=new))

    def finish(self, mirrored: Mapping[str, Mirrored | None]) -> None:
        """Note that the graph has these memories, or has them no more."""
        self._write(_Line(done=list(mirrored), mirrored=dict(mirrored)))

    def made_anew(self, mirrored: Mapping[str, Mirrored]) -> None:
        """Note that the graph holds these alone, in a file that never held another."""
        gone: dict[str, Mirrored | None] = dict.fromkeys(self.mirrored)
        line = _Line(mirrored={**gone, **mirrored}, written=list(mirrored), is_new_file=True)
        self._write(line)

    def begin_anew(self) -> None:
        """Note that the graph has nothing any more: all that it had is to be brought again."""
        waiting = {id: one.space for id, one in self.mirrored.items()}
        self._write(_Line(waiting=waiting, mirrored=dict.fromkeys(self.mirrored), is_new_file=True))

    # -- the file ------------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        if not self.path.exists():
            return
        *lines, rest = self.path.read_bytes().split(b"\n")
        for line in lines:
            self._apply(msgspec.json.decode(line, type=_Line))
        if rest:  # a kill in the middle of a line: the step did not happen
            with self.path.open("r+b") as file:
                file.truncate(self.path.stat().st_size - len(rest))

    def _apply(self, line: _Line) -> None:
        if line.is_new_file:
            self.written.clear()
            self.erased.clear()
        self.cursors |= line.cursors
        self.waiting |= line.waiting
        self.written |= set(line.written)
        self.erased |= set(line.erased)
        for id in line.done:
            self.waiting.pop(id, None)
        for id, one in line.mirrored.items():
            if one is None:
                self.mirrored.pop(id, None)
            else:
                self.mirrored[id] = one

    def _write(self, line: _Line) -> None:
        if self._lines >= _COMPACT_LINES:
            self._file.close()
            self._file, self._lines = self._compacted(), 1
        self._file.write(msgspec.json.encode(line) + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._lines += 1
        self._apply(line)

    def _compacted(self) -> BinaryIO:
        """Write what holds as one line, in place of all steps, and open the file for more."""
        whole = _Line(self.cursors, self.waiting, [], dict(self.mirrored), sorted(self.erased), sorted(self.written))
        part = self.path.with_name(f"{self.path.name}.part")
        with part.open("wb") as file:
            file.write(msgspec.json.encode(whole) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        part.replace(self.path)
        return self.path.open("ab")
