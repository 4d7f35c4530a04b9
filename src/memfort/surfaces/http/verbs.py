"""One request for one verb: who asks, from where, with which fields; and the answer. Everything here runs in a thread
of the pool, so that no transaction crosses an await."""

from __future__ import annotations

import base64
import binascii
import tomllib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, get_args

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from memfort.client import BoundMemory
from memfort.engine.call import Progress, Waiter
from memfort.engine.once import Once, Replayed
from memfort.engine.transaction import Transaction
from memfort.engine.view import View
from memfort.errors import InvalidInput, NotFound
from memfort.model.decision import Outcome, OutcomeState, Verdict
from memfort.model.item import Item
from memfort.model.people.access_key import KeyScope
from memfort.model.people.actor import SYSTEM, Actor
from memfort.model.results import Receipt
from memfort.model.value import plain
from memfort.operations.limits import check_characters
from memfort.operations.requests import check_sizes, fields_of
from memfort.operations.table import Cli, Effect, Http, Operation
from memfort.policy.settings.document import preset_names
from memfort.surfaces.http.cursors import open_cursor, sign_cursor
from memfort.surfaces.http.entry import Asked
from memfort.surfaces.http.idempotency import HEADER as IDEMPOTENCY_KEY
from memfort.surfaces.http.idempotency import IdempotentRequest
from memfort.surfaces.http.identity import REQUESTER, Caller, check_scope, places_of, requester_of, stand
from memfort.surfaces.http.limits import check_nesting
from memfort.surfaces.http.problems import HttpProblem, problem_response, refused_statement
from memfort.surfaces.http.repeated_names import check_repeated_names
from memfort.surfaces.http.running import carry_out
from memfort.surfaces.http.server import Server

JSON = "application/json"
IF_MATCH = "if-match"


class Prepared(Struct, frozen=True):
    """A verb that is ready to be run for its caller."""

    row: Operation
    actor: Actor
    fields: Mapping[str, Any]
    run: Callable[[Progress | None, Waiter | None, Once | None], Any]
    idempotent: IdempotentRequest | None = None
    bound: BoundMemory | None = None  # of the actor; `None` for the host's own verbs

    @property
    def trace(self) -> dict[str, str]:
        """The header that names the call, if it can be traced."""
        trace = self.bound.last_trace if self.bound is not None and self.row.traced else None
        return {} if trace is None else {"memfort-trace": trace}


def prepare(server: Server, row: Operation, asked: Asked) -> Prepared:
    """Check who asks and what for, and read the fields of the request."""
    caller, fields = asked.caller, read_fields(server, row, asked)
    _check_precondition(row, asked.request)
    if runs_as_system(row, asked.request, caller, fields):
        return Prepared(
            row,
            SYSTEM,
            fields,
            lambda progress, waiter, once: server.memory.run(
                row, fields, progress, waiter=waiter, via=caller.name, once=once
            ),
            _idempotent(server, row, asked, SYSTEM),
        )
    check_scope(caller, row.key_scope)
    return prepare_bound(server, row, asked, bind(server, row, asked.request, caller), fields)


def runs_as_system(row: Operation, request: Request, caller: Caller, fields: Mapping[str, Any]) -> bool:
    """Whether a verb of upkeep or the directory is asked for by an administrator. What an actor has too is run for the
    actor, if one is named."""
    if row.effect is not Effect.ADMIN:
        assert isinstance(row.http, Http)
        given = {name for name, value in fields.items() if value}
        is_for_all = bool(row.http.as_system_with) and row.http.as_system_with <= given
        return is_for_all and {KeyScope.ADMIN, row.key_scope} <= caller.scopes and REQUESTER not in request.headers
    requester = requester_of(request, caller)
    if row.also_bound and (requester is not None or KeyScope.ADMIN not in caller.scopes):
        return False
    check_scope(caller, KeyScope.ADMIN)
    return True


def bind(server: Server, row: Operation, request: Request, caller: Caller, **places: str) -> BoundMemory:
    """Memory as the caller has it, from the places that the request names."""
    assert isinstance(row.http, Http)
    if caller.within and not row.http.within_sight:
        raise HttpProblem(
            403, "scope_missing", "a key that is bound to a space cannot do that", remedy="use a key without a space"
        )
    surface = getattr(request.state, "surface", None)  # of pages that ask the verbs in here
    return stand(server.memory, caller, requester_of(request, caller), {**places_of(request), **places}, surface)


def prepare_bound(server: Server, row: Operation, asked: Asked, bound: BoundMemory, fields: dict[str, Any]) -> Prepared:
    assert isinstance(row.http, Http)
    if (name := row.http.cursor) and fields.get(name) is not None:
        fields[name] = open_cursor(server.memory.store_in_use.keys, bound.actor, row.name, fields[name])
    expected = _expected_version(asked.request, fields.get(row.http.edits)) if row.http.edits else None
    return Prepared(
        row,
        bound.actor,
        fields,
        lambda progress, waiter, once: bound.run(
            row, fields, progress, waiter=waiter, expected_version=expected, once=once
        ),
        _idempotent(server, row, asked, bound.actor),
        bound,
    )


def _idempotent(server: Server, row: Operation, asked: Asked, actor: Actor) -> IdempotentRequest | None:
    """The key of a request that is to have one effect. A read has none anyway."""
    if IDEMPOTENCY_KEY not in asked.request.headers or row.effect is Effect.READ or row.scope is View:
        return None
    assert isinstance(row.http, Http)
    if not row.http.is_kept:
        raise HttpProblem(
            400, "invalid_header", "its answer is shown only once", field="Idempotency-Key", remedy="leave it out"
        )
    sender = f"{asked.caller.name} {actor}"
    return IdempotentRequest(server.memory.store_in_use.keys, sender, asked.request, asked.body)


def perform(
    server: Server, prepared: Prepared, progress: Progress | None = None, waiter: Waiter | None = None
) -> Response:
    """Run a verb and answer; or give the answer again that it had before."""
    if (idempotent := prepared.idempotent) is None:
        return answer(server, prepared, prepared.run(progress, waiter, None))
    try:
        once = idempotent.once(lambda result: answer(server, prepared, result))
        with _alone(prepared.row, idempotent) as is_alone:
            if not is_alone:
                return idempotent.replay_of_running(server.memory.store_in_use.reply(idempotent.key))
            result = prepared.run(progress, waiter, once)
    except Replayed as known:
        return idempotent.replay(known.reply)
    return idempotent.response or answer(server, prepared, result)


def _alone(row: Operation, idempotent: IdempotentRequest) -> AbstractContextManager[bool]:
    """Whether the same request is not being carried out already. What is done in one commit waits for its turn, and
    then finds the answer."""
    return nullcontext(True) if row.scope is Transaction else carry_out(idempotent.key)


def _check_precondition(row: Operation, request: Request) -> None:
    """Refuse `If-Match` where a verb changes something and compares no version: the caller relies on it."""
    assert isinstance(row.http, Http)
    if IF_MATCH in request.headers and row.effect is not Effect.READ and not row.http.edits:
        raise _bad_precondition(f"`{row.name}` compares no version", "leave it out")


def _expected_version(request: Request, given: Any) -> tuple[str, int] | None:
    """The version that `If-Match` names, of the one memory with this id, or in this list."""
    tags = request.headers.getlist(IF_MATCH)
    if not tags or tags == ["*"]:
        return None
    ids = given if isinstance(given, list) else [given]
    if len(ids) != 1 or ids == [None]:
        raise _bad_precondition("it is the version of one memory", "name one memory by its id, or leave it out")
    version = tags[0].strip().strip('"')
    if len(tags) > 1 or not version.isascii() or not version.isdigit() or len(version) > 15:
        raise _bad_precondition("it is not an ETag of a memory", 'write it like `"3"`')
    return str(ids[0]), int(version)


def _bad_precondition(problem: str, remedy: str) -> HttpProblem:
    return HttpProblem(400, "invalid_header", problem, field="If-Match", remedy=remedy)


# -- the fields of a request ------------------------------------------------------------------------------------------


def read_fields(server: Server, row: Operation, asked: Asked) -> dict[str, Any]:
    """The fields of a verb's request, from the body."""
    assert isinstance(row.http, Http)
    fields = read_object(server, asked)
    for name, reason in row.http.leaves_out.items():
        if fields.get(name) is not None:
            raise InvalidInput(name, "HTTP does not take it", reason)
    check_row_sizes(row, fields)
    for field in fields_of(row.request):
        value = fields.get(field.name)
        if field.python == "bytes" and value is not None:
            fields[field.name] = _decode_base64(field.name, value)
        if field.extra.get("reads") == "policy" and isinstance(value, str):
            fields[field.name] = _read_policy(field.name, value)
    return fields


def check_row_sizes(row: Operation, fields: Mapping[str, Any]) -> None:
    """Refuse what is larger than HTTP takes, before anything is done with it."""
    assert isinstance(row.http, Http)
    check_sizes(row.request, fields, row.http.most)
    for name, most in row.http.characters.items():
        check_characters(name, fields.get(name), most)


def read_object(server: Server, asked: Asked) -> dict[str, Any]:
    """The body as a JSON object. Without a body there are no fields."""
    if not asked.body:
        return {}
    if asked.request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise HttpProblem(415, "not_json", f"the body has to be `{JSON}`", field="Content-Type")
    check_nesting(asked.body, server.settings)
    try:
        fields = msgspec.json.decode(asked.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise HttpProblem(400, "invalid_json", "the body is not valid JSON", remedy="send one JSON object") from None
    if not isinstance(fields, dict):
        raise HttpProblem(400, "invalid_json", "the body is not a JSON object", remedy="send one JSON object")
    check_repeated_names(asked.body, fields)
    return fields


def _decode_base64(name: str, value: object) -> bytes:
    try:
        return base64.b64decode(str(value), validate=True)
    except (binascii.Error, ValueError):
        raise InvalidInput(name, "it is not base 64", "encode the bytes in base 64") from None


def _read_policy(name: str, text: str) -> str | dict[str, Any]:
    """A policy from a request: a preset's name or the text of a TOML file. A path would be one of the server's."""
    if text in preset_names():
        return text
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        raise InvalidInput(name, "it is neither a preset nor TOML", "send a preset's name, TOML text or JSON") from None


# -- the answer -------------------------------------------------------------------------------------------------------


def answer(server: Server, prepared: Prepared, result: Any) -> Response:
    """The answer of a verb as JSON."""
    row = prepared.row
    assert isinstance(row.http, Http)
    if result is None and type(None) in get_args(row.result):
        raise NotFound(_absent(row), str(next(iter(prepared.fields.values()), "")))
    if isinstance(result, Outcome) and result.decision.verdict is Verdict.DENIED:
        return problem_response(refused_statement(result))
    document = plain(result)
    if row.http.cursor and document[row.http.cursor] is not None:
        keys = server.memory.store_in_use.keys
        document[row.http.cursor] = sign_cursor(keys, prepared.actor, row.name, document[row.http.cursor])
    return Response(
        msgspec.json.encode(document), _status(row.http, result), {**etag_of(result), **prepared.trace}, JSON
    )


def _absent(row: Operation) -> str:
    return (isinstance(row.cli, Cli) and row.cli.absent) or "memory"


def _status(http: Http, result: Any) -> int:
    """202 for an erasure that has to wait, and for a statement that waits for review."""
    if isinstance(result, Outcome):
        return 202 if result.state is OutcomeState.PENDING else http.status
    return 202 if isinstance(result, Receipt) and result.pending is not None else http.status


def etag_of(result: Any) -> dict[str, str]:
    item = result.item if isinstance(result, Outcome) else result
    return {"etag": f'"{item.version}"'} if isinstance(item, Item) else {}
