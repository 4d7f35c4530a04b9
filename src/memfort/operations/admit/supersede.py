"""Which memories a statement supersedes, and how that is recorded.

The index has change keys for the attribute of a statement and for its text without the value, so the memories that a
statement updates are found without reading any others. The winner is decided as in any other conflict.
"""

from __future__ import annotations

from collections.abc import Sequence

from memfort.capture.extract.attribute import attribute_of
from memfort.capture.extract.ends import is_compound
from memfort.engine.transaction import Transaction
from memfort.engine.view import View
from memfort.model.audience import audience_of
from memfort.model.item import Candidate, Item, Kind, Sensitivity, Status, as_expired, is_live
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.operations.admit.enrich import audience_of_candidate
from memfort.policy.admission import Placement
from memfort.policy.gates.conflict import ConflictRule
from memfort.policy.gates.supersession import Change as Evolution
from memfort.policy.gates.supersession import ClaimsOfTexts
from memfort.store.port import Change
from memfort.trail.event import Event

_COMPARED = 3  # of the latest memories with the change keys of a statement

Lost = tuple[Item, ConflictRule]  # a superseded memory, and the rule that decided it


def find_outdated(view: View, placement: Placement, alike: Sequence[Item], claims: ClaimsOfTexts) -> list[Item]:
    """Of the memories with the statement's change keys, those that it updates: about the same people, the same thing,
    another value. What was said in passing updates only what its own words say is otherwise now."""
    candidate = placement.candidate
    stated = claims[candidate.text]
    is_change = not candidate.captured or candidate.is_correction or stated.says_changed
    return [
        item
        for item in alike
        if (is_change or _says_later(item, candidate, claims)) and _says_another_value(view, placement, claims, item)
    ]


def find_replaceable(view: View, placement: Placement, alike: Sequence[Item], claims: ClaimsOfTexts) -> str | None:
    """The id of the latest memory that gives the attribute which a statement names another value, or that a statement
    from a conversation may update, though its words do not say that
    anything has changed; of an old conversation, that may update it. Both stay in force, and recall puts the one that
    was said later first."""
    if not alike:
        return None
    candidate, attribute = placement.candidate, attribute_of(placement.candidate.text)
    latest = sorted(alike, key=_said_at, reverse=True)[:_COMPARED]

    def may_be_older(item: Item) -> bool:
        its = None if attribute is None else attribute_of(item.text)
        if attribute is not None and its is not None and attribute.has_another_value(its):
            return _is_of_the_same(view, placement, item)
        return candidate.captured and _says_another_value(view, placement, claims, item)

    return next((item.id for item in latest if may_be_older(item)), None)


def _is_of_the_same(view: View, placement: Placement, item: Item) -> bool:
    """Whether a memory is in force, about the same people, and for the same ones."""
    candidate = placement.candidate
    return (
        is_live(item, view.now)
        and item.kind is Kind.SEMANTIC
        and _is_about_the_same(item, candidate)
        and _has_same_audience(item, candidate, placement.space)
    )


def _says_another_value(view: View, placement: Placement, claims: ClaimsOfTexts, item: Item) -> bool:
    """Whether it replaces a memory, and what that says besides stays, as statements of their own; or there is nothing
    besides: the new one is nearly the same in other words."""
    if not _is_of_the_same(view, placement, item):
        return False
    stated, threshold = claims[placement.candidate.text], view.policy.conflict.similarity
    verdict = stated.replaces(claims[item.text], threshold=threshold)
    leaves_the_rest = bool(verdict.remaining) or verdict.reason is Evolution.SIMILAR
    return verdict.supersedes and (leaves_the_rest or not is_compound(item.text))


def _said_at(item: Item) -> tuple[int, int]:
    return item.observed_at_us or item.created_at_us, item.number


def _is_about_the_same(item: Item, candidate: Candidate) -> bool:
    same_readers = item.readers == candidate.readers
    mine, theirs = set(candidate.subjects), set(item.subjects)
    return same_readers and (bool(mine & theirs) or not (mine or theirs))


def _says_later(item: Item, candidate: Candidate, claims: ClaimsOfTexts) -> bool:
    """Whether a memory says that something has changed, and was said after a candidate of an older conversation."""
    at = candidate.observed_at_us
    is_later = at is not None and item.observed_at_us is not None and item.observed_at_us > at
    return is_later and claims[item.text].says_changed


def _has_same_audience(item: Item, candidate: Candidate, space: Space) -> bool:
    """Whether everyone who may see the old one may see the new one. In a private space that is its owner."""
    if space.is_private:
        return True
    public = (item.sensitivity, candidate.sensitivity or Sensitivity.PUBLIC) == (Sensitivity.PUBLIC,) * 2
    return public or audience_of(item) == audience_of_candidate(candidate, space)


def supersede(tx: Transaction, losers: Sequence[Lost], winner: Item) -> tuple[list[Change], list[Event]]:
    """The changes and events that supersede memories by `winner`."""
    changes: list[Change] = []
    events: list[Event] = []
    for loser, rule in {loser.id: (loser, rule) for loser, rule in losers}.values():
        after = tx.next_version(loser, status=Status.SUPERSEDED, superseded_by=winner.id, ended_phase=winner.phase)
        changes.append(tx.update(after))
        events.append(tx.event("supersede", after, Reason.SUPERSEDED, by=winner.id, rule=rule.value))
    return changes, events


def wordings(view: View, latest: Item | None) -> list[Item]:
    """The given wording and earlier ones that are not superseded yet: a correction of a pending correction replaces
    both. One that was in force has superseded those before it, so a long line of wordings is not walked through."""
    found: dict[str, Item] = {}
    while latest is not None and latest.id not in found and not _was_in_force(latest):
        found[latest.id] = latest
        latest = earlier_wording(view, latest)
    there = (one for one in found.values() if as_expired(one, view.now).deleted_at_us is None)
    return [one for one in there if one.status is not Status.SUPERSEDED]


def _was_in_force(item: Item) -> bool:
    return item.status is Status.SUPERSEDED and item.in_force_at_us is not None


def earlier_wording(view: View, item: Item) -> Item | None:
    """The memory that an item is a new wording of. A file can claim any, so only a memory of the same space, for the
    same readers, where the actor may write, counts."""
    if item.supersedes is None:
        return None
    found = view.store.items(view.sight.writable.narrowed([item.space]), [item.supersedes])
    return next((one for one in found if one.readers == item.readers), None)
