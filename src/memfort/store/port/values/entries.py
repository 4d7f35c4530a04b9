"""What a memory is found by: its entry in the index."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from memfort.language.concepts import CONCEPT
from memfort.model.item import ChangeKeys, Item

# The version of how words and change keys are made from a text. Raise it when `language/words.py`,
# `store/port/values/change_keys.py` or the way `capture/turns.py` finds a speaker changes: a store compares it with the
# version its index was written with, and so knows that the index is old.
ANALYZER = "words-9"
BALLAST_BYTES = 4 * 1024 * 1024  # set aside in the file system, so that an erasure works on a full disk


class Entry(Struct, frozen=True, gc=False):
    """The index entry of a memory. It is made from the memory, and can be made from it again at any time."""

    terms: Mapping[str, int]  # words and how often each occurs
    change_keys: ChangeKeys | None = None  # by which a newer statement finds the one it replaces
    speaker: str = ""  # who said it, by the name that a query would use
    day: int = 0  # on which it was said, and that of its event: see `pack_days`
    in_talk: bool = False  # whether those written before and after it are of the same conversation
    name: str = ""  # its id, if others may be linked with it
    turn: str = ""  # the id of the turn that it is, or that it was taken from
    may_replace: str = ""  # the id of an older memory that it may replace
    traits: int = 0  # flags about the text that need no understanding of it
    vector: bytes = b""  # the embedding: the embedder's tag, then signed bytes

    @property
    def length(self) -> int:
        """How many words it has: what it is about is no word of it."""
        return sum(count for term, count in self.terms.items() if term[:1] != CONCEPT)


def pack_days(said: int, event: int = 0) -> int:
    """The day on which a memory was said and the day of its event, which is 0 if nothing says it, as one number."""
    return said | event << _DAY_BITS


def unpack_days(packed: Any) -> tuple[Any, Any]:
    """Both of one number, or of a column of them."""
    return packed & _DAY_MASK, packed >> _DAY_BITS


_DAY_BITS = 22  # enough for every ordinal number of a day until the year 9999
_DAY_MASK = (1 << _DAY_BITS) - 1

EntryOf = Callable[[Item], Entry | None]
Progress = Callable[[int, int], None]  # how many are done, of how many
