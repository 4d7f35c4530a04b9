"""A chat model on a server, as an extractor: `/v1/chat/completions` as in OpenAI's API.

A server that does not know a way to ask for JSON refuses it, and the next way is tried: a schema for the reply, a tool
that is called with it, and plain text. The first way that it answers is kept; after that, what it refuses is the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from memfort.embed.extractor import Question, Sending
from memfort.embed.server import Server, Service
from memfort.errors import ExtractorFailed

COMPLETIONS = Service("/v1/chat/completions", ExtractorFailed, most_bytes=1024 * 1024)
_TOOL = "keep_statements"


class RemoteExtractor:
    """Asks a server, once for each question: whoever asks decides when it is tried again."""

    def __init__(self, url: str, model: str, key: str | None = None) -> None:
        self._server = Server(COMPLETIONS, url, model, key, attempts=1)
        self.name = self._server.name
        self.endpoint = f"{self._server.host} {self._server.model}"
        self._way: int | None = None  # the way of asking that the server has answered

    def ask(self, question: Question, sending: Sending) -> str:
        ways = (_with_schema, _with_tool, _as_text)
        way = self._way or 0
        while True:
            document = {"messages": list(question.messages), **ways[way](question.schema)}
            try:
                return self._server.ask(document, question.seconds, partial(self._read, way=way), sending)
            except ExtractorFailed as error:  # once a way is known, the server refuses the texts and not the way
                if not error.refused or self._way is not None or way == len(ways) - 1:
                    raise
                way += 1

    def _read(self, answer: Any, way: int) -> str:
        choice = answer["choices"][0]
        message = choice["message"]
        self._way = way
        if choice.get("finish_reason") == "length":
            remedy = "allow it longer replies, or send fewer messages"
            raise self._server.failure("its reply was cut off", remedy, refused=True)
        for call in message.get("tool_calls") or ():
            return str(call["function"]["arguments"])
        content = message.get("content")
        if not isinstance(content, str):
            raise self._server.failure("its reply has no text", "name another model", refused=True)
        return content


def _with_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    form = {"name": _TOOL, "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": form}}


def _with_tool(schema: Mapping[str, Any]) -> dict[str, Any]:
    tool = {"type": "function", "function": {"name": _TOOL, "parameters": schema}}
    return {"tools": [tool], "tool_choice": {"type": "function", "function": {"name": _TOOL}}}


def _as_text(schema: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG001  # the instructions describe it
    return {}
