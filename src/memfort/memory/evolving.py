"""Knowledge evolves: which memories a statement is the news of. Who wins is decided as in any other conflict.

The index has a mark for every statement of one attribute, and for what each says without how, so that they are found
without reading anything else.
"""

from __future__ import annotations

from memfort.memory.describing import label_of_candidate
from memfort.memory.engine import Engine
from memfort.model.hearing import label_of
from memfort.model.item import Candidate, Item, Kind, Sensitivity, is_live
from memfort.model.marks import Marks
from memfort.model.moment import Moment
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.policy.evolution import supersedes

_LOOKED_AT = 64  # memories that are compared in full, the newest


def outdated(
    engine: Engine, sight: Sight, space: Space, candidate: Candidate, marks: Marks, now: Moment
) -> list[Item]:  # fmt: skip
    """The memories of the space that say what the statement says anew, about the same people."""
    conflict = engine.policy.conflict
    if not conflict.evolve:
        return []
    found = _alike(engine, sight, space, candidate, marks, now)
    return [
        item
        for item in found
        if _is_about_the_same(item, candidate)
        and _is_heard_alike(item, candidate, space)
        and supersedes(candidate.text, item.text, threshold=conflict.similarity).supersedes
    ]


def _alike(
    engine: Engine, sight: Sight, space: Space, candidate: Candidate, marks: Marks, now: Moment
) -> list[Item]:  # fmt: skip
    about = marks.about(candidate.subjects)
    found = engine.store.marked(sight, space, candidate.readers, about, _LOOKED_AT)
    return [item for item in found if is_live(item, now) and item.kind is Kind.SEMANTIC]


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
