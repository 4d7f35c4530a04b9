"""Observing: a conversation goes by, and what is worth keeping is kept. Turns in a short window, statements and profile
facts beyond it, promotions where they were asked for. Every draft passes every gate by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memfort.capture.facts import FACT_KEYS
from memfort.capture.interaction import Draft, Interaction, ToolResult, drafts
from memfort.capture.window import NO_SUMMARY, Summary, Turn, slide
from memfort.errors import InvalidInput, did_you_mean
from memfort.memory.describing import chat_of
from memfort.memory.engine import Engine
from memfort.memory.input import list_of, mapping_of, space_of
from memfort.memory.lifetimes import retire
from memfort.memory.placing import home_of
from memfort.memory.promoting import deny, promote_item
from memfort.memory.writing import write
from memfort.model.actor import SYSTEM, Actor, Standpoint
from memfort.model.decision import Decision, Outcome, Verdict
from memfort.model.event_type import EventType
from memfort.model.item import Candidate, Item, Kind, Origin, Status, is_live
from memfort.model.moment import Moment
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import Level, Space
from memfort.policy.phase import in_phase
from memfort.policy.settings import Policy
from memfort.policy.sight import unheard
from memfort.store.port import Filter

SUMMARY_TAG = "summary"
_TURNS = Filter(kinds=frozenset({Kind.SHORT_TERM}))
_MANY_TURNS = 1000


@dataclass(frozen=True, slots=True)
class Observation:
    """What became of an interaction."""

    outcomes: tuple[Outcome, ...]  # of each draft, in order
    promotions: tuple[Outcome, ...]
    summary: Item | None  # of the turns that have left the window
    trace: str

    @property
    def kept(self) -> list[Item]:
        return [outcome.item for outcome in self.outcomes if outcome.item is not None and outcome.kept]


def observe(
    engine: Engine, standpoint: Standpoint, interaction: Interaction, given: Mapping[str, str] | None, trace: str
) -> Observation:
    """Record an interaction: its turns, what it states, and what was asked to be remembered elsewhere."""
    space = conversation_space(standpoint, engine.policy) if given is None else space_of(standpoint, given)
    made = _drafts(engine, interaction)  # before anybody has to wait for it
    with engine.writing():
        sight, now = engine.sight(standpoint), engine.clock.now()
        outcomes = _written(engine, standpoint.actor, sight, space, made, now)
        summary = slide_window(engine, standpoint.actor, sight, space, now)
        promotions = _promoted(engine, standpoint, sight, space, made, outcomes, now)
    return Observation(tuple(outcomes), tuple(promotions), summary, trace)


def _drafts(engine: Engine, interaction: Interaction) -> list[Draft]:
    """What to write. Where nothing is to be taken from a conversation, only its turns, which come first."""
    made = drafts(interaction, _keys(engine), _importance(engine))
    return made if engine.in_place.extraction_enabled else [one for one in made if one.kind is Kind.SHORT_TERM]


def window(engine: Engine, standpoint: Standpoint, given: Mapping[str, str] | None) -> list[Item]:
    """The recent turns of a conversation, oldest first, after the summary of those before them."""
    space = conversation_space(standpoint, engine.policy) if given is None else space_of(standpoint, given)
    with engine.store.reading():
        sight, now = engine.sight(standpoint), engine.clock.now()
        summary, turns = _conversation(engine, standpoint.actor, sight, space, now)
    shown = [*([summary] if summary is not None else []), *turns]
    engine.note_sight_of("window", standpoint.actor, [item.id for item in shown], now)
    return shown


def conversation_space(standpoint: Standpoint, policy: Policy) -> Space:
    """Where a conversation is kept that names no place: in the session the standpoint is in, or else with its own."""
    session = standpoint.get(Level.SESSION)
    return home_of(standpoint, policy) if session is None else space_of(standpoint, {Level.SESSION.value: session})


def interaction_of(said: str | None, answer: str | None, tools: object) -> Interaction:
    """An interaction from what callers give: a tool result may be a mapping of its name, text and whether it is ok."""
    results = [one if isinstance(one, ToolResult) else ToolResult(**_tool(one, place))
               for place, one in enumerate(list_of(tools, "tools"))]  # fmt: skip
    return Interaction(said, answer, tuple(results))


def _tool(given: object, place: int) -> dict[str, Any]:
    values = dict(mapping_of(given, f"tools[{place}]"))
    for name in values:
        if name not in {"name", "text", "ok"}:
            hint = did_you_mean(str(name), ["name", "text", "ok"])
            raise InvalidInput(f"tools[{place}].{name}", "there is no such field", hint)
    if "name" not in values:
        raise InvalidInput(f"tools[{place}].name", "it is missing", "name the tool")
    return values


def _keys(engine: Engine) -> tuple[str, ...]:
    keys = engine.policy.privacy.profile_keys
    return tuple(FACT_KEYS) if keys is None else keys


def _importance(engine: Engine) -> dict[EventType, float]:
    policy = engine.policy
    return {event_type: policy.types[policy.type_for(event_type)].importance for event_type in EventType}


def _written(
    engine: Engine, actor: Actor, sight: Sight, space: Space, made: Sequence[Draft], now: Moment
) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for draft in made:
        sources = [outcomes[place].item for place in draft.derived_from]
        candidate = _candidate(engine, draft, [one.id for one in sources if one is not None])
        outcomes.append(write(engine, actor, sight, candidate, space, now, on_record=_is_on_record(actor, draft)))
    return outcomes


def _is_on_record(actor: Actor, draft: Draft) -> bool:
    """Whether it is known whose words these are: a tool's run is recorded here, and so is a user's message where there
    is a user. An agent that acts for nobody may have made it up."""
    return draft.origin is not Origin.USER or actor.user is not None


def _candidate(engine: Engine, draft: Draft, derived_from: Sequence[str]) -> Candidate:
    return Candidate(
        text=draft.text,
        kind=draft.kind,
        type=engine.policy.type_for(draft.event_type),
        key=draft.key,
        origin=draft.origin,
        event_type=draft.event_type,
        is_correction=draft.is_correction,
        importance=draft.importance,
        importance_reasons=draft.importance_reasons,
        derived_from=tuple(derived_from),
        captured=True,
    )


def slide_window(engine: Engine, actor: Actor, sight: Sight, space: Space, now: Moment) -> Item | None:
    """Let the oldest turns leave the window, and put what is left of them into the summary."""
    limit = engine.policy.budget.short_term
    former, turns = _conversation(engine, actor, sight, space, now)
    if limit is None or len(turns) <= limit:
        return former
    told = NO_SUMMARY if former is None else Summary.of(former.text, former.derived_from)
    moved = slide([Turn(turn.id, turn.origin, turn.text) for turn in turns], limit, told)
    gone = {turn.id for turn in moved.evicted}
    for turn in turns:
        if turn.id in gone:
            retire(engine, SYSTEM, turn, "expire", Reason.DECAY, now, deleted=Reason.EXPIRED)
    if not moved.summary.text:
        return former
    summary = Candidate(
        text=moved.summary.text,
        kind=Kind.SHORT_TERM,
        type=engine.policy.type_for(EventType.CONTEXT),
        tags=(SUMMARY_TAG,),
        origin=Origin.AI,
        event_type=EventType.CONTEXT,
        importance_reasons=(f"event:{EventType.CONTEXT}", SUMMARY_TAG),
        derived_from=moved.summary.turn_ids,
        captured=True,
    )
    return write(engine, actor, sight, summary, space, now, supersedes=former).item


def _conversation(
    engine: Engine, actor: Actor, sight: Sight, space: Space, now: Moment
) -> tuple[Item | None, list[Item]]:
    """The summary and the turns of the actor's own conversation in a space and in this room, oldest first. The room has
    heard them, so nothing in them is kept from it."""
    here, room = unheard(sight).narrowed([space]), chat_of(sight)

    def is_mine(item: Item) -> bool:
        current = in_phase(item, here.phase_of(space), engine.policy)
        return current and item.author.key == actor.key and item.readers.is_open and item.learned_in == room

    mine = engine.store.page(here, replace(_TURNS, and_only=is_mine), None, _MANY_TURNS, now)
    turns = sorted((item for item in mine if not _is_summary(item)), key=lambda item: item.number)
    return next(filter(_is_summary, mine), None), turns


def _is_summary(item: Item) -> bool:
    """Whether it is one that was made here: a line for each turn. Anybody can tag a turn of their own."""
    return SUMMARY_TAG in item.tags and len(item.derived_from) == len(item.text.split("\n"))


def _promoted(
    engine: Engine,
    standpoint: Standpoint,
    sight: Sight,
    space: Space,
    made: Sequence[Draft],
    outcomes: Sequence[Outcome],
    now: Moment,
) -> list[Outcome]:
    """Do what the hints asked for. What was not kept cannot be promoted, and that is said too."""
    results = []
    for draft, outcome in zip(made, outcomes, strict=True):
        if draft.promote_to is None or draft.promotion_reason is None:
            continue
        target = _target(standpoint, draft.promote_to)
        source = _still_there(engine, sight, outcome, now)
        if target is not None and source is not None:
            results.append(promote_item(engine, standpoint.actor, sight, source, target, draft.promotion_reason, now))
        else:
            decision, why = _why_not(engine, outcome, target), draft.promotion_reason
            kept = outcome.item or space
            results.append(deny(engine, standpoint.actor, kept, [draft.promote_to], decision, why, now))
    return results


def _still_there(engine: Engine, sight: Sight, outcome: Outcome, now: Moment) -> Item | None:
    """What was kept of a draft, if it is in force: another draft may have taken its place since, or needed its room."""
    if outcome.item is None:
        return None
    found = engine.store.items(sight.narrowed([outcome.item.space]), [outcome.item.id])
    return next((item for item in found if is_live(item, now)), None)


def _why_not(engine: Engine, outcome: Outcome, target: Space | None) -> Decision:
    """Why a hint cannot be followed: there is no such place, or nothing in force that could go there."""
    if target is None:
        return Decision(Verdict.DENIED, "border", Reason.NOT_WHERE_YOU_STAND, engine.policy.digest)
    reason, gate = outcome.reason, outcome.decision.gate
    if outcome.item is not None and outcome.item.status is Status.APPROVED:
        reason, gate = Reason.EVICTED, "budget"
    return Decision(Verdict.DENIED, gate, reason, engine.policy.digest)


def _target(standpoint: Standpoint, level: Level) -> Space | None:
    """The space that a hint means: the standpoint's own coordinate at that level, alone."""
    if level is Level.SYSTEM:
        return Space.of({Level.SYSTEM.value: ""})
    id = standpoint.get(level)
    return None if id is None else Space.of({level.value: id})
