"""Approve a promotion that waits for review, and retire its source once the copy is in force."""

from __future__ import annotations

from msgspec.structs import replace

from memfort.engine.lifecycle.copies import source_of
from memfort.engine.transaction import Transaction
from memfort.engine.view import View
from memfort.errors import Denied, InvalidInput
from memfort.model.audience import learned_of
from memfort.model.item import Item
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.people.directory import Trust, principal_of
from memfort.model.people.person import person_of_user
from memfort.model.reason import Reason, explanation
from memfort.model.space import GROUP_LEVELS, Level, Space
from memfort.policy.gates.border import is_trusted


def settle_promotion(tx: Transaction, source: Item, copy: Item) -> None:
    """Retire the source of a copy that is in force. An approver need not know where the source was, or whether it is
    still there; if so the system retires it, and the approver's trace leaves it out."""
    is_seen = tx.sight.admits(source)
    (tx if is_seen else tx.as_system()).retire(
        source,
        "promote",
        Reason.PROMOTED,
        traced=is_seen,
        to=copy.id,
        target=copy.space.to_dict(),
        authority=copy.authority.value,
        why=copy.promotion_reason,
    )


def agree(view: View, item: Item) -> Item | None:
    """Count the actor's approval of a promotion that waits. `None` says that enough have agreed."""
    source = source_of(view.engine, item)
    if source is None:
        raise InvalidInput("id", f"the source of `{item.id}` no longer exists", "reject it")
    needed, trust = _approvals_needed(view, source, item)
    held, name = trust_in(view, item.space), str(principal_of(view.actor))
    if not is_trusted(held, trust) or (_is_proposer(view.actor, item) and held is not Trust.OWNER):
        raise Denied(Reason.LEVEL_TOO_LOW, explanation(Reason.LEVEL_TOO_LOW))
    agreed = tuple(dict.fromkeys((*item.approvals, name)))
    if held is Trust.OWNER or len(agreed) >= needed:
        return None
    return replace(item, approvals=agreed)


def may_release(actor: Actor, source: Item) -> bool:
    """Whether the actor may promote a memory out of where it was learned. Out of a private chat only the person who
    said it, or the only person it is about, may release it; others propose it to them."""
    if not learned_of(source).is_confidential:
        return True
    person = None if actor.user is None else person_of_user(actor.user)
    return person is not None and (person == source.stated_by or source.subjects == (person,))


def may_refuse(view: View, item: Item) -> bool:
    """Whether the actor may end a promotion that waits: it is trusted to agree, or it proposed the promotion."""
    source = source_of(view.engine, item)
    trust = Trust.APPROVER if source is None else _approvals_needed(view, source, item)[1]
    return _is_proposer(view.actor, item) or is_trusted(trust_in(view, item.space), trust)


def trust_in(view: View, space: Space) -> Trust:
    """The actor's trust in a space: full in its own, as the directory says in a group, and contributor where the host
    program vouches for it."""
    actor = view.actor
    groups = [one for one in space.coordinates if one.level in GROUP_LEVELS or one.level is Level.CHAT]
    if actor.kind is ActorKind.SYSTEM or not groups:
        return Trust.OWNER
    levels = list(Trust)
    held = [view.store.trust(group, principal_of(actor)) or Trust.CONTRIBUTOR for group in groups]
    return min(held, key=levels.index)


def _approvals_needed(view: View, source: Item, item: Item) -> tuple[int, Trust]:
    """How many approvals a promotion needs, and the trust that each approver needs. If the policy no longer allows this
    promotion, one approver is needed."""
    way = view.policy.spaces.way(source.space.primary, item.space.primary)
    return (1, Trust.APPROVER) if way is None else (max(way.approvals, 1), way.trust)


def _is_proposer(actor: Actor, item: Item) -> bool:
    return principal_of(item.author) == principal_of(actor)
