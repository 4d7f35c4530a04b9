"""The Plain view: one key a line, and a text from which the value can be read back."""

from __future__ import annotations

import json
import re
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memfort.trail.public.plain import plain, plain_events

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
tricky = st.sampled_from(
    ["count", "value", "1", "2", "10", "a.b", "a:b", "a: b", "\\count", "", " ", "true", "-1", '"']
)
json_values = st.recursive(
    scalars | tricky,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(tricky | st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ({"b": 1, "a": {"z": None, "y": True}}, ["a.y: true", "a.z: null", "b: 1"]),
        ({"recalled": [{"id": "m1"}, {"id": "m2"}]}, ["recalled.count: 2", "recalled.1.id: m1", "recalled.2.id: m2"]),
        ({"recalled": []}, ["recalled.count: 0"]),
        ({"nothing": {}, "some": 1}, ["some: 1"]),
        ([[], ["x"]], ["count: 2", "1.count: 0", "2.count: 1", "2.1: x"]),
        ("tea", ["value: tea"]),
        (False, ["value: false"]),
        ({"text": "a\nb\r\tc"}, ["text: a\\nb\\r\\tc"]),
        ({"text": "[brackets] stay: {so do} colons"}, ["text: [brackets] stay: {so do} colons"]),
        ({"a.b": 1, "a": {"b": 2}}, ["a.b: 2", "a\\.b: 1"]),
        ({"k: v\n": "x"}, ["k\\: v\\n: x"]),
        ({"n": 1.0, "m": 0.1, "l": 1e16, "date": "2026-01-01"}, ["date: 2026-01-01", "l: 1e+16", "m: 0.1", "n: 1.0"]),
        ({"a": "true", "b": "1", "c": ""}, ['a: "true"', 'b: "1"', 'c: ""']),
        ({"a": " x", "b": "x ", "c": '"x"'}, ['a: " x"', 'b: "x "', 'c: ""x""']),
        ({"a": {"count": 0}}, ["a.\\count: 0"]),
        ({"a": {"count": 0, "name": "x"}}, ["a.count: 0", "a.name: x"]),
        ({"value": 1}, ["\\value: 1"]),
        ({"text": "\x1b[2J\u202e\u2028\u2029\x85\ud800"}, ["text: \\x1b[2J\\u202e\\u2028\\u2029\\x85\\ud800"]),
    ],
)  # fmt: skip
def test_a_value_in_lines(value: Any, lines: list[str]) -> None:
    assert plain(value) == "\n".join(lines)


def test_more_than_nine_entries_are_in_their_order() -> None:
    keys = [line.split(":")[0] for line in plain(list("abcdefghijk")).splitlines()]
    assert keys == ["count", *map(str, range(1, 12))]


@given(json_values)
@example({"count": 1, "1": {"a": {}}})
@example({"a": [{}], "b": {"c": [[], {}]}})
@example({"value": "x"})
@example({"count": 0, "name": {}})
@example({"value": 1, "name": {"first": {}}})
@example(["1e+16", "1.5", "-7", 1e16, 1.5, -7])
@example([{"count": 2}, {"count": 2, "2": 1}])
def test_the_value_can_be_read_back_so_no_two_look_the_same(value: Any) -> None:
    assert canonical(read_back(plain(value))) == canonical(without_empty(value))


@given(json_values)
def test_one_key_is_always_one_line(value: Any) -> None:
    lines = plain(value).splitlines()
    assert lines == [line for line in plain(value).split("\n") if line]
    assert all(re.match(r"(\\.|[^\\:])*: .", line) for line in lines)
    assert len({re.match(r"(\\.|[^\\:])*", line)[0] for line in lines}) == len(lines)  # type: ignore[index]


def test_values_that_are_not_json_are_refused() -> None:
    with pytest.raises(TypeError, match="bytes is not a JSON value"):
        plain({"a": b"x"})
    with pytest.raises(ValueError, match="`nan` is not a JSON value"):
        plain([float("nan")])


def test_an_enum_member_is_rendered_by_its_value() -> None:
    class Colour(StrEnum):
        RED = "red"

    assert plain({"colour": Colour.RED}) == "colour: red"


def test_events_are_blocks_that_begin_with_their_type() -> None:
    events = [{"type": "memory_write", "reason": "x", "written": []}, {"zone": 1, "type": "memory_forget"}]
    assert plain_events(events) == "type: memory_write\nreason: x\nwritten.count: 0\n\ntype: memory_forget\nzone: 1"
    assert plain_events([]) == ""


# -- the way back: what the format lets one read ----------------------------------------------------------------------


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)  # in which 1, 1.0 and true are three things


def without_empty(value: Any) -> Any:
    """The value without what the Plain view does not tell of: keys under which there are only empty mappings."""
    if isinstance(value, dict):
        return {key: without_empty(inner) for key, inner in value.items() if without_empty(inner) != {}}
    return [without_empty(inner) for inner in value] if isinstance(value, list) else value


def read_back(text: str) -> Any:
    tree: dict[str, Any] = {}
    for line in text.split("\n") if text else []:
        key, scalar = re.fullmatch(r"((?:\\.|[^\\:])*): (.*)", line).groups()  # type: ignore[union-attr]
        *path, last = re.findall(r"(?:^|(?<=\.))((?:\\.|[^\\.])*)(?:\.|$)", key)
        node = tree
        for part in path:
            node = node.setdefault(part, {})
        node[last] = read_scalar(scalar)
    return tree["value"] if list(tree) == ["value"] and not isinstance(tree["value"], dict) else as_value(tree)


def as_value(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    if "count" in node and all(part == "count" or (part.isascii() and part.isdigit()) for part in node):
        return [as_value(node.get(str(number), {})) for number in range(1, node["count"] + 1)]
    return {unescaped(part): as_value(inner) for part, inner in node.items()}


def read_scalar(text: str) -> Any:
    if text.startswith('"'):
        return unescaped(text[1:-1])
    if re.fullmatch(r"null|true|false|-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", text):
        return json.loads(text)
    return unescaped(text)


def unescaped(text: str) -> str:
    names = {"n": "\n", "r": "\r", "t": "\t"}

    def character(found: re.Match[str]) -> str:
        code = found[1]
        return chr(int(code[1:], 16)) if len(code) > 1 else names.get(code, code)

    return re.sub(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|.)", character, text)
