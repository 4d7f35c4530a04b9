"""Room stories: histories in which people talk in chats, for a purge test of one room.

Three parties act, and here a party is not a person but a place in the proof:

* **bea** is the user bea in one room. What she is told there is compared.
* **apart** is everything that is not for that room, whoever does it: ada, cleo, and bea herself in other rooms. Some of
  it bea would see from elsewhere; this room must not notice.
* **between** is everything else that people say, which the room may hear or not. It is never left out, so nothing that
  between does may hang on what was done apart.

So a story played again without what was done apart must give bea, in her room, the same bytes. What may be done apart
is decided in two places: `Book._is_apart` for statements and `Book._may_make` for persons, by the rules in
`memfort.testing.rooms`.

People are known by name as well. Between and bea enter them in the directory, which all may notice; apart, they are
made only where the room does not know of them, and only persons of that kind are changed there.
"""

from __future__ import annotations

import random

from memfort.testing.histories import History
from memfort.testing.room_stories.difference import room_compared, room_difference, without_files
from memfort.testing.room_stories.words import APART, OBSERVER
from memfort.testing.room_stories.writer import Writer

__all__ = ["APART", "OBSERVER", "generate_room", "room_compared", "room_difference", "without_files"]


def generate_room(seed: int, length: int = 32) -> History:
    """The room story of a seed: always the same one."""
    return Writer(random.Random(seed)).history(seed, length)
