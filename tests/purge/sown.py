"""Leaks sown on purpose: each must be caught, or the fuzzer is blind to its kind.

How to add one. Write a function that takes a `pytest.MonkeyPatch` and changes the product so that it leaks, the smaller
the change the better, and give it to `sown`:

    def statistics_over_all_spaces(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(ranking, "document_count", lambda index, sight: index.total)

    assert sown(statistics_over_all_spaces) is not None

The answer is the number of the first history in which the observer notices it, and `None` if no history shows it.
Histories that leak without the patch do not count. A leak with a state of its own must forget it when a store opens
(`on_open`): otherwise both runs show the same. A leak that needs a rare situation says which histories can show it
(`sown(leak, where=…)`); one that no history can show needs a new kind of step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.purge.histories import generate
from tests.purge.model import Model
from tests.purge.replay import compare
from tests.purge.steps import History
from tests.purge.stores import store_for
from tests.purge.verbs import public_verbs
from tests.purge.verdicts import Verdict

from memfort import BoundMemory, Memory
from memfort.store.memory import MemoryStore

Leak = Callable[[pytest.MonkeyPatch], None]
Where = Callable[[History], bool]


def sown(leak: Leak, histories: int = 400, first: int = 0, where: Where = lambda history: True) -> int | None:
    """The number of the first history that shows the leak and is clean without it."""
    for seed in range(first, first + histories):
        history = generate(seed)
        if not where(history):
            continue
        with pytest.MonkeyPatch.context() as patch:
            leak(patch)
            is_noticed = bool(compare(history, store_for(history)).differences)
        if is_noticed and not compare(history, store_for(history)).differences:
            return seed
    return None


def hides(kind: str, *given: str) -> Where:
    """Histories in which a step of this kind, with these arguments, is hidden from the observer."""

    def where(history: History) -> bool:
        steps = [step for step in history.steps if step.kind == kind and set(given) <= set(step.given)]
        if not steps:
            return False
        verdicts = Model(history).verdicts()
        return any(verdicts[step.number] == Verdict.HIDDEN for step in steps)

    return where


def asks(verb: str) -> Where:
    """Histories in which the observer asks this, after something was said that is hidden from them."""

    def where(history: History) -> bool:
        reads = (step for step in history.steps if step.kind == "look" and step.who == history.observer)
        return any(read["verb"] == verb for step in reads for read in step.given["reads"]) and hides("remember")(
            history
        )

    return where


def leak_of(verb: str, *given: str) -> Leak:
    """A page tells how often anybody called a verb, with these arguments."""

    def leak(patch: pytest.MonkeyPatch) -> None:
        calls: list[str] = []
        _on_open(patch, calls.clear)
        owner, name = public_verbs()[verb]
        call, list_page = getattr(owner, name), BoundMemory.list

        def count(*positional: Any, **options: Any) -> Any:
            if set(given) <= set(options):
                calls.append(verb)
            return call(*positional, **options)

        def list_and_leak(self: BoundMemory, **options: Any) -> Any:
            page = list_page(self, **options)
            return Told(page, str(len(calls))) if calls else page

        patch.setattr(owner, name, staticmethod(count) if owner is Memory and name == "restore" else count)
        patch.setattr(BoundMemory, "list", list_and_leak)

    return leak


def leak_through(verb: str) -> Leak:
    """The answer of a verb ends with the text that anybody remembered last."""

    def leak(patch: pytest.MonkeyPatch) -> None:
        latest: list[str] = []
        _on_open(patch, latest.clear)
        owner, name = public_verbs()[verb]
        call, remember = getattr(owner, name), BoundMemory.remember

        def remember_and_note(self: BoundMemory, text: str, **options: Any) -> Any:
            latest.append(text)
            return remember(self, text, **options)

        def call_and_leak(*positional: Any, **options: Any) -> Any:
            result = call(*positional, **options)
            return Told(result, latest[-1]) if latest else result

        patch.setattr(BoundMemory, "remember", remember_and_note)
        patch.setattr(owner, name, call_and_leak)

    return leak


def ended_words_hold_for_everybody(patch: pytest.MonkeyPatch) -> None:
    """An import says that these words were ended, whoever ended them, and whoever may read them."""
    ended: set[str] = set()
    _on_open(patch, ended.clear)
    import_file = BoundMemory.import_

    def note_before(name: str) -> None:
        call = getattr(BoundMemory, name)

        def note_and_call(self: BoundMemory, *ids: str, **options: Any) -> Any:
            items = [self.get(id) for id in ids]
            if not options.get("dry_run"):
                ended.update(item.text for item in items if item is not None and item.text)
            return call(self, *ids, **options)

        patch.setattr(BoundMemory, name, note_and_call)

    def import_and_leak(self: BoundMemory, data: bytes, **options: Any) -> Any:
        found = sorted(text for text in ended if text in data.decode())
        report = import_file(self, data, **options)
        return Told(report, f"ended: {len(found)}") if found else report

    note_before("forget")
    note_before("erase")
    patch.setattr(BoundMemory, "import_", import_and_leak)


def withdrawals_for_everybody(patch: pytest.MonkeyPatch) -> None:
    """`share_changes` tells everybody how many memories were forgotten by their id."""
    withdrawn: list[str] = []
    _on_open(patch, withdrawn.clear)
    forget, changes = BoundMemory.forget, BoundMemory.share_changes

    def forget_and_note(self: BoundMemory, *ids: str, **options: Any) -> Any:
        result = forget(self, *ids, **options)
        withdrawn.extend(ids)
        return result

    def changes_and_leak(self: BoundMemory, **options: Any) -> Any:
        return Told(changes(self, **options), str(len(withdrawn)))

    patch.setattr(BoundMemory, "forget", forget_and_note)
    patch.setattr(BoundMemory, "share_changes", changes_and_leak)


class Told:
    """An answer with a word more than the asker may hear."""

    def __init__(self, answer: Any, text: str) -> None:
        self._answer = answer
        self._text = text

    def __getattr__(self, name: str) -> Any:
        return getattr(self._answer, name)

    def __iter__(self) -> Iterator[Any]:
        yield from self._answer
        yield {"also": self._text}

    def to_dict(self) -> dict[str, Any]:
        return {"answer": self._answer, "also": self._text}


def _on_open(patch: pytest.MonkeyPatch, forget: Callable[[], object]) -> None:
    open_store = Memory.open.__func__  # type: ignore[attr-defined]

    def open_afresh(cls: type[Memory], *given: Any, **options: Any) -> Memory:
        if "memory-" not in str(given[0]):  # a store that moved is still the same
            forget()
        return open_store(cls, *given, **options)  # type: ignore[no-any-return]

    make = Memory.__init__

    def make_afresh(self: Memory, store: Any, **options: Any) -> None:
        if isinstance(store, MemoryStore):  # always a new one
            forget()
        make(self, store, **options)

    patch.setattr(Memory, "open", classmethod(open_afresh))
    patch.setattr(Memory, "__init__", make_afresh)
