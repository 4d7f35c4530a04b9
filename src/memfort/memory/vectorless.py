"""Memories without a vector of the embedder in use, which only their words find: after another was chosen, or while it
could not be asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memfort.memory.engine import Engine
from memfort.model.sight import Sight
from memfort.policy.sight import maintenance_sight

if TYPE_CHECKING:
    from memfort.store.columns import Columns

_GLANCE = 8  # the first numbers of a vector; if they are all zero, the rest is looked at too


def vectorless(engine: Engine) -> int:
    """How many there are in the whole store; none where no embedder is in use."""
    if not engine.meaning.mark:
        return 0
    return sum(_without(engine, maintenance_sight([space])) for space in engine.store.spaces())


def note_vectorless(engine: Engine, sight: Sight, columns: Sequence[Columns]) -> None:
    """Note for a recall how many of those it looks at there are. The embedder that ships with the package has no
    vector for some texts either, so where it is in use the store is asked, and only if no memory seems to have one."""
    if not engine.meaning.mark or engine.meaning.has_noted:  # what could not be asked is told already
        return
    total, gaps = sum(one.count for one in columns), sum(one.once("gaps", _gaps) for one in columns)
    if engine.meaning.is_quick:
        gaps = _without(engine, sight) if 0 < gaps == total else 0
    if gaps:
        said = f"{gaps} of {total} memories" if gaps < total else "all memories"
        engine.meaning.note(f"{said} found by words alone: no vector of `{engine.meaning.name}`; run `reembed`")


def _without(engine: Engine, sight: Sight) -> int:
    return len(engine.store.unembedded(sight, engine.meaning.mark))


def _gaps(columns: Columns) -> int:
    vectors = columns.vectors
    empty = columns.shown & ~vectors[:, :_GLANCE].any(axis=1)
    return int((~vectors[empty].any(axis=1)).sum())
