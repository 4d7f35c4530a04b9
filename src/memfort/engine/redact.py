"""Redact a memory for its viewer: in a room only links to memories that the room may see, and from another user's space
only the statement."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from msgspec.structs import replace

from memfort.engine.engine import Engine
from memfort.engine.view import View
from memfort.model.audience import ListenersKind
from memfort.model.decision import Outcome
from memfort.model.item import NOTHING, Item
from memfort.model.results import noted_outcome
from memfort.model.sight import Sight
from memfort.policy.disclosure import redact_for_disclosure


def redact_for(engine: Engine, sight: Sight, item: Item) -> Item:
    if sight.seen(item.space) is None:
        return redact_for_disclosure(item)
    if sight.disclosure is None or sight.disclosure.listeners.kind is ListenersKind.ALONE:
        return item
    links = _links(item)
    if not links:
        return item
    heard = {one.id for one in engine.store.items(sight.narrowed([item.space]), sorted(links))}
    return replace(
        item,
        replaces=tuple(id for id in item.replaces if id in heard),
        derived_from=tuple(id for id in item.derived_from if id in heard),
        supersedes=item.supersedes if item.supersedes in heard else None,
        superseded_by=item.superseded_by if item.superseded_by in heard else None,
    )


def redact_unheard(sight: Sight, item: Item) -> Item:
    """A memory that its author ends where those who listen may not hear it: its id, its place and its state, and
    nothing of what it says."""
    if sight.admits(item):
        return item
    return replace(item, text="", **_WITHOUT_CONTENT)


# What a memory says besides its text, and its links, as empty values.
_WITHOUT_CONTENT: dict[str, Any] = {
    "key": None,
    "tags": (),
    "source": None,
    "subjects": (),
    "stated_by": None,
    "provenance": NOTHING,
    "meta": NOTHING,
    "importance_reasons": (),
    "derived_from": (),
    "replaces": (),
    "supersedes": None,
    "superseded_by": None,
}


def redact_correction(outcome: Outcome, given: Collection[str]) -> Outcome:
    """The outcome of correcting a memory that those who listen may not hear: of the new one only what the caller has
    just `given`."""
    kept = {name: empty for name, empty in _WITHOUT_CONTENT.items() if name not in given}
    return outcome if outcome.item is None else replace(outcome, item=replace(outcome.item, **kept))


def redact_outcome(view: View, outcome: Outcome) -> Outcome:
    """The outcome of a write, with the trace of its call. The writer may see it from any standpoint; links show only
    memories that the present room may see."""
    outcome = noted_outcome(replace(outcome, trace=view.call.trace), view.actor)
    if outcome.item is None or not _links(outcome.item) or view.sight.seen(outcome.item.space) is None:
        return outcome
    return replace(outcome, item=redact_for(view.engine, view.sight, outcome.item))


def _links(item: Item) -> set[str]:
    return {one for one in (*item.replaces, *item.derived_from, item.supersedes, item.superseded_by) if one is not None}
