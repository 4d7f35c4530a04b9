"""Every verb of the public interface, and those that no history plays, each with the reason."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from memfort import Memory

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "python.md"

# Verbs that no history plays, and why. A name without a namespace of its own is one of `Memory` or of a bound memory.
NOT_PLAYED = {
    "memory.open": "opens the store of every history",
    "memory.close": "closes it",
    "memory.as_user": "binds the actor of every step",
    "memory.as_agent": "the same",
    "memory.as_system": "the same",
    "memory.run": "the way every verb takes; it is not in the reference",
    "memory.policy.check": "reads a file of a policy, and no memory",
    "bound.compare": "asks what recall gives several people, which is played for each of them: test_compare.py",
    "bound.trail.list": "the events of `trail.export`, which is played, in pages: test_trail_list.py",
    "bound.run": "the way every verb takes; it is not in the reference",
    "bound.default_visibility": "says what a setting is; it is not in the reference",
    "bound.through": "names the program that asks, for the trail; it is not in the reference",
    "bound.within": "binds another place; it is not in the reference",
    "bound.agent.register": "the directory is the host's: played as a step of the host",
    "bound.member.add": "the same",
    "bound.member.remove": "the same",
    "memory.store.extract": "asks a model: tests/isolation/test_extraction_histories.py plays the queue",
    "memory.extract_due": "the same; it is not in the reference",
    "bound.extraction.list": "the same",
    "bound.extraction.retry": "the same",
    "bound.extraction.drop": "the same",
}

# Parameters of verbs that end, import or share, and that no history gives.
NOT_GIVEN = {
    "namesakes": "what a person decided about memories that only say the name: test_names_said.py",
    "progress": "a callback of the caller",
    "platform": "kept as provenance, never used to decide",
    "visibility": "for agents; `remember` names the spaces of agents",
    "also_at": "further places of the importer, for whom the host vouches",
    "mine": "what other programs' files call the importer",
    "path": "the same bytes as `data`, from a file of the importer's",
    "commit_every": "how often an import commits: tests/faults stops it in between",
}
WITH_PARAMETERS = (
    "bound.forget",
    "bound.erase",
    "bound.undo",
    "bound.import_",
    "bound.share",
    "bound.people.forget",
    "bound.subject.export",
    "bound.subject.erase",
)


def public_verbs() -> dict[str, tuple[type, str]]:
    """Each verb with the class that has it and its name there: `bound.people.forget`."""
    with Memory.open(":memory:") as memory:
        found: dict[str, tuple[type, str]] = {}
        for prefix, one in (("memory", memory), ("bound", memory.as_user("alice"))):
            for name in _public_names(one):
                value = getattr(one, name)
                if callable(value):
                    found[f"{prefix}.{name}"] = (type(one), name)
                    continue
                for inner in _public_names(value) if _is_namespace(value) else ():
                    found[f"{prefix}.{name}.{inner}"] = (type(value), inner)
        return found


def documented_verbs() -> set[str]:
    """The verbs that the reference lists, without `memory` and `bound`."""
    return {found[1] for found in re.finditer(r"^\| \[`([\w.]+)`\]\(#", REFERENCE.read_text("utf-8"), re.MULTILINE)}


def parameters(verb: str) -> set[str]:
    owner, name = public_verbs()[verb]
    return set(inspect.signature(getattr(owner, name)).parameters) - {"self", "ids"}


def count_verbs(patch: pytest.MonkeyPatch) -> Counter[str]:
    """Count every call of a verb, and of each of its parameters, from now on."""
    counts = Counter[str]()
    for verb, (owner, name) in public_verbs().items():
        if verb not in {"memory.open", "memory.restore"} and callable(getattr(owner, name)):
            patch.setattr(owner, name, _counted(verb, getattr(owner, name), counts))
    restore = Memory.restore

    def counted_restore(*given: Any, **options: Any) -> Any:
        counts["memory.restore"] += 1
        return restore(*given, **options)

    patch.setattr(Memory, "restore", staticmethod(counted_restore))
    return counts


def _counted(verb: str, call: Callable[..., Any], counts: Counter[str]) -> Callable[..., Any]:
    signature = inspect.signature(call)

    @wraps(call)
    def counted(*given: Any, **options: Any) -> Any:
        counts[verb] += 1
        counts.update(f"{verb}({name})" for name in signature.bind_partial(*given, **options).arguments)
        return call(*given, **options)

    return counted


def _public_names(one: object) -> list[str]:
    return [name for name in dir(one) if not name.startswith("_")]


def _is_namespace(value: object) -> bool:
    """Verbs of one noun stand together: `people`, `review`. Other properties are values or numbers."""
    return bool(re.match(r"(Store|Bound)[A-Z]", type(value).__name__)) and type(value).__module__.startswith("memfort")
