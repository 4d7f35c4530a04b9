"""A new key for a store that has lost its own: made, and told to the trail."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from memfort.memory.engine import ALL_STATES, Engine, terms_of
from memfort.memory.root import Memory
from memfort.model.actor import SYSTEM
from memfort.model.reason import Reason
from memfort.policy.admit import statement_of, value_of
from memfort.policy.settings import Policy
from memfort.policy.sight import maintenance_sight
from memfort.trace.event import DIRECTORY_CHAIN, Event

Progress = Callable[[int, int], None]


def renew_key(path: Path, *, policy: Policy, surface: str, progress: Progress | None = None) -> int:
    """Give the store a new key; says how many memories it holds.

    What the trail says of their texts was digested with the old key, so each is put on record again under the new
    one, and every chain is signed. What happened before can no longer be checked against the texts.
    """
    from memfort.store.sqlite.rekey import Keyed
    from memfort.store.sqlite.rekey import renew_key as renew

    keyed = Keyed(
        terms_of,
        lambda item: value_of(item.kind, item.key, item.text),
        lambda item: statement_of(item.kind, item.key, item.text),
    )
    count = renew(path, keyed, progress)
    with Memory.open(path, policy=policy, surface=surface) as memory:
        _put_on_record(memory._engine)
        memory.audit_checkpoint()
    return count


def _put_on_record(engine: Engine) -> None:
    now = engine.clock.now()
    event = Event(
        chain=DIRECTORY_CHAIN, at=now, action="new_key", actor=SYSTEM, surface=engine.surface, decision="allowed",
        reason=Reason.NEW_KEY, policy=engine.policy.digest, detail={"key": engine.store.keys.fingerprint},
    )  # fmt: skip
    with engine.writing():
        engine.store.apply([], [event])
        for space in engine.store.spaces():
            items = list(engine.everything(maintenance_sight([space]), ALL_STATES))
            engine.store.apply([], [engine.changed("new_key", SYSTEM, item, Reason.NEW_KEY, now) for item in items])
