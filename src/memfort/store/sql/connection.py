"""What an SQL engine has to bring: connections that run statements by name. `transactions.py` says what else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol


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

    def together(self, *asked: tuple[str, tuple[Any, ...]]) -> list[Any]:
        """The first row of each of these statements, or `None`: an engine on another machine asks them in one go."""

    def run(self, query: str, *values: Any) -> None: ...

    def many(self, query: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Run a statement once for each row of values."""

    def rows_of_many(self, query: str, rows: Iterable[tuple[Any, ...]]) -> list[Any]:
        """Run a statement once for each row of values; gives all rows that these return."""

    def add(self, query: str, *values: Any) -> int:
        """Add a row; gives its number. Raises `AlreadyThere`, and the transaction can go on."""

    def array(self, values: Iterable[Any]) -> Any:
        """A list of numbers, texts or digests as a statement takes it."""

    def number_array(self, values: Sequence[int]) -> Any:
        """A long list of numbers as a statement takes it, where `array` would cost too much."""


class WritingConnection(Connection, Protocol):
    """The connection of a write, in its transaction and under its locks."""

    def lock_at_once(self, keys: Sequence[bytes]) -> bool:
        """Take more locks, by their keys in this order, if nobody else holds any of them; says whether it has them. It
        never waits."""

    def count_changes(self) -> int:
        """How many rows this connection has changed so far; a number that it never had before if the transaction has
        been ended by an error."""

    def start_part(self) -> None:
        """Begin a part of the transaction that can be rolled back by itself; parts can be inside parts."""

    def end_part(self) -> None: ...

    def take_back_part(self) -> bool:
        """Roll back the part that was begun last; says whether the rest of the transaction can go on."""
