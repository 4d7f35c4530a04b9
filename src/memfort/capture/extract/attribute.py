"""The attribute that a short statement gives a value: "my editor" of "My editor is vim", where somebody lives."""

from __future__ import annotations

from msgspec import Struct

from memfort.capture.extract.rules import rules_for
from memfort.language.slots import find_slot

_LONGEST = 80  # characters; a longer statement says more
_MOST_WORDS = 3  # of a value
_SIGNS_OF_A_WORD = 2


class Attribute(Struct, frozen=True):
    name: tuple[str, ...]  # with whose it is
    value: str

    def has_another_value(self, other: Attribute) -> bool:
        return self.name == other.name and self.value != other.value


def attribute_of(text: str) -> Attribute | None:
    if len(text) > _LONGEST:
        return None
    said = text.strip(_MARKS)
    if (slot := find_slot(said)) is not None:
        return Attribute((slot.attribute, *slot.subject), slot.value)
    rules = rules_for(said)
    folded = rules.fold(said)
    found = rules.being.search(folded)
    if found is None or rules.own.match(folded) is None or rules.negation.search(folded):
        return None
    value = folded[found.end() :].strip()
    size = len(value.split()) if rules.is_spaced else len(value) // _SIGNS_OF_A_WORD
    return Attribute((folded[: found.start()].strip(),), value) if value and size <= _MOST_WORDS else None


_MARKS = " .!。！"
