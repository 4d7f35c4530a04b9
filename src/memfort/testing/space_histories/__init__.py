"""Space histories: several users work in private and shared spaces, for the purge test of one user.

Three parties act, each in several voices (a user at different places, the user's agents):

* **ada** does everything out of bea's sight: in her own spaces, whose names resemble bea's and whose sessions have the
  same names; and in spaces shared with bea, where she only reads, or writes for readers that bea is not among. And she
  tries what is denied to her: bea's memories, bea's spaces.
* **bea** does everything she may, and tries what she may not: ada's ids, ada's words, ada's places.
* **cleo** shares spaces with both. What she does never depends on what ada did, because she may pass it on to bea.

So a history played again without ada must give bea the same bytes. The system acts too; clock steps and upkeep
belong to no party. One rule, `Cast.bea_sees`, keeps ada out of bea's sight; the few exceptions are explained in place.
"""

from __future__ import annotations

import random

from memfort.testing.histories import History
from memfort.testing.space_histories.generator import Generator

__all__ = ["generate_history"]


def generate_history(seed: int, length: int = 32) -> History:
    """The history of a seed: always the same one."""
    return Generator(random.Random(seed)).history(seed, length)
