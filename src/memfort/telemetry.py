"""Spans of OpenTelemetry around the verbs, in the words of its conventions for the memory of generative AI.

`traced` is the only entry point: nothing here runs without it, and only it imports OpenTelemetry.

Span attributes come from the answer of the verb, never from its arguments. Refused text and invalid ids are arguments,
so neither can get into a span; an error is recorded by its type only, because its message may quote an argument. No
actor and no space is named.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from memfort import __version__
from memfort.client.async_memory import AsyncBoundMemory
from memfort.client.bound import BoundMemory
from memfort.engine.call import Progress, Waiter
from memfort.engine.once import Once
from memfort.errors import Denied
from memfort.model.decision import Decision, Outcome, Verdict
from memfort.model.item import Item, Sensitivity, Status
from memfort.model.results import Forgotten, Hit, ImportReport, Page, PersonForgotten, Recall, Receipt, ReviewEntry
from memfort.operations.capture.observe import Observation
from memfort.operations.phase.diff import PhaseDiff
from memfort.operations.table import TABLE, Operation
from memfort.policy.secrets import find_secrets
from memfort.recall.render import Context

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer, TracerProvider

SEARCH = "search_memory"

# The verbs that are operations of the convention, as the rows of the table say. The convention knows no other reading
# than searching. Remembering is an upsert, because the caller does not choose whether something new is kept, replaces
# what was there, or is a duplicate.
OPERATIONS: Mapping[str, str] = {row.name: row.telemetry for row in TABLE.values() if row.telemetry}

# The names of the convention; it is in development, and no package has them yet.
OPERATION = "gen_ai.operation.name"
STORE_ID = "gen_ai.memory.store.id"
RECORD_ID = "gen_ai.memory.record.id"
RECORD_COUNT = "gen_ai.memory.record.count"
QUERY_TEXT = "gen_ai.memory.query.text"
RECORDS = "gen_ai.memory.records"
ERROR_TYPE = "error.type"

# And our own.
VERB = "memfort.verb"
DECISION = "memfort.decision"
REASON = "memfort.reason"
RULE = "memfort.policy.rule"
DENIED_COUNT = "memfort.denied.count"
ERASURE_STATE = "memfort.erasure.state"
DRY_RUN = "memfort.dry_run"

Attributes = dict[str, str | int]


_Bound = TypeVar("_Bound", BoundMemory, AsyncBoundMemory)


def traced(memory: _Bound, *, contents: bool = False, tracer_provider: TracerProvider | None = None) -> _Bound:
    """The same memory, sync or async, with a span around every verb that is an operation of the convention.

    With `contents`, spans hold the queries, and the texts of memories in force that are not sensitive. Readers of the
    traces then see them too, and erasing a memory does not remove them there.
    """
    try:
        from opentelemetry.trace import get_tracer
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("opentelemetry is not installed; install `memfort[otel]`", name=error.name) from error
    tracer = get_tracer("memfort", __version__, tracer_provider)
    if isinstance(memory, AsyncBoundMemory):
        return AsyncBoundMemory(_TracedMemory(memory._memory, tracer, contents=contents), memory._threads)
    return _TracedMemory(memory, tracer, contents=contents)


class _TracedMemory(BoundMemory):
    """The verbs of a bound memory, each call of an operation of the convention in a span."""

    def __init__(self, memory: BoundMemory, tracer: Tracer, *, contents: bool) -> None:
        super().__init__(memory._engine, memory._standpoint, memory._via)
        self._tracer = tracer
        self._contents = contents

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
        more: dict[str, Any] = {"strict": strict, "waiter": waiter, "expected_version": expected_version, "once": once}
        if not operation.telemetry:
            return super().run(operation, fields, progress, **more)
        with self._span(operation.name, operation.telemetry, dry_run=fields.get("dry_run") is True) as span:
            answer = super().run(operation, fields, progress, **more)
            self._note_answer(span, operation.telemetry, answer)
            return answer

    def _note_answer(self, span: Span, operation: str, answer: Any) -> None:
        if span.is_recording():
            span.set_attributes({**_labels_of(operation, answer), **self._contents_of(answer)})

    @contextmanager
    def _span(self, verb: str, operation: str, *, dry_run: bool) -> Iterator[Span]:
        from opentelemetry.trace import SpanKind, StatusCode

        store = self._engine.store.keys.fingerprint
        known: Attributes = {OPERATION: operation, STORE_ID: store, VERB: verb}
        if dry_run:
            known[DRY_RUN] = True
        # Not recorded as OpenTelemetry does it: that would keep the message and a traceback.
        with self._tracer.start_as_current_span(
            operation, kind=SpanKind.INTERNAL, attributes=known, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield span
            except Exception as error:
                span.set_status(StatusCode.ERROR)
                span.set_attributes(_failure(error))
                raise

    def _contents_of(self, answer: object) -> Attributes:
        if not self._contents:
            return {}
        asked = answer.query if isinstance(answer, Recall | Context) else None
        query = {QUERY_TEXT: asked} if asked is not None and self._is_clean(asked) else {}
        records = [_record(one) for one in _shown(answer) if self._may_record_contents(_item(one))]
        return {**query, **({RECORDS: json.dumps(records, ensure_ascii=False)} if records else {})}

    def _may_record_contents(self, item: Item) -> bool:
        """Whether a text may leave by a span: not while it waits for review, nor after it was taken back."""
        in_force = item.status is Status.APPROVED and item.deleted_at_us is None
        return in_force and item.sensitivity in {Sensitivity.PUBLIC, Sensitivity.PERSONAL} and self._is_clean(item.text)

    def _is_clean(self, text: str) -> bool:
        """Whether it has no secret, by the policy in force. A query passes no gate, and a stored text passed an older
        policy's."""
        try:
            return not find_secrets(text, extra_patterns=tuple(self._engine.policy.privacy.deny_patterns.items()))
        except ValueError:  # too long to be sure
            return False


def _failure(error: Exception) -> Attributes:
    refusal = {DECISION: Verdict.DENIED.value, REASON: str(error.reason)} if isinstance(error, Denied) else {}
    return {ERROR_TYPE: type(error).__name__, **refusal}


def _labels_of(operation: str, answer: object) -> Attributes:
    """The attributes of an answer without its contents. A single record is named, unless it is the only hit of a
    search."""
    ids = _ids(answer)
    is_one = len(ids) == 1 and (operation != SEARCH or isinstance(answer, Item))
    return {RECORD_COUNT: len(ids), **({RECORD_ID: ids[0]} if is_one else {}), **_decision_of(answer)}


def _decision_of(answer: Any) -> Attributes:
    match answer:
        case Outcome(decision=decision):
            return _decision(decision)
        case [Outcome(), *_]:
            return {DENIED_COUNT: sum(one.decision.verdict is Verdict.DENIED for one in answer)}
        case Observation(outcomes=outcomes, promotions=promotions):
            return _decision_of([*outcomes, *promotions])
        case ImportReport(counts=counts):
            kept = sum(counts.get(name, 0) for name in ("kept", "pending"))
            return {RECORD_COUNT: kept, DENIED_COUNT: counts.get("denied", 0)}
        case Receipt(state=state) | PersonForgotten(receipt=Receipt(state=state)):
            return {ERASURE_STATE: state}
    return {}


def _decision(decision: Decision) -> Attributes:
    rule = decision.detail.get("rule")
    named = {} if rule is None else {RULE: str(rule)}
    return {DECISION: decision.verdict.value, REASON: decision.reason.value, **named}


def _ids(answer: object) -> list[str]:
    if isinstance(answer, Receipt | PersonForgotten):
        return [id for _, id in answer.items]
    return [_item(one).id for one in _shown(answer)]


def _shown(answer: object) -> Sequence[Item | Hit]:
    """The memories in an answer."""
    match answer:
        case Item() | Hit():
            return [answer]
        case Outcome(item=Item() as item) | ReviewEntry(item=item):
            return [item]
        case (
            Recall(hits=memories)
            | Context(hits=memories)
            | Page(items=memories)
            | Forgotten(items=memories)
            | (list() as memories)
        ):
            return [shown for one in memories for shown in _shown(one)]
        case Observation(outcomes=outcomes, promotions=promotions):
            return _shown([*outcomes, *promotions])
        case PhaseDiff(changes=changes):
            return [change.item for change in changes]
    return []


def _item(shown: Item | Hit) -> Item:
    return shown.item if isinstance(shown, Hit) else shown


def _record(shown: Item | Hit) -> dict[str, Any]:
    score = {"score": shown.score} if isinstance(shown, Hit) else {}
    return {"id": shown.id, "content": shown.text, **score}
