"""The frameworks that are tested are those that are pinned, and the extras allow them."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from tests.integrations.examples import EXAMPLES, ROOT

ENVIRONMENT = Path(sys.prefix).name.removeprefix("env-")
PINNED = Path(__file__).parents[2] / "requirements" / f"integrations-{ENVIRONMENT}.txt"


@pytest.mark.parametrize("line", PINNED.read_text("utf-8").splitlines())
def test_what_is_installed_is_what_is_pinned(line: str) -> None:
    pinned = Requirement(line)
    if pinned.marker is None or pinned.marker.evaluate():
        assert version(pinned.name) in pinned.specifier


def test_every_example_is_run_and_listed() -> None:
    run = {name for names in EXAMPLES.values() for name in names}
    assert run == {path.name for path in (ROOT / "frameworks").glob("*.py")}
    listed = (ROOT / "README.md").read_text("utf-8")
    assert all(f"`{name}`" in listed for name in run)


def test_the_environment_is_one_of_the_two() -> None:
    assert ENVIRONMENT in {"a", "b"}
