"""The SQLite file of a LangGraph store as a file of an archive."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import convert

from memfort.capture.importers.archive import ArchiveFile
from memfort.capture.importers.langgraph import PLATFORM, SQLITE, StoreRow, read_langgraph
from memfort.capture.importers.record import Imported
from memfort.capture.importers.shapes import Shape
from memfort.operations.transfer.archive_files import ArchivedFile
from memfort.store.opening import has_store_table, store_rows

MAX_UNPACKED_BYTES = 128 * 1024 * 1024  # of a database that is not a file of this machine by itself


def langgraph_shape(file: ArchivedFile) -> Shape | None:
    """The shape of a file that is a LangGraph store; nothing for any other."""
    if next(file.chunks(), b"")[: len(SQLITE)] != SQLITE:
        return None
    contents = _contents(file)
    if contents is None or not has_store_table(contents):
        return None
    return Shape(PLATFORM, lambda one: _read(one, file))


def _contents(file: ArchivedFile) -> bytes | Path | None:
    if file.path is not None:
        return file.path
    return b"".join(file.chunks()) if file.size <= MAX_UNPACKED_BYTES else None


def _read(shown: ArchiveFile, file: ArchivedFile) -> Iterator[Imported]:
    contents = _contents(file)
    assert contents is not None
    yield from read_langgraph(shown, (convert(row, StoreRow) for row in store_rows(contents)))
