"""Answers of the verbs of upkeep."""

from __future__ import annotations

from msgspec.structs import asdict

from memfort.model.results import BackupReport, Reembedding, Reindexed, Relearned, SensitivityProgress, StoreInfo
from memfort.model.value import count_noun
from memfort.operations.table import Operation
from memfort.surfaces.cli.render.rendered import Rendered, Renderers


def _store_info(_: Operation, info: StoreInfo) -> Rendered:
    known = {name: value for name, value in asdict(info).items() if value is not None}
    return Rendered([f"{name.replace('_', ' ')}: {value}" for name, value in known.items()])


def _backup(_: Operation, made: BackupReport) -> Rendered:
    line = f"wrote and checked {made.path}: {count_noun(made.memories, 'memory')}, {made.bytes} bytes"
    note = (
        f"THE KEY IS IN THIS FILE: whoever has {made.path} can read and forge everything; guard it like the store"
        if made.with_key
        else f"it is without the key {made.key}; keep the store's `.key` file too, apart from it"
    )
    return Rendered([line], (note,))


def _reindexed(_: Operation, done: Reindexed) -> Rendered:
    vectors = "without vectors" if done.embedder == "none" else f"with new vectors of `{done.embedder}`"
    return Rendered([f"indexed {count_noun(done.memories, 'memory')}, {vectors}"])


def _reembedding(_: Operation, found: Reembedding) -> Rendered:
    line = f"embedded {count_noun(found.done, 'memory')} with `{found.embedder}`"
    if found.embedder == "none":
        line = f"took the vector out of {count_noun(found.done, 'memory')}"
    return Rendered([line + (f"; it would not take {found.refused}" if found.refused else "")])


def _sensitivity(_: Operation, found: SensitivityProgress) -> Rendered:
    if found.problem is not None:
        waiting = f"{count_noun(found.left, 'memory')} {'waits' if found.left == 1 else 'wait'}"
        return Rendered([f"{waiting}; {found.problem}"])
    line = f"judged {count_noun(found.done, 'memory')} with `{found.classifier}`"
    return Rendered([f"{line}: {found.released} released, {found.raised} raised; {found.left} left"])


def _relearned(_: Operation, found: Relearned) -> Rendered:
    lines = [f"{'would change' if found.dry_run else 'changed'}: {found}" if found else f"nothing to change: {found}"]
    if found.refused or found.skipped:
        lines.append(f"{found.refused} refused by a gate, {found.skipped} of authors who may not stand there any more")
    return Rendered(lines, (f"`memfort undo --trace {found.trace}` takes it back",) if found and found.trace else ())


RENDERERS: Renderers = {
    Relearned: _relearned,
    BackupReport: _backup,
    StoreInfo: _store_info,
    Reindexed: _reindexed,
    Reembedding: _reembedding,
    SensitivityProgress: _sensitivity,
}
