"""Opening a store: no directory is made by surprise, and what cannot be opened is named with a remedy."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_type_hints

import pytest

from memfort import InvalidInput, Memory
from memfort.client.options import MemoryOptions
from memfort.errors import StoreError


def test_no_directory_is_made(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"path: there is no directory `.*missing`; make it first") as raised:
        Memory.open(tmp_path / "missing" / "memory.db")
    assert raised.value.field == "path"
    assert list(tmp_path.iterdir()) == []
    with Memory.open(tmp_path / "memory.db") as memory:  # the control
        assert memory.store.info().memories == 0


@pytest.mark.parametrize("path", ["", "  ", None, 7, b"memory.db", "a\0b"])
def test_an_invalid_path_is_refused(path: Any) -> None:
    with pytest.raises(InvalidInput, match=r"path: .*name the file that memories are kept in"):
        Memory.open(path)


def test_a_directory_is_refused_as_a_store(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"path: .* is not a file; name the file"):
        Memory.open(tmp_path)


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_is_not_a_store_is_refused_and_left_unchanged(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no database at all\n" * 100)
    with pytest.raises(StoreError, match=r"not a memfort store"):
        Memory.open(path, read_only=read_only)
    assert path.read_text() == "no database at all\n" * 100


def test_an_unknown_option_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"read_ony: there is no such option; did you mean `read_only`?"):
        Memory.open(tmp_path / "memory.db", read_ony=True)  # type: ignore[call-arg]
    assert list(tmp_path.iterdir()) == []


WRONG = {
    "policy": 7,
    "clock": "noon",
    "memberships": "whoever",
    "audit_reads": "sometimes",
    "max_entries": -1,
    "extraction_enabled": "yes",
    "extraction_confidence_threshold": 7,
    "auto_gc": "yes",
    "gc_every": -1,
    "embedder": 7,
    "reembed": "later",
    "reranker": 7,
    "classifier": 7,
    "extractor": 7,
    "judge": "later",
    "surface": 7,
    "policy_origin": 7,
    "read_only": "yes",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_value_that_cannot_be_used_is_refused_by_its_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        Memory.open(tmp_path / "memory.db", **{name: WRONG[name]})
    assert raised.value.field == name


def test_every_option_is_tried_here() -> None:
    assert set(get_type_hints(MemoryOptions)) | {"read_only"} == set(WRONG)
