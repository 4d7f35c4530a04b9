"""Why a memory is or is not shown, and what would be allowed. Renders decisions; it is not a second engine."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from memfort.errors import Denied, InvalidInput, NotFound
from memfort.memory.engine import Engine
from memfort.memory.input import candidate_of, limit_of, query_of, space_of
from memfort.memory.naming import whole_id
from memfort.memory.placing import named_or_home, place_of
from memfort.memory.prompting import budget_of
from memfort.memory.reading import filter_of, readable
from memfort.memory.results import Explanation, noted
from memfort.memory.reviewing import pending, reviewable
from memfort.memory.showing import shown_to
from memfort.memory.using import usable
from memfort.memory.writing import changeable, correctable, is_shown, rehearse
from memfort.model.actor import Standpoint
from memfort.model.decision import Decision, Verdict
from memfort.model.hearing import label_of
from memfort.model.item import Item, Status, is_expired
from memfort.model.moment import Moment, to_text
from memfort.model.reason import Reason, explanation
from memfort.model.sight import Sight
from memfort.model.space import Coordinate, Level, Space
from memfort.policy.authority import NOT_ON_RECORD
from memfort.policy.phase import in_phase
from memfort.policy.sight import standings
from memfort.policy.standing import Reach, standing
from memfort.store.port import Filter
from memfort.trace.event import chain_of_actor

_REVIEWS = ("approve", "reject", "edit")
_CHECKED_CHANGES = ("used", "forget", "erase", "correct", *_REVIEWS)
_CHECKED_BY_ID = ("get", "history", *_CHECKED_CHANGES)
_CHECKED_BY_SPACE = ("recall", "list", "share")
# Where the asker takes no part in the chat they name; what is looked up by its id is not found there.
_CHECKED_AT_THE_BORDER = ("remember", *_CHECKED_CHANGES, *_CHECKED_BY_SPACE)
_SHOWN = {Reason.VISIBLE, Reason.SHARED_WITH_YOU, Reason.ABOUT_YOU}
_COME = {Reason.MATCHES_QUERY, Reason.ABOUT_YOU}


@dataclass(frozen=True, slots=True)
class Question:
    """A recall to be explained, as it was asked or might be."""

    query: str
    limit: int
    within: Mapping[str, str] | None
    filter: Filter
    budget_tokens: int | None  # of a prompt that it was rendered for


def question_of(
    engine: Engine, query: str | None, default: int, *, limit: int | None, space: Mapping[str, str] | None,
    types: Iterable[str] | None, tags: Iterable[str], kinds: Iterable[str] | None, budget_tokens: int | None,
) -> Question | None:  # fmt: skip
    """The question that was meant, checked, or `None` if none was. Whatever is wrong with it is said before any memory
    is looked at."""
    filter = filter_of(types=types, tags=tags, kinds=kinds, engine=engine)
    if query is None:
        if filter != Filter() or limit is not None or space is not None or budget_tokens is not None:
            raise InvalidInput("query", "it is missing", "say what was asked for, as in explain(id, query=…)")
        return None
    if budget_tokens is not None:
        budget_of(budget_tokens)
    return Question(query_of(query), limit_of(default if limit is None else limit), space, filter, budget_tokens)


def explain(
    engine: Engine, standpoint: Standpoint, id: str, viewer: Standpoint | None, question: Question | None = None
) -> Explanation:
    """Why the memory `id` is or is not shown to `viewer`, or to the asker; with a question, why it came or did not when
    that was asked. The asker must see it; otherwise the answer is the same as for a memory that does not exist."""
    subject = viewer or standpoint
    if question is not None:
        _check_asker(standpoint, subject, question)
    with engine.store.reading():
        now = engine.clock.now()
        known = _spoken_of(engine, engine.sight(standpoint), id, now)
        if viewer is not None and known is not None and not known.is_writable:
            raise Denied(Reason.BORDER_WRITE, "who else sees a memory is told to those who may write in its space")
        found = None if known is None else _explained(engine, known, subject, question, now)
    engine.note_sight_of("explain", standpoint.actor, [] if found is None else [id], now)
    return found or Explanation(id, False, Reason.NOT_FOUND, (f"{id}: {explanation(Reason.NOT_FOUND)}",))


def _check_asker(standpoint: Standpoint, subject: Standpoint, question: Question) -> None:
    """How a recall ranks tells of everything in its sight. So it is told to nobody but who could ask it, and of another
    standpoint of theirs not where others listen."""
    if question.within is not None:
        space_of(subject, question.within)
    if subject.actor != standpoint.actor:
        raise InvalidInput("viewer", "with a query, it is somebody else", "how others' recalls rank is theirs to ask")
    if subject != standpoint and standpoint.get(Level.CHAT) is not None:
        raise InvalidInput("viewer", "with a query, it stands elsewhere", "ask from outside of any chat")


class _Known(NamedTuple):
    """A memory that the asker may be spoken to of, and the sight that it came in."""

    item: Item
    sight: Sight

    @property
    def is_told(self) -> bool:
        """Whether it came out of somebody else's space, as a statement and not with the file about it."""
        return self.sight.seen(self.item.space) is None

    @property
    def is_writable(self) -> bool:
        seen = self.sight.seen(self.item.space)
        return seen is not None and seen.writable


def _explained(
    engine: Engine, known: _Known, subject: Standpoint, question: Question | None, now: Moment
) -> Explanation:
    item, ranking, more = known.item, None, list[str]()
    reason, why = _verdict(engine, subject, item, now)
    if question is not None and reason in _SHOWN:
        from memfort.memory.accounting import account

        reason, ranking, more = account(engine, subject, item, question, now)
        why = explanation(reason)
    shown = reason in (_SHOWN if question is None else _COME)
    does = ("is shown" if shown else "is not shown") if question is None else ("comes" if shown else "does not come")
    head = f"{item.id} {does} to {subject.actor}{'' if question is None else ' for this query'}: {why} ({reason})"
    return Explanation(item.id, shown, reason, (head, *more, *_file(engine, known, now)), ranking)


def _spoken_of(engine: Engine, held: Sight, id: str, now: Moment) -> _Known | None:
    """A memory that may be spoken of: one in sight, and what is the user's own wherever it lies. What is not in force,
    or not any more, is spoken of only to those who could change it."""
    for item in engine.store.items(held, [id]):
        known = _Known(item, held)
        if known.is_writable or is_shown(engine, held, item, now):
            return known
    reach = reviewable(engine, held)
    return next((_Known(item, reach) for item in engine.store.items(reach, [id])), None)


def explain_trace(engine: Engine, standpoint: Standpoint, trace: str, question: Question | None = None) -> Explanation:
    """What a recall of the asker's own answered, and how each memory in it stands now."""
    if question is not None:
        raise InvalidInput("query", "a trace is explained as it was asked", "give the id of a memory")
    engine.flush()
    recorded = _recorded(engine, standpoint, trace)
    if recorded is None:
        return Explanation(trace, False, Reason.NOT_FOUND, (f"{trace}: there is no such recall of yours",))
    lines = [f"{trace}: recalled {len(recorded['recalled'])} at most {recorded['limit']}, hash {recorded['hash'][:16]}"]
    for id, score, level in recorded["recalled"]:
        now = explain(engine, standpoint, id, None)
        lines.append(
            f"  {id} score {score:.6f} at level {level}: {explanation(Reason.MATCHES_QUERY)}; now: {now.reason}"
        )
    lines += _withheld(engine, standpoint)
    return Explanation(trace, True, Reason.VISIBLE, tuple(lines))


def check(engine: Engine, standpoint: Standpoint, verb: str, given: Mapping[str, Any]) -> Decision:
    """Whether the standpoint could do this now. Does nothing, keeps nothing, records nothing."""
    with engine.store.reading():
        if verb in _CHECKED_AT_THE_BORDER and not engine.takes_part(standpoint):
            return Decision(Verdict.DENIED, "border", Reason.NOT_A_PARTICIPANT, engine.policy.digest)
        if verb == "remember":
            return _check_remember(engine, standpoint, given)
        if verb in _CHECKED_BY_ID:
            return _check_by_id(engine, standpoint, verb, given)
        if verb in _CHECKED_BY_SPACE:
            return _check_by_space(engine, standpoint, verb, given)
    known = ", ".join(("remember", *_CHECKED_BY_ID, *_CHECKED_BY_SPACE))
    raise InvalidInput("verb", f"`{verb}` cannot be checked", f"use one of {known}")


def _verdict(engine: Engine, subject: Standpoint, item: Item, now: Moment) -> tuple[Reason, str]:
    """The first thing that keeps the item from the subject, or that nothing does."""
    sight = engine.sight(subject)
    if not sight.takes_part:
        chat = Coordinate(Level.CHAT, str(subject.get(Level.CHAT)))
        return Reason.NOT_A_PARTICIPANT, f"{chat}: {explanation(Reason.NOT_A_PARTICIPANT)}"
    seen = sight.seen(item.space)
    if seen is None and sight.is_told(item):
        return Reason.ABOUT_YOU, explanation(Reason.ABOUT_YOU)
    if seen is None:
        return _why_not_there(engine, subject, item.space)
    if not sight.admits_readers(item.readers):
        return Reason.NOT_A_READER, explanation(Reason.NOT_A_READER)
    if not sight.admits_shelf(seen, item.readers, label_of(item)):
        hearing = engine.disclosing(subject)
        is_among = hearing.room.is_among(item.readers)
        reason = hearing.verdict(seen, label_of(item)) if is_among else Reason.NOT_FOR_THIS_ROOM
        return reason, explanation(reason)
    reason = out_of_force(item, now) or seen.reason
    if reason is seen.reason and not in_phase(item, sight.phase_of(item.space), engine.policy):
        reason = Reason.OTHER_PHASE
    return reason, explanation(reason)


def out_of_force(item: Item, now: Moment) -> Reason | None:
    """Why a memory is not in force, or `None` if it is."""
    if item.deleted_reason == Reason.EXPIRED or is_expired(item, now):
        return Reason.EXPIRED
    if item.deleted_at is not None:
        return Reason(item.deleted_reason or Reason.FORGOTTEN)
    return {
        Status.PENDING: Reason.PENDING_REVIEW,
        Status.REJECTED: Reason.REJECTED,
        Status.SUPERSEDED: Reason.SUPERSEDED,
        Status.APPROVED: None,
    }[item.status]


def _why_not_there(engine: Engine, subject: Standpoint, space: Space) -> tuple[Reason, str]:
    """The first coordinate of the space that the subject does not stand at, with the reason."""
    facts = engine.store.facts(subject)
    held = standings(subject, facts, engine.memberships)
    for coordinate in space.coordinates:
        found = held.get(coordinate)
        if found is None and coordinate.level is Level.USER:
            found = standing(subject.actor, coordinate, facts, engine.memberships)
        if found is not None and found.reach in {Reach.NONE, Reach.PUBLIC}:
            return found.reason, f"{coordinate}: {explanation(found.reason)}"
    missing = next((str(one) for one in space.coordinates if one not in held), str(space))
    return Reason.NOT_WHERE_YOU_STAND, f"{missing}: {explanation(Reason.NOT_WHERE_YOU_STAND)}"


def _file(engine: Engine, known: _Known, now: Moment) -> list[str]:
    """What is known about a memory besides its words; of one that is told, only what is told with it."""
    item = shown_to(engine, known.sight, known.item)
    if known.is_told:
        place = f"in the chat {item.learned_in}" if item.learned_in else "where nobody knows"
        return [f"  said by {item.stated_by or 'somebody'} {place} at {to_text(item.created_at)}"]
    why = Reason.SUPERSEDED if item.status is Status.SUPERSEDED else Reason(item.status_reason)
    lines = [
        f"  it lives in: {item.space}",
        f"  written by {item.author} at {to_text(item.created_at)}, origin {item.origin}, authority {item.authority}",
        f"  status {item.status}: {explanation(why)} ({why})",
        f"  decided under policy {item.policy}",
    ]
    if item.authority_reason.startswith(NOT_ON_RECORD):
        lines.append(f"  that its origin is {item.origin} is claimed and not on record ({item.authority_reason})")
    if item.expires_at is not None:
        lines.append(f"  expires at {to_text(item.expires_at)}")
    if item.superseded_by is not None:
        lines.append(f"  replaced by {item.superseded_by}")
    if (remedy := _remedy(item, now)) is not None:
        lines.append(f"  {remedy}")
    if not item.readers.is_open:
        lines.append("  its reader list: " + json.dumps(item.readers.as_dict(), ensure_ascii=False, sort_keys=True))
    return lines


def _remedy(item: Item, now: Moment) -> str | None:
    """What to do about a memory that is not in force."""
    if item.deleted_at is not None or is_expired(item, now):
        return "to have it again: remember the words anew"
    return {
        Status.PENDING: f"to have it shown: approve it, as in `memfort review approve {item.id}`",
        Status.REJECTED: "to have it again: remember the words anew, with at least the authority of who rejected them",
        Status.SUPERSEDED: f"to see what it became: `memfort history {item.id}`",
        Status.APPROVED: None,
    }[item.status]


def _recorded(engine: Engine, standpoint: Standpoint, trace: str) -> Mapping[str, Any] | None:
    for link in engine.store.links(chain_of_actor(standpoint.actor)):
        detail = json.loads(link.body)["detail"]
        if detail.get("trace") == trace and "recalled" in detail:
            return dict(detail)
    return None


def _withheld(engine: Engine, standpoint: Standpoint) -> list[str]:
    """How many memories that the asker could review are not shown, by reason. Counts, never contents."""
    with engine.store.reading():
        sight, now = engine.sight(standpoint).writable, engine.clock.now()
        waiting = engine.store.page(sight, Filter(statuses=frozenset({Status.PENDING})), None, 1000, now)
    return [f"  withheld: {len(waiting)} wait for review ({Reason.PENDING_REVIEW})"] if waiting else []


def _check_remember(engine: Engine, standpoint: Standpoint, given: Mapping[str, Any]) -> Decision:
    candidate = candidate_of(standpoint.actor, given)
    space = place_of(standpoint, candidate, engine.policy)
    now = engine.clock.now()
    decision = rehearse(engine, standpoint.actor, engine.sight(standpoint), candidate, space, now)
    return noted(decision, candidate.readers, standpoint.actor)


def _check_by_id(engine: Engine, standpoint: Standpoint, verb: str, given: Mapping[str, Any]) -> Decision:
    id = whole_id(engine, standpoint, given.get("id"), wherever=verb in _REVIEWS)
    try:
        _find_for(verb, engine, engine.sight(standpoint), id, engine.clock.now())
    except NotFound:
        return Decision(Verdict.DENIED, "sight", Reason.NOT_FOUND, engine.policy.digest)
    except Denied as refused:
        return Decision(Verdict.DENIED, "sight", Reason(refused.reason), engine.policy.digest)
    return Decision(Verdict.ALLOWED, "sight", Reason.VISIBLE, engine.policy.digest)


def _find_for(verb: str, engine: Engine, sight: Sight, id: str, now: Moment) -> None:
    """Look the memory up the way the verb would, or raise what the verb would."""
    match verb:
        case "get":
            if not any(is_shown(engine, sight, item, now) for item in engine.store.items(sight, [id])):
                raise NotFound("memory", id)
        case "history":
            readable(engine, sight, id, now)
        case "used":
            usable(engine, sight, id, now)
        case "correct":
            correctable(engine, sight, id, now)
        case "erase":
            if not engine.store.items(sight.writable, [id]):
                changeable(engine, sight, sight.writable, id)
        case "approve" | "reject" | "edit":
            pending(engine, sight, reviewable(engine, sight), id, now)
        case _:
            changeable(engine, sight, sight.writable, id)


def _check_by_space(engine: Engine, standpoint: Standpoint, verb: str, given: Mapping[str, Any]) -> Decision:
    space = named_or_home(standpoint, given.get("space"), engine.policy)
    seen = engine.sight(standpoint).seen(space)
    if seen is None or (verb == "share" and not seen.writable):
        reason, _ = _why_not_there(engine, standpoint, space) if seen is None else (Reason.BORDER_WRITE, "")
        return Decision(Verdict.DENIED, "border", reason, engine.policy.digest)
    return Decision(Verdict.ALLOWED, "border", seen.reason, engine.policy.digest)
