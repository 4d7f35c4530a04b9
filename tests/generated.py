"""How many generated histories a test plays, and which: the first half is recorded and the same in every run, and the
second is fresh, taken from the digest of `src/` and `tests/`.

A digest says nothing about commits: the same files give the same histories before and after one. A run says which
digest it had; `MEMFORT_TEST_FRESH` set to it plays the same histories again, also on other files.
`MEMFORT_TEST_HISTORIES=2000` plays many instead of few, and more or fewer in proportion.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
FRESH, HISTORIES = "MEMFORT_TEST_FRESH", "MEMFORT_TEST_HISTORIES"
AT_ONCE = 200  # histories in one test, at most


@dataclass(frozen=True)
class Seeds:
    """The numbers of the histories that one test plays."""

    numbers: range
    fresh: bool

    def __iter__(self) -> Iterator[int]:
        return iter(self.numbers)

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def show_everything(self) -> bool:
        """Whether a test may demand that something happens in these histories: in recorded ones it happens in every run
        or in none, and in few fresh ones it may be missing by chance."""
        return not self.fresh or len(self) >= AT_ONCE


def half_fresh(short: int, long: int, *, first: int = 0) -> Any:
    """Parameters of tests, each with `Seeds`: of `short` histories in all, or of `long` in the long mode. The recorded
    ones begin at the number `first`."""
    wanted = os.environ.get(HISTORIES)
    count = max(round(long * int(wanted) / 2_000), 2) if wanted else short
    halves = {"recorded": range(first, first + count - count // 2)}
    halves["fresh"] = range(fresh_number() + first, fresh_number() + first + count // 2)
    return [
        pytest.param(Seeds(part, name == "fresh"), id=f"{name}-{number}", marks=_marks(name))
        for name, numbers in halves.items()
        for number, part in enumerate(_parts(numbers))
    ]


def _marks(name: str) -> Any:
    return [pytest.mark.fresh] if name == "fresh" else []


def _parts(numbers: range) -> list[range]:
    """Parts of about one size, so that several processes can share them."""
    count = -(-len(numbers) // AT_ONCE)
    return [numbers[len(numbers) * part // count : len(numbers) * (part + 1) // count] for part in range(count)]


def fresh_number() -> int:
    """The number before all recorded ones, of the fresh histories of this run."""
    return int(fresh_digest(), 16) * 10_000_000


@cache
def fresh_digest() -> str:
    """What the fresh histories of this run are taken from."""
    return os.environ.get(FRESH) or digest_of_the_code(ROOT)


def digest_of_the_code(root: Path) -> str:
    """Seven digits of the digest of every file in `src/` and `tests/`, but for what Python compiled and hidden ones."""
    read = sha256()
    for folder in ("src", "tests"):
        for file in sorted((root / folder).rglob("*")):
            path = file.relative_to(root)
            if file.is_file() and not any(part == "__pycache__" or part.startswith(".") for part in path.parts):
                for part in (str(path).encode(), file.read_bytes()):
                    read.update(len(part).to_bytes(8, "big") + part)
    return read.hexdigest()[:7]
