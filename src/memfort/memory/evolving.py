"""Knowledge evolves: which memories a statement is the news of. Who wins is decided as in any other conflict.

Looked for by words alone: those that state the same attribute, which the index knows, and those that say the same in
nearly the same words, which share its longest ones.
"""

from __future__ import annotations

from collections import Counter

from memfort.memory.describing import label_of_candidate
from memfort.memory.engine import Engine, slot_term
from memfort.model.hearing import label_of
from memfort.model.item import Candidate, Item, Kind, Sensitivity, is_live
from memfort.model.moment import Moment
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.policy.evolution import supersedes
from memfort.policy.slots import slot_of
from memfort.recall.words import text_terms

_LONGEST = 3  # words that are looked up; what says nearly the same shares all of them but one at most
_LOOKED_AT = 16  # memories that are compared in full, the best matches


def outdated(engine: Engine, sight: Sight, space: Space, candidate: Candidate, now: Moment) -> list[Item]:
    """The memories of the space that say what the statement says anew, about the same people."""
    conflict = engine.policy.conflict
    if not conflict.evolve or candidate.kind is not Kind.SEMANTIC:
        return []
    found = _alike(engine, sight.narrowed([space]), candidate, now)
    return [
        item
        for item in found
        if _is_about_the_same(item, candidate)
        and _is_heard_alike(item, candidate, space)
        and supersedes(candidate.text, item.text, threshold=conflict.similarity).supersedes
    ]


def _alike(engine: Engine, here: Sight, candidate: Candidate, now: Moment) -> list[Item]:
    slot = slot_of(candidate.text)
    marks = [] if slot is None else [slot_term(slot)]
    longest = sorted(text_terms(candidate.text), key=lambda word: (-len(word), word))[:_LONGEST]
    shared: Counter[int] = Counter()
    for shelf in engine.store.shelves(here, [*marks, *longest], now):
        for mark in marks:
            shared.update({handle: _LONGEST for handle, _, _ in shelf.postings.get(mark, ())})
        for word in longest:
            shared.update(handle for handle, _, _ in shelf.postings.get(word, ()))
    enough = max(len(longest) - 1, 1)
    best = sorted((handle for handle, count in shared.items() if count >= enough), key=lambda one: (-shared[one], -one))
    items = engine.store.opened(here, best[:_LOOKED_AT])
    return [item for item in items.values() if is_live(item, now) and item.kind is Kind.SEMANTIC]


def _is_about_the_same(item: Item, candidate: Candidate) -> bool:
    same_readers = item.readers == candidate.readers
    mine, theirs = set(candidate.subjects), set(item.subjects)
    return same_readers and (bool(mine & theirs) or not (mine or theirs))


def _is_heard_alike(item: Item, candidate: Candidate, space: Space) -> bool:
    """Whether all who may hear the old one may hear the new. In one's own space that is oneself."""
    if space.is_private:
        return True
    public = (item.sensitivity, candidate.sensitivity or Sensitivity.PUBLIC) == (Sensitivity.PUBLIC,) * 2
    return public or label_of(item) == label_of_candidate(candidate)
