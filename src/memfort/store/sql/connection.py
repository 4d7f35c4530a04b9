"""What an SQL engine has to bring: a connection that runs statements by name, and the transactions around them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:  # they are made of connections
    from memfort.store.sql.writing.buffer import WriteBuffer
    from memfort.store.sql.writing.counters import Counters
    from memfort.store.sql.writing.numbers import Numbers


class AlreadyThere(Exception):
    """A row that is to be added is there already."""


class Connection(Protocol):
    """Runs the statements of the engine's `queries.sql`, each by its name."""

    def rows(self, query: str, *values: Any) -> list[Any]:
        """All rows at once: a statement that is left half read would go on holding its view of the store."""

    def each(self, query: str, *values: Any) -> Iterator[Any]:
        """One row after the other, for who may not need them all."""

    def row(self, query: str, *values: Any) -> Any:
        """The first row, or `None`."""

    def scalar(self, query: str, *values: Any) -> Any:
        """The first column of the first row, or `None`."""

    def run(self, query: str, *values: Any) -> None: ...

    def many(self, query: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Run a statement once for each row of values."""

    def rows_of_many(self, query: str, rows: Iterable[tuple[Any, ...]]) -> list[Any]:
        """Run a statement once for each row of values; gives all rows that these return."""

    def add(self, query: str, *values: Any) -> int:
        """Add a row; gives its number. Raises `AlreadyThere`."""

    def array(self, values: Iterable[Any]) -> Any:
        """A list of numbers, texts or digests as a statement takes it."""

    def number_array(self, values: Sequence[int]) -> Any:
        """A long list of numbers as a statement takes it, where `array` would cost too much."""


class Connections(Protocol):
    """A connection for each thread that reads, and one that writes."""

    numbers: Numbers
    counters: Counters
    buffer: WriteBuffer

    def current(self) -> Connection:
        """The connection that this thread reads with: the writer's while it writes, so that it sees its own work."""

    def without_counters(self) -> Connection:
        """The same for statements that read no counter and nothing that the write buffer holds: in the middle of a
        write those may not be written yet."""

    def current_writer(self) -> Connection | None:
        """The connection of the write that this thread is in the middle of, if it is in one; uncounted, as above."""

    @property
    def is_writing(self) -> bool:
        """Whether this thread is in the middle of a write, and so sees what may yet be taken back."""

    def version(self) -> int | None:
        """Moves when another connection has written, as far as this thread's view shows it; `None` inside a write."""

    def reading(self) -> AbstractContextManager[None]: ...
    def writing(self) -> AbstractContextManager[None]: ...

    def undivided(self, work: Callable[[Connection], None]) -> None:
        """Do a part of a write that fails either before it has changed anything, or for good and all."""

    def translate_errors(self) -> AbstractContextManager[None]:
        """Raises the engine's errors as errors of `memfort.errors`."""
