"""A real server on this machine that answers `/v1/chat/completions` with statements, and can be set to answer
otherwise."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from embedding_server import Answer, ModelServer

Statements = list[dict[str, Any]]


class CompletionServer(ModelServer):
    """Answers with what a function says of the document that it was sent."""

    path = "/v1"

    def __init__(self, read: Callable[[dict[str, Any]], Statements] = lambda _: []) -> None:
        super().__init__()
        self.read = read

    @property
    def documents(self) -> list[dict[str, Any]]:
        """What was sent, one document for each request."""
        return [document_of(body) for _, body in self.requests]

    def answer(self, asked: dict[str, Any]) -> Answer:
        return said(json.dumps({"statements": self.read(document_of(asked))}))


def document_of(asked: dict[str, Any]) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(asked["messages"][-1]["content"])
    return document


def said(text: str | None, *, finish: str = "stop", **message: Any) -> Answer:
    """An answer in which the model says this."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
    return 200, {}, {"id": "one", "object": "chat.completion", "choices": [choice]}


def statement(message: int, text: str, evidence: str, **fields: Any) -> dict[str, Any]:
    """A statement as a good model gives it."""
    return {
        "message": message,
        "statement": text,
        "evidence": evidence,
        "type": None,
        "subjects": ["user"],
        "stated_by": "user",
        "occurred": None,
        "sensitivity": "public",
        "portable": True,
        "confidence": 0.9,
        "action": "add",
        "target": None,
        "reason": "said so",
        **fields,
    }
