"""A store in plain dicts: what policies are tried out on, and the oracle that other stores are compared with.

It keeps nothing on disk and forgets everything when it is closed. It is kept slow and obvious: a read walks through
what could be meant and keeps what the sight admits. Caches, input and output must never come in here.
"""

from __future__ import annotations

from memfort.store.memory.store import MemoryStore

__all__ = ["MemoryStore"]
