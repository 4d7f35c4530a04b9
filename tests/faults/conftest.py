"""Folders on a disk, which a store waits for as it does at a user's: here this is what is tested. And the disk that can
be watched and made to fail."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from fault_support import build_disk, end_workers


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest) -> Iterator[Path]:
    """Removed if the test passes, as all temporary folders are."""
    folder, failed = Path(tempfile.mkdtemp(prefix="memfort-faults-")), request.session.testsfailed
    yield folder
    end_workers()
    if request.session.testsfailed == failed:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def disk() -> Iterator[Path]:
    """Compiled once. It is a program, and no program may run out of memory that is shared where that is mounted so."""
    with tempfile.TemporaryDirectory(prefix="memfort-disk-") as folder:
        yield build_disk(Path(folder))
