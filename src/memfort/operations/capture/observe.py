"""Observe an interaction: its turns go into the window, its statements and profile facts become memories of their own,
and promotions that the text asks for are made. Every candidate passes every gate separately."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from memfort.capture.interaction import CapturedStatement, Interaction, ToolResult, capture_statements
from memfort.engine.default_place import conversation_space, space_with
from memfort.engine.engine import Engine
from memfort.engine.transaction import Session, Transaction
from memfort.errors import InvalidInput
from memfort.language.profile_facts import FACT_KEYS
from memfort.model.decision import Decision, Outcome, Verdict
from memfort.model.item import Candidate, EventType, Item, Kind, Origin, Status, is_live
from memfort.model.people.actor import Actor, Standpoint
from memfort.model.reason import Reason
from memfort.model.space import Level, Space, Visibility
from memfort.model.value import Value
from memfort.operations.admit.write import write
from memfort.operations.capture.conversation import slide_window
from memfort.operations.requests import Coordinates, Request
from memfort.operations.touched import places_of
from memfort.operations.write.promote import deny, promote_item
from memfort.policy.admission import Placement
from memfort.policy.settings.policy import Policy


class ObserveRequest(Request, frozen=True):
    """An interaction. Any part may be missing, but not all."""

    said: Annotated[str | None, Meta(description="What the user said.")] = None
    answer: Annotated[str | None, Meta(description="What was answered.")] = None
    tools: Annotated[tuple[ToolResult, ...], Meta(description="What tools returned: name, text, and whether ok.")] = ()
    space: Annotated[
        Coordinates | None,
        Meta(description="The space of the conversation; the session you stand at, else your own space."),
    ] = None
    visibility: Annotated[
        Visibility | None, Meta(description="In place of a space: private or shared. A conversation is never public.")
    ] = None


class Observation(Value, frozen=True):
    """What became of an interaction."""

    outcomes: tuple[Outcome, ...]  # of each candidate, in order
    promotions: tuple[Outcome, ...]
    summary: Item | None  # of the turns that have left the window
    trace: str

    @property
    def kept(self) -> list[Item]:
        return [outcome.item for outcome in self.outcomes if outcome.item is not None and outcome.kept]


def handle(session: Session, request: ObserveRequest) -> Observation:
    """Record an interaction: its turns, its statements, and the promotions that it asks for."""
    space = _space(session, request)
    made = _capture(session.engine, Interaction(request.said, request.answer, request.tools))  # before the write lock
    targets = [_target(session.standpoint, captured.promote_to) for captured in made if captured.promote_to is not None]
    touched = places_of(session, [space, *(target for target in targets if target is not None)])
    return session.write(touched, lambda tx: _observe(tx, space, made))


def _space(session: Session, request: ObserveRequest) -> Space:
    """The space of the conversation: the one named, the one of the visibility, or where it is by default."""
    if request.visibility is None:
        return conversation_space(session.standpoint, request.space, session.policy)
    if request.space is not None:
        raise InvalidInput("visibility", "the space is named too, and says it", "give one of the two")
    if request.visibility is Visibility.PUBLIC:
        raise InvalidInput("visibility", "a conversation is never public", "remember what anybody may know by itself")
    return space_with(session.standpoint, request.visibility, session.policy)


def _observe(tx: Transaction, space: Space, made: Sequence[CapturedStatement]) -> Observation:
    outcomes = _write(tx, space, made)
    summary = slide_window(tx, space)
    promotions = _promote(tx, space, made, outcomes)
    return Observation(tuple(outcomes), tuple(promotions), summary, tx.call.trace)


def _capture(engine: Engine, interaction: Interaction) -> list[CapturedStatement]:
    """The candidates to write. Without extraction only the turns, which come first."""
    policy = engine.policy
    keys = tuple(FACT_KEYS) if policy.privacy.profile_keys is None else policy.privacy.profile_keys
    importance = {event_type: policy.types[policy.type_for(event_type)].importance for event_type in EventType}
    made = capture_statements(interaction, keys, importance)
    return made if engine.overrides.extraction_enabled else [one for one in made if one.kind is Kind.SHORT_TERM]


def _write(tx: Transaction, space: Space, made: Sequence[CapturedStatement]) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for captured in made:
        sources = [outcomes[place].item for place in captured.derived_from]
        candidate = _candidate(tx.policy, captured, [one.id for one in sources if one is not None])
        outcomes.append(write(tx, Placement(candidate, space, on_record=_is_on_record(tx.actor, captured))))
    return outcomes


def _is_on_record(actor: Actor, captured: CapturedStatement) -> bool:
    """Whether the speaker is known: the engine records a tool's run, and a user's message if there is a user. An agent
    that acts for no user may have invented the message."""
    return captured.origin is not Origin.USER or actor.user is not None


def _candidate(policy: Policy, captured: CapturedStatement, derived_from: Sequence[str]) -> Candidate:
    return Candidate(
        text=captured.text,
        kind=captured.kind,
        type=policy.type_for(captured.event_type),
        key=captured.key,
        origin=captured.origin,
        event_type=captured.event_type,
        is_correction=captured.is_correction,
        importance=captured.importance,
        importance_reasons=captured.importance_reasons,
        derived_from=tuple(derived_from),
        captured=True,
    )


# -- promotions that the text asks for --------------------------------------------------------------------------------


def _promote(
    tx: Transaction, space: Space, made: Sequence[CapturedStatement], outcomes: Sequence[Outcome]
) -> list[Outcome]:
    """Do what the hints ask for. A statement that was not kept cannot be promoted, and that is recorded too."""
    results = []
    for captured, outcome in zip(made, outcomes, strict=True):
        if captured.promote_to is None or captured.promotion_reason is None:
            continue
        target = _target(tx.standpoint, captured.promote_to)
        source = _find_live(tx, outcome)
        if target is not None and source is not None:
            results.append(promote_item(tx, source, target, captured.promotion_reason))
        else:
            decision = _promotion_refusal(tx.policy, outcome, target)
            results.append(deny(tx, outcome.item or space, [captured.promote_to], decision, captured.promotion_reason))
    return results


def _find_live(tx: Transaction, outcome: Outcome) -> Item | None:
    """The memory of a candidate, if it is in force: another candidate may have replaced or evicted it since."""
    if outcome.item is None:
        return None
    found = tx.within(outcome.item.space).items([outcome.item.id])
    return next((item for item in found if is_live(item, tx.now)), None)


def _promotion_refusal(policy: Policy, outcome: Outcome, target: Space | None) -> Decision:
    """Why a hint cannot be followed: there is no such place, or nothing in force that could go there."""
    if target is None:
        return Decision(Verdict.DENIED, "border", Reason.NOT_WHERE_YOU_STAND, policy.digest)
    reason, gate = outcome.reason, outcome.decision.gate
    if outcome.item is not None and outcome.item.status is Status.APPROVED:
        reason, gate = Reason.EVICTED, "budget"
    return Decision(Verdict.DENIED, gate, reason, policy.digest)


def _target(standpoint: Standpoint, level: Level) -> Space | None:
    """The space that a hint means: the standpoint's own coordinate at that level, alone."""
    if level is Level.SYSTEM:
        return Space.of({Level.SYSTEM.value: ""})
    id = standpoint.get(level)
    return None if id is None else Space.of({level.value: id})
