"""Resources and prompts: what a person puts into a conversation. Each is a verb of the table."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any
from urllib.parse import quote, unquote

import mcp_types as types
from msgspec import Struct

from memfort.errors import InvalidInput, NotFound
from memfort.operations.requests import fields_of
from memfort.operations.table import TABLE, Mcp, Operation
from memfort.policy.settings.render import as_toml
from memfort.recall.render import render_with_ids
from memfort.surfaces.mcp import answers, wording
from memfort.surfaces.mcp.standing import Standing

_PLAIN = "text/plain"
_FIELD = re.compile(r"\{(\w+)\}")


def _render_context(found: Any) -> str:
    return found.text or wording.NOTHING_RECALLED


_RENDERED: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "briefing": (_PLAIN, _render_context),
    "context": (_PLAIN, _render_context),
    "spaces": (_PLAIN, answers.space_lines),
    "memory": (_PLAIN, lambda item: render_with_ids([item])),
    "history": (_PLAIN, render_with_ids),
    "policy": ("application/toml", lambda shown: as_toml(shown.policy)),
}


class OfferedResource(Struct, frozen=True):
    """A resource, or a template for one, and the verb that it reads with."""

    name: str
    address: str
    row: Operation

    @property
    def is_template(self) -> bool:
        return "{" in self.address

    def fields_in(self, uri: str) -> dict[str, str] | None:
        """The fields that an address gives; `None` if it is the address of something else."""
        parts = _FIELD.split(self.address)  # every second one is the name of a field
        pattern = "".join(re.escape(part) if at % 2 == 0 else "([^/]+)" for at, part in enumerate(parts))
        found = re.fullmatch(pattern, uri)
        if found is None:
            return None
        try:
            return {
                name: unquote(value, errors="strict") for name, value in zip(parts[1::2], found.groups(), strict=True)
            }
        except UnicodeDecodeError:
            return None

    def read(self, standing: Standing, fields: Mapping[str, str]) -> tuple[str, str]:
        """Its media type and its text."""
        result = standing.run(self.row, fields)
        if result is None:
            raise NotFound("memory", fields.get("id", ""))
        media_type, render = _RENDERED[self.name]
        return media_type, render(result)

    def described(self) -> types.Resource:
        words = wording.RESOURCES[self.name]
        media_type = _RENDERED[self.name][0]
        return types.Resource(
            name=self.name, title=words.title, uri=self.address, description=words.description, mime_type=media_type
        )

    def described_template(self) -> types.ResourceTemplate:
        words = wording.RESOURCES[self.name]
        return types.ResourceTemplate(
            name=self.name,
            title=words.title,
            uri_template=self.address,
            description=words.description,
            mime_type=_RENDERED[self.name][0],
        )


@cache
def offered_resources() -> tuple[OfferedResource, ...]:
    return tuple(
        OfferedResource(name, address, row)
        for row in TABLE.values()
        if isinstance(row.on_mcp, Mcp)
        for address, name in row.on_mcp.resources.items()
    )


def find_resource(uri: str) -> tuple[OfferedResource, dict[str, str]] | None:
    for one in offered_resources():
        if (fields := one.fields_in(uri)) is not None:
            return one, fields
    return None


def address_with(address: str, **fields: str) -> str:
    """The address of a template with these fields in it."""
    return _FIELD.sub(lambda found: quote(fields[found[1]], safe=""), address)


class OfferedPrompt(Struct, frozen=True):
    """A prompt, and the verb that fills it."""

    name: str
    row: Operation
    form: Mcp

    def fill(self, standing: Standing, arguments: Mapping[str, str]) -> str:
        takes = self.form.prompt_takes
        if unknown := next((name for name in arguments if name not in takes), None):
            raise InvalidInput(unknown, "there is no such argument", f"give {', '.join(takes) or 'none'}")
        if missing := next((name for name in takes if not arguments.get(name, "").strip()), None):
            raise InvalidInput(missing, "it is missing", "give it")
        result = standing.run(self.row, {takes[name]: value for name, value in arguments.items()})
        return _PROMPTS[self.name](result)

    def described(self) -> types.Prompt:
        words = wording.PROMPTS[self.name]
        arguments = [
            types.PromptArgument(name=name, description=wording.PROMPT_ARGUMENTS[name], required=True)
            for name in self.form.prompt_takes
        ]
        return types.Prompt(name=self.name, title=words.title, description=words.description, arguments=arguments)


def _recall_prompt(found: Any) -> str:
    return f"{wording.RECALL_PROMPT}\n\n{found.text}" if found.text else wording.NOTHING_RECALLED


def _review_prompt(entries: Any) -> str:
    lines = answers.review_lines(entries)
    return f"{wording.REVIEW_PROMPT}\n\n{lines}" if lines else wording.NOTHING_TO_REVIEW


_PROMPTS: Mapping[str, Callable[[Any], str]] = {"recall": _recall_prompt, "review": _review_prompt}


@cache
def offered_prompts() -> Mapping[str, OfferedPrompt]:
    return {
        row.on_mcp.prompt: OfferedPrompt(row.on_mcp.prompt, row, row.on_mcp)
        for row in TABLE.values()
        if isinstance(row.on_mcp, Mcp) and row.on_mcp.prompt
    }


def template_fields(one: OfferedResource) -> set[str]:
    """The fields of its request that its address names."""
    return set(_FIELD.findall(one.address)) & {field.name for field in fields_of(one.row.request)}
