"""Messages of the library speak Python: options and commands are for the command line to say."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import memfort
from memfort import Memory
from memfort.surfaces.cli.wording import COMMANDS, in_commands

SOURCE = Path(memfort.__file__).parent
# How the command line names verbs and fields is said beside them, and read by nothing else.
TABLES = {"operations/table.py", "model/serialize/fields.py"}
FLAG = re.compile(r"(?<![\w-])--[a-z]|`memfort [a-z]|\bmemfort (doctor|store re|policy use|trail verify|review [a-z])")


def texts() -> Iterator[tuple[str, str]]:
    """Every text in the code outside the surfaces, but docstrings."""
    for path in SOURCE.rglob("*.py"):
        name = path.relative_to(SOURCE).as_posix()
        if name.startswith(("surfaces/", "testing/")) or name in TABLES:
            continue
        tree = ast.parse(path.read_text())
        prose = {
            node.body[0].value
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            if node.body and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in prose:
                yield name, node.value


# A store in a database and a host's plugin are made by commands alone, whose names are the remedy in every surface.
BY_COMMANDS_ALONE = ("store/postgres/", "integrations/hermes/", "integrations/openclaw/")


def test_no_message_names_an_option_or_a_command() -> None:
    found = [one for one in texts() if not one[0].startswith(BY_COMMANDS_ALONE)]
    assert len(found) > 2000
    assert [one for one in found if FLAG.search(one[1])] == []


@pytest.mark.parametrize("text", ["run `memfort doctor`", "add --format ocsf", "then memfort doctor --fix"])
def test_one_would_be_found(text: str) -> None:
    assert FLAG.search(text)


def test_every_call_that_the_command_line_translates_is_said_somewhere() -> None:
    said = "\n".join(text for _, text in texts())
    for call in COMMANDS:
        name = re.sub(r"\\(?=[().\[\]\"])|\\b", "", call).partition('"')[0]
        assert name in said, call


def test_a_call_becomes_its_command() -> None:
    assert in_commands('doctor(fix=True, also=["types"]) helps') == "memfort doctor --fix --also types helps"
    assert in_commands('as in `review.approve("mem_a1")`') == "as in `memfort review approve mem_a1`"
    assert in_commands("call doctor.who() or my_store.reindex") == "call doctor.who() or my_store.reindex"


def test_anchors_can_be_kept_as_any_of_the_forms_they_have(memory: Memory) -> None:
    memory.as_user("alice").remember("I like tea")
    kept = memory.trail.checkpoint()
    for given in (kept, kept.to_dict(), json.loads(kept.to_json())):
        verified = memory.trail.verify(anchors=given)
        assert (verified.ok, verified.unchecked) == (True, None)
