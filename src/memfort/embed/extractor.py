"""A model that reads conversations: any server with `/v1/chat/completions` as in OpenAI's API, a function, or one that
an installed package brings. It is given messages and the schema of the reply; what they are about is not known here.

Nothing is loaded here but what the setting names.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from memfort.embed.port import failure_of
from memfort.errors import ExtractorFailed, InvalidInput, a, did_you_mean

NONE = "none"
ENTRY_POINTS = "memfort.extractors"
_END = "/chat/completions"


class Question(Struct, frozen=True):
    """What a model is asked: messages by role, the JSON Schema of the reply, and how long it may take."""

    messages: Sequence[Mapping[str, str]]
    schema: Mapping[str, Any]
    seconds: float


Sending = Callable[[bytes], None]  # told of each request before it leaves
ExtractFunction = Callable[[Question], Any]


class ExtractorModel(Protocol):
    """Answers a question with JSON: a text, or what the text stands for."""

    name: str
    endpoint: str  # where the question goes, for the trail: a host and a model, never a key

    def ask(self, question: Question, sending: Sending) -> Any:
        """The reply. Each request is given to `sending` before it leaves."""


class NamedExtractor:
    """A plain function as an extractor."""

    def __init__(self, function: ExtractFunction, name: str) -> None:
        self.name, self.endpoint = name, f"function {name}"
        self._function = function

    def ask(self, question: Question, sending: Sending) -> Any:
        sending(json.dumps(list(map(dict, question.messages))).encode())
        try:
            return self._function(question)
        except Exception as error:
            raise failure_of(ExtractorFailed, self.name, error) from error


# -- the setting ------------------------------------------------------------------------------------------------------


def open_extractor(choice: str, environ: Mapping[str, str] | None = None) -> ExtractorModel | None:
    """The extractor that a setting names; `None` for `none`: only rules read conversations."""
    if choice == NONE:
        return None
    kind, _, name = choice.partition(":")
    if kind in {"http", "https"}:
        return _remote(choice, os.environ if environ is None else environ)
    if kind == "entry" and name:
        return _from_entry_point(name)
    remedy = "use none, an address `https://…/v1#model`, or `entry:NAME` for one that a package brings"
    raise InvalidInput("extractor", f"there is no extractor `{choice}`", remedy)


def as_extractor(given: object) -> ExtractorModel | None:
    """The extractor that a caller gave: nothing (there is none), a setting's word, a function, or one of their own."""
    if given is None:
        return None
    if isinstance(given, str):
        return open_extractor(given)
    if callable(getattr(given, "ask", None)) and _is_named(given, "name") and _is_named(given, "endpoint"):
        return given  # type: ignore[return-value]  # it has what the port asks for
    if callable(given):
        return NamedExtractor(given, str(getattr(given, "__name__", type(given).__name__)))
    problem = f"{a(type(given).__name__)} is not an extractor"
    raise InvalidInput("extractor", problem, "give an address, `https://…/v1#model`, or a function of a question")


def _is_named(given: object, name: str) -> bool:
    return bool(isinstance(value := getattr(given, name, None), str) and value)


def _remote(address: str, environ: Mapping[str, str]) -> ExtractorModel:
    from memfort.embed.completions import COMPLETIONS, RemoteExtractor

    url, _, model = address.partition("#")
    if not url.rstrip("/").endswith(_END) and "?" not in url:
        url = url.rstrip("/") + _END
    model = model or environ.get(COMPLETIONS.model_variable, "")
    return RemoteExtractor(url, model, environ.get(COMPLETIONS.key_variable) or None)


def _from_entry_point(name: str) -> ExtractorModel | None:
    from importlib.metadata import entry_points

    known = {one.name: one for one in entry_points(group=ENTRY_POINTS)}
    if name not in known:
        remedy = did_you_mean(name, known) if known else "install the package that brings it"
        raise InvalidInput("extractor", f"no installed package brings the extractor `{name}`", remedy)
    return as_extractor(known[name].load())
