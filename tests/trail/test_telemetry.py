"""Spans around the verbs: the words of the convention, on request alone, and never what was refused."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from memfort import BoundMemory, Denied, InvalidInput, Memory, NotFound, Policy
from memfort.operations.table import TABLE, Effect
from memfort.policy.settings.sections import Privacy
from memfort.store.sqlite import SqliteStore
from memfort.telemetry import OPERATIONS, traced
from memfort.testing.messages import messages_of

SECRET = "AKIAQ3EGRVFJ7WKPZT5M"  # shaped like an AWS key id, but made up
ROWS = json.dumps([{"user_id": "alice", "kind": "preference", "content": "likes volcanoes", "scope_type": "global"}])

# What the convention says of a memory span, and what we say besides.
OF_THE_CONVENTION = {
    "gen_ai.operation.name",
    "gen_ai.memory.store.id",
    "gen_ai.memory.record.id",
    "gen_ai.memory.record.count",
    "error.type",
}
CONTENTS = {"gen_ai.memory.query.text", "gen_ai.memory.records"}
OUR_OWN = {
    "memfort.verb",
    "memfort.decision",
    "memfort.reason",
    "memfort.policy.rule",
    "memfort.denied.count",
    "memfort.erasure.state",
    "memfort.dry_run",
}
RECORDS = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["content"],
        "properties": {"id": {"type": "string"}, "score": {"type": "number"}, "metadata": {"type": "object"}},
    },
}
# What is no operation on memories, and has no span.
WITHOUT_SPAN = {
    "through": "names a credential; it runs no verb",
    "within": "narrows the sight; it runs no verb",
    "default_visibility": "about the policy",
    "standings": "about the standpoint",
    "doctor": "about the state of the store",
    "spaces": "about the standpoint",
    "edges": "about how things hang together",
    "explain": "about a decision",
    "compare": "about decisions",
    "trail.list": "about what was done",
    "check": "about a decision; it does nothing",
    "share": "about who may read",
    "shares": "about who may read",
    "share_changes": "about who may read",
    "revoke": "about who may read",
    "erasures": "about receipts",
    "verify_erasure": "about receipts",
    "sources": "about imports",
    "export": "a stream, which its reader takes in its own time",
    "trail.export": "a stream",
    "phase.start": "about a space's history, and no memory",
    "phase.list": "about a space's history, and no memory",
    "policy.simulate": "about what a policy would decide",
    **dict.fromkeys(
        (
            "people.add",
            "people.find",
            "people.get",
            "people.list",
            "people.relations",
            "people.update",
            "people.alias",
            "people.merge",
            "people.link",
            "people.relate",
            "people.unrelate",
            "people.drop",
        ),
        "about people, and no memory",
    ),
    "trace.show": "about a call",
    "trace.list": "about calls",
}


@pytest.fixture
def exporter():
    return InMemorySpanExporter()


@pytest.fixture
def provider(exporter):
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return provider


@pytest.fixture
def alice(memory, provider):
    return traced(memory.as_user("alice", project="apollo"), tracer_provider=provider)


@pytest.fixture
def with_contents(memory, provider):
    """Alice with a memory whose spans hold contents."""
    return traced(memory.as_user("alice", project="apollo"), contents=True, tracer_provider=provider)


@pytest.fixture
def spans(exporter):
    """The spans since it was last asked."""

    def take():
        finished = exporter.get_finished_spans()
        exporter.clear()
        return finished

    return take


@pytest.fixture
def last(spans):
    return lambda: dict(spans()[-1].attributes)


def everything(alice):
    """Every verb that has a span, by its name, with its answer."""
    answers = {"remember": alice.remember("drinks volcanic tea")}
    tea = answers["remember"].id
    answers["remember_many"] = alice.remember_many(["a volcanic note", f"the key is {SECRET}"])
    answers["import"] = alice.import_(ROWS.encode())
    answers["observe"] = alice.observe(messages_of("I prefer volcanic stones.", "Noted, about volcanic stones."))
    answers["window"] = alice.window()
    answers["correct"] = alice.correct(tea, "drinks volcanic coffee")
    answers["restore"] = alice.restore(tea)
    waiting = [alice.remember(f"a volcanic rumour, {number}", confidence=0.1).id for number in range(3)]
    answers["review.list"] = alice.review.list()
    answers["review.edit"] = alice.review.edit(waiting[0], "a volcanic fact")
    answers["review.approve"] = alice.review.approve(waiting[1])
    answers["review.reject"] = alice.review.reject(waiting[2])
    answers["recall"] = alice.recall("volcanic")
    answers["context"] = alice.context("volcanic")
    answers["get"] = alice.get(answers["restore"].id)
    answers["list"] = alice.list()
    answers["used"] = alice.used(answers["restore"].id)
    answers["history"] = alice.history(tea)
    answers["about"] = alice.about("me")
    answers["related"] = alice.related(answers["restore"].id)
    answers["promote"] = alice.promote(answers["review.edit"].id, {"project": "apollo"})
    alice.phase.start("a quiet phase")
    answers["phase.diff"] = alice.phase.diff("phase-1")
    answers["forget"] = alice.forget(answers["review.approve"][0].id)
    answers["erase"] = alice.erase(answers["promote"].id)
    assert alice.erase(source=answers["import"].source).items
    answers["people.forget"] = alice.people.forget("@carol", dry_run=True)
    answers["extraction.list"] = alice.extraction.list()
    answers["extraction.retry"] = alice.extraction.retry()
    answers["extraction.drop"] = alice.extraction.drop()
    answers["undo"] = alice.undo(author="me", dry_run=True)
    answers["subject.export"] = alice.subject.export("me")
    answers["subject.erase"] = alice.subject.erase("me", dry_run=True)
    answers["erase"] = alice.erase(scope={"user": "alice"})
    return answers


# -- the words of the convention --------------------------------------------------------------------------------------


def test_every_verb_has_a_span_or_a_reason_to_have_none():
    written = {name for name, one in vars(BoundMemory).items() if inspect.isfunction(one) and not name.startswith("_")}
    rows = {row.name for row in TABLE.values() if row.effect is not Effect.ADMIN}
    assert rows | (written - {"run"}) == OPERATIONS.keys() | WITHOUT_SPAN.keys()
    assert not OPERATIONS.keys() & WITHOUT_SPAN.keys()


def test_operations_are_those_of_the_convention():
    assert set(OPERATIONS.values()) <= {
        "create_memory_store",
        "delete_memory_store",
        "search_memory",
        "create_memory",
        "update_memory",
        "upsert_memory",
        "delete_memory",
    }


def test_every_verb_makes_one_span_named_by_its_operation(alice, spans):
    assert everything(alice).keys() == OPERATIONS.keys()
    found = spans()
    assert {span.attributes["memfort.verb"] for span in found} == OPERATIONS.keys()
    for span in found:
        operation = OPERATIONS[span.attributes["memfort.verb"]]
        assert (span.name, span.attributes["gen_ai.operation.name"]) == (operation, operation)
        assert span.kind is SpanKind.INTERNAL
        assert span.status.status_code is StatusCode.UNSET
        assert span.instrumentation_scope.name == "memfort"


@pytest.mark.parametrize("contents", [False, True])
def test_no_span_has_an_attribute_of_another_name(memory, provider, spans, contents):
    alice = traced(memory.as_user("alice", project="apollo"), contents=contents, tracer_provider=provider)
    everything(alice)
    names = {name for span in spans() for name in span.attributes}
    assert names <= OF_THE_CONVENTION | OUR_OWN | (CONTENTS if contents else set())
    assert names >= (CONTENTS if contents else {"gen_ai.memory.record.count"})


def test_a_traced_memory_answers_as_a_plain_one(open_memory, provider):
    def texts(answer):
        return [shown.text for shown in answer]

    traced_answers, plain_answers = (
        everything(bind(open_memory().as_user("alice", project="apollo")))
        for bind in (lambda plain: traced(plain, contents=True, tracer_provider=provider), lambda plain: plain)
    )
    for verb in ("remember", "correct", "review.edit"):
        assert traced_answers[verb].item == plain_answers[verb].item, verb
    for verb in ("recall", "list", "history", "review.approve", "forget"):
        assert texts(traced_answers[verb]) == texts(plain_answers[verb]) != [], verb
    assert traced_answers["erase"].items == plain_answers["erase"].items


def test_a_traced_memory_is_a_bound_memory_like_any_other(memory, alice):
    id = alice.remember("drinks volcanic tea").id
    assert isinstance(alice, BoundMemory)
    assert alice.actor == memory.as_user("alice").actor
    assert (
        not memory.as_user("bob").explain(alice.remember("for all", space={"project": "apollo"}).id, viewer=alice).shown
    )
    assert alice.explain(id, viewer=alice).shown


def test_tracing_twice_makes_one_span(memory, provider, spans):
    again = traced(traced(memory.as_user("alice"), tracer_provider=provider), tracer_provider=provider)
    again.recall("tea")
    assert len(spans()) == 1


def test_a_span_is_a_child_of_the_one_around_it(alice, provider, spans):
    with provider.get_tracer("host").start_as_current_span("invoke_agent"):
        alice.recall("tea")
    inner, outer = spans()
    assert inner.parent.span_id == outer.context.span_id


# -- what it says -----------------------------------------------------------------------------------------------------


def test_a_write_span_has_the_decision_and_the_record(alice, last):
    outcome = alice.remember("drinks volcanic tea")
    found = last()
    assert found["gen_ai.memory.record.id"] == outcome.id
    assert found["gen_ai.memory.record.count"] == 1
    assert (found["memfort.decision"], found["memfort.reason"]) == ("allowed", "confident")


def test_a_refusal_span_has_the_reason_and_rule_and_no_error_status(alice, spans):
    alice.remember(f"the key is {SECRET}")
    (span,) = spans()
    assert (span.attributes["memfort.decision"], span.attributes["memfort.reason"]) == ("denied", "secret")
    assert span.attributes["memfort.policy.rule"] == "aws_access_key_id"
    assert span.attributes["gen_ai.memory.record.count"] == 0
    assert "gen_ai.memory.record.id" not in span.attributes
    assert span.status.status_code is StatusCode.UNSET


def test_a_batch_span_counts_kept_and_refused(alice, last):
    alice.remember_many(["one note", "another note", f"the key is {SECRET}"])
    found = last()
    assert (found["gen_ai.memory.record.count"], found["memfort.denied.count"]) == (2, 1)


def test_a_search_span_counts_hits_and_names_no_record(alice, last):
    alice.remember("drinks volcanic tea")
    alice.recall("tea")
    found = last()
    assert found["gen_ai.memory.record.count"] == 1
    assert "gen_ai.memory.record.id" not in found


def test_a_record_asked_for_by_its_name_is_named_if_it_is_there(alice, last):
    id = alice.remember("drinks volcanic tea").id
    alice.get(id)
    assert last()["gen_ai.memory.record.id"] == id
    alice.get("mem_nothing")
    found = last()
    assert found["gen_ai.memory.record.count"] == 0
    assert "gen_ai.memory.record.id" not in found


def test_an_erasure_span_has_its_state_and_marks_a_dry_run(alice, last):
    id = alice.remember("drinks volcanic tea").id
    alice.erase(id, dry_run=True)
    found = last()
    assert (found["memfort.dry_run"], found["memfort.erasure.state"]) == (True, "dry run")
    alice.erase(id)
    found = last()
    assert ("memfort.dry_run" in found, found["memfort.erasure.state"]) == (False, "complete")
    assert found["gen_ai.memory.record.id"] == id


def test_an_observe_span_counts_kept_and_refused(alice, last):
    seen = alice.observe(messages_of(f"I prefer volcanic stones. The key is {SECRET}", "Noted, volcanic stones it is."))
    found = last()
    refused = [one for one in seen.outcomes if one.item is None]
    kept = [one for one in seen.outcomes if one]
    assert (found["gen_ai.memory.record.count"], found["memfort.denied.count"]) == (len(kept), len(refused))
    assert min(len(kept), len(refused)) > 0


def test_a_phase_diff_span_counts_changes(alice, last):
    alice.remember("drinks volcanic tea")
    alice.phase.start("a second look")
    alice.remember("drinks volcanic coffee")
    alice.phase.diff("phase-1")
    found = last()
    assert (found["gen_ai.operation.name"], found["gen_ai.memory.record.count"]) == ("search_memory", 1)


def test_an_import_span_counts_the_kept(alice, last):
    alice.import_(ROWS.encode())
    found = last()
    assert (found["gen_ai.memory.record.count"], found["memfort.denied.count"]) == (1, 0)


def test_two_stores_have_two_names(tmp_path, provider, last):
    names = set()
    for name in ("one.db", "other.db"):
        with Memory(SqliteStore(tmp_path / name, ballast_bytes=0)) as memory:
            traced(memory.as_user("alice"), tracer_provider=provider).recall("tea")
        names.add(last()["gen_ai.memory.store.id"])
    assert len(names) == 2


# -- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda alice: alice.forget("mem_volcanic"), NotFound),
        (lambda alice: alice.remember("words", type="volcanic"), InvalidInput),
        (lambda alice: alice.list(cursor=f"volcanic {SECRET}"), InvalidInput),
        (lambda alice: alice.forget(f"mem_volcanic_{SECRET}"), Denied),
        (lambda alice: alice.remember("words", type=f"volcanic {SECRET}"), Denied),
    ],
)
def test_an_error_span_names_the_error_type_only(alice, spans, call, error):
    with pytest.raises(error):
        call(alice)
    (span,) = spans()
    assert span.attributes["error.type"] == error.__name__
    assert (span.status.status_code, span.status.description, span.events) == (StatusCode.ERROR, None, ())
    assert SECRET not in span.to_json()
    assert "volcanic" not in span.to_json()


def test_a_raised_denial_span_has_its_reason(memory, provider, spans):
    helper = traced(memory.as_agent("helper", owner="alice", acting_for="alice"), tracer_provider=provider)
    waits = memory.as_user("alice").remember("call me at +49 170 1234567").id
    with pytest.raises(Denied):
        helper.review.approve(waits)
    (span,) = spans()
    assert span.attributes["error.type"] == "Denied"
    assert (span.attributes["memfort.decision"], span.attributes["memfort.reason"]) == ("denied", "needs_a_person")


# -- contents ---------------------------------------------------------------------------------------------------------


def test_contents_names_and_places_are_in_no_span_unless_asked_for(alice, spans):
    everything(alice)
    alice.remember("words for all", space={"project": "apollo"})
    written = "".join(span.to_json() for span in spans())
    assert "search_memory" in written
    for word in ("volcanic", "words", "alice", "apollo", SECRET):
        assert word not in written


def test_asked_for_spans_hold_the_query_and_the_records(with_contents, last):
    id = with_contents.remember("drinks volcanic tea").id
    assert json.loads(last()["gen_ai.memory.records"]) == [{"id": id, "content": "drinks volcanic tea"}]
    hit = with_contents.recall("which tea?").hits[0]
    found = last()
    assert found["gen_ai.memory.query.text"] == "which tea?"
    records = json.loads(found["gen_ai.memory.records"])
    assert records == [{"id": id, "content": "drinks volcanic tea", "score": hit.score}]
    Draft202012Validator(RECORDS).validate(records)


def recall_too_much(with_contents):
    with pytest.raises(InvalidInput, match="query: it has 270000 characters"):
        with_contents.recall("volcanic " * 30_000)


@pytest.mark.parametrize(
    "refused",
    [
        lambda with_contents: with_contents.remember(f"volcanic {SECRET}"),
        lambda with_contents: with_contents.remember("volcanic words", space={"user": "bob"}),
        lambda with_contents: with_contents.remember("a volcanic rumour", confidence=0.1),
        lambda with_contents: with_contents.remember("a volcanic illness", sensitivity="sensitive"),
        lambda with_contents: with_contents.recall(f"volcanic {SECRET}"),
        lambda with_contents: recall_too_much(with_contents),
        lambda with_contents: with_contents.get(f"volcanic {SECRET}"),
        lambda with_contents: with_contents.forget(with_contents.remember("kept words").id),
        lambda with_contents: with_contents.erase(with_contents.remember("kept words").id),
    ],
    ids=["secret", "denied", "pending", "sensitive", "query", "long", "id", "forget", "erase"],
)
def test_refused_or_inactive_contents_are_never_in_a_span(with_contents, spans, refused):
    refused(with_contents)
    span = spans()[-1]
    assert not CONTENTS & span.attributes.keys()
    assert "volcanic" not in span.to_json()


def test_contents_a_later_policy_calls_secret_are_no_longer_in_spans(open_memory, provider, last):
    memory = open_memory()
    memory.as_user("alice").remember("the volcanic plan is called XK-2048")
    stricter = Policy(privacy=Privacy(deny_patterns={"plan": r"XK-\d{4}"}))
    for policy, shown in ((Policy(), True), (stricter, False)):
        memory._engine.policy = policy
        alice = traced(memory.as_user("alice"), contents=True, tracer_provider=provider)
        assert len(alice.recall("volcanic plan")) == 1
        assert ("gen_ai.memory.records" in last()) is shown


# -- on request alone -------------------------------------------------------------------------------------------------


def python(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)


def test_importing_it_imports_no_opentelemetry():
    done = python("import sys, memfort.telemetry; print(*sorted({name.split('.')[0] for name in sys.modules}))")
    assert "memfort" in done.stdout.split()
    assert "opentelemetry" not in done.stdout.split()


def test_without_opentelemetry_an_error_names_the_extra_to_install():
    bind = "from memfort import Memory; alice = Memory.open(':memory:').as_user('a')"
    ask = "from memfort.telemetry import traced; alice.recall('tea'); print('plain works'); traced(alice)"
    done = python(f"import sys; sys.modules['opentelemetry'] = None; {bind}; {ask}")
    assert done.stdout == "plain works\n"
    assert "install `memfort[otel]`" in done.stderr.splitlines()[-1]


def test_without_a_provider_of_the_host_nothing_is_recorded(memory, spans):
    alice = traced(memory.as_user("alice"))
    assert alice.remember("drinks volcanic tea").kept
    assert alice.recall("tea").texts == ["drinks volcanic tea"]
    assert spans() == ()
