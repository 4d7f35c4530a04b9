"""Write a ChatGPT export of any size, as one line, from a seed. No word of it is anybody's."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.speed.corpus import Corpus

MESSAGES = 12  # of a conversation
_DAY = 86_400.0


def write_archive(path: Path, size: int, seed: int = 1) -> dict[str, int]:
    """Write conversations until the file has `size` bytes; returns how many conversations and messages it holds."""
    conversations = 0
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        for one in _conversations(seed):
            file.write(("," if conversations else "") + json.dumps(one, ensure_ascii=False))
            conversations += 1
            if file.tell() >= size:
                break
        file.write("]")
    return {"conversations": conversations, "messages": conversations * MESSAGES, "bytes": path.stat().st_size}


def _conversations(seed: int) -> Iterator[dict[str, Any]]:
    corpus, chance = Corpus(seed), random.Random(seed)
    statements = _endless(corpus)
    number = 0
    while True:
        number += 1
        begun = 1_600_000_000.0 + number * _DAY / 4
        yield _conversation(number, begun, statements, chance)


def _endless(corpus: Corpus) -> Iterator[str]:
    while True:
        yield from corpus.statements(20_000)


def _conversation(number: int, begun: float, statements: Iterator[str], chance: random.Random) -> dict[str, Any]:
    mapping: dict[str, Any] = {"root": {"id": "root", "parent": None, "children": [], "message": None}}
    last = "root"
    for place in range(MESSAGES):
        is_user = place % 2 == 0
        id = f"{number:08x}-{place:04x}-4000-8000-{chance.getrandbits(48):012x}"
        text = (
            _asked(statements, chance) if is_user else " ".join(next(statements) for _ in range(chance.randint(5, 30)))
        )
        mapping[id] = {"id": id, "parent": last, "children": [], "message": _message(id, is_user, text, begun + place)}
        mapping[last]["children"].append(id)
        last = id
    title = f"Conversation {number}"
    known = {"id": f"c-{number}", "conversation_id": f"c-{number}", "title": title, "create_time": begun}
    return {**known, "update_time": begun + MESSAGES, "current_node": last, "mapping": mapping}


def _asked(statements: Iterator[str], chance: random.Random) -> str:
    """A message of the user; every fourth says something about them."""
    if chance.random() < 0.25:
        return f"I bought {chance.choice(_THINGS)} number {chance.randint(1, 9999)} in {chance.randint(2015, 2023)}."
    return next(statements)


_THINGS = ("a stamp", "a book", "a record", "a poster", "a map", "a postcard")


def _message(id: str, is_user: bool, text: str, at: float) -> dict[str, Any]:
    return {
        "id": id,
        "author": {"role": "user" if is_user else "assistant", "name": None, "metadata": {}},
        "create_time": at,
        "content": {"content_type": "text", "parts": [text]},
        "status": "finished_successfully",
        "weight": 1.0,
        "metadata": {"model_slug": "none", "citations": [], "finish_details": {"type": "stop", "stop_tokens": [1, 2]}},
        "recipient": "all",
    }
