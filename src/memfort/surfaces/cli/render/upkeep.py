"""Answers of the verbs of upkeep."""

from __future__ import annotations

from msgspec.structs import asdict

from memfort.model.results import Reembedding, Reindexed, StoreInfo
from memfort.model.value import count_noun
from memfort.operations.table import Operation
from memfort.surfaces.cli.render.rendered import Rendered, Renderers


def _store_info(_: Operation, info: StoreInfo) -> Rendered:
    document = {name: value for name, value in asdict(info).items() if value is not None}
    return Rendered(document, [f"{name.replace('_', ' ')}: {value}" for name, value in document.items()])


def _reindexed(_: Operation, done: Reindexed) -> Rendered:
    vectors = "without vectors" if done.embedder == "none" else f"with new vectors of `{done.embedder}`"
    return Rendered(asdict(done), [f"indexed {count_noun(done.memories, 'memory')}, {vectors}"])


def _reembedding(_: Operation, found: Reembedding) -> Rendered:
    document = {"embedder": found.embedder, "memories": found.done, "of": found.total, "refused": found.refused}
    line = f"embedded {count_noun(found.done, 'memory')} with `{found.embedder}`"
    if found.embedder == "none":
        line = f"took the vector out of {count_noun(found.done, 'memory')}"
    return Rendered(document, [line + (f"; it would not take {found.refused}" if found.refused else "")])


RENDERERS: Renderers = {
    StoreInfo: _store_info,
    Reindexed: _reindexed,
    Reembedding: _reembedding,
}
