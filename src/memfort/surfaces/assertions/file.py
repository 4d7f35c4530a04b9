"""Parse assertion files: YAML that a policy owner can read, made into values. An error names the file, the line and a
remedy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from memfort.errors import InvalidInput, did_you_mean
from memfort.model.serialize.decoding import check_fields, decode
from memfort.policy.settings.document import load_policy, policy_of, preset, preset_names
from memfort.policy.settings.policy import Policy
from memfort.surfaces.assertions.run import Assertion, Case, Expected, Finding, check_assertion
from memfort.surfaces.assertions.scene import Given

if TYPE_CHECKING:
    import yaml

KeyPath = tuple[str | int, ...]  # names and places in lists, from the top of a document


class AssertionFile(Struct, frozen=True):
    """One parsed file."""

    where: str
    policy: Policy
    given: Given
    assertions: tuple[Assertion, ...]
    lines: Mapping[KeyPath, int]

    def run(self) -> Iterator[Finding]:
        """Run every assertion on a fresh memory, in the order of the file."""
        for assertion in self.assertions:
            try:
                yield check_assertion(assertion, self.policy, self.given)
            except InvalidInput as error:
                raise locate_error(error, self.where, self.lines) from None


def load_assertions(path: Path, policy: Policy) -> AssertionFile:
    """The assertions in a file. If the file names no policy, the given one is used."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(str(path), "the assertion file cannot be read", "check that it is there") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(str(path), f"byte {error.start} is not UTF-8", "save it as UTF-8") from error
    return read_assertions(text, str(path), path.parent, policy)


def read_assertions(text: str, where: str, directory: Path, policy: Policy) -> AssertionFile:
    """The assertions in a YAML text; `where` names it in errors, and policy files are looked for in `directory`."""
    data, lines = _load_yaml(text, where)
    if not isinstance(data, dict):
        raise InvalidInput(where, "it is not a table", f"write `given:` and one of {', '.join(Expected)}")
    try:
        named = data.pop("policy", None)
        page = decode(_Page, data, noun="setting")
        cases = [
            (expected, number, case)
            for expected in Expected
            for number, case in enumerate(getattr(page, expected.value))
        ]
        if not cases:
            raise InvalidInput("allowed", "nothing is asserted", f"add one of {', '.join(Expected)}")
        chosen = policy if named is None else _policy(named, directory)
    except InvalidInput as error:
        raise locate_error(error, where, lines) from None
    made = [Assertion(f"{where}:{lines[expected.value, number]}", expected, case) for expected, number, case in cases]
    made.sort(key=lambda one: int(one.place.rpartition(":")[2]))
    return AssertionFile(where, chosen, page.given, tuple(made), lines)


def locate_error(error: InvalidInput, where: str, lines: Mapping[KeyPath, int]) -> InvalidInput:
    """The same error with its line, or with the line of the nearest enclosing entry."""
    path = _path_of(error.field)
    line = next((lines[path[:length]] for length in range(len(path), 0, -1) if path[:length] in lines), None)
    place = where if line is None else f"{where} line {line}"
    return InvalidInput(f"{place}: {error.field}", error.problem, error.remedy)


class _Page(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The top-level keys of a file, besides its policy."""

    given: Given = Given()
    allowed: tuple[Case, ...] = ()
    pending: tuple[Case, ...] = ()
    denied: tuple[Case, ...] = ()
    explained: tuple[Case, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self)


def _policy(named: Any, directory: Path) -> Policy:
    if isinstance(named, dict):
        try:
            return policy_of(named)
        except InvalidInput as error:
            raise InvalidInput(f"policy.{error.field}", error.problem, error.remedy) from None
    if not isinstance(named, str):
        raise InvalidInput("policy", "it names no policy", "give a preset, a TOML file, or a table of settings")
    if named in preset_names():
        return preset(named)
    if not named.endswith(".toml"):
        raise InvalidInput("policy", f"there is no preset `{named}`", did_you_mean(named, preset_names()))
    return load_policy(directory / named)


def _load_yaml(text: str, where: str) -> tuple[Any, Mapping[KeyPath, int]]:
    """The plain data of a YAML text, and the line of everything in it."""
    import yaml

    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        lines = dict(_lines(node, ()))
        return {} if node is None else loader.construct_document(node), lines
    except yaml.YAMLError as error:
        raise _not_yaml(error, where) from error
    except InvalidInput as error:
        raise InvalidInput(f"{where} {error.field}", error.problem, error.remedy) from None
    finally:
        loader.dispose()


def _not_yaml(error: yaml.YAMLError, where: str) -> InvalidInput:
    mark = getattr(error, "problem_mark", None)
    place = where if mark is None else f"{where} line {mark.line + 1}"
    return InvalidInput(place, f"it is not valid YAML: {getattr(error, 'problem', error)}", "fix that line")


def _lines(node: Any, path: KeyPath) -> Iterator[tuple[KeyPath, int]]:
    """Every path in the document with its line. A duplicate key is refused: YAML would take the last one."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            line = key.start_mark.line + 1
            if key.value in seen:
                raise InvalidInput(f"line {line}: {key.value}", "it is a duplicate key", "keep one of the two")
            seen.add(key.value)
            yield (*path, key.value), line
            yield from _lines(value, (*path, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            yield (*path, number), value.start_mark.line + 1
            yield from _lines(value, (*path, number))


def _path_of(key: str) -> KeyPath:
    """The path in `given.memories[0].by`: names and places in lists."""
    return tuple(int(place) if place else name for place, name in _STEP.findall(key))


_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
