"""Memfort: governed memory for AI agents.

The names below are the whole public surface of the library. They are resolved on first use, so that
`import memfort` costs a few milliseconds: hooks and command lines start often.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from memfort.client import BoundMemory, Memory
    from memfort.client.async_memory import AsyncBoundMemory, AsyncMemory
    from memfort.clock import FixedClock, SystemClock
    from memfort.errors import (
        Denied,
        EmbedderFailed,
        InvalidInput,
        MemfortError,
        NotFound,
        Overloaded,
        RerankerFailed,
        StoreError,
    )
    from memfort.model.item import Candidate, Item, Readers
    from memfort.model.space import Space
    from memfort.policy.settings.policy import Policy
    from memfort.policy.settings.sections import Rule

_HOME = {
    "AsyncBoundMemory": "memfort.client.async_memory",
    "AsyncMemory": "memfort.client.async_memory",
    "BoundMemory": "memfort.client",
    "Candidate": "memfort.model.item",
    "Denied": "memfort.errors",
    "EmbedderFailed": "memfort.errors",
    "FixedClock": "memfort.clock",
    "InvalidInput": "memfort.errors",
    "Item": "memfort.model.item",
    "MemfortError": "memfort.errors",
    "Memory": "memfort.client",
    "NotFound": "memfort.errors",
    "Overloaded": "memfort.errors",
    "Policy": "memfort.policy.settings.policy",
    "Readers": "memfort.model.item",
    "RerankerFailed": "memfort.errors",
    "Rule": "memfort.policy.settings.sections",
    "Space": "memfort.model.space",
    "StoreError": "memfort.errors",
    "SystemClock": "memfort.clock",
}

__all__ = [
    "AsyncBoundMemory",
    "AsyncMemory",
    "BoundMemory",
    "Candidate",
    "Denied",
    "EmbedderFailed",
    "FixedClock",
    "InvalidInput",
    "Item",
    "MemfortError",
    "Memory",
    "NotFound",
    "Overloaded",
    "Policy",
    "Readers",
    "RerankerFailed",
    "Rule",
    "Space",
    "StoreError",
    "SystemClock",
    "__version__",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module `memfort` has no attribute `{name}`")
    return getattr(import_module(_HOME[name]), name)
