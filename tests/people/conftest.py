"""Users who talk in chats, and helpers to state and import memories."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from memfort import BoundMemory, FixedClock, Item, Memory, Policy
from memfort.policy.settings.sections import Disclosure, DisclosureRule, Provenance
from memfort.store.memory import MemoryStore


@pytest.fixture
def under(open_memory: Callable[..., Memory]) -> Callable[..., Memory]:
    """A memory with a rule of disclosure."""

    def make(rule: str = "strict", missing_provenance: str = "closed") -> Memory:
        return open_memory(policy=Policy(disclosure=Disclosure(DisclosureRule(rule), Provenance(missing_provenance))))

    return make


@pytest.fixture
def say() -> Callable[..., Item]:
    """Remember a statement, and assert that it was kept."""

    def make(speaker: BoundMemory, text: str, **fields: Any) -> Item:
        outcome = speaker.remember(text, **{"type": "knowledge", **fields})
        assert outcome.item is not None, outcome
        assert outcome.item.status == "approved", outcome
        return outcome.item

    return make


@pytest.fixture
def bring(clock: FixedClock) -> Callable[..., None]:
    """Import a memory without provenance, as from an export before chats were recorded."""

    def make(speaker: BoundMemory, text: str, **fields: Any) -> None:
        before = Memory(MemoryStore(), clock=clock).as_user(speaker.actor.id)
        before.remember(text, **{"type": "knowledge", **fields})
        header, line = before.export()
        line["memory"]["learned_in"] = None
        report = speaker.import_("\n".join(map(json.dumps, (header, line))).encode())
        assert report.counts["kept"] == 1, report

    return make
