"""`BoundMemory`: the verbs, bound to one standpoint. The methods are generated; all of them end in `run`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from memfort.client._methods import BoundMethods
from memfort.engine.call import Progress, Waiter
from memfort.engine.engine import Engine
from memfort.engine.inputs import candidate_of
from memfort.engine.once import Once
from memfort.engine.recorder import Through
from memfort.model.people.actor import Actor, Standpoint
from memfort.model.space import Space, Visibility
from memfort.operations.requests import request_of
from memfort.operations.run import call_of, run
from memfort.operations.table import TABLE, Operation
from memfort.policy.visibility import default_visibility

Coordinates = Mapping[str, str]


def missing_attribute(store: object, name: str, bound: type) -> AttributeError:
    """What to say of an attribute that a store does not have: most often it is a verb that needs an identity."""
    remedy = f'; say who asks first: `memory.as_user("alice").{name}`' if hasattr(bound, name) else ""
    return AttributeError(f"`{type(store).__name__}` has no attribute `{name}`{remedy}", name=name, obj=store)


class BoundMemory(BoundMethods):
    """Memory as one actor has it, from one place. Made by `Memory.as_user`, `as_agent` and `as_system`."""

    def __init__(self, engine: Engine, standpoint: Standpoint, via: Through | None = None) -> None:
        self._engine = engine
        self._standpoint = standpoint
        self._via = via or Through()
        self._last_trace: str | None = None
        self._queries: dict[str, str] = {}  # by trace; here and not in the engine, where others' would push them out

    def __repr__(self) -> str:
        return f"<memory of {self._standpoint}>"

    @property
    def actor(self) -> Actor:
        return self._standpoint.actor

    @property
    def standpoint(self) -> Standpoint:
        """Who asks, and from where."""
        return self._standpoint

    def through(
        self, via: str | None, within: Iterable[Space] | None = None, *, surface: str | None = None
    ) -> BoundMemory:
        """The same memory by the credential of another actor, whose name the trail keeps beside this one's; and of the
        spaces in sight only those `within`. `surface` is the trail's word for how it is asked, if it is another than
        the host's."""
        return self._with(Through(via, surface or self._via.surface), within)

    def within(self, spaces: Iterable[Space]) -> BoundMemory:
        """The same memory with only these of the spaces in sight."""
        return self._with(self._via, spaces)

    def _with(self, via: Through, within: Iterable[Space] | None) -> BoundMemory:
        spaces = self._standpoint.within if within is None else tuple(within)
        return BoundMemory(self._engine, replace(self._standpoint, within=spaces), via)

    def default_visibility(self, text: str) -> Visibility:
        """The visibility of a statement in the memory of the agent that the actor is or stands at, by the rules and the
        heuristics of the policy. Only its owner and the agent itself write there, so the actor's side is the owner: the
        agent's registration would reveal the owner to anyone."""
        owner = self.actor.owner or self.actor.user
        return default_visibility(candidate_of(self.actor, text), owner, self._engine.policy)

    @property
    def default_type(self) -> str:
        """The type of a statement whose author names none and whose words show none."""
        return self._engine.policy.default_type

    @property
    def last_trace(self) -> str | None:
        """The id of the last traced call that was made here; `trace.show` gives its events."""
        return self._last_trace

    def _ask(self, name: str, fields: dict[str, Any], progress: Progress | None = None) -> Any:
        return self.run(TABLE[name], fields, progress)

    def run(
        self,
        operation: Operation,
        fields: Mapping[str, Any],
        progress: Progress | None = None,
        *,
        strict: bool = True,
        waiter: Waiter | None = None,
        expected_version: tuple[str, int] | None = None,
        once: Once | None = None,
    ) -> Any:
        """Run a verb by its row of the table of operations. This is what every method and every surface does;
        `strict=False` reads numbers and flags from text. A `waiter` in another thread may give the call up. Unless the
        memory with this id has the `expected_version`, nothing is written; with `once`, a call that was made before
        raises `Replayed`."""
        request = request_of(operation.request, fields, strict=strict)
        call = call_of(self._engine, self.actor, operation, request)
        if not call.is_under_way:  # and so no part of another, whose caller waits for that one
            call.progress, call.waiter = progress, waiter
            call.via, call.expected_version, call.once = self._via, expected_version, once
        if operation.traced:
            self._last_trace = call.trace
            if waiter is not None:
                waiter.trace = call.trace
        before, call.queries = call.queries, self._queries
        try:
            return run(self._engine, self._standpoint, operation, request, call)
        finally:
            call.queries = before  # of whoever makes the call that this one is a part of
