"""What a user of the library can import from `memfort`."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from kinds import given_types, result_types

import memfort
from memfort import errors

SOURCE = ast.parse(Path(memfort.__file__).read_text())


def test_every_type_that_a_verb_gives_back_or_takes_is_public() -> None:
    kinds = result_types() | given_types()
    assert len(kinds) > 100
    assert {kind.__name__ for kind in kinds if getattr(memfort, kind.__name__, None) is not kind} == set()


def test_no_two_of_them_have_one_name() -> None:
    names = Counter(kind.__name__ for kind in result_types() | given_types())
    assert [name for name, count in names.items() if count > 1] == []


def test_every_error_is_public() -> None:
    known = {name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, Exception)}
    assert {"MemfortError", "StoreFull"} <= known <= set(memfort.__all__)


@pytest.mark.parametrize("name", ["Kind", "Sensitivity", "Status", "Origin", "Trust", "ChatKind", "Level", "Reason"])
def test_the_enums_that_people_write_are_public(name: str) -> None:
    assert name in memfort.__all__


def test_type_checkers_see_exactly_the_names_that_can_be_had() -> None:
    [block] = [node for node in SOURCE.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    seen = {(node.module, one.name) for node in block.body if isinstance(node, ast.ImportFrom) for one in node.names}
    assert {name: module for module, name in seen} == memfort._HOME
    assert sorted([*memfort._HOME, "__version__"]) == sorted(memfort.__all__) == dir(memfort)


def test_an_unknown_name_is_an_import_error() -> None:
    with pytest.raises(ImportError, match="Nonsense"):
        exec("from memfort import Nonsense")


def test_importing_memfort_loads_none_of_it() -> None:
    code = "import sys, memfort; print(*[name for name in sys.modules if name.startswith('memfort')])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["memfort"]
