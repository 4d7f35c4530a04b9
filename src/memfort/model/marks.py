"""By what a statement is found again when there is news of it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct


class Marks(Struct, frozen=True, gc=False):
    """The words that a statement says, in whatever order, and the attribute whose value it gives. Of each person it is
    about it is marked apart."""

    words: tuple[str, ...]
    attribute: str | None = None
    persons: tuple[str, ...] = ()  # nobody in particular, if there is none
    is_news_of_less: bool = False  # also of what says all of the words but one

    def about(self, persons: Sequence[str]) -> Marks:
        """The same of a statement about these persons."""
        return Marks(self.words, self.attribute, tuple(persons), self.is_news_of_less) if persons else self

    @property
    def count(self) -> int:
        """How many marks those are of one statement."""
        return (1 if self.attribute is None else 2) * (len(self.persons) or 1)
