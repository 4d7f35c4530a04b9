"""The facade: it gathers, asks policy, and has the store apply; it resolves, selects, ranks and has the trace remember.

`Memory` is the door; `memory.as_user(…)`, `memory.as_agent(…)` and `memory.as_system()` bind an identity once and
give a `BoundMemory`, which has the verbs. No verb takes an identity.
"""

from __future__ import annotations

from memfort.client.bound import BoundMemory
from memfort.client.memory import Memory

__all__ = ["BoundMemory", "Memory"]
