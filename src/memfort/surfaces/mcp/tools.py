"""The tools: one for each name in the `mcp` field of a row, with schemas from its request and its answer."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import Any

import mcp_types as types
import msgspec
from msgspec import Struct

from memfort.errors import InvalidInput, NotFound, did_you_mean
from memfort.operations.requests import AsOf, EventTime, Time, fields_of, state_limits
from memfort.operations.table import TABLE, Effect, Mcp, Operation
from memfort.surfaces.mcp import answers
from memfort.surfaces.mcp.standing import Standing
from memfort.surfaces.mcp.wording import TOOLS

_ANSWERS: Mapping[str, tuple[type[Struct], Callable[[Any], Any]]] = {
    "recall": (answers.Recalled, answers.recalled),
    "context": (answers.ContextBlock, answers.context_block),
    "remember": (answers.Kept, answers.kept),
    "correct": (answers.Kept, answers.kept),
    "forget": (answers.Ended, answers.ended),
    "list_memories": (answers.Listed, answers.listed),
    "explain": (answers.Explained, answers.explained),
    "search": (answers.SearchResults, answers.search_results),
    "fetch": (answers.Document, answers.document),
}


class OfferedTool(Struct, frozen=True, dict=True):
    """A tool, and the verb that it runs."""

    name: str
    row: Operation
    form: Mcp

    @property
    def takes(self) -> tuple[str, ...]:
        return self.form.tools[self.name]

    def call(self, standing: Standing, arguments: Mapping[str, Any]) -> answers.Answer:
        """Run the verb for whoever asks. The arguments say what is asked for, and nothing else."""
        result = standing.run(self.row, self.fields(arguments))
        if result is None:
            raise NotFound("memory", str(arguments.get("id", "")))
        answer: answers.Answer = _ANSWERS[self.name][1](result)
        return answer

    def fields(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of the request. An argument that the tool does not name is refused, also if the verb has it."""
        if unknown := next((name for name in arguments if name not in self.takes), None):
            raise InvalidInput(unknown, "there is no such argument", did_you_mean(unknown, self.takes))
        given = {name: value for name, value in arguments.items() if value is not None}
        for name, possible in self.form.choices.items():
            if name in given and given[name] not in possible:
                raise InvalidInput(name, "it is not possible", f"use one of {', '.join(possible)}")
        for name, most in self.form.most.items():
            if isinstance(given.get(name), int) and given[name] > most:
                raise InvalidInput(name, f"`{given[name]}` is too large", f"give at most {most}")
        defaults = {name: value for name, value in self.form.defaults.items() if name in self.takes}
        return {**defaults, **given}

    @cached_property
    def described(self) -> types.Tool:
        words, reads = TOOLS[self.name], self.row.effect is Effect.READ
        return types.Tool(
            name=self.name,
            title=words.title,
            description=words.description,
            input_schema=_input_schema(self),
            output_schema=_output_schema(_ANSWERS[self.name][0]),
            annotations=types.ToolAnnotations(
                title=words.title,
                read_only_hint=reads,
                destructive_hint=self.form.is_destructive,
                idempotent_hint=reads or self.form.is_idempotent,
                open_world_hint=False,
            ),
        )


@cache
def offered_tools() -> Mapping[str, OfferedTool]:
    """Every tool by its name, in the order in which a model reads them."""
    found = {
        name: OfferedTool(name, row, row.on_mcp)
        for row in TABLE.values()
        if isinstance(row.on_mcp, Mcp)
        for name in row.on_mcp.tools
    }
    return {name: found[name] for name in TOOLS}


def _input_schema(tool: OfferedTool) -> dict[str, Any]:
    """The schema of what it takes, with nothing left to look up: some hosts resolve no references."""
    whole = _whole(tool.row.request)
    state_limits(tool.row.request, whole)
    properties = {name: whole["properties"][name] for name in tool.takes}
    for field in fields_of(tool.row.request):
        if field.name in properties:
            properties[field.name] = _plain_schema(properties[field.name], field.doc)
    for name, possible in tool.form.choices.items():
        properties[name] = {
            "type": "string",
            "enum": list(possible),
            "default": tool.form.defaults.get(name),
            "description": _CHOICES[name],
        }
    for name, most in tool.form.most.items():
        if name in properties:
            properties[name]["maximum"] = most
    needed = {*whole.get("required", ()), *tool.form.requires}
    required = [name for name in tool.takes if name in needed]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


_CHOICES = {"origin": "`user` only for what the user said in this conversation; `ai` for what you concluded."}


def _output_schema(kind: type[Struct]) -> dict[str, Any]:
    schema = _whole(kind)
    return {**schema, "additionalProperties": False}


def _whole(kind: type[Struct]) -> dict[str, Any]:
    """The schema of a struct, with every reference replaced by what it stands for."""
    (schema,), components = msgspec.json.schema_components([kind], schema_hook=_schema_of_custom, ref_template="{name}")
    found: dict[str, Any] = _resolve(schema, components)
    return found


def _resolve(part: Any, components: Mapping[str, Any]) -> Any:
    if isinstance(part, list):
        return [_resolve(one, components) for one in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        rest = {name: one for name, one in part.items() if name != "$ref"}
        return {**_resolve(components[part["$ref"]], components), **rest}
    return {name: _resolve(one, components) for name, one in part.items() if not _is_title(name, one)}


def _is_title(name: str, value: Any) -> bool:
    """Whether it is the name of a type, and not a field that is called so."""
    return name == "title" and isinstance(value, str)


def _plain_schema(schema: dict[str, Any], doc: str) -> dict[str, Any]:
    """A field that may be left out has no `null`: a model that has nothing to say leaves it out."""
    found = copy.deepcopy(schema)
    kinds = [one for one in found.pop("anyOf", []) if one.get("type") != "null"]
    if len(kinds) == 1:
        found = {**kinds[0], **found}
    if found.get("default", 0) is None:
        del found["default"]
    found["description"] = doc
    return found


def _schema_of_custom(kind: type) -> dict[str, Any]:
    if kind is Time:
        return {"type": "string", "format": "date-time"}
    if kind in {AsOf, EventTime}:
        return {"type": "string"}
    return {"type": "object"}
