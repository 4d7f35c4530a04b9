"""Start a new phase of a space."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from memfort.engine.default_place import space_or_home
from memfort.engine.engine import ALL_STATES
from memfort.engine.transaction import Session, Transaction
from memfort.errors import InvalidInput
from memfort.model.item import as_expired
from memfort.model.phase import AUTO, Phase
from memfort.model.reason import Reason
from memfort.model.sight import SeenSpace
from memfort.model.space import Space, check_id
from memfort.operations.phase.refuse import refuse
from memfort.operations.requests import Coordinates, Request
from memfort.policy.gates.border import refusal_of
from memfort.policy.phase import is_retired
from memfort.policy.settings.policy import Policy
from memfort.policy.sight import maintenance_sight
from memfort.store.port import Change, DropPhases, PutPhase, Scope
from memfort.trail.event import Event

_LONGEST = 80  # letters of a reason or a name


class StartPhaseRequest(Request, frozen=True):
    """Why a new phase begins, and where."""

    reason: Annotated[
        str, Meta(description="Why it begins, in a few words that stay in the trail.", extra={"longest": _LONGEST})
    ]
    space: Annotated[Coordinates | None, Meta(description="The space; your own if none is named.")] = None
    name: Annotated[str | None, Meta(description="A name for people.", extra={"longest": _LONGEST})] = None


def handle(session: Session, request: StartPhaseRequest) -> Phase:
    """Begin a new phase in a space where the actor may end what others wrote: earlier memories are history from now
    on."""
    for field, text in (("reason", request.reason), ("name", request.name)):
        check_label(text, field)
    space = space_or_home(session.standpoint, request.space, session.policy)

    def start(tx: Transaction) -> Phase | Reason:
        seen = tx.sight.seen(space)
        if not tx.policy.phase.enabled:
            return Reason.PHASE_DISABLED
        if seen is None or not seen.may_end_others:
            return _refusal(seen)
        return start_phase(tx, space, request.reason, request.name)

    started = session.write(Scope.of([space], directory=True), start)
    if isinstance(started, Reason):
        raise refuse(session, "start_phase", started, space)
    return started


def _refusal(seen: SeenSpace | None) -> Reason:
    is_shared = seen is not None and seen.reason is Reason.SHARED_WITH_YOU
    return Reason.BORDER_WRITE if is_shared else refusal_of(seen)


def start_phase(tx: Transaction, space: Space, reason: str, name: str | None) -> Phase:
    """The same for a space where the actor is known to have write access."""
    before = tx.sight.phase_of(space)
    phase = Phase(before.index + 1, reason, tx.store.tick(tx.sight, space), name, tx.now)
    changes: list[Change] = [PutPhase(space, phase)]
    if (dropped := _too_old(tx.policy, phase)) is not None:
        changes.append(DropPhases(space, dropped))
    tx.apply(changes, [phase_event(tx, space, phase, dropped)])
    if dropped is not None:
        _retire_oldest(tx, space, phase)
    return phase


def check_label(text: str | None, field: str) -> None:
    """A reason or a name stays in the trail for good, so it is short."""
    if text is None:
        return
    check_id(text, field)
    if text == AUTO:
        raise InvalidInput(field, f"`{AUTO}` is for phases that begin by themselves", "say why this one begins")
    if len(text) > _LONGEST:
        raise InvalidInput(field, "it is too long", "give a few words")


def _too_old(policy: Policy, phase: Phase) -> int | None:
    """The last phase that the policy no longer keeps once this one begins."""
    limit = policy.phase.max_phases
    return None if limit is None or phase.index <= limit else phase.index - limit


def _retire_oldest(tx: Transaction, space: Space, phase: Phase) -> None:
    """Retire the memories of phases that the policy no longer keeps. The actor may not be among their readers, so the
    system retires them. Expired ones have ended already."""
    for item in list(tx.engine.all_items(maintenance_sight([space]), ALL_STATES)):
        if as_expired(item, tx.now).deleted_at_us is None and is_retired(item, phase, tx.policy):
            tx.as_system().retire(item, "retire_phase", Reason.PHASE_RETIRED, traced=tx.sight.admits(item))


def phase_event(tx: Transaction, space: Space, phase: Phase, dropped: int | None = None) -> Event:
    """The event that a phase began, with the last phase that is no longer kept, so that any other missing phase is
    detected."""
    name = {} if phase.name is None else {"name": phase.name}
    until = {} if dropped is None else {"dropped": dropped}
    detail = {"phase": phase.id, "started_at": phase.started_tick, **name, **until}
    return tx.recorder.space_event(space, "start_phase", phase.reason, detail=detail)
