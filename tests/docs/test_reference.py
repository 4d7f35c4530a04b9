"""The reference is what the code says, and has everything that there is."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from memfort.model.reason import EXPLANATIONS, Reason
from memfort.operations.table import TABLE
from memfort.surfaces.cli.input.settings import SETTINGS
from memfort.surfaces.cli.reference import commands

from .pages import DOCS, PAGES, ROOT, name, without_blocks

REFERENCE = DOCS / "reference"
WORDS = (
    *("memory", "space", "level", "actor", "standpoint", "sight", "candidate", "decision", "reason", "event", "trace"),
    *("policy", "preset", "phase", "person", "source", "turn", "conversation", "lineage", "share", "trust", "receipt"),
    *("remember", "recall", "observe", "correct", "review", "promote", "forget", "erase", "explain", "check", "export"),
    *("import", "context", "list", "get", "about", "history", "tombstone", "quarantine", "checkpoint", "disclosure"),
)


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text(page: str) -> str:
    return (REFERENCE / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["python.md", "results.md", "errors.md", "memory.md"])
def test_a_page_that_is_made_from_the_code_is_current(page: str) -> None:
    """Stale: run `make generate`."""
    made = tool("reference").pages()
    assert text(page) == made[REFERENCE / page].rstrip("\n") + "\n"


def test_a_stale_table_of_fields_would_be_found() -> None:
    page = text("memory.md")
    assert tool("reference").memory_page(page.replace("the statement", "something else")) == page


@pytest.mark.parametrize("picture", ["sight", "disclosure", "write"])
def test_a_picture_is_current(picture: str) -> None:
    """Stale: run `make generate`."""
    made = tool("diagrams").pictures()
    assert (DOCS / "images" / f"{picture}.svg").read_text(encoding="utf-8") == made[picture]


def test_every_verb_is_documented_with_its_parameters() -> None:
    page = text("python.md")
    for row in TABLE.values():
        section = re.search(rf"^### {re.escape(row.name)}\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
        assert section is not None, row.name
        assert row.summary in section[1]
        for field in row.request.__struct_fields__:
            assert f"| `{field}` |" in section[1], (row.name, field)


def test_every_command_is_documented() -> None:
    for path, _ in commands():
        assert f"## memfort {' '.join(path)}\n" in text("cli.md")


def test_every_setting_is_documented() -> None:
    assert [one.name for one in SETTINGS if f"| `{one.name}` |" not in text("configuration.md")] == []


def test_every_reason_is_documented_with_its_sentence() -> None:
    page = text("errors.md")
    assert [one for one in Reason if f"| `{one}` | {EXPLANATIONS[one]} |" not in page] == []


def test_the_glossary_has_every_word_of_the_design() -> None:
    page = (DOCS / "glossary.md").read_text(encoding="utf-8").lower()
    assert [word for word in WORDS if not re.search(rf"^\| \*\*[^|]*\b{word}\b[^|]*\*\* \|", page, re.MULTILINE)] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_page_describes_how_memfort_was_made(page: Path) -> None:
    found = re.findall(r".*\bseed(?:s|ed)?\b.*", without_blocks(page), re.IGNORECASE)
    assert [line for line in found if not re.search(r"seed phrase|random seed|tests/seeds|test_seed", line)] == []
