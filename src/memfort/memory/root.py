"""`Memory`: the door to one store. It has no verbs of its own; bind an identity to get them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from memfort.clock import Clock, SystemClock
from memfort.errors import InvalidInput, StoreError
from memfort.memory import audit, erasing, writing
from memfort.memory.bound import BoundMemory
from memfort.memory.directory import Directory
from memfort.memory.engine import Engine, terms_of
from memfort.memory.input import choice, coordinates_of
from memfort.model.actor import SYSTEM, Actor, ActorKind, Standpoint
from memfort.model.space import SYSTEM_ID, Coordinate, Level, check_id
from memfort.policy.settings import Policy
from memfort.policy.sight import maintenance_sight
from memfort.policy.standing import Memberships
from memfort.store.port import Store
from memfort.trace.checkpoint import Checkpoint
from memfort.trace.verify import Verification

Progress = Callable[[int, int], None]


class Memory:
    """One store, one policy, one clock. Close it, or use it in a `with` block, so that the last reads are recorded."""

    def __init__(
        self,
        store: Store,
        *,
        policy: Policy | None = None,
        clock: Clock | None = None,
        memberships: str = "trusted",
        surface: str = "python",
    ) -> None:
        mode = choice(Memberships, memberships, "memberships")
        self._engine = Engine(store, clock or SystemClock(), policy or Policy(), mode, surface)
        self.directory = Directory(self._engine)

    @classmethod
    def open(cls, path: Path | str, **options: Any) -> Self:
        """Open the store in a file, making it if it is not there. An erasure that had to wait is finished now."""
        from memfort.store.sqlite import SqliteStore

        memory = cls(SqliteStore(path), **options)
        with suppress(StoreError):  # it stays on record as pending, and `erasures` says so
            erasing.finish(memory._engine)
        return memory

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Record the reads that are still waiting and let go of the store."""
        try:
            self._engine.flush()
        finally:
            self._engine.store.close()

    # -- who asks ----------------------------------------------------------------------------------------------------

    def as_user(self, user: str, /, **places: str) -> BoundMemory:
        """Memory as a user has it, from the places named: `as_user("alice", project="apollo", org="acme")`."""
        actor = Actor(ActorKind.USER, check_id(user, "user"))
        return self._bound(actor, (Coordinate(Level.USER, actor.id), *coordinates_of(places)))

    def as_agent(
        self, agent: str, /, *, owner: str | None = None, acting_for: str | None = None, **places: str
    ) -> BoundMemory:
        """Memory as an agent has it. Acting for a user, it has that user's rights and never its owner's; standing at
        another agent (`agent="helper"`), it reads what is public there."""
        id = check_id(agent, "agent")
        user = None if acting_for is None else check_id(acting_for, "acting_for")
        own = [Coordinate(Level.AGENT, id), *([Coordinate(Level.USER, user)] if user is not None else [])]
        coordinates = (*own, *coordinates_of(places))  # before the agent is registered: a mistake enters nothing
        known = self.directory.agent(id)
        if known is None:
            known = self._register(id, owner)
        elif owner is not None and owner != known.owner:
            raise InvalidInput("owner", f"the agent `{id}` has another owner", "leave it out, or name the right one")
        actor = Actor(ActorKind.AGENT, id, acting_for=user, owner=known.owner)
        return self._bound(actor, coordinates)

    def as_system(self) -> BoundMemory:
        """Memory as the system itself has it: the system space, and the power to erase, but no sight of anybody's."""
        return self._bound(SYSTEM, (Coordinate(Level.SYSTEM, SYSTEM_ID),))

    # -- upkeep: shows nobody any contents ---------------------------------------------------------------------------

    def audit_verify(self, anchors: Iterable[Checkpoint] = ()) -> Verification:
        """Check the whole trail, and that the store is in the state the trail tells of, and anchors kept elsewhere."""
        return audit.verify(self._engine, anchors)

    def audit_checkpoint(self) -> list[Checkpoint]:
        """Sign every chain that has grown, and give the last checkpoint of each, to be kept elsewhere as an anchor."""
        return audit.checkpoint(self._engine)

    def sweep(self, progress: Progress | None = None) -> int:
        """Retire everything that has expired; says how many."""
        spaces = self._engine.store.spaces()
        swept = 0
        for done, space in enumerate(spaces, start=1):
            swept += writing.sweep(self._engine, maintenance_sight([space]), self._engine.clock.now())
            if progress is not None:
                progress(done, len(spaces))
        return swept

    def finish_erasures(self) -> list[str]:
        """Finish erasures that had to wait; says which are complete now."""
        return erasing.finish(self._engine)

    def reindex(self, progress: Progress | None = None) -> int:
        """Write the text index anew; says how many memories there are."""
        return self._engine.store.reindex(terms_of, progress)

    def checkup(self) -> list[tuple[str, str]]:
        """Everything that is not as it should be: (what, problem)."""
        problems = list(self._engine.store.checkup())
        problems += [("trail", f"{one.chain} link {one.number}: {one.problem}") for one in self.audit_verify().broken]
        problems += [
            ("erasure", f"`{one.id}` is pending: {one.pending}") for one in self._engine.store.erasures() if one.pending
        ]
        return problems

    def quarantine(self) -> list[str]:
        """Take damaged memories out of the index; says their names."""
        return self._engine.store.quarantine(self._engine.clock.now())

    def info(self) -> dict[str, Any]:
        policy = self._engine.policy
        return {**self._engine.store.info(), "policy": f"{policy.name} {policy.digest}"}

    def _bound(self, actor: Actor, coordinates: tuple[Coordinate, ...]) -> BoundMemory:
        places = [one for one in coordinates if one != Coordinate(Level.AGENT, str(actor.agent))]
        for place in places:
            if [one.level for one in places].count(place.level) > 1:
                raise InvalidInput(place.level, "it is named twice", "stand at one of them at a time")
        return BoundMemory(self._engine, Standpoint(actor, coordinates))

    def _register(self, id: str, owner: str | None) -> Any:
        if owner is None:
            raise InvalidInput("owner", f"the agent `{id}` is not registered", "name its owner, or register it first")
        if self._engine.memberships is Memberships.REGISTERED:
            raise InvalidInput(
                "agent", f"the agent `{id}` is not registered", "register it with `directory.register_agent`"
            )
        return self.directory.register_agent(id, owner=owner)
