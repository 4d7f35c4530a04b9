"""Check a copy of a store: its pages, seals, index and trail."""

from __future__ import annotations

from memfort.engine.call import Call
from memfort.engine.engine import SYSTEM_STANDPOINT, Engine
from memfort.engine.transaction import Session
from memfort.operations.upkeep.checks.store_checks import INDEX, PAGES, ROWS, TRAIL, check_store
from memfort.store.port import Store


def session_on(store: Store, like: Engine) -> Session:
    """A session of the system on another store, with the clock and the policy of an engine."""
    engine = Engine(store, like.clock, like.policy, like.memberships, like.surface)
    return Session(engine, SYSTEM_STANDPOINT, Call(engine, "", "restore"))


def problems_of(store: Store, like: Engine) -> list[str]:
    """What is wrong with a store, in words for people; empty if nothing is."""
    found = check_store(session_on(store, like), (PAGES, ROWS, INDEX, TRAIL))
    return [f"{one.check}: {problem}" for one in found for problem in one.problems]
