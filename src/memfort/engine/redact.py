"""Redact a memory for its viewer: only links to memories that the viewer and the listeners may see, and from another
user's space only the statement. Who listened where it was learned is shown only to those who did."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from memfort.engine.engine import Engine
from memfort.engine.notice import notice_of
from memfort.engine.reviewers import waits_for
from memfort.engine.view import View
from memfort.model.audience import ListenersKind
from memfort.model.decision import Outcome
from memfort.model.item import NOTHING, Item, Status
from memfort.model.people.person import is_made
from memfort.model.sight import Sight
from memfort.model.space import Level
from memfort.policy.disclosure import redact_for_disclosure


def redact_for(engine: Engine, sight: Sight, item: Item) -> Item:
    return redact_all(engine, sight, [item])[0]


def redact_all(engine: Engine, sight: Sight, items: Sequence[Item]) -> list[Item]:
    """The same of many memories, whose links are looked up together."""
    asked = {id for item in items for id in _ids_to_check(sight, item)}
    heard = {(one.space.id, one.id) for one in engine.store.items(sight, sorted(asked))} if asked else set()
    return [_redact(sight, item, heard) for item in items]


def _ids_to_check(sight: Sight, item: Item) -> Iterator[str]:
    """The memories that an item names and that the viewer may not see."""
    if sight.seen(item.space) is None or _is_at_home(sight, item):
        return
    if item.evidence is not None:
        yield from item.evidence.turns
    if sight.disclosure is not None:
        yield from _links(item)


def _redact(sight: Sight, item: Item, heard: Collection[tuple[bytes, str]]) -> Item:
    """An item with what the viewer may see of it, who may see these of the memories that it names."""
    if (seen := sight.seen(item.space)) is None:
        return redact_for_disclosure(item)
    if seen.is_leaving:  # the number in a person's id counts whom other memories there mention
        item = replace(item, subjects=tuple(one for one in item.subjects if not is_made(one)))
    item = _redact_evidence(sight, item, heard)
    if sight.disclosure is None:
        return item
    listeners = sight.disclosure.listeners
    if item.learned_with and not listeners.listening.issubset(item.learned_with):
        item = replace(item, learned_with=())
    if _is_at_home(sight, item) or not (links := _links(item)):
        return item
    known = {id for id in links if (item.space.id, id) in heard}
    return replace(
        item,
        replaces=tuple(id for id in item.replaces if id in known),
        may_replace=item.may_replace if item.may_replace in known else None,
        derived_from=tuple(id for id in item.derived_from if id in known),
        supersedes=item.supersedes if item.supersedes in known else None,
        superseded_by=item.superseded_by if item.superseded_by in known else None,
    )


def _redact_evidence(sight: Sight, item: Item, heard: Collection[tuple[bytes, str]]) -> Item:
    """A statement without its evidence for a viewer who may not see each turn of it: neither ids nor words. Those whose
    space it is in said the words themselves."""
    if item.evidence is None or _is_at_home(sight, item):
        return item
    return item if {id for _, id in heard}.issuperset(item.evidence.turns) else replace(item, evidence=None)


def _is_at_home(sight: Sight, item: Item) -> bool:
    """Whether the owner of the memory's private space looks at it and nobody else listens."""
    owner, disclosure = item.space.get(Level.USER), sight.disclosure
    is_alone = disclosure is None or disclosure.listeners.kind is ListenersKind.ALONE
    return is_alone and item.space.is_private and owner is not None and owner == sight.actor.user


def redact_unheard(sight: Sight, item: Item) -> Item:
    """A memory that its author ends where those who listen may not hear it: its id, its place and its state, and
    nothing of what it says, nor that something replaced it: that may have been said elsewhere."""
    if sight.admits(item):
        return item
    status = Status.APPROVED if item.status is Status.SUPERSEDED else item.status
    return replace(item, text="", status=status, **_WITHOUT_CONTENT)


# What a memory says besides its text, and its links, as empty values.
_WITHOUT_CONTENT: dict[str, Any] = {
    "key": None,
    "tags": (),
    "source": None,
    "judgement": None,
    "subjects": (),
    "stated_by": None,
    "provenance": NOTHING,
    "meta": NOTHING,
    "importance_reasons": (),
    "conversation": None,
    "evidence": None,
    "occurred": None,
    "derived_from": (),
    "replaces": (),
    "may_replace": None,
    "supersedes": None,
    "superseded_by": None,
}


def redact_correction(outcome: Outcome, given: Collection[str]) -> Outcome:
    """The outcome of correcting a memory that those who listen may not hear: of the new one only what the caller has
    just `given`."""
    kept = {name: empty for name, empty in _WITHOUT_CONTENT.items() if name not in given}
    return outcome if outcome.item is None else replace(outcome, item=replace(outcome.item, **kept))


def redact_moved(view: View, outcome: Outcome, source: Item) -> Outcome:
    """The outcome of a write that has the words of its `source` and none of the caller's: in a chat that may hear
    neither, nothing of what it says."""
    outcome = redact_outcome(view, outcome)
    if outcome.item is None or not view.sight.is_in_chat or view.sight.admits(source):
        return outcome
    return replace(outcome, item=redact_unheard(view.sight, outcome.item))


def redact_outcome(view: View, outcome: Outcome) -> Outcome:
    """The outcome of a write, with the trace of its call. The writer may see it from any standpoint; links show only
    memories that the present room may see."""
    outcome = replace(outcome, trace=view.call.trace, notice=_notice_of(view, outcome))
    if outcome.item is None or not _has_links(outcome.item) or view.sight.seen(outcome.item.space) is None:
        return outcome
    return replace(outcome, item=redact_for(view.engine, view.sight, outcome.item))


def _notice_of(view: View, outcome: Outcome) -> str:
    if outcome.item is None:
        return outcome.notice
    is_waiting = outcome.item.status is Status.PENDING
    return waits_for(view.sight, outcome.item) if is_waiting else notice_of(view, outcome.item)


def _has_links(item: Item) -> bool:
    return item.evidence is not None or bool(_links(item))


def _links(item: Item) -> set[str]:
    single = (item.supersedes, item.superseded_by, item.may_replace)
    return {one for one in (*item.replaces, *item.derived_from, *single) if one is not None}
