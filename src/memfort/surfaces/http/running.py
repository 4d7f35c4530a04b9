"""Which requests are being carried out now, by any worker of the server. A request that takes several commits is noted
before it begins; if it comes again, this tells one that still runs from one whose process ended."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # no such locks on this platform: no request is known to run
    fcntl = None  # type: ignore[assignment]


@contextmanager
def carry_out(key: bytes) -> Iterator[bool]:
    """Whether nobody carries out the request with this key; if so, the caller does until the end of the block. The
    system lets go of the lock of a process that ends. `key` is a keyed digest: nobody else can name the file."""
    if fcntl is None:
        yield True
        return
    path = Path(tempfile.gettempdir(), f"memfort-running-{key.hex()}")
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError:  # a full disk keeps nobody from erasing
        yield True
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        try:
            yield True
        finally:
            with suppress(OSError):
                path.unlink()
    finally:
        os.close(descriptor)
