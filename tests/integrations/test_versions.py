"""The frameworks that are tested are those that are pinned, and the extras allow them."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ENVIRONMENT = Path(sys.prefix).name.removeprefix("env-")
PINNED = Path(__file__).parents[2] / "requirements" / f"integrations-{ENVIRONMENT}.txt"


@pytest.mark.parametrize("line", PINNED.read_text("utf-8").splitlines())
def test_what_is_installed_is_what_is_pinned(line: str) -> None:
    pinned = Requirement(line)
    if pinned.marker is None or pinned.marker.evaluate():
        assert version(pinned.name) in pinned.specifier


def test_the_environment_is_one_of_the_two() -> None:
    assert ENVIRONMENT in {"a", "b"}
