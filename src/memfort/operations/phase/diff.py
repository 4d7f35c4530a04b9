"""Compare two phases of a space."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.engine import ALL_STATES
from memfort.engine.phases import find_phase, known_phases, view_of_space
from memfort.engine.transaction import Session
from memfort.engine.view import View
from memfort.errors import InvalidInput
from memfort.model.item import Item, as_expired, is_live
from memfort.model.moment import Moment
from memfort.model.phase import Phase
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.model.value import Value
from memfort.operations.phase.refuse import refuse
from memfort.operations.requests import Coordinates, Request
from memfort.policy.phase import PhaseChange, changes_between
from memfort.store.port import Filter
from memfort.trail.public.builders import counted
from memfort.trail.public.events import ChangeKind

_KINDS: tuple[ChangeKind, ...] = ("added", "deleted", "replaced")


class DiffPhasesRequest(Request, frozen=True):
    """The phases to compare."""

    earlier: Annotated[str, Meta(description="The id of the earlier phase, such as `phase-1`.")]
    later: Annotated[str | None, Meta(description="The id of the later phase; the present one if none is named.")] = (
        None
    )
    space: Annotated[Coordinates | None, Meta(description="The space; your own if none is named.")] = None


class PhaseDiff(Value, frozen=True):
    """What changed in a space from the end of one phase to the end of another."""

    space: Space
    earlier: Phase
    later: Phase
    changes: tuple[PhaseChange, ...]
    trace: str

    @property
    def summary_lines(self) -> list[str]:
        counts = [(kind, sum(change.kind == kind for change in self.changes)) for kind in _KINDS]
        return [counted(count, kind) for kind, count in counts]


def handle(session: Session, request: DiffPhasesRequest) -> PhaseDiff:
    """What changed from the end of one phase to the end of a later one, or until now, as far as the actor sees it. An
    unknown phase is an error."""
    with session.view() as view:
        diff = _diff(view, request) if view.policy.phase.diff_enabled else None
    if diff is None:
        raise refuse(session, "diff_phases", Reason.PHASE_DIFF_DISABLED, view.space_of(request.space))
    _note(view, diff)
    return diff


def _diff(view: View, request: DiffPhasesRequest) -> PhaseDiff:
    here, space = view_of_space(view, request.space)
    there = known_phases(here.engine, here.sight, space)
    first = find_phase(there, request.earlier, "earlier")
    last = there[-1] if request.later is None else find_phase(there, request.later, "later")
    if first.index >= last.index:
        raise InvalidInput("later", f"`{last.id}` does not come after `{first.id}`", "name the earlier one first")
    # Memories that are not in force any more are shown only to those who may list them.
    found = here.engine.all_items(here.sight, ALL_STATES if here.sight.writable.spaces else Filter())
    listed = [item for item in found if is_live(item, here.now) or here.may_list(item)]
    items = [_with_ended_phase(item, there, here.now) for item in listed]
    changes = changes_between(items, here.engine.value, first.index, last.index)
    return PhaseDiff(space, first, last, tuple(changes), here.call.trace)


def _with_ended_phase(item: Item, there: list[Phase], now: Moment) -> Item:
    """A memory with the phase in which it expired: the same before and after a sweep, because another actor's read may
    have triggered the sweep."""
    after = as_expired(item, now)
    if after.deleted_at_us is None or after.ended_phase is not None:
        return after
    begun = [phase for phase in there if phase.started_at_us is None or phase.started_at_us <= after.deleted_at_us]
    return replace(after, ended_phase=begun[-1].id if begun else there[0].id)


def _note(view: View, diff: PhaseDiff) -> None:
    detail = {
        "space": diff.space.to_dict(),
        "from": diff.earlier.id,
        "to": diff.later.id,
        "changes": [[change.kind, change.item.id, _id(change.replaces)] for change in diff.changes],
    }
    event = view.recorder.actor_event("diff_phases", "allowed", Reason.VISIBLE, detail)
    view.engine.note_read(event)


def _id(item: Item | None) -> str | None:
    return None if item is None else item.id
