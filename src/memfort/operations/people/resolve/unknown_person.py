"""The id of an unknown person. It replaces a person in a memory whose readers may not know that person, or a person who
no longer exists. It is not left empty, because disclosure depends on whether a memory is about a person.
"""

from __future__ import annotations

from memfort.model.serialize.encoding import short_name
from memfort.model.space import Space


def unknown_person_id(space: Space, text: str) -> str:
    """An id that belongs to no person. It is derived from what its readers see, so that it reveals no person others
    know, and from one statement, so that two statements do not seem to be about the same person."""
    return short_name("per_", b"memfort/stranger\x00" + space.id + text.encode())
