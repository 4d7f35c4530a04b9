"""Writing: gather, decide, apply. Remembering, and saying what is right instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from memfort.errors import Denied, InvalidInput, NotFound
from memfort.memory.describing import Described, described, gravest, label_of_candidate
from memfort.memory.engine import Engine, Known
from memfort.memory.evolving import outdated
from memfort.memory.gleaning import Gleaned
from memfort.memory.input import candidate_of, id_of, list_of
from memfort.memory.lifetimes import changed, fade, in_force, lapsed, retire, room_for
from memfort.memory.placing import place_of
from memfort.model.actor import Actor, Standpoint
from memfort.model.decision import Decision, Outcome, Verdict
from memfort.model.hearing import label_of
from memfort.model.item import (
    Authority,
    Candidate,
    Facts,
    Item,
    Kind,
    Sensitivity,
    Status,
    is_expired,
    is_live,
    memory_id,
    outweighs,
)
from memfort.model.moment import Moment
from memfort.model.reason import Reason, explanation
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.policy.admit import (
    Placed,
    Screened,
    earliest,
    importance_of,
    may_replace,
    place,
    policy_tags,
    screen,
)
from memfort.policy.authority import NOT_ON_RECORD, authority_of_actor, credit, is_quoted, lowest
from memfort.policy.conflict import ConflictRule
from memfort.policy.evolution import marks_of
from memfort.policy.normal import normal_text
from memfort.policy.phase import in_phase
from memfort.policy.settings import Policy
from memfort.policy.sight import unheard
from memfort.store.port import Bar, Change, DropBar, PutBar
from memfort.trace.event import Event

Given = Candidate | str | Mapping[str, Any]
Lost = tuple[Item, ConflictRule]  # a memory that gives way, and the rule by which it does
Digests = tuple[bytes, bytes]  # of a statement's value and of its very words


class Ahead(Struct, frozen=True):
    """What was worked out of a statement before its turn came. What is missing is worked out then."""

    gleaned: Gleaned | None = None  # of its words
    people: Described | None = None
    screened: Screened | None = None
    digests: Digests | None = None


_NOTHING_AHEAD = Ahead()


class Decided(Struct, frozen=True):
    """What became of a candidate at the gates."""

    screened: Screened
    placed: Placed
    bar: Bar | None = None  # of a reviewer who rejected the same words before
    known: Known | None = None  # of its words, if it came so far


def remember(engine: Engine, standpoint: Standpoint, given: Given) -> Outcome:
    """Keep a statement if policy admits it, and record the outcome either way."""
    candidate = candidate_of(standpoint.actor, given)
    space = place_of(standpoint, candidate, engine.policy)
    with engine.writing():
        return write(engine, standpoint.actor, engine.sight(standpoint), candidate, space, engine.clock.now())


def write(
    engine: Engine, actor: Actor, sight: Sight, candidate: Candidate, space: Space, now: Moment,
    *, supersedes: Item | None = None, edits: bool = False, promotes: Item | None = None,
    finish: Callable[[Item], Item] | None = None, is_described: bool = False, on_record: bool = False,
    at_most: Authority | None = None, ahead: Ahead = _NOTHING_AHEAD,
) -> Outcome:  # fmt: skip
    """Run the whole chain on one candidate, inside a transaction. `supersedes` is the memory it is a new wording of,
    with `edits` a pending one that it takes the place of at once; `promotes` the one in another space that it copies,
    whose promotion is recorded by whoever asked for it. `finish` adds what an import or a promotion brings along; what
    it says of people `is_described` already then. `on_record` are words of a conversation that the engine itself
    records; what a caller claims never is. `at_most` limits the authority. What was worked out
    `ahead` is not worked out again."""
    people = Described(candidate) if is_described else ahead.people or described(
        engine, actor, sight, candidate, space, supersedes, now, ahead.gleaned
    )  # fmt: skip
    candidate = people.candidate
    decided = decide(
        engine, actor, sight, candidate, space, now,
        supersedes=supersedes, promotes=promotes, on_record=on_record, at_most=at_most, ahead=ahead,
    )  # fmt: skip
    screened, placed = decided.screened, decided.placed
    beaten = promotes is not None and placed.beaten_by is not None
    if placed.decision.verdict is Verdict.DENIED or beaten:
        if promotes:
            return Outcome(placed.decision)
        return refuse(engine, actor, "remember", placed.decision, candidate, space, now)
    if placed.duplicate is not None:
        return _already_there(engine, actor, sight, placed, supersedes, now)
    deciding = unheard(sight)
    item = _item(engine, actor, deciding, space, screened, placed, supersedes, now)
    item = item if finish is None else finish(item)
    losers = _losers(engine, sight, item, placed, supersedes, now, edits=edits)
    full, evicted = room_for(engine, actor, deciding, item, [loser for loser, _ in losers])
    if full is not None:
        return Outcome(full) if promotes else refuse(engine, actor, "remember", full, candidate, space, now)
    item = in_force(engine, deciding, item, now)
    barring = _barring(engine, actor, item, decided.bar if placed.lifts_bar else None)
    insert = engine.insert(item, promotes, decided.known if finish is None else None)
    changes: list[Change] = [*people.changes, insert, *barring]
    kept = _kept(engine, actor, item, placed, screened, now, edits=edits, **told_bar(engine, barring))
    events = [*people.events, kept]
    if losers:
        supersede(engine, actor, losers, item, now, changes, events)
    engine.apply(changes, events)
    for one in evicted:
        retire(engine, actor, one, "evict", Reason.EVICTED, now, by=item.id)
    fade(engine, deciding, item, now)
    return Outcome(_naming(placed.decision, evicted), item)


def rehearse(
    engine: Engine, actor: Actor, sight: Sight, candidate: Candidate, space: Space, now: Moment
) -> Decision:  # fmt: skip
    """The decision that `write` would come to."""
    candidate = described(engine, actor, sight, candidate, space, None, now).candidate
    deciding = unheard(sight)
    decided = decide(engine, actor, sight, candidate, space, now)
    placed = decided.placed
    if placed.decision.verdict is Verdict.DENIED or placed.duplicate is not None:
        return placed.decision
    item = _item(engine, actor, deciding, space, decided.screened, placed, None, now)
    full, evicted = room_for(engine, actor, deciding, item, [loser for loser, _ in placed.replaced])
    return _naming(placed.decision, evicted) if full is None else full


def _naming(decision: Decision, evicted: Sequence[Item]) -> Decision:
    """The decision, with the names of what had to make room."""
    if not evicted:
        return decision
    return decision.but(detail={**decision.detail, "evicted": [one.id for one in evicted]})


def decide(
    engine: Engine, actor: Actor, sight: Sight, candidate: Candidate, space: Space, now: Moment,
    *, supersedes: Item | None = None, promotes: Item | None = None, on_record: bool = False,
    at_most: Authority | None = None, ahead: Ahead = _NOTHING_AHEAD,
) -> Decided:  # fmt: skip
    """What every gate says to a candidate. Changes and records nothing, so `check` asks it too."""
    gleaned, digests = ahead.gleaned, ahead.digests
    screened = ahead.screened or screened_of(
        engine, actor, sight, candidate, space, gleaned, crosses=promotes is not None, on_record=on_record
    )
    if screened.decision.verdict is Verdict.DENIED:
        return Decided(screened, Placed(screened.decision))
    if at_most is not None and outweighs(screened.authority, at_most, engine.policy.authority_order):
        screened = replace(screened, authority=at_most, authority_reason=f"{NOT_ON_RECORD}{candidate.origin}")
    sources = _sources(engine, actor, sight, space, candidate)
    parents = sources if promotes is None else [*sources, promotes]
    if parents:
        private = gravest([candidate.sensitivity, *(parent.sensitivity for parent in parents)])
        screened = replace(
            _weighed_by(screened, actor, sources, parents, engine.policy),
            candidate=screened.candidate.filled(sensitivity=private),
        )
        digests = None  # others may hear it now, among whom it has other rivals
    if gleaned is not None and gleaned.text != screened.candidate.text:
        gleaned = None  # something in it was replaced
    digests = digests or digests_of(engine, screened.candidate, space, gleaned)
    placed, bar, known = _place(engine, actor, sight, space, screened, supersedes, now, gleaned, digests)
    if sources:  # what was said outlives the turn it was said in; anything else that is derived, nothing it came from
        limits = [source for source in sources if source.kind is not Kind.SHORT_TERM]
        placed = replace(placed, expires_at=earliest(placed.expires_at, limits))
    return Decided(screened, placed, bar, known)


def _weighed_by(
    screened: Screened, actor: Actor, sources: Sequence[Item], parents: Sequence[Item], policy: Policy
) -> Screened:
    """The statement with the authority that it has from what it came from."""
    if is_quoted(screened.candidate, sources):
        credited = credit(actor, screened.candidate.origin, policy, on_record=True)
        screened = replace(screened, authority=credited.authority, authority_reason=credited.reason)
    authority = lowest(screened.authority, parents, policy)
    if authority is screened.authority:
        return screened
    return replace(screened, authority=authority, authority_reason="source:derived")


def screened_of(
    engine: Engine, actor: Actor, sight: Sight, candidate: Candidate, space: Space, gleaned: Gleaned | None,
    *, crosses: bool = False, on_record: bool = False,
) -> Screened:  # fmt: skip
    """What the gates say that need only the statement itself."""
    is_clean = gleaned is not None and gleaned.is_clean and gleaned.text == candidate.text
    return screen(
        actor, sight.seen(space), space, candidate, engine.policy,
        crosses=crosses, is_clean=is_clean, on_record=on_record,
    )  # fmt: skip


def digests_of(engine: Engine, candidate: Candidate, space: Space, gleaned: Gleaned | None) -> Digests:
    return engine.digests(candidate, _words(candidate, gleaned), space, label_of_candidate(candidate))


def _words(candidate: Candidate, gleaned: Gleaned | None) -> str:
    """The text in normal form."""
    return normal_text(candidate.text) if gleaned is None else gleaned.normal


def correct(engine: Engine, standpoint: Standpoint, id: str, given: Given) -> Outcome:
    """Replace what a memory says. The old one is superseded and linked, never overwritten."""
    with engine.writing():
        sight, now = engine.sight(standpoint), engine.clock.now()
        target = correctable(engine, sight, id, now)
        candidate = _correction(standpoint.actor, target, given, ticks_left(engine, sight, target))
        if (refused := outranked(engine, standpoint.actor, sight, candidate, target)) is not None:
            return refuse(engine, standpoint.actor, "correct", refused, candidate, target.space, now)
        return write(engine, standpoint.actor, sight, candidate, target.space, now, supersedes=target)


def correctable(engine: Engine, sight: Sight, id: str, now: Moment) -> Item:
    """A memory that a correction can replace: in force or pending, where the asker may write."""
    target = changeable(engine, sight, sight.writable, id)
    if target.status is Status.SUPERSEDED or is_expired(target, now):
        raise NotFound("memory", id)
    return target


def restore(engine: Engine, standpoint: Standpoint, id: str) -> Outcome:
    """Bring back what a superseded memory said, in place of what took its place: a correction like any other."""
    with engine.writing():
        sight, now = engine.sight(standpoint), engine.clock.now()
        old = changeable(engine, sight, sight.writable, id)
        if old.status is not Status.SUPERSEDED:
            raise InvalidInput("id", f"`{id}` is {old.status}, not superseded", "look at `history` for what is")
        current = _current(engine, sight, old, now)
        given = {**kept_fields(old), "text": old.text, "is_correction": True, "sensitivity": old.sensitivity,
                 "expires_at": old.expires_at, "ttl_ticks": ticks_left(engine, sight, old)}  # fmt: skip
        candidate = candidate_of(standpoint.actor, given)
        if current is not None and (refused := outranked(engine, standpoint.actor, sight, candidate, current)):
            return refuse(engine, standpoint.actor, "restore", refused, candidate, old.space, now)
        return write(engine, standpoint.actor, sight, candidate, old.space, now, supersedes=current)


def _current(engine: Engine, sight: Sight, old: Item, now: Moment) -> Item | None:
    """What stands in the place of a superseded memory, at the end of the line."""
    seen, latest = {old.id}, old
    while latest.superseded_by is not None and latest.superseded_by not in seen:
        seen.add(latest.superseded_by)
        found = engine.store.items(sight.writable.narrowed([old.space]), [latest.superseded_by])
        if not found:
            return None
        latest = found[0]
    return latest if is_live(latest, now) else None


def outranked(engine: Engine, actor: Actor, sight: Sight, candidate: Candidate, target: Item) -> Decision | None:
    """The refusal of a new wording that has too little authority to replace the old one."""
    screened = screen(actor, sight.seen(target.space), target.space, candidate, engine.policy)
    if screened.decision.verdict is Verdict.DENIED or may_replace(screened.authority, target, engine.policy):
        return None
    return Decision(Verdict.DENIED, "conflict", Reason.OUTRANKED, engine.policy.digest)


def find(engine: Engine, sight: Sight, id: str) -> Item:
    """The memory called `id` in sight, or the one answer for everything else."""
    now = engine.clock.now()
    kept = [item for item in engine.store.items(sight, [id_of(id)]) if lapsed(item, now).deleted_at is None]
    if not kept:
        raise NotFound("memory", id)
    return kept[0]


def changeable(engine: Engine, held: Sight, reach: Sight, id: str) -> Item:
    """The memory called `id` within reach of a change. Who can read it but not reach it is told so, and learns nothing
    by it: `get` shows it to them. For everybody else it is not there."""
    try:
        return find(engine, reach, id)
    except NotFound:
        if any(is_shown(engine, held, item, engine.clock.now()) for item in engine.store.items(held, [id])):
            raise Denied(Reason.READ_ONLY_HERE, explanation(Reason.READ_ONLY_HERE)) from None
        raise


def is_shown(engine: Engine, sight: Sight, item: Item, now: Moment) -> bool:
    """Whether a memory in sight can be recalled: it is in force, and of the phase its space is in."""
    return is_live(item, now) and is_current(engine, sight, item)


def is_current(engine: Engine, sight: Sight, item: Item) -> bool:
    """Whether a memory belongs to the phase that its space is in now."""
    seen = sight.seen(item.space) is not None
    return in_phase(item, sight.phase_of(item.space) if seen else engine.phase_of(item.space), engine.policy)


def _place(
    engine: Engine, actor: Actor, sight: Sight, space: Space, screened: Screened, supersedes: Item | None, now: Moment,
    gleaned: Gleaned | None, digests: Digests,
) -> tuple[Placed, Bar | None, Known]:  # fmt: skip
    candidate, deciding = screened.candidate, unheard(sight)
    words, (value, statement) = _words(candidate, gleaned), digests
    # A turn of a conversation may be like another one; it is no rival of it.
    found = [] if candidate.kind is Kind.SHORT_TERM else engine.store.rivals(deciding, space, candidate.readers, value)
    marks = None
    if candidate.kind is Kind.SEMANTIC:
        marks = marks_of(candidate.text, words) if gleaned is None else gleaned.marks
    if marks is not None:
        found = [*found, *outdated(engine, deciding, space, candidate, marks, now)]
    rivals = _rivals(engine, sight, space, words, found, supersedes, now) if found else []
    bar = engine.store.bar(deciding, space, candidate.readers, statement)
    placed = place(actor, screened, rivals, bar.authority if bar else None, engine.policy, now)
    return placed, bar, Known(value, marks, gleaned)


def _rivals(
    engine: Engine, sight: Sight, space: Space, words: str, found: Sequence[Item], supersedes: Item | None, now: Moment
) -> list[Item]:
    """Those of the memories found that a statement of these words meets, each once and in the order of their ids."""
    known = {rival.id: rival for rival in found}
    return [
        rival
        for _, rival in sorted(known.items())
        if _may_meet(sight, words, rival)
        and not is_expired(rival, now)
        and in_phase(rival, sight.phase_of(space), engine.policy)
        and (supersedes is None or rival.id != supersedes.id)
    ]


def _may_meet(sight: Sight, words: str, rival: Item) -> bool:
    """Whether a statement of these words, made in this room, meets a memory there. What the room may not hear is not
    known to it, so the same words are news in it; but what is one's own gives way to one's own later word wherever that
    is said."""
    return sight.admits(rival) or (rival.space.is_private and normal_text(rival.text) != words)


def _losers(
    engine: Engine, sight: Sight, item: Item, placed: Placed, supersedes: Item | None, now: Moment, *, edits: bool
) -> list[Lost]:
    """The memories that give way to an item, and by which rule."""
    is_approved = item.status is Status.APPROVED
    replaced = placed.replaced if is_approved else ()
    if supersedes is None:
        return list(replaced)
    worded = wordings(engine, sight, supersedes, now) if is_approved else [supersedes] if edits else []
    return [*replaced, *((one, ConflictRule.CORRECTION) for one in worded)]


def _kept(
    engine: Engine, actor: Actor, item: Item, placed: Placed, screened: Screened, now: Moment, *, edits: bool,
    **detail: Any,
) -> Event:  # fmt: skip
    verb, decision = "edit" if edits else "remember", placed.decision
    if placed.beaten_by is None:
        return engine.changed(verb, actor, item, screened.decision.reason, now, gate=screened.decision.gate, **detail)
    winner, rule = placed.beaten_by
    detail |= {"gate": decision.gate, "by": winner.id, "rule": rule.value}
    return engine.changed(verb, actor, item, decision.reason, now, **detail)


def _item(
    engine: Engine, actor: Actor, sight: Sight, space: Space, screened: Screened, placed: Placed,
    supersedes: Item | None, now: Moment,
) -> Item:  # fmt: skip
    candidate, policy = screened.candidate, engine.policy
    shelf = label_of_candidate(candidate)
    number = engine.store.next_number(sight, space, candidate.readers, actor.key, candidate.kind, shelf)
    importance, reasons = _weighed(screened, placed, policy)
    winner = None if placed.beaten_by is None else placed.beaten_by[0]
    phase = sight.phase_of(space).id
    return Item(
        id=memory_id(space, candidate.readers, actor, candidate.kind, number, shelf.text),
        number=number,
        space=space,
        kind=candidate.kind,
        type=screened.type,
        text=candidate.text,
        key=candidate.key,
        tags=candidate.tags,
        author=actor,
        origin=candidate.origin,
        source=candidate.source,
        observed_at=candidate.observed_at,
        sensitivity=candidate.sensitivity or Sensitivity.PUBLIC,
        readers=candidate.readers,
        confidence=float(candidate.confidence),
        authority=screened.authority,
        importance=importance,
        pii_risk=screened.pii_risk,
        status=screened.status if winner is None else Status.SUPERSEDED,
        status_reason=str(placed.decision.reason),
        created_at=now,
        updated_at=now,
        expires_at=placed.expires_at,
        supersedes=None if supersedes is None else supersedes.id,
        superseded_by=None if winner is None else winner.id,
        derived_from=candidate.derived_from,
        deleted_at=None,
        deleted_reason=None,
        provenance=Facts({"source": str(candidate.origin), "timestamp": now, **candidate.provenance}),
        meta=Facts(candidate.meta),
        policy=policy.digest,
        version=1,
        event_type=screened.event_type,
        is_correction=candidate.is_correction,
        subjects=candidate.subjects,
        stated_by=candidate.stated_by,
        learned_in=candidate.learned_in,
        portable=candidate.portable is not False,
        authority_reason=screened.authority_reason,
        importance_reasons=reasons,
        policy_tags=policy_tags(candidate, screened.event_type, policy),
        expires_tick=placed.ticks,
        replaces=tuple([loser.id for loser, _ in placed.replaced]),
        phase=phase,
        ended_phase=None if winner is None else phase,
    )


def _weighed(screened: Screened, placed: Placed, policy: Policy) -> tuple[float, tuple[str, ...]]:
    """The importance of a statement, with its reasons. What says the same as one that gives way weighs no less."""
    own, reasons = importance_of(screened, policy), screened.candidate.importance_reasons
    if not placed.replaced:
        return own, reasons
    words = normal_text(screened.candidate.text)
    same = [loser.importance for loser, _ in placed.replaced if normal_text(loser.text) == words]
    merged = max([own, *same])
    return merged, reasons if merged == own else (*reasons, "conflict_merge")


def _sources(engine: Engine, actor: Actor, sight: Sight, space: Space, candidate: Candidate) -> list[Item]:
    """The memories a candidate is derived from; each must be in sight, and in the same space. Of one's own words one
    may make something also where not everybody may hear them."""
    if not candidate.derived_from:
        return []
    here = sight.narrowed([space])
    stored = engine.store.items(unheard(here), candidate.derived_from)
    found = {item.id: item for item in stored if here.admits(item) or item.author.key == actor.key}
    for id in candidate.derived_from:
        if id not in found:
            raise NotFound("memory", id)
    return list(found.values())


def supersede(
    engine: Engine, actor: Actor, losers: Sequence[Lost], winner: Item, now: Moment,
    changes: list[Change], events: list[Event],
) -> None:  # fmt: skip
    for loser, rule in {loser.id: (loser, rule) for loser, rule in losers}.values():
        after = changed(loser, now, status=Status.SUPERSEDED, superseded_by=winner.id, ended_phase=winner.phase)
        changes.append(engine.update(after))
        event = engine.changed("supersede", actor, after, Reason.SUPERSEDED, now, by=winner.id, rule=rule.value)
        events.append(event)


def wordings(engine: Engine, sight: Sight, latest: Item | None, now: Moment) -> list[Item]:
    """The wording given and those before it, as far as they have not given way yet: a correction of a correction that
    was still pending replaces both."""
    found: dict[str, Item] = {}
    while latest is not None and latest.id not in found:
        found[latest.id] = latest
        latest = before(engine, sight, latest)
    there = (one for one in found.values() if lapsed(one, now).deleted_at is None)
    return [one for one in there if one.status is not Status.SUPERSEDED]


def before(engine: Engine, sight: Sight, item: Item) -> Item | None:
    """The memory that an item is a new wording of. A file can claim anything of an item, so only a memory of the same
    space, for the same readers, where the asker may write, is one."""
    if item.supersedes is None:
        return None
    found = engine.store.items(sight.writable.narrowed([item.space]), [item.supersedes])
    return next((one for one in found if one.readers == item.readers), None)


def refuse(
    engine: Engine, actor: Actor, action: str, decision: Decision, candidate: Candidate, space: Space, now: Moment
) -> Outcome:
    """Record a refusal in the asker's own chain. What was refused is not in it, not even as a digest: only what sort of
    thing it was, in words from closed lists."""
    # Not the names of the place either: they come from the caller too, and a secret can hide in one.
    levels = sorted(level.value for level in space.levels)
    detail = {"gate": decision.gate, "levels": levels, "attempted": _sort_of(engine, candidate), **decision.detail}
    engine.apply([], [engine.asked(action, actor, "denied", decision.reason, now, detail)])
    return Outcome(decision)


def _sort_of(engine: Engine, candidate: Candidate) -> dict[str, str]:
    of_its_type = engine.policy.types[engine.policy.resolve_type(candidate.type)].event_type
    return {
        "kind": candidate.kind.value,
        "source": candidate.origin.value,
        "event_type": (candidate.event_type or of_its_type).value,
    }


def _already_there(
    engine: Engine, actor: Actor, sight: Sight, placed: Placed, supersedes: Item | None, now: Moment
) -> Outcome:
    """Nothing new to keep; but what it was to correct gives way to the memory that says so already."""
    assert placed.duplicate is not None
    levels = sorted(level.value for level in placed.duplicate.space.levels)
    detail = {"gate": placed.decision.gate, "id": placed.duplicate.id, "levels": levels}
    changes: list[Change] = []
    events = [engine.asked("remember", actor, "allowed", Reason.DUPLICATE, now, detail)]
    if placed.duplicate.status is Status.APPROVED:
        losers = [(one, ConflictRule.CORRECTION) for one in wordings(engine, sight, supersedes, now)]
        supersede(engine, actor, losers, placed.duplicate, now, changes, events)
    engine.apply(changes, events)
    return Outcome(placed.decision, placed.duplicate)


def ticks_left(engine: Engine, sight: Sight, item: Item) -> int | None:
    """How many ticks a new wording has, so that it ends when the old one would have: coming into force is one."""
    if item.expires_tick is None or item.created_tick == 0:
        return item.expires_tick
    return max(item.expires_tick - engine.store.tick(sight, item.space, item.readers, label_of(item)) - 1, 1)


def _correction(actor: Actor, target: Item, given: Given, ticks: int | None) -> Candidate:
    """The corrected statement: the target's labels, with whatever the correction says otherwise."""
    if isinstance(given, Candidate):
        return given
    said: dict[str, Any] = {"text": given} if isinstance(given, str) else dict(given)
    # `None` is not said: a caller that passes every field along must not open a reader list by it.
    said = {name: value for name, value in said.items() if value is not None or name == "text"}
    if "space" in said:
        raise InvalidInput("space", "a correction stays where the memory is", "leave it out")
    if "derived_from" in said:  # what it came from cannot be unsaid: an erase has to find it
        said["derived_from"] = tuple(
            dict.fromkeys((*target.derived_from, *list_of(said["derived_from"], "derived_from")))
        )
    if "ttl_seconds" not in said:
        said.setdefault("expires_at", target.expires_at)
    said.setdefault("ttl_ticks", ticks)
    return candidate_of(actor, {**kept_fields(target), "is_correction": True, **said})


def kept_fields(item: Item) -> dict[str, Any]:
    """What a new wording of a memory takes over from it."""
    return {
        "kind": item.kind,
        "type": item.type,
        "key": item.key,
        "tags": item.tags,
        "access": item.readers,
        "derived_from": item.derived_from,
        "event_type": item.event_type,
        "subjects": item.subjects,
        "portable": item.portable,
        "meta": item.meta,
    }


def bar_of(engine: Engine, actor: Actor, item: Item) -> Bar:
    return Bar(item.space, item.readers, engine.statement(item), authority_of_actor(actor))


def _barring(engine: Engine, actor: Actor, item: Item, lifted: Bar | None) -> list[Change]:
    if item.status is Status.REJECTED:
        return [PutBar(bar_of(engine, actor, item))]
    return [] if lifted is None else [DropBar(lifted)]


def told_bar(engine: Engine, changes: Sequence[Change]) -> dict[str, Any]:
    """What the trail tells of a value that is rejected, or may be said again: its digest, and under which key."""
    for change in changes:
        if isinstance(change, PutBar | DropBar):
            readers, value = change.bar.readers.as_dict(), change.bar.value.hex()
            authority = change.bar.authority.value if isinstance(change, PutBar) else None
            return {
                "bar": {
                    "readers": readers,
                    "value": value,
                    "authority": authority,
                    "key": engine.store.keys.fingerprint,
                }
            }
    return {}
