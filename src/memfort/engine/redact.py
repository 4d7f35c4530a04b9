"""Redact a memory for its viewer: only links to memories that the viewer and the listeners may see, and from another
user's space only the statement. Who listened where it was learned is shown only to those who did."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from msgspec.structs import replace

from memfort.engine.engine import Engine
from memfort.engine.view import View
from memfort.model.audience import ListenersKind, audience_of
from memfort.model.decision import Outcome
from memfort.model.item import NOTHING, Item, Sensitivity
from memfort.model.reason import Reason, explanation
from memfort.model.results import noted_outcome
from memfort.model.sight import Sight
from memfort.policy.disclosure import redact_for_disclosure


def redact_for(engine: Engine, sight: Sight, item: Item) -> Item:
    if sight.seen(item.space) is None:
        return redact_for_disclosure(item)
    if sight.disclosure is None:
        return item
    listeners = sight.disclosure.listeners
    if item.learned_with and not listeners.listening.issubset(item.learned_with):
        item = replace(item, learned_with=())
    if listeners.kind is ListenersKind.ALONE and item.space.is_private:
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
    notice = "" if outcome.item is None else _notice(view, outcome.item)
    outcome = noted_outcome(replace(outcome, trace=view.call.trace, notice=notice), view.actor)
    if outcome.item is None or not _links(outcome.item) or view.sight.seen(outcome.item.space) is None:
        return outcome
    return replace(outcome, item=redact_for(view.engine, view.sight, outcome.item))


def _notice(view: View, item: Item) -> str:
    """Tells the writer if the chat they stand in may not hear what they wrote."""
    seen, disclosure = view.sight.seen(item.space), view.sight.disclosure
    if disclosure is None or disclosure.listeners.chat is None or seen is None or view.sight.admits(item):
        return ""
    reason = view.engine.disclosure_for(view.standpoint).verdict(seen, audience_of(item))
    by_table = reason is Reason.NOT_FOR_THIS_CHAT
    why = item.sensitivity.value if by_table and item.sensitivity is not Sensitivity.PUBLIC else explanation(reason)
    place = "group" if disclosure.listeners.kind is ListenersKind.GROUP else "chat"
    return f"kept; not said in this {place}: {why}"


def _links(item: Item) -> set[str]:
    return {one for one in (*item.replaces, *item.derived_from, item.supersedes, item.superseded_by) if one is not None}
