"""Whom a query names, as the asker knows them. A name is looked up for the asker and is no word of a memory: fewer may
know what somebody is called than may read what is said of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from memfort.memory.engine import Engine
from memfort.memory.people.meaning import find
from memfort.model.actor import Standpoint
from memfort.model.person import called, normal_name
from memfort.model.sight import Sight
from memfort.policy.people import RELATIONSHIPS, is_shown
from memfort.recall.asked import Asked
from memfort.recall.features import NOBODY, About
from memfort.recall.words import is_telling, words_of

Concerning = Callable[[Sequence[str]], Sequence[int]]  # the handles of memories about persons
_MOST_WORDS = 64
_WORD = re.compile(r"[^\W_]+")


def whom(engine: Engine, standpoint: Standpoint, sight: Sight, asked: Asked, concerning: Concerning) -> About:
    """The memories about those whom a query names, and the words by which it does."""
    if not engine.store.knows_people(sight):
        return NOBODY
    words = [word for word in _WORD.findall(asked.text)[:_MOST_WORDS] if _may_name(word, asked)]
    names = {normal_name(name) for name in (*words, *map(" ".join, pairwise(words)))}
    found = [person for person in engine.store.named(sight, *sorted(names)) if is_shown(sight, person)]
    named_by = {name for person in found for name in called(person) & names}
    persons = {person.id for person in found} | {person.merged_into for person in found if person.merged_into}
    if asked.is_about_asker:
        for term in names & RELATIONSHIPS:
            own = find(engine, standpoint, term)
            persons |= {person.id for person in own}
            named_by |= {term} if own else set()
    if not persons:
        return NOBODY
    return About(
        frozenset(concerning(sorted(persons))), frozenset(word for name in named_by for word in words_of(name))
    )


def _may_name(word: str, asked: Asked) -> bool:
    return any(is_telling(one, asked.tongues) for one in words_of(word))
