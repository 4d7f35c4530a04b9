"""Phases of a space: begin one, list them, and say what changed from one to another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memfort.errors import Denied, InvalidInput, NotFound
from memfort.memory.engine import ALL_STATES, Engine
from memfort.memory.lifetimes import lapsed, retire
from memfort.memory.placing import named_or_home
from memfort.model.actor import SYSTEM, Standpoint
from memfort.model.item import Item
from memfort.model.moment import Moment
from memfort.model.phase import AUTO, FIRST, Phase, phase_index
from memfort.model.reason import Reason, explanation
from memfort.model.sight import Sight
from memfort.model.space import Space, check_id
from memfort.policy.phase import Change, changes_between, is_retired
from memfort.policy.secrets import find_secrets
from memfort.policy.sight import maintenance_sight
from memfort.store.port import Change as ChangeOfStore
from memfort.store.port import DropPhases, Filter, PutPhase
from memfort.trace.event import Event, chain_of_space
from memfort.trace.public import ChangeKind, counted


@dataclass(frozen=True, slots=True)
class PhaseDiff:
    """What changed in a space from the end of one phase to the end of another."""

    space: Space
    earlier: Phase
    later: Phase
    changes: tuple[Change, ...]
    trace: str

    @property
    def summary_lines(self) -> list[str]:
        counts = [(kind, sum(change.kind == kind for change in self.changes)) for kind in _KINDS]
        return [counted(count, kind) for kind, count in counts]


_KINDS: tuple[ChangeKind, ...] = ("added", "deleted", "replaced")


def start(
    engine: Engine, standpoint: Standpoint, given: Mapping[str, str] | None, reason: str, name: str | None
) -> Phase:
    """Begin a new phase in a space where the standpoint may write. What was before is history from now on."""
    space = named_or_home(standpoint, given, engine.policy)
    for field, text in (("reason", reason), ("name", name)):
        _check_word(engine, text, field)
    if not engine.policy.phase.enabled:
        raise _refused(engine, standpoint, "start_phase", Reason.PHASE_DISABLED, space)
    with engine.writing():
        sight, now = engine.sight(standpoint), engine.clock.now()
        if (seen := sight.seen(space)) is not None and seen.writable:
            return _begin(engine, standpoint, sight, space, reason, name, now)
    raise _refused(engine, standpoint, "start_phase", Reason.BORDER_WRITE, space)


def _begin(
    engine: Engine, standpoint: Standpoint, sight: Sight, space: Space, reason: str, name: str | None, now: Moment
) -> Phase:
    before = sight.phase_of(space)
    phase = Phase(before.index + 1, reason, engine.store.tick(sight, space), name, now)
    changes: list[ChangeOfStore] = [PutPhase(space, phase)]
    if (dropped := _too_old(engine, phase)) is not None:
        changes.append(DropPhases(space, dropped))
    engine.apply(changes, [_event(engine, standpoint, space, phase, dropped, now)])
    if dropped is not None:
        _retire_oldest(engine, sight, space, phase, now)
    return phase


def _refused(engine: Engine, standpoint: Standpoint, action: str, reason: Reason, space: Space) -> Denied:
    """Put a refusal on record, in the asker's own chain and by the levels of the place alone."""
    detail = {"gate": "border", "levels": sorted(level.value for level in space.levels)}
    event = engine.asked(action, standpoint.actor, "denied", reason, engine.clock.now(), detail)
    with engine.writing():
        engine.apply([], [event])
    return Denied(reason, explanation(reason))


def phases(engine: Engine, standpoint: Standpoint, given: Mapping[str, str] | None) -> list[Phase]:
    """The phases of a space in sight that the policy still keeps, the oldest first."""
    space = named_or_home(standpoint, given, engine.policy)
    with engine.store.reading():
        return known(engine, _seen(engine, standpoint, space), space)


def known(engine: Engine, sight: Sight, space: Space) -> list[Phase]:
    later = engine.store.phases(sight.narrowed([space])).get(space.id, ())
    kept = [FIRST, *later] if not later or later[0].index == FIRST.index + 1 else list(later)
    limit = engine.policy.phase.max_phases
    return kept if limit is None else kept[-limit:]


def diff(
    engine: Engine, standpoint: Standpoint, given: Mapping[str, str] | None, earlier: str, later: str | None, trace: str
) -> PhaseDiff:
    """What changed in a space, as far as the standpoint sees it. A phase that is not there is an error."""
    space = named_or_home(standpoint, given, engine.policy)
    if not engine.policy.phase.diff_enabled:
        raise _refused(engine, standpoint, "diff_phases", Reason.PHASE_DIFF_DISABLED, space)
    with engine.store.reading():
        sight = _seen(engine, standpoint, space)
        there = known(engine, sight, space)
        first = find_phase(there, earlier, "earlier")
        last = there[-1] if later is None else find_phase(there, later, "later")
        if first.index >= last.index:
            raise InvalidInput("later", f"`{last.id}` does not come after `{first.id}`", "name the earlier one first")
        # What is not in force any more is shown only to those who could change it.
        found = engine.everything(sight, ALL_STATES if sight.writable.spaces else Filter())
        items = [_as_swept(item, there, engine.clock.now()) for item in found]
    changes = changes_between(items, engine.value, first.index, last.index)
    told = PhaseDiff(space, first, last, tuple(changes), trace)
    _note(engine, standpoint, told)
    return told


def find_phase(there: list[Phase], id: str, field: str) -> Phase:
    """The phase called `id` among those there are. One that is not there is an error, and not an empty answer."""
    for phase in there:
        if phase.id == id:
            return phase
    names = ", ".join(sorted({phase.id for phase in there}, key=phase_index))
    raise InvalidInput(field, f"there is no phase `{id}` here", f"use one of {names}")


def _seen(engine: Engine, standpoint: Standpoint, space: Space) -> Sight:
    sight = engine.sight(standpoint)
    if sight.seen(space) is None:
        raise NotFound("space", str(space))
    return sight.narrowed([space])


def _check_word(engine: Engine, text: str | None, field: str) -> None:
    """A reason or a name stays in the trail for good, so it is short, and no secret."""
    if text is None:
        return
    check_id(text, field)
    if text == AUTO:
        raise InvalidInput(field, f"`{AUTO}` is for phases that begin by themselves", "say why this one begins")
    if len(text) > 80 or find_secrets(text, extra_patterns=tuple(engine.policy.privacy.deny_patterns.items())):
        raise InvalidInput(field, "it is too long, or looks like a secret", "give a few words")


def _too_old(engine: Engine, phase: Phase) -> int | None:
    """The last phase that the policy does not keep any more, now that this one begins."""
    limit = engine.policy.phase.max_phases
    return None if limit is None or phase.index <= limit else phase.index - limit


def _as_swept(item: Item, there: list[Phase], now: Moment) -> Item:
    """A memory with the phase in which its time ran out: the same before a sweep as after it, for somebody else's look
    may have been the sweep."""
    after = lapsed(item, now)
    if after.deleted_at is None or after.ended_phase is not None:
        return after
    begun = [phase for phase in there if phase.began is None or phase.began <= after.deleted_at]
    return after.but(ended_phase=begun[-1].id if begun else there[0].id)


def _retire_oldest(engine: Engine, sight: Sight, space: Space, phase: Phase, now: Moment) -> None:
    """The memories of phases that the policy no longer keeps go, and not only their label. They may be for readers that
    the actor is not among, so it is the system that retires them. What has expired has ended already."""
    for item in list(engine.everything(maintenance_sight([space]), ALL_STATES)):
        if lapsed(item, now).deleted_at is None and is_retired(item, phase, engine.policy):
            retire(engine, SYSTEM, item, "retire_phase", Reason.PHASE_RETIRED, now, told=sight.admits(item))


def _event(
    engine: Engine, standpoint: Standpoint, space: Space, phase: Phase, dropped: int | None, now: Moment
) -> Event:
    """That a phase began; and up to which one the older are kept no longer, so that any other that is missing shows."""
    name = {} if phase.name is None else {"name": phase.name}
    until = {} if dropped is None else {"dropped": dropped}
    return Event(
        chain=chain_of_space(space), at=now, action="start_phase", actor=standpoint.actor, surface=engine.surface,
        decision="allowed", reason=phase.reason, policy=engine.policy.digest, space=space,
        detail={"phase": phase.id, "started_at": phase.started_at, **name, **until},
    )  # fmt: skip


def _note(engine: Engine, standpoint: Standpoint, found: PhaseDiff) -> None:
    detail = {
        "space": found.space.as_dict(),
        "from": found.earlier.id,
        "to": found.later.id,
        "changes": [[change.kind, change.item.id, _id(change.replaces)] for change in found.changes],
    }
    now = engine.clock.now()
    engine.note_read(engine.asked("diff_phases", standpoint.actor, "allowed", Reason.VISIBLE, now, detail))


def _id(item: Item | None) -> str | None:
    return None if item is None else item.id
