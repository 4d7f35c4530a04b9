"""`BoundMemory`: the verbs, bound to one standpoint. The methods are generated; all of them end in `run`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memfort.client._methods import BoundMethods
from memfort.engine.call import Progress, Waiter
from memfort.engine.engine import Engine
from memfort.model.people.actor import Actor, Standpoint
from memfort.operations.requests import request_of
from memfort.operations.run import call_of, run
from memfort.operations.table import TABLE, Operation

Coordinates = Mapping[str, str]


def missing_attribute(store: object, name: str, bound: type) -> AttributeError:
    """What to say of an attribute that a store does not have: most often it is a verb that needs an identity."""
    remedy = f'; say who asks first: `memory.as_user("alice").{name}`' if hasattr(bound, name) else ""
    return AttributeError(f"`{type(store).__name__}` has no attribute `{name}`{remedy}", name=name, obj=store)


class BoundMemory(BoundMethods):
    """Memory as one actor has it, from one place. Made by `Memory.as_user`, `as_agent` and `as_system`."""

    def __init__(self, engine: Engine, standpoint: Standpoint) -> None:
        self._engine = engine
        self._standpoint = standpoint
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
    ) -> Any:
        """Run a verb by its row of the table of operations. This is what every method and every surface does;
        `strict=False` reads numbers and flags from text. A `waiter` in another thread may give the call up."""
        request = request_of(operation.request, fields, strict=strict)
        call = call_of(self._engine, self.actor, operation, request)
        if not call.is_under_way:  # and so no part of another, whose caller waits for that one
            call.progress, call.waiter = progress, waiter
        if operation.traced:
            self._last_trace = call.trace
            if waiter is not None:
                waiter.trace = call.trace
        before, call.queries = call.queries, self._queries
        try:
            return run(self._engine, self._standpoint, operation, request, call)
        finally:
            call.queries = before  # of whoever makes the call that this one is a part of
