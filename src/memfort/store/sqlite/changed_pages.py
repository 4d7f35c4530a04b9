"""Which pages of the file have changed since the last scrub, if that can be known for certain.

Whoever writes to the file, this program or another, writes to the log first, and a log that begins anew gets other
salts. A scrub ends with a commit into an empty log. As long as the log still has the salts of that commit, every page
that anybody has changed since is in the log; all other pages are as the scrub left them. If the log has begun anew,
nothing is known, and the next scrub looks at the whole file.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from msgspec import Struct

_LOG_HEADER_BYTES, _FRAME_HEADER_BYTES = 32, 24


class ScrubbedState(Struct, frozen=True):
    """The file as a scrub left it."""

    salts: bytes  # of the log that its commit began
    free_pages: frozenset[int]  # they were overwritten, and may not be in the log when they are free again


class _Log(Struct, frozen=True):
    salts: bytes
    pages: list[int]  # by frame
    ends_commit: list[bool]  # by frame
    content: bytes
    frame_bytes: int

    @property
    def first_commit(self) -> bytes:
        """The frames of the first transaction in the log."""
        frames = self.ends_commit.index(True) + 1 if True in self.ends_commit else 0
        return self.content[_LOG_HEADER_BYTES : _LOG_HEADER_BYTES + frames * self.frame_bytes]


def state_after_scrub(log: Path, mark: str, free_pages: frozenset[int]) -> ScrubbedState | None:
    """What is known after a scrub that has just committed this mark; `None` if the log does not begin with it."""
    found = _read(log)
    if found is None or mark.encode() not in found.first_commit:
        return None
    return ScrubbedState(found.salts, free_pages)


def pages_changed_since(state: ScrubbedState, log: Path) -> frozenset[int] | None:
    """The pages in the log, if it is still the one that the scrub began."""
    found = _read(log)
    return frozenset(found.pages) if found is not None and found.salts == state.salts else None


def _read(log: Path) -> _Log | None:
    content = log.read_bytes() if log.exists() else b""
    if len(content) < _LOG_HEADER_BYTES:
        return None
    salts, page_bytes = content[16:24], int.from_bytes(content[8:12], "big")
    frame_bytes = _FRAME_HEADER_BYTES + page_bytes
    count = (len(content) - _LOG_HEADER_BYTES) // frame_bytes
    frames = np.frombuffer(content, np.uint8, count * frame_bytes, _LOG_HEADER_BYTES).reshape(count, frame_bytes)
    headers = np.ascontiguousarray(frames[:, :16])
    is_current = (headers[:, 8:16] == np.frombuffer(salts, np.uint8)).all(axis=1)
    numbers = headers[is_current, :8].copy().view(">u4")  # the page, and the size of the file where a commit ends
    return _Log(salts, numbers[:, 0].tolist(), (numbers[:, 1] > 0).tolist(), content, frame_bytes)
