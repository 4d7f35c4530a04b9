"""Run a verb: the one place where a handler is called, for every surface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from memfort.engine.call import Call
from memfort.engine.engine import Engine
from memfort.engine.expected_version import check_expected_version
from memfort.engine.once import Once
from memfort.engine.transaction import Session, Transaction
from memfort.engine.view import View
from memfort.model.people.actor import Actor, Standpoint
from memfort.operations.request_secrets import check_request
from memfort.operations.table import Effect, Operation


def call_of(engine: Engine, actor: Actor, operation: Operation, request: Struct) -> Call:
    """A call of a verb. A call that leaves no trace needs no name."""
    if not operation.traced:
        return engine.untraced_call(operation.name)
    return engine.call(actor, operation.name, _encode_request(request))


def _encode_request(request: Struct) -> bytes:
    """The bytes that name a call. A request that cannot be encoded will be refused, and needs no name of its own."""
    try:
        return msgspec.json.encode(request, enc_hook=repr)
    except (UnicodeEncodeError, RecursionError, TypeError, ValueError):
        return b""


def run(engine: Engine, standpoint: Standpoint, operation: Operation, request: Struct, call: Call | None = None) -> Any:
    """Run a verb for a standpoint. Its handler gets a view, a transaction or a session, as its signature says."""
    check_request(engine.policy, standpoint.actor, operation, request)
    call = call or call_of(engine, standpoint.actor, operation, request)
    if not operation.traced:
        return run_in(engine, standpoint, operation, request, call)
    with call:
        return run_in(engine, standpoint, operation, request, call)


def run_in(engine: Engine, standpoint: Standpoint, operation: Operation, request: Struct, call: Call) -> Any:
    """The same inside a running call."""
    only_reads = operation.writes_with and not getattr(request, operation.writes_with)
    if operation.effect is Effect.WRITE and not only_reads:
        engine.check_participation(standpoint, call)
    scope, handle, once, expected = operation.scope, operation.handler, call.once, call.expected_version
    call.once = None  # a verb that this one calls is a part of it
    if once is not None:
        call.expected_version = None  # until it is known that the call was not made before: then it is not compared
    if scope is View:
        with engine.view(standpoint, call) as view:
            return handle(view, request)
    if scope is Transaction:
        session = Session(engine, standpoint, call)
        return session.write(
            operation.touches(session, request), lambda tx: _in_transaction(tx, handle, request, once, expected)
        )
    assert scope is Session
    session = Session(engine, standpoint, call)
    return handle(session, request) if once is None else _in_session(session, handle, request, once, expected)


def _in_transaction(
    tx: Transaction, handle: Callable[..., Any], request: Struct, once: Once | None, expected: tuple[str, int] | None
) -> Any:
    if once is None:
        return handle(tx, request)

    def work() -> Any:
        tx.call.expected_version = expected
        check_expected_version(tx)
        return handle(tx, request)

    return once.in_transaction(tx, work)


def _in_session(
    session: Session, handle: Callable[..., Any], request: Struct, once: Once, expected: tuple[str, int] | None
) -> Any:
    def work() -> Any:
        session.call.expected_version = expected  # of its own commits, not of the one that notes the call
        return handle(session, request)

    return once.in_session(session, work)
