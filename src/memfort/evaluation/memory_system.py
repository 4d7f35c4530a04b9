"""Memfort as the system that is measured: every line goes through the verbs that a host program calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from memfort.client.bound import BoundMemory
from memfort.client.memory import Memory
from memfort.evaluation.labels import Conversation, Deletion, Injection, Message, contains
from memfort.evaluation.metrics import Statement
from memfort.model.decision import Outcome
from memfort.model.item import Item, Status

_MANY = 20  # memories that are looked through for what a deletion left
_PAGE = 200


class MemorySystem:
    """A memory in which the users of the file have their own spaces. Use a store of its own: deletions delete."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._receipts: dict[int, str] = {}  # by the line of the deletion
        self._agents: set[str] = set()

    def observe(self, conversation: Conversation) -> list[list[Statement]]:
        bound = self._memory.as_user(conversation.user)
        given = [_given(message) for message in conversation.messages]
        seen = bound.observe(given, conversation=f"line-{conversation.line}")
        return [[_statement(one) for one in message.statements if one.item is not None] for message in seen.messages]

    def plant(self, injection: Injection) -> None:
        bound, text = self._memory.as_user(injection.user), injection.injection
        match injection.through:
            case "import":
                bound.import_(json.dumps([{"text": text}]).encode())
            case "agent":
                self._agent_of(injection.user).remember(text, origin="ai", space={"user": injection.user})
            case role:
                message = {"role": role, "content": text, **({"name": "web"} if role == "tool" else {})}
                bound.observe([message], conversation=f"line-{injection.line}")

    def _agent_of(self, user: str) -> BoundMemory:
        name = f"assistant of {user}"
        if name not in self._agents:
            self._memory.agent.register(name, owner=user)
            self._agents.add(name)
        return self._memory.as_agent(name, acting_for=user)

    def find(self, user: str, query: str, limit: int) -> list[str]:
        return list(self._memory.as_user(user).recall(query, limit=limit).texts)

    def prompt(self, user: str, query: str) -> str:
        return self._memory.as_user(user).context(query).text

    def delete(self, deletion: Deletion) -> int:
        bound = self._memory.as_user(deletion.user)
        ids = [item.id for item in _all(bound) if contains(item.text, deletion.words)]
        if ids and deletion.deletion == "erase":
            self._receipts[deletion.line] = bound.erase(*ids).id
        elif ids:
            bound.forget(*ids)
        return len(ids)

    def residue(self, deletion: Deletion) -> list[str]:
        bound, words, query = self._memory.as_user(deletion.user), deletion.words, deletion.query
        places = {
            "recall": "\n".join(bound.recall(query, limit=_MANY).texts),
            "context": bound.context(query).text,
            "list": "\n".join(item.text for item in _all(bound)),
        }
        if deletion.deletion == "erase":
            places["export"] = "\n".join(json.dumps(line, ensure_ascii=False) for line in bound.export())
        left = [place for place, text in places.items() if _line_contains(text, words)]
        receipt = self._receipts.get(deletion.line)
        return left + (list(bound.verify_erasure(receipt).problems) if receipt is not None else [])


def _given(message: Message) -> dict[str, Any]:
    more = {"at": message.at, "name": message.name}
    return {
        "role": message.role,
        "content": message.content,
        **{name: value for name, value in more.items() if value is not None},
    }


def _statement(outcome: Outcome) -> Statement:
    assert outcome.item is not None
    return Statement(outcome.item.text, outcome.item.status is Status.APPROVED)


def _all(bound: BoundMemory) -> Iterator[Item]:
    """All memories in force that the user may list."""
    cursor = None
    while True:
        page = bound.list(limit=_PAGE, cursor=cursor)
        yield from page
        if page.cursor is None:
            return
        cursor = page.cursor


def _line_contains(text: str, words: Sequence[str]) -> bool:
    """Whether one line says it: words of different memories say nothing together."""
    return any(contains(line, words) for line in text.splitlines())
