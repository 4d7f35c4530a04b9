"""Somebody whom nobody knows: who takes the place of a person in a memory whose readers may not know who it is, or when
there is no such person any more. It is not left empty: who may hear a memory hangs on whether it is about somebody.
"""

from __future__ import annotations

from memfort.model.serialize.encoding import short_name
from memfort.model.space import Space


def unknown_person_id(space: Space, text: str) -> str:
    """An id that is nobody's. It is made of what its readers see, so that it tells nobody whom others know; and for one
    statement, so that two of them are not taken to be about the same person."""
    return short_name("per_", b"memfort/stranger\x00" + space.id + text.encode())
