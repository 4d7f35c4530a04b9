"""A recall, a context and a briefing ask the store a fixed number of questions, however many memories they meet."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from memfort import BoundMemory, Memory
from memfort.store.port import Store
from memfort.store.port.directory import Directory
from memfort.store.port.memories import Memories
from memfort.store.sqlite import SqliteStore

ASKED = "Which lamp did I buy in Rome?"
READS: dict[str, Callable[[BoundMemory], Any]] = {
    "recall": lambda alice: alice.recall(ASKED),
    "context": lambda alice: alice.context(ASKED),
    "briefing": lambda alice: alice.recall(""),
    "recall of what is tagged": lambda alice: alice.recall(ASKED, tags=["none"]),
}
MOST = {"recall": 6, "context": 8, "briefing": 8, "recall of what is tagged": 9}  # questions of one read
MOST_STATEMENTS = 60  # of SQL: a question about some memories takes a few
QUESTIONS = sorted(name for port in (Memories, Directory) for name in vars(port) if not name.startswith("_"))


def questions(monkeypatch: pytest.MonkeyPatch, store: Store, read: Callable[[], Any]) -> list[str]:
    """What a read asks the store, in order. What the store asks itself to answer that does not count."""
    asked: list[str] = []
    answering: list[str] = []

    def counting(name: str, answer: Callable[..., Any]) -> Callable[..., Any]:
        def ask(*given: Any, **named: Any) -> Any:
            if not answering:
                asked.append(name)
            answering.append(name)
            try:
                return answer(*given, **named)
            finally:
                answering.pop()

        return ask

    with monkeypatch.context() as patch:
        for name in QUESTIONS:
            patch.setattr(store, name, counting(name, getattr(store, name)))
        read()
    return asked


def statements(store: SqliteStore, read: Callable[[], Any]) -> list[str]:
    """The statements of SQL that a read runs."""
    run: list[str] = []
    raw = store._connection.raw

    def note(_cursor: object, sql: str, _bindings: object) -> bool:
        run.append(sql)
        return True

    raw.exec_trace = note
    try:
        read()
    finally:
        raw.exec_trace = None
    return run


def observe_lamps(alice: BoundMemory, first: int, last: int) -> None:
    """Similar messages of the user, and here and there an answer of the assistant. Of many, the later ones are written
    as `observe` would leave them, which takes less time."""
    if last <= 100:
        alice.observe([_message(number) for number in range(first, last)], conversation="lamps")
        return
    texts = [_message(number)["content"] for number in range(first, last)]
    turns = alice.remember_many([{"text": text, "kind": "short_term", "conversation": "lamps"} for text in texts])
    said = zip(texts, turns, strict=True)
    alice.remember_many([{"text": f"{text}, surely", "derived_from": [turn.id]} for text, turn in said])


def _message(number: int) -> dict[str, str]:
    if number % 5 == 0:
        return {"role": "assistant", "content": f"I see that you bought a lamp number {number} in Rome, well done"}
    return {"role": "user", "content": f"I bought a lamp number {number} in Rome for my sister's kitchen table"}


def correct_lamps(alice: BoundMemory, first: int, last: int) -> None:
    """A statement that is corrected by the next one of the same conversation, and that by the next."""
    for number in range(first, last):
        text = f"The lamp that I bought in Rome has the number {number}"
        turn = alice.remember(text, kind="short_term", conversation="lamps").item
        if known := alice.list(kinds=["semantic"], limit=1).items:
            alice.correct(known[0].id, f"{text}, surely", derived_from=[turn.id])
        else:
            alice.remember(f"{text}, surely", derived_from=[turn.id])


@pytest.mark.parametrize(("say", "sizes"), [(observe_lamps, (10, 100, 500)), (correct_lamps, (10, 90, 170))])
def test_the_number_of_questions_does_not_grow_with_the_memories(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, say: Callable[..., None], sizes: tuple[int, ...]
) -> None:
    alice, store = memory.as_user("alice"), memory._engine.store
    said = 0
    for size in sizes:
        say(alice, said, size)
        said = size
        for name, read in READS.items():
            read(alice)  # what is made once and kept
            asked = questions(monkeypatch, store, partial(read, alice))
            assert 0 < len(asked) <= MOST[name], (name, size, asked)
            if isinstance(store, SqliteStore):
                assert 0 < len(statements(store, partial(read, alice))) <= MOST_STATEMENTS, (name, size)
    assert "lamp" in alice.recall(ASKED).texts[0]  # what is asked for is found
    assert alice.recall("").hits


def test_of_many_that_are_not_wanted_the_last_is_found(alice: BoundMemory) -> None:
    alice.remember("Somewhere in Rome there is a lamp", tags=["wanted"])
    alice.remember_many([f"I bought lamp number {number} in Rome, in Rome" for number in range(700)])
    asked = "Which number had the lamp in Rome?"
    assert not any(hit.item.tags for hit in alice.recall(asked, limit=20))  # the control: others come first
    assert [hit.item.tags for hit in alice.recall(asked, tags=["wanted"])] == [("wanted",)]


def test_behind_many_turns_that_are_out_of_date_others_are_found(alice: BoundMemory) -> None:
    correct_lamps(alice, 0, 40)
    other = alice.remember("A shop in Rome sells a lamp, and a carpet, and a bird in a golden cage as well").item
    found = alice.recall(ASKED).hits
    assert [hit.id for hit in found][-1:] == [other.id]
    assert len(found) == 2
