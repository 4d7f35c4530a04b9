"""Chat histories: people talk in chats, and the purge test watches one chat.

Three parties act. A party here is a role in the proof, not a person:

* **bea** (`OBSERVER`) is the user bea in one chat. Her answers there are compared.
* **hidden** is everything the chat must not notice, whoever does it: ada, cleo, and bea herself in other chats. Bea may
  see some of it from elsewhere; this chat must not.
* **others** is everything else that people say, whether the chat may hear it or not. It is never left out, so it must
  not depend on what the hidden party did.

Played again without the hidden party, a history must give bea, in her chat, the same bytes. Two predicates decide what
the hidden party may do: `HistoryState._is_hidden` for statements and `HistoryState._may_add_person` for people. Both
use the rules of `memfort.testing.chat_histories.listener`.

People are known by name as well. The others and bea add them to the directory, which everyone may notice; the hidden
party adds people only where the chat does not know them, and changes only those.
"""

from __future__ import annotations

import random

from memfort.testing.chat_histories.difference import compare_in_chat, difference_in_chat, without_tags_out_of_sight
from memfort.testing.chat_histories.generator import Generator
from memfort.testing.chat_histories.words import HIDDEN, OBSERVER
from memfort.testing.histories import History

__all__ = [
    "HIDDEN",
    "OBSERVER",
    "compare_in_chat",
    "difference_in_chat",
    "generate_chat_history",
    "without_tags_out_of_sight",
]


def generate_chat_history(seed: int, length: int = 32) -> History:
    """The chat history of a seed: always the same one."""
    return Generator(random.Random(seed)).history(seed, length)
