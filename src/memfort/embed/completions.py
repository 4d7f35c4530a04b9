"""A chat model on a server, as an extractor: `/v1/chat/completions` as in OpenAI's API.

A server that does not know a way to ask for JSON refuses it, and the next way is tried: a schema for the reply, a tool
that is called with it, and plain text.
"""

from __future__ import annotations

from collections.abc import Mapping
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
        self._way = 0  # the first way of asking that the server has not refused

    def ask(self, question: Question, sending: Sending) -> str:
        ways = (_with_schema, _with_tool, _as_text)
        while True:
            document = {"messages": list(question.messages), **ways[self._way](question.schema)}
            try:
                return self._server.ask(document, question.seconds, self._read, sending)
            except ExtractorFailed as error:
                if not error.refused or self._way == len(ways) - 1:
                    raise
                self._way += 1

    def _read(self, answer: Any) -> str:
        choice = answer["choices"][0]
        if choice.get("finish_reason") == "length":
            raise self._server.failure("its reply was cut off", "allow it longer replies, or send fewer messages")
        message = choice["message"]
        for call in message.get("tool_calls") or ():
            return str(call["function"]["arguments"])
        content = message.get("content")
        if not isinstance(content, str):
            raise self._server.failure("its reply has no text", "name another model")
        return content


def _with_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    form = {"name": _TOOL, "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": form}}


def _with_tool(schema: Mapping[str, Any]) -> dict[str, Any]:
    tool = {"type": "function", "function": {"name": _TOOL, "parameters": schema}}
    return {"tools": [tool], "tool_choice": {"type": "function", "function": {"name": _TOOL}}}


def _as_text(schema: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG001  # the instructions describe it
    return {}
