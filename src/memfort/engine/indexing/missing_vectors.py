"""Memories without a vector of the embedder in use, which are found only by their words: after the embedder or its
vector length changed, or while it was unavailable. Texts for which it returns no vector are not counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memfort.engine.engine import Engine
from memfort.policy.sight import maintenance_sight

if TYPE_CHECKING:
    from memfort.store.port.values.columns import Columns


def count_missing_vectors(engine: Engine) -> int:
    """How many there are in the whole store; none where no embedder is in use."""
    if not engine.embedding.tag:
        return 0
    return sum(len(engine.unembedded(maintenance_sight([space]))) for space in engine.store.spaces())


def note_missing_vectors(engine: Engine, columns: Sequence[Columns]) -> None:
    """Note for a recall how many of its memories lack a vector."""
    if not engine.embedding.tag or engine.embedding.has_noted:  # a failing embedder is noted already
        return
    total, lacking = sum(one.count for one in columns), sum(one.once("lacking", _lacking) for one in columns)
    if lacking:
        said = f"{lacking} of {total} memories" if lacking < total else "all memories"
        engine.embedding.note(f"{said} found by words alone: no vector of `{engine.embedding.name}`; run `reembed`")


def _lacking(columns: Columns) -> int:
    return int((columns.lacking & columns.shown).sum())
