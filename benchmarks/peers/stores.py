"""The material of one size, and the external view of a store: its size on disk, and remains of deleted texts."""

from __future__ import annotations

import mmap
import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from benchmarks.peers.driver import BATCH
from benchmarks.peers.embedding import cost, embedded
from benchmarks.peers.lives import MANNERS, OWN_WORDS, new_statements, statements
from benchmarks.peers.material import EXTRA, FAREWELLS, MEMORIES, QUESTIONS, Text, write
from benchmarks.speed.stores import name_of

VISIBLE = 1000  # to each user, or a tenth of the store if that is less
ASKING = 10  # users at most, in turn, without those who are deleted
LEAVING = 3  # users, the last ones
CANARIES = 10


@dataclass(frozen=True, slots=True)
class Size:
    """How many memories there are, over how many users."""

    memories: int

    @property
    def each(self) -> int:
        return min(VISIBLE, self.memories // 10)

    @property
    def users(self) -> int:
        return self.memories // self.each


def prepare(folder: Path, size: Size, questions: int, additions: int) -> dict[str, Any]:
    """The texts and questions for a store of this size, the same for the same size. Returns the cost of embedding."""
    leaving = range(size.users - LEAVING, size.users)
    asking = range(min(ASKING, leaving.start))
    chance = random.Random(size.memories)
    memories = [text for user in range(size.users) for text in said(user, size)]
    asked = list(islice(_asked(asking, size, chance), questions))
    _keep(folder, MEMORIES, memories)
    _keep(folder, QUESTIONS, asked)
    _keep(folder, FAREWELLS, list(islice(_asked(leaving, size, chance, [OWN_WORDS]), LEAVING)))
    new = zip(cycle(asking), new_statements(additions), strict=False)
    _keep(folder, EXTRA, [Text(name_of(user), f"new-{number}", text) for number, (user, text) in enumerate(new)])
    return cost([one.text for one in asked], [one.text for one in memories[:BATCH]])


def said(user: int, size: Size) -> Iterator[Text]:
    """The statements of a user. Users may repeat each other; statements of users who will be deleted carry a mark, so
    that they can be found in the files."""
    mark = f", as {name_of(user)} noted on page {{}}" if user >= size.users - LEAVING else ""
    for number, one in enumerate(statements(user, size.each)):
        yield Text(name_of(user), f"{name_of(user)}-{number}", one.text + mark.format(number))


def _asked(
    users: Sequence[int], size: Size, chance: random.Random, manners: Sequence[str] = MANNERS
) -> Iterator[Text]:  # fmt: skip
    """Questions of one user after the other, each about one of the user's memories."""
    known = {user: statements(user, size.each) for user in users}
    for user in cycle(users):
        number, manner = chance.randrange(size.each), chance.choice(manners)
        yield Text(name_of(user), f"{name_of(user)}-{number}", known[user][number].asked[manner], manner)


def _keep(folder: Path, name: str, texts: Sequence[Text]) -> None:
    said = [text.text for text in texts]
    vectors = b"".join(embedded(said[first : first + BATCH]).tobytes() for first in range(0, len(said), BATCH))
    write(folder, name, texts, vectors)


def disk_megabytes(folder: Path) -> float:
    return round(sum(file.stat().st_size for file in _files(folder)) / 1e6, 1)


def drop_from_cache(folder: Path) -> None:
    """Drop a closed store's files from the operating system's cache."""
    for file in _files(folder):
        with file.open("rb") as opened:
            os.fsync(opened.fileno())
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def canaries(size: Size) -> list[str]:
    """Some texts of the last user, who is deleted. No other user has them."""
    return [text.text for text in islice(said(size.users - 1, size), CANARIES)]


def readable(folder: Path, texts: Sequence[str]) -> int:
    """How many of these texts are in the bytes of the files, whole and unchanged."""
    wanted = {text.encode() for text in texts}
    found: set[bytes] = set()
    for file in _files(folder):
        if file.stat().st_size:
            with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as content:
                found |= {text for text in wanted - found if content.find(text) >= 0}
    return len(found)


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]
