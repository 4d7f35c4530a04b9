"""Propose to promote a memory out of the private chat where it was learned.

Only the person who said it, or the only person it is about, may release it. A proposal is a pending memory in that
person's own space, written by the system: so it is in their review list, and no one else can see, count or name it.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from memfort.engine.lifecycle.proposals import is_proposal, provenance_of_proposal, target_of
from memfort.engine.transaction import Transaction
from memfort.engine.view import View
from memfort.model.audience import audience_of, learned_of
from memfort.model.item import Item, Kind, Status, memory_id
from memfort.model.learned import LearnedKind
from memfort.model.people.actor import SYSTEM, Actor, ActorKind, Standpoint
from memfort.model.people.person import user_of_person
from memfort.model.reason import Reason
from memfort.model.space import Level, Space
from memfort.operations.write.promotion import may_release
from memfort.policy.sight import maintenance_sight


def may_propose(view: View, source: Item) -> bool:
    """Whether the actor may only propose to promote a memory: it was said in a private chat while the actor was there,
    by another person."""
    learned = learned_of(source)
    if learned.kind is not LearnedKind.PRIVATE or may_release(view.actor, source):
        return False
    proposers = view.engine.disclosure_for(Standpoint(view.actor, ())).listeners.listening
    return bool(proposers) and proposers.issubset(learned.listeners)


def propose(tx: Transaction, source: Item, target: Space) -> Reason:
    """Ask those who may release a memory to promote it. Answers that it waits for them, or why it does not."""
    asked = [_space_of(user) for user in _deciders(source)]
    if not asked or not may_propose(tx, source):
        return Reason.LEARNED_IN_PRIVATE
    known = {one.space: one for one in proposals_of(tx, source, target, {Status.PENDING, Status.REJECTED})}
    if all(space in known and known[space].status is Status.REJECTED for space in asked):
        return Reason.REJECTED_BEFORE
    for space in asked:
        if space not in known:
            made = _proposal(tx, source, space, target)
            event = tx.as_system().event("propose", made, Reason.RELEASE_WAITS)
            tx.apply([tx.insert(made, source)], [event], traced=False)
    return Reason.RELEASE_WAITS


def proposals_of(view: View, source: Item, target: Space, statuses: Iterable[Status]) -> list[Item]:
    """The proposals to promote a memory into a space."""
    made = view.store.derived(maintenance_sight([source.space]), [source.id])
    found = [one for one in made if is_proposal(one) and one.promoted_from == source.id]
    open_ones = (one for one in found if one.deleted_at_us is None and one.status in set(statuses))
    return [one for one in open_ones if target_of(one) == target]


def _deciders(source: Item) -> list[str]:
    """The users who may release a memory: who said it, and its only subject. Both have to have heard it in the chat: a
    proposal shows its text."""
    subject = source.subjects[0] if len(source.subjects) == 1 else None
    heard = set(learned_of(source).listeners)
    persons = dict.fromkeys(one for one in (source.stated_by, subject) if one is not None and one in heard)
    users = [user for one in persons if (user := user_of_person(one)) is not None]
    return [user for user in users if source.readers.admits(Actor(ActorKind.USER, user))]


def _space_of(user: str) -> Space:
    return Space.of({Level.USER.value: user})


def _proposal(tx: Transaction, source: Item, space: Space, target: Space) -> Item:
    """A copy of a memory that waits in the space of a person who may release it."""
    copy = replace(
        source,
        space=space,
        author=SYSTEM,
        kind=Kind.SEMANTIC,
        key=None,
        status=Status.PENDING,
        status_reason=Reason.RELEASE_WAITS.value,
        created_at_us=tx.now,
        updated_at_us=tx.now,
        in_force_at_us=None,
        expires_tick=None,
        created_tick=0,
        supersedes=None,
        superseded_by=None,
        replaces=(),
        may_replace=None,
        derived_from=(),
        evidence=None,
        conversation=None,
        promoted_from=source.id,
        promotion_reason=Reason.RELEASE_WAITS.value,
        approvals=(),
        provenance=provenance_of_proposal(tx.actor, target),
        phase=tx.engine.phase_of(space).id,
        ended_phase=None,
        uses=0,
        version=1,
    )
    audience, names = audience_of(copy), (space, copy.readers, SYSTEM, copy.kind)
    if not audience.judged:
        return replace(copy, number=1, id=tx.engine.unsequenced_id(*names, audience, tx.now))
    number = tx.store.next_number(maintenance_sight([space]), space, copy.readers, SYSTEM.key, copy.kind, audience)
    return replace(copy, number=number, id=memory_id(*names, number, audience.text))
