"""Promotion: the one way for a memory to change its space. A linked copy in the target, past every gate there; the
source becomes a tombstone. It always ends in a promotion or a refusal, never in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memfort.errors import Denied, InvalidInput
from memfort.memory.describing import who_may_know
from memfort.memory.engine import Engine
from memfort.memory.input import space_of
from memfort.memory.kin import stored
from memfort.memory.lifetimes import retire
from memfort.memory.people.strangers import stranger
from memfort.memory.writing import changeable, write
from memfort.model.actor import SYSTEM, Actor, ActorKind, Standpoint
from memfort.model.decision import Decision, Outcome, Verdict
from memfort.model.directory import Trust, principal_of
from memfort.model.hearing import OUTSIDE
from memfort.model.item import Candidate, Item, Status, is_live
from memfort.model.moment import Moment
from memfort.model.person import is_made
from memfort.model.reason import Reason, explanation
from memfort.model.sight import Sight
from memfort.model.space import GROUP_LEVELS, Level, Space
from memfort.policy.border import Passage, is_trusted, promotion_border
from memfort.policy.people import is_known_in
from memfort.policy.sections import Promotion
from memfort.policy.sight import maintenance_sight
from memfort.trace.event import Event, chain_of_space

MANUAL = "manual"


def promote(engine: Engine, standpoint: Standpoint, id: str, given: Mapping[str, str], reason: str = MANUAL) -> Outcome:
    """Take a memory into another space, where the standpoint may write too."""
    target = space_of(standpoint, given)
    with engine.writing():
        sight, now = engine.sight(standpoint), engine.clock.now()
        source = changeable(engine, sight, sight.writable, id)
        if not is_live(source, now):
            raise InvalidInput("id", f"`{id}` is {source.status}, not in force", "promote what can be recalled")
        return promote_item(engine, standpoint.actor, sight, source, target, reason, now)


def promote_item(
    engine: Engine, actor: Actor, sight: Sight, source: Item, target: Space, reason: str, now: Moment
) -> Outcome:
    """The same inside a transaction, of a memory that is known to be in force where the actor may write."""
    passage = promotion_border(source, target, sight.seen(target), engine.policy)
    if passage.allowed and not _may_propose(engine, actor, target, passage.way):
        passage = Passage(Reason.LEVEL_TOO_LOW, passage.way)
    if not passage.allowed:
        decision = Decision(Verdict.DENIED, "border", passage.reason, engine.policy.digest)
        return deny(engine, actor, source, target.levels, decision, reason, now)
    assert passage.way is not None
    waits = passage.way.approvals > 0
    copy = _copy(source, target, waits=waits)
    copy = copy.filled(subjects=_known_there(engine, actor, sight, copy, source.space, target))
    outcome = write(
        engine, actor, sight, copy, target, now, is_described=True,
        promotes=source, finish=lambda made: _linked(made, source, reason, waits=waits),
    )  # fmt: skip
    if outcome.item is None or outcome.reason is Reason.DUPLICATE:
        denied = outcome.decision.but(verdict=Verdict.DENIED)
        return deny(engine, actor, source, target.levels, denied, reason, now)
    if outcome.item.status is Status.APPROVED:
        settle_promotion(engine, actor, sight, source, outcome.item, now)
    return outcome


def deny(
    engine: Engine, actor: Actor, source: Item | Space, target: Iterable[Level], decision: Decision, why: str,
    now: Moment,
) -> Outcome:  # fmt: skip
    """Record a refusal, and why it was asked for. The source's space keeps it: the promotion was of its memory, and the
    target knows nothing of it. Of what was never kept there is only the space where it would have been, and then the
    asker's chain has it."""
    decision = decision.but(detail={**decision.detail, "why": why})
    detail = {"gate": decision.gate, "levels": sorted(level.value for level in target), **decision.detail}
    if isinstance(source, Space):
        detail["from"] = sorted(level.value for level in source.levels)
        event = engine.asked("promote", actor, "denied", decision.reason, now, detail)
    else:
        event = Event(
            chain=chain_of_space(source.space), at=now, action="promote", actor=actor, surface=engine.surface,
            decision="denied", reason=decision.reason, policy=engine.policy.digest, space=source.space, item=source.id,
            detail=detail,
        )  # fmt: skip
    engine.apply([], [event])
    return Outcome(decision)


def settle_promotion(engine: Engine, actor: Actor, sight: Sight, source: Item, copy: Item, now: Moment) -> None:
    """The copy is in force, so the source gives way to it. Who approved need not know where that was, or whether it is
    still there; then the system does it, and it is no part of what they are told of their call."""
    is_seen = sight.admits(source)
    retire(engine, actor if is_seen else SYSTEM, source, "promote", Reason.PROMOTED, now, told=is_seen, to=copy.id,
           target=copy.space.as_dict(), authority=copy.authority.value, why=copy.promotion_reason)  # fmt: skip


def agree(engine: Engine, actor: Actor, item: Item) -> Item | None:
    """Count an actor's approval of a promotion that waits. `None` says that enough have agreed."""
    source = source_of(engine, item)
    if source is None:
        raise InvalidInput("id", f"there is nothing any more that `{item.id}` is a copy of", "reject it")
    needed, trust = _asked(engine, source, item)
    held, name = trust_in(engine, actor, item.space), str(principal_of(actor))
    if not is_trusted(held, trust) or (_is_proposer(actor, item) and held is not Trust.OWNER):
        raise Denied(Reason.LEVEL_TOO_LOW, explanation(Reason.LEVEL_TOO_LOW))
    agreed = tuple(dict.fromkeys((*item.approvals, name)))
    if held is Trust.OWNER or len(agreed) >= needed:
        return None
    return item.but(approvals=agreed)


def is_void(engine: Engine, item: Item) -> bool:
    """Whether a copy that waits has nothing left to wait for: somebody has forgotten its source, or said what is right
    instead. A source that has ended by itself, or lost a conflict, does not count: the copy would tell those who
    review it of what was written beside its source."""
    source = None if item.promoted_from is None else source_of(engine, item)
    return source is not None and (source.deleted_reason == Reason.FORGOTTEN or _is_reworded(engine, source))


def _is_reworded(engine: Engine, source: Item) -> bool:
    """Whether a memory has given way to a new wording of itself, and not to another memory."""
    seen, id = set[str](), source.superseded_by
    while id is not None and id not in seen:
        seen.add(id)
        newer = _intact(engine, source.space, id)
        id = None if newer is None else newer.supersedes
        if id == source.id:
            return True
    return False


def may_refuse(engine: Engine, actor: Actor, item: Item) -> bool:
    """Whether an actor may end a promotion that waits: whoever is trusted to agree, and who proposed it."""
    source = source_of(engine, item)
    trust = Trust.APPROVER if source is None else _asked(engine, source, item)[1]
    return _is_proposer(actor, item) or is_trusted(trust_in(engine, actor, item.space), trust)


def _asked(engine: Engine, source: Item, item: Item) -> tuple[int, Trust]:
    """How many have to agree to a promotion, and how far each has to be trusted. A way that the policy has closed
    since goes on as the strictest reading of a way: by those who approve."""
    way = engine.policy.spaces.way(source.space.primary, item.space.primary)
    return (1, Trust.APPROVER) if way is None else (max(way.approvals, 1), way.trust)


def _is_proposer(actor: Actor, item: Item) -> bool:
    return principal_of(item.author) == principal_of(actor)


def source_of(engine: Engine, copy: Item) -> Item | None:
    """The memory that a copy was promoted from, if it is still there. Where it lies is not for everybody to know, so
    the store remembers it and the copy does not."""
    origins = engine.store.origins(maintenance_sight([copy.space]), copy)
    found = (_intact(engine, space, id) for space, id in origins)
    return next((source for source in found if source is not None), None)


def _intact(engine: Engine, space: Space, id: str) -> Item | None:
    """A memory by name, wherever it lies. That it is damaged is nothing to tell those who review a copy of it."""
    found = stored(engine, maintenance_sight([space]), [id])
    return next((one for one in found if isinstance(one, Item)), None)


def trust_in(engine: Engine, actor: Actor, space: Space) -> Trust:
    """How far an actor is trusted in a space: in its own entirely, in a group as the directory says, and as a
    contributor where the host program vouches for it."""
    groups = [one for one in space.coordinates if one.level in GROUP_LEVELS or one.level is Level.CHAT]
    if actor.kind is ActorKind.SYSTEM or not groups:
        return Trust.OWNER
    levels = list(Trust)
    held = [engine.store.trust(group, principal_of(actor)) or Trust.CONTRIBUTOR for group in groups]
    return min(held, key=levels.index)


def _may_propose(engine: Engine, actor: Actor, target: Space, way: Promotion | None) -> bool:
    """Where others have to agree, those who only look on do not propose either."""
    agreed = way is not None and way.approvals > 0
    return not agreed or is_trusted(trust_in(engine, actor, target), Trust.CONTRIBUTOR)


def _copy(source: Item, target: Space, *, waits: bool) -> Candidate:
    """The source as a statement for the target. To promote what was learned in private is to let it out of there."""
    return Candidate(
        text=source.text,
        kind=source.kind,
        type=source.type,
        key=source.key,
        tags=source.tags,
        origin=source.origin,
        source=source.source,
        observed_at=source.observed_at,
        sensitivity=source.sensitivity,
        readers=source.readers,
        confidence=source.confidence,
        importance=source.importance,
        importance_reasons=source.importance_reasons,
        event_type=source.event_type,
        is_correction=source.is_correction,
        subjects=source.subjects,
        stated_by=source.stated_by,
        learned_in=target.get(Level.CHAT) or OUTSIDE,
        portable=source.portable,
        expires_at=source.expires_at,
        status=Status.PENDING if waits else None,
        meta=source.meta,
    )


def _known_there(
    engine: Engine, actor: Actor, sight: Sight, copy: Candidate, source: Space, target: Space
) -> tuple[str, ...]:
    """Whom a copy is about: users, and who is known to all who may read it. The id of anybody else would tell them whom
    others know, so that one is a stranger there; a name that is in the text is what was promoted."""
    if target.is_private and target.get(Level.USER) is not None and target.get(Level.USER) == source.get(Level.USER):
        return copy.subjects  # it stays with the same user
    readers, made = who_may_know(actor, copy, target), [one for one in copy.subjects if is_made(one)]
    people = engine.store.people(sight, made) if made else []
    known = {person.id for person in people if is_known_in(person.home, person.readers, target, readers)}
    about = (one if one in known or not is_made(one) else stranger(target, copy.text) for one in copy.subjects)
    return tuple(dict.fromkeys(about))


def _linked(made: Item, source: Item, reason: str, *, waits: bool) -> Item:
    why = Reason.PROMOTION_WAITS.value if waits and made.status is Status.PENDING else made.status_reason
    return made.but(promoted_from=source.id, promotion_reason=reason, status_reason=why)
