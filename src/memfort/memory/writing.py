"""Writing: gather, decide, apply. Remembering, correcting, reviewing, forgetting and sweeping."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memfort.errors import Denied, InvalidInput, NotFound
from memfort.memory.engine import Engine
from memfort.memory.input import candidate_of, id_of, list_of, space_of
from memfort.memory.results import InboxEntry
from memfort.model.actor import SYSTEM, Actor, ActorKind, Standpoint
from memfort.model.decision import Decision, Outcome, Verdict
from memfort.model.item import Candidate, Item, Status, is_expired, is_live, memory_id
from memfort.model.moment import Moment
from memfort.model.reason import Reason, explanation
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.policy.admit import (
    HIGH_RISK,
    Placed,
    Screened,
    authority_of_actor,
    earliest,
    lowest,
    may_replace,
    place,
    screen,
    statement_of,
    value_of,
)
from memfort.store.port import Bar, Change, DropBar, Filter, PutBar
from memfort.trace.event import Event

Progress = Callable[[int, int], None]
Given = Candidate | str | Mapping[str, Any]


def remember(engine: Engine, standpoint: Standpoint, given: Given) -> Outcome:
    """Keep a statement if policy admits it, and record the outcome either way."""
    candidate = candidate_of(standpoint.actor, given)
    space = space_of(standpoint, candidate.space)
    with engine.writing():
        return write(engine, standpoint.actor, engine.sight(standpoint), candidate, space, engine.clock.now())


def remember_many(
    engine: Engine, standpoint: Standpoint, given: Iterable[Given], progress: Progress | None = None
) -> list[Outcome]:
    """Keep many statements in one commit, each decided on its own; what cannot be used says why and costs no other."""
    batch = list_of(given, "memories")
    outcomes: list[Outcome] = []
    with engine.writing():
        sight, now = engine.sight(standpoint), engine.clock.now()
        for done, one in enumerate(batch, start=1):
            outcomes.append(_one_of_many(engine, standpoint, sight, one, now))
            if progress is not None:
                progress(done, len(batch))
    return outcomes


def write(
    engine: Engine, actor: Actor, sight: Sight, candidate: Candidate, space: Space, now: Moment,
    *, supersedes: Item | None = None, edits: bool = False, finish: Callable[[Item], Item] | None = None,
) -> Outcome:  # fmt: skip
    """Run the whole chain on one candidate, inside a transaction. `supersedes` is the memory it is a new wording of,
    with `edits` a pending one that it takes the place of at once. `finish` adds what an import brings along."""
    screened, placed, bar = decide(engine, actor, sight, candidate, space, now, supersedes=supersedes)
    if placed.decision.verdict is Verdict.DENIED:
        return _refuse(engine, actor, "remember", placed.decision, space, now)
    if placed.duplicate is not None:
        return _already_there(engine, actor, sight, placed, supersedes, now)
    item = _item(engine, actor, sight, space, screened, placed, supersedes, now)
    item = item if finish is None else finish(item)
    changes: list[Change] = [engine.insert(item)]
    verb, decision = "edit" if edits else "remember", screened.decision
    events = [engine.changed(verb, actor, item, decision.reason, now, gate=decision.gate)]
    if item.status is Status.REJECTED:
        changes.append(PutBar(_bar(engine, actor, item)))
    elif placed.lifts_bar and bar is not None:
        changes.append(DropBar(bar))
    if item.status is Status.APPROVED:
        losers = [*placed.replaced, *_wordings(engine, sight, supersedes, now)]
        _supersede(engine, actor, losers, item, now, changes, events)
    elif edits and supersedes is not None:
        _supersede(engine, actor, [supersedes], item, now, changes, events)
    engine.store.apply(changes, events)
    return Outcome(screened.decision, item)


def decide(
    engine: Engine, actor: Actor, sight: Sight, candidate: Candidate, space: Space, now: Moment,
    *, supersedes: Item | None = None,
) -> tuple[Screened, Placed, Bar | None]:  # fmt: skip
    """What every gate says to a candidate. Changes and records nothing, so `check` asks it too."""
    screened = screen(actor, sight.seen(space), space, candidate, engine.policy)
    if screened.decision.verdict is Verdict.DENIED:
        return screened, Placed(screened.decision), None
    sources = _sources(engine, sight, space, candidate)
    screened = replace(screened, authority=lowest(screened.authority, sources))
    placed, bar = _place(engine, sight, space, screened, supersedes, now)
    return screened, replace(placed, expires_at=earliest(placed.expires_at, sources)), bar


def correct(engine: Engine, standpoint: Standpoint, id: str, given: Given) -> Outcome:
    """Replace what a memory says. The old one is superseded and linked, never overwritten."""
    with engine.writing():
        sight, now = engine.sight(standpoint), engine.clock.now()
        target = correctable(engine, sight, id, now)
        candidate = _correction(standpoint.actor, target, given)
        if (refused := _outranked(engine, standpoint.actor, sight, candidate, target)) is not None:
            return _refuse(engine, standpoint.actor, "correct", refused, target.space, now)
        return write(engine, standpoint.actor, sight, candidate, target.space, now, supersedes=target)


def correctable(engine: Engine, sight: Sight, id: str, now: Moment) -> Item:
    """A memory that a correction can replace: in force or pending, where the asker may write."""
    target = find(engine, sight.writable, id)
    if target.status is Status.SUPERSEDED or is_expired(target, now):
        raise NotFound("memory", id)
    return target


def inbox(engine: Engine, standpoint: Standpoint, limit: int) -> list[InboxEntry]:
    """Memories that wait for review where the standpoint may write, oldest last."""
    with engine.store.reading():
        sight, now = engine.sight(standpoint).writable, engine.clock.now()
        waiting = engine.store.page(sight, Filter(statuses=frozenset({Status.PENDING})), None, limit, now)
        entries = [_entry(engine, sight, item, now) for item in waiting]
    engine.note_sight_of("inbox", standpoint.actor, [entry.item.id for entry in entries], now)
    return entries


def approve(engine: Engine, standpoint: Standpoint, ids: Sequence[str]) -> list[Item]:
    """Approve pending memories. What they were to replace is superseded now."""
    with engine.writing():
        sight, now = engine.sight(standpoint).writable, engine.clock.now()
        return [_approve(engine, standpoint.actor, sight, pending(engine, sight, id, now), now) for id in ids]


def reject(engine: Engine, standpoint: Standpoint, ids: Sequence[str]) -> list[Item]:
    """Reject pending memories. The value does not come back by itself."""
    with engine.writing():
        sight, now = engine.sight(standpoint).writable, engine.clock.now()
        return [_reject(engine, standpoint.actor, pending(engine, sight, id, now), now) for id in ids]


def edit(engine: Engine, standpoint: Standpoint, id: str, text: str) -> Outcome:
    """Change a pending memory's words and approve it, as far as every gate, run again on the new words, allows."""
    with engine.writing():
        sight, now = engine.sight(standpoint), engine.clock.now()
        before = pending(engine, sight.writable, id, now)
        given = {**_kept_fields(before), **_kept_by_edit(before), "text": text, "status": Status.APPROVED}
        candidate = candidate_of(standpoint.actor, given)
        if (refused := _outranked(engine, standpoint.actor, sight, candidate, before)) is not None:
            return _refuse(engine, standpoint.actor, "edit", refused, before.space, now)
        return write(engine, standpoint.actor, sight, candidate, before.space, now, supersedes=before, edits=True)


def _outranked(engine: Engine, actor: Actor, sight: Sight, candidate: Candidate, target: Item) -> Decision | None:
    """The refusal of a new wording that has too little authority to replace the old one."""
    screened = screen(actor, sight.seen(target.space), target.space, candidate, engine.policy)
    if screened.decision.verdict is Verdict.DENIED or may_replace(screened.authority, target):
        return None
    return Decision(Verdict.DENIED, "conflict", Reason.OUTRANKED, engine.policy.digest)


def forget(engine: Engine, standpoint: Standpoint, ids: Sequence[str]) -> list[Item]:
    """Take memories out of every read at once, and what was made from them: a summary would tell what it was made of.
    A tombstone stays, and the words may be learned again. The asked-for ones come first in the answer."""
    with engine.writing():
        sight, now = engine.sight(standpoint).writable, engine.clock.now()
        chosen = {item.id: item for item in [find(engine, sight, id) for id in ids]}
        doomed = [*chosen.values(), *_made_from(engine, sight, chosen)]
        return [_retire(engine, standpoint.actor, item, "forget", Reason.FORGOTTEN, now) for item in doomed]


def sweep(engine: Engine, sight: Sight, now: Moment) -> int:
    """Retire what has expired. Nobody could see it any more; from now on no clock set back can bring it back either."""
    with engine.writing():
        overdue = engine.store.overdue(sight, now)
        for item in overdue:
            after = lapsed(item, now)
            engine.store.apply([engine.update(after)], [engine.changed("expire", SYSTEM, after, Reason.EXPIRED, now)])
    return len(overdue)


def lapsed(item: Item, now: Moment) -> Item:
    """A memory as a sweep leaves it, if its time has run out. Dated by its limit and not by the sweep, and shown like
    this before the sweep too: somebody's recall sweeps, and nobody else may be able to tell that they recalled."""
    if not is_expired(item, now) or item.deleted_at is not None:
        return item
    assert item.expires_at is not None
    return _changed(item, item.expires_at, deleted_at=item.expires_at, deleted_reason=Reason.EXPIRED.value)


def find(engine: Engine, sight: Sight, id: str) -> Item:
    """The memory called `id` in sight, or the one answer for everything else."""
    now = engine.clock.now()
    kept = [item for item in engine.store.items(sight, [id_of(id)]) if lapsed(item, now).deleted_at is None]
    if not kept:
        raise NotFound("memory", id)
    return kept[0]


def pending(engine: Engine, sight: Sight, id: str, now: Moment) -> Item:
    """The memory called `id`, if it waits for review."""
    item = find(engine, sight, id)
    if is_expired(item, now):
        raise NotFound("memory", id)
    if item.status is not Status.PENDING:
        raise InvalidInput("id", f"`{id}` is {item.status}, not pending", "look at `review list` for what is")
    return item


def _one_of_many(engine: Engine, standpoint: Standpoint, sight: Sight, given: Given, now: Moment) -> Outcome:
    try:
        candidate = candidate_of(standpoint.actor, given)
        return write(engine, standpoint.actor, sight, candidate, space_of(standpoint, candidate.space), now)
    except (InvalidInput, NotFound) as error:
        detail = {"problem": str(error)}
        return Outcome(Decision(Verdict.DENIED, "input", Reason.INVALID, engine.policy.digest, detail))


def _place(
    engine: Engine, sight: Sight, space: Space, screened: Screened, supersedes: Item | None, now: Moment
) -> tuple[Placed, Bar | None]:
    candidate, keys = screened.candidate, engine.store.keys
    value = keys.value(value_of(candidate.kind, candidate.key, candidate.text))
    statement = keys.value(statement_of(candidate.kind, candidate.key, candidate.text))
    found = engine.store.rivals(sight, space, candidate.readers, value)
    rivals = [
        rival for rival in found if not is_expired(rival, now) and (supersedes is None or rival.id != supersedes.id)
    ]
    bar = engine.store.bar(sight, space, candidate.readers, statement)
    return place(screened, rivals, bar.authority if bar else None, engine.policy, now), bar


def _item(
    engine: Engine, actor: Actor, sight: Sight, space: Space, screened: Screened, placed: Placed,
    supersedes: Item | None, now: Moment,
) -> Item:  # fmt: skip
    candidate = screened.candidate
    number = engine.store.next_number(sight, space, candidate.readers, actor.key, candidate.kind)
    importance = candidate.importance
    return Item(
        id=memory_id(space, candidate.readers, actor, candidate.kind, number),
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
        sensitivity=candidate.sensitivity,
        readers=candidate.readers,
        confidence=float(candidate.confidence),
        authority=screened.authority,
        importance=float(engine.policy.types[screened.type].importance if importance is None else importance),
        pii_risk=screened.pii_risk,
        status=screened.status,
        status_reason=screened.decision.reason.value,
        created_at=now,
        updated_at=now,
        expires_at=placed.expires_at,
        supersedes=None if supersedes is None else supersedes.id,
        superseded_by=None,
        derived_from=candidate.derived_from,
        deleted_at=None,
        deleted_reason=None,
        provenance={"source": candidate.origin.value, "timestamp": now, **candidate.provenance},
        meta=candidate.meta,
        policy=engine.policy.digest,
        version=1,
    )


def _sources(engine: Engine, sight: Sight, space: Space, candidate: Candidate) -> list[Item]:
    """The memories a candidate is derived from; each must be in sight, and in the same space."""
    if not candidate.derived_from:
        return []
    found = {item.id: item for item in engine.store.items(sight.narrowed([space]), candidate.derived_from)}
    for id in candidate.derived_from:
        if id not in found:
            raise NotFound("memory", id)
    return list(found.values())


def _supersede(
    engine: Engine, actor: Actor, losers: Sequence[Item], winner: Item, now: Moment,
    changes: list[Change], events: list[Event],
) -> None:  # fmt: skip
    for loser in {loser.id: loser for loser in losers}.values():
        after = _changed(loser, now, status=Status.SUPERSEDED, superseded_by=winner.id)
        changes.append(engine.update(after))
        events.append(engine.changed("supersede", actor, after, Reason.SUPERSEDED, now, by=winner.id))


def _wordings(engine: Engine, sight: Sight, latest: Item | None, now: Moment) -> list[Item]:
    """The wording given and those before it, as far as they have not given way yet: a correction of a correction that
    was still pending replaces both."""
    found: dict[str, Item] = {}
    while latest is not None and latest.id not in found:
        found[latest.id] = latest
        latest = _before(engine, sight, latest)
    there = (one for one in found.values() if lapsed(one, now).deleted_at is None)
    return [one for one in there if one.status is not Status.SUPERSEDED]


def _before(engine: Engine, sight: Sight, item: Item) -> Item | None:
    """The memory that an item is a new wording of. A file can claim anything of an item, so only a memory of the same
    space, for the same readers, where the asker may write, is one."""
    if item.supersedes is None:
        return None
    found = engine.store.items(sight.writable.narrowed([item.space]), [item.supersedes])
    return next((one for one in found if one.readers == item.readers), None)


def _made_from(engine: Engine, sight: Sight, chosen: Mapping[str, Item]) -> list[Item]:
    """Everything derived from the chosen ones, however indirectly, that is still there."""
    known, found, queue = set(chosen), [], list(chosen.values())
    while queue:
        item = queue.pop()
        for one in engine.store.derived(sight.narrowed([item.space]), [item.id]):
            if one.id not in known:
                known.add(one.id)
                queue.append(one)
                found += [one] if lapsed(one, engine.clock.now()).deleted_at is None else []
    return found


def _refuse(engine: Engine, actor: Actor, action: str, decision: Decision, space: Space, now: Moment) -> Outcome:
    """Record a refusal in the asker's own chain. What was refused is not in it, not even as a digest."""
    # Not the names of the place either: they come from the caller too, and a secret can hide in one.
    levels = sorted(level.value for level in space.levels)
    detail = {"gate": decision.gate, "levels": levels, **decision.detail}
    engine.store.apply([], [engine.asked(action, actor, "denied", decision.reason, now, detail)])
    return Outcome(decision)


def _already_there(
    engine: Engine, actor: Actor, sight: Sight, placed: Placed, supersedes: Item | None, now: Moment
) -> Outcome:
    """Nothing new to keep; but what it was to correct gives way to the memory that says so already."""
    assert placed.duplicate is not None
    detail = {"gate": placed.decision.gate, "id": placed.duplicate.id}
    changes: list[Change] = []
    events = [engine.asked("remember", actor, "allowed", Reason.DUPLICATE, now, detail)]
    if placed.duplicate.status is Status.APPROVED:
        _supersede(engine, actor, _wordings(engine, sight, supersedes, now), placed.duplicate, now, changes, events)
    engine.store.apply(changes, events)
    return Outcome(placed.decision, placed.duplicate)


def _correction(actor: Actor, target: Item, given: Given) -> Candidate:
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
    return candidate_of(actor, {**_kept_fields(target), **said})


def _kept_fields(item: Item) -> dict[str, Any]:
    """What a new wording of a memory takes over from it."""
    return {
        "kind": item.kind,
        "type": item.type,
        "key": item.key,
        "tags": item.tags,
        "sensitivity": item.sensitivity,
        "access": item.readers,
        "derived_from": item.derived_from,
        "meta": item.meta,
    }


def _kept_by_edit(item: Item) -> dict[str, Any]:
    """What an edit takes over besides: it is the same memory, so it came from the same place and ends when that did."""
    return {
        "source": item.source,
        "observed_at": item.observed_at,
        "confidence": item.confidence,
        "importance": item.importance,
        "expires_at": item.expires_at,
        "provenance": item.provenance,
    }


def _entry(engine: Engine, sight: Sight, item: Item, now: Moment) -> InboxEntry:
    earlier = _before(engine, sight, item)
    before = None if earlier is None else lapsed(earlier, now)
    old = [] if before is None else before.text.splitlines()
    diff = "\n".join(difflib.unified_diff(old, item.text.splitlines(), "now", "proposed", lineterm=""))
    reason = Reason(item.status_reason)
    return InboxEntry(item, reason, explanation(reason), before, diff)


def _approve(engine: Engine, actor: Actor, sight: Sight, item: Item, now: Moment) -> Item:
    if item.pii_risk >= HIGH_RISK and actor.kind is ActorKind.AGENT:
        raise Denied(Reason.NEEDS_A_PERSON, explanation(Reason.NEEDS_A_PERSON))
    after = _changed(item, now, status=Status.APPROVED, status_reason=Reason.APPROVED.value)
    changes: list[Change] = [engine.update(after)]
    events = [engine.changed("approve", actor, after, Reason.APPROVED, now)]
    rivals = engine.store.rivals(sight, item.space, item.readers, engine.value(item))
    same = [rival for rival in rivals if is_live(rival, now) and rival.id != item.id]
    earlier = [one for one in _wordings(engine, sight, item, now) if one.id != item.id]
    _supersede(engine, actor, [*same, *earlier], after, now, changes, events)
    engine.store.apply(changes, events)
    return after


def _reject(engine: Engine, actor: Actor, item: Item, now: Moment) -> Item:
    after = _changed(item, now, status=Status.REJECTED, status_reason=Reason.REJECTED.value)
    changes: list[Change] = [engine.update(after), PutBar(_bar(engine, actor, item))]
    engine.store.apply(changes, [engine.changed("reject", actor, after, Reason.REJECTED, now)])
    return after


def _bar(engine: Engine, actor: Actor, item: Item) -> Bar:
    return Bar(item.space, item.readers, engine.statement(item), authority_of_actor(actor))


def _retire(engine: Engine, actor: Actor, item: Item, action: str, reason: Reason, now: Moment) -> Item:
    after = _changed(item, now, deleted_at=now, deleted_reason=reason.value)
    engine.store.apply([engine.update(after)], [engine.changed(action, actor, after, reason, now)])
    return after


def _changed(item: Item, now: Moment, **fields: Any) -> Item:
    return replace(item, **fields, updated_at=now, version=item.version + 1)
