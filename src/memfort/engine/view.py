"""`View`: the first argument of handlers that read. It cannot write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from memfort.engine.default_place import space_or_home
from memfort.engine.inputs import id_of
from memfort.engine.recorder import Recorder
from memfort.errors import Denied, NotFound
from memfort.model.item import Item, Status, is_expired, is_live
from memfort.model.moment import Moment
from memfort.model.people.actor import Actor, Standpoint
from memfort.model.people.directory import Chat, is_author
from memfort.model.phase import FIRST, Phase
from memfort.model.reason import Reason, explanation
from memfort.model.sight import Sight
from memfort.model.space import Level, Space
from memfort.policy.phase import in_phase
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import Recalling
from memfort.policy.sight import decision_sight, maintenance_sight, own_and_writable_sight, with_anyone
from memfort.policy.sight import sight as resolve_sight
from memfort.policy.standing import Memberships
from memfort.store.port import ReadContext, Store
from memfort.trail.event import Event

if TYPE_CHECKING:
    from memfort.engine.call import Call
    from memfort.engine.engine import Engine

_ANY_OVERDUE = 1  # is enough to sweep


class View:
    """One consistent read: the asker, the sight and the moment. `now` and the sight are fixed for the call.

    A view never writes. Deferred work (retire expired memories, record what was shown) is noted here and done by the
    engine after the view is closed.
    """

    __slots__ = ("_context", "call", "engine", "notes", "now", "overdue", "ranking", "sight", "standpoint")

    def __init__(self, engine: Engine, standpoint: Standpoint, sight: Sight, now: Moment, call: Call) -> None:
        self.engine = engine
        self.standpoint = standpoint
        self.sight = sight
        self.now = now
        self.call = call
        self.overdue: list[Sight] = []  # where expired memories were seen
        self.notes: list[Event] = []  # what was read, for the trail
        self.ranking: Recalling = engine.policy.recall  # how memories are weighed; it never says who may see them
        self._context: ReadContext | None = None

    @property
    def actor(self) -> Actor:
        return self.standpoint.actor

    @property
    def policy(self) -> Policy:
        return self.engine.policy

    @property
    def store(self) -> Store:
        return self.engine.store

    @property
    def recorder(self) -> Recorder:
        return self.engine.recorder(self.actor, self.now, self.call.via)

    # -- the same call with another sight ----------------------------------------------------------------------------

    def with_sight(self, sight: Sight) -> Self:
        """The same call with another sight. Notes go to the same place."""
        return self._other(self.standpoint, sight)

    def from_standpoint(self, standpoint: Standpoint) -> Self:
        """The same moment from another standpoint. For explaining what others see; never for showing it."""
        return self._other(standpoint, self.engine.sight(standpoint))

    def in_room(self, standpoint: Standpoint, chat: Chat) -> Self:
        """The same with exactly these participants of the chat that the standpoint names. For telling who would hear
        what; never for showing it."""
        return self._other(standpoint, self.engine.sight_in_room(standpoint, chat))

    def _other(self, standpoint: Standpoint, sight: Sight) -> Self:
        other = type(self)(self.engine, standpoint, sight, self.now, self.call)
        other.overdue, other.notes, other.ranking = self.overdue, self.notes, self.ranking
        return other

    def ranked_by(self, ranking: Recalling) -> Self:
        """The same, with memories weighed in another way."""
        other = self._other(self.standpoint, self.sight)
        other.ranking = ranking
        return other

    def within(self, space: Mapping[str, str] | Space | None) -> Self:
        """Only one space of the sight; all of it if none is named."""
        return self if space is None else self.with_sight(self.sight.narrowed([self.space_of(space)]))

    @property
    def writable(self) -> Self:
        """Only where the actor may write."""
        return self.with_sight(self.sight.writable)

    @property
    def reviewable(self) -> Self:
        """Where the actor may review: where it may write, and in every space of its own user, from any standpoint. An
        import fills all of a user's own spaces, and pending memories there must be in reach."""
        return self.with_sight(own_and_writable_sight(self.sight, self.engine.own_spaces(self.sight)))

    def writable_in(self, space: Space) -> Sight:
        """The sight of one space, if the actor may write there: from where it stands, or as itself or a registered
        member wherever it stands. The host program vouches only for places that the actor stands at."""
        if (here := self.sight.writable.narrowed([space])).spaces:
            return here
        places = tuple(coordinate for coordinate in space.coordinates if coordinate.level is not Level.VISIBILITY)
        there = Standpoint(self.actor, places)
        facts, order = self.store.facts(there), self.policy.spaces.read_order
        return resolve_sight(there, facts, Memberships.REGISTERED, order).writable.narrowed([space])

    @property
    def by_id(self) -> Self:
        """The view for a memory that is asked for by its id: open to what any other read could have shown."""
        return self.with_sight(with_anyone(self.sight))

    @property
    def decision_view(self) -> Self:
        """The sight for the gates: everything in sight, including memories that may not be shown in the present
        room."""
        return self.with_sight(decision_sight(self.sight))

    def space_of(self, given: Mapping[str, str] | Space | None) -> Space:
        """The space a caller names; the actor's home if none is named."""
        return space_or_home(self.standpoint, given, self.policy)

    # -- memories ----------------------------------------------------------------------------------------------------

    def find(self, id: str) -> Item:
        """The memory `id` in sight, in any state; expired and forgotten ones count as absent."""
        for item in self.store.items(self.sight, [id_of(id)]):
            if item.deleted_at_us is None and not is_expired(item, self.now):
                return item
        raise NotFound("memory", id)

    def items(self, ids: Sequence[str]) -> list[Item]:
        return self.store.items(self.sight, ids)

    def is_current(self, item: Item) -> bool:
        """Whether a memory belongs to the phase that its space is in now."""
        seen = self.sight.seen(item.space) is not None
        phase = self.sight.phase_of(item.space) if seen else self.engine.phase_of(item.space)
        return in_phase(item, phase, self.policy)

    def is_shown(self, item: Item) -> bool:
        """Whether a memory in sight can be recalled: it is live and of the present phase."""
        return is_live(item, self.now) and self.is_current(item)

    @property
    def context(self) -> ReadContext:
        """What a read of this sight has to know besides the memories it shows: one question, asked once."""
        if self._context is None:
            self._context = self.store.read_context(self.sight, self.now, _ANY_OVERDUE)
        return self._context

    def may_end(self, item: Item) -> bool:
        """Whether the actor may correct, forget or erase a memory, were it shown: its own where it may write, and those
        of others where it may review."""
        seen = self.sight.seen(item.space)
        return seen is not None and seen.writable and (seen.may_end_others or is_author(self.actor, item.author))

    def may_list(self, item: Item) -> bool:
        """Whether a memory in sight may be shown in its present state. Pending and superseded ones are shown where the
        actor may write; forgotten, expired and rejected ones only if it may end them."""
        if item.deleted_at_us is not None or is_expired(item, self.now) or item.status is Status.REJECTED:
            return self.may_end(item)
        seen = self.sight.seen(item.space)
        return self.is_shown(item) or (seen is not None and seen.writable)

    def find_changeable(self, id: str, reach: View | None = None) -> Item:
        """The memory `id` that the actor may end, or that it may end within `reach`. An actor who can read it but may
        not end it is refused with a reason; for all others it does not exist. An author finds their own memory also
        where those who listen may not hear it: nothing of it may then be shown. The id of a memory that was promoted
        stands for its copy."""
        there = reach or self.writable
        for item in self._find_in_reach(there, id):
            if self._may_change(there, item):
                return item
            if there.sight.admits(item) and there.may_list(item):
                raise Denied(Reason.LEVEL_TOO_LOW, explanation(Reason.LEVEL_TOO_LOW))
        if any(self.is_shown(item) for item in self.items([id_of(id)])):
            raise Denied(Reason.READ_ONLY_HERE, explanation(Reason.READ_ONLY_HERE))
        raise NotFound("memory", id)

    def endable(self, id: str, there: View) -> list[Item]:
        """What `id` stands for `there`, as far as the actor may end it, whoever listens."""
        return [item for item in self._find_in_reach(there, id) if self._may_change(there, item)]

    def _may_change(self, there: View, item: Item) -> bool:
        return there.may_end(item) and (there.sight.admits(item) or is_author(self.actor, item.author))

    def _find_in_reach(self, there: View, id: str) -> Iterator[Item]:
        yield from self._find_present(there, id)
        yield from self._find_promoted(there, id)

    def _find_present(self, there: View, id: str) -> list[Item]:
        """The memory `id` in any state but forgotten or expired, whoever listens."""
        found = self.store.items(decision_sight(there.sight), [id_of(id)])
        return [item for item in found if item.deleted_at_us is None and not is_expired(item, self.now)]

    def _find_promoted(self, there: View, id: str) -> list[Item]:
        """The copies of a memory that was promoted away from where the actor may end it, as far as they are in
        reach."""
        sight = there.sight
        sources = [one for one in self.store.items(sight, [id_of(id)]) if one.deleted_reason == Reason.PROMOTED]
        made = [one for source in sources for one in self.store.derived(maintenance_sight([source.space]), [id])]
        copies = [one for one in made if one.promoted_from == id and sight.admits(one)]
        return [one for one in copies if one.deleted_at_us is None and not is_expired(one, self.now)]

    def phases_of(self, space: Space) -> list[Phase]:
        """The phases of a space that the policy still keeps, the oldest first."""
        later = self.store.phases(self.sight.narrowed([space])).get(space.id, ())
        kept = [FIRST, *later] if not later or later[0].index == FIRST.index + 1 else list(later)
        most = self.policy.phase.max_phases
        return kept if most is None else kept[-most:]

    # -- what is left to do ------------------------------------------------------------------------------------------

    def note_shown(self, action: str, items: Iterable[Item]) -> None:
        """Record which memories a read showed, and which of them came from outside the actor's own sight."""
        shown = list(items)
        disclosed = [item.id for item in shown if self.sight.seen(item.space) is None]
        detail: dict[str, Any] = {"ids": [item.id for item in shown], **({"about_me": disclosed} if disclosed else {})}
        self.note_read(action, Reason.VISIBLE if shown else Reason.NOT_FOUND, detail)

    def note_read(self, action: str, reason: Reason, detail: Mapping[str, Any], digest: str | None = None) -> None:
        """Record a read in the chain of the actor who asked, once the view is closed."""
        self.notes.append(self.recorder.actor_event(action, "allowed", reason, detail, digest))

    def sweep_later(self) -> None:
        """Retire what has expired in sight once the view is closed: a clock set back must not revive it."""
        self.overdue.append(self.sight)
