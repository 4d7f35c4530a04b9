"""One way to write a value as bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memfort.model.serialize.encoding import canonical_json, canonical_list

_PLAIN = st.text() | st.integers()


@given(st.lists(_PLAIN | st.lists(_PLAIN)))
def test_a_list_of_texts_and_numbers_is_written_as_anything_else_is(value):
    assert canonical_list(value) == canonical_json(value)


def test_every_letter_is_written_alike():
    letters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    assert canonical_list(letters) == canonical_json(letters)
    assert len(canonical_list(letters)) > len(letters)
