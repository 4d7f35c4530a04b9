"""What number of a copy stands for which of its source.

Each engine numbers spaces, partitions and memories as it likes. What they mean is the same in both: a space has its
digest, a partition its readers and audience, a memory its id. So the numbers are looked up and never kept, and a copy
that was interrupted finds them again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import cached_property
from typing import Any

from memfort.store.sql.connection import Connection
from memfort.store.sql.index.entries import all_rows
from memfort.trail.keys import Keys


class StoreNumbers:
    """What the numbers of one store mean. Each kind is read when it is first asked for, which is once it is
    there."""

    def __init__(self, keys: Keys, connection: Callable[[], Connection]) -> None:
        self.keys = keys
        self._connection = connection

    @cached_property
    def spaces(self) -> Mapping[int, Hashable]:
        return {0: b"", **{no: bytes(id) for no, id, _ in self._connection().rows("all_spaces")}}

    @cached_property
    def groups(self) -> Mapping[int, Hashable]:
        rows = self._connection().rows("partition_groups")
        return {no: (self._space(space), readers, person) for no, space, readers, person in rows}

    @cached_property
    def partitions(self) -> Mapping[int, Hashable]:
        rows: list[Any] = self._connection().rows("all_partitions")
        return {0: 0, **{no: (self.spaces[space], *name) for no, space, *name, _, _ in rows}}

    @cached_property
    def disclosed(self) -> Mapping[int, Hashable]:
        rows: list[Any] = self._connection().rows("all_disclosed_partitions")
        named = {no: (person, self.spaces[space], *name) for no, person, space, *name, _, _ in rows}
        return {0: 0, **named}

    @cached_property
    def items(self) -> Mapping[int, Hashable]:
        return {row[0]: (self.spaces[row[1]], row[2]) for row in all_rows(self._connection())}

    @cached_property
    def chains(self) -> Mapping[int, Hashable]:
        return {no: (kind, bytes(key)) for no, kind, key, *_ in self._connection().rows("all_chains")}

    @cached_property
    def groups_of_partitions(self) -> Mapping[int, int]:
        return {row[0]: row[4] for row in self._connection().rows("all_partitions")}

    def is_of_person(self, group: int) -> bool:
        """Whether a partition group holds what may be disclosed to a person."""
        return self.groups[group][2] is not None  # type: ignore[index]  # a triple

    def _space(self, number: int | None) -> Hashable:
        return None if number is None else self.spaces[number]


class Numbers:
    """The numbers of a source, in its copy."""

    def __init__(self, source: StoreNumbers, target: StoreNumbers) -> None:
        self.source, self.target = source, target

    @cached_property
    def spaces(self) -> Mapping[int, int]:
        return _joined(self.source.spaces, self.target.spaces)

    @cached_property
    def groups(self) -> Mapping[int, int]:
        return _joined(self.source.groups, self.target.groups)

    @cached_property
    def partitions(self) -> Mapping[int, int]:
        return _joined(self.source.partitions, self.target.partitions)

    @cached_property
    def disclosed(self) -> Mapping[int, int]:
        return _joined(self.source.disclosed, self.target.disclosed)

    @cached_property
    def items(self) -> Mapping[int, int]:
        return _joined(self.source.items, self.target.items)

    @cached_property
    def chains(self) -> Mapping[int, int]:
        return _joined(self.source.chains, self.target.chains)


def _joined(source: Mapping[int, Hashable], target: Mapping[int, Hashable]) -> dict[int, int]:
    numbers = {name: number for number, name in target.items()}
    return {number: numbers[name] for number, name in source.items() if name in numbers}
