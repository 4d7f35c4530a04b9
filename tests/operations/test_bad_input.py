"""Bad input of every kind, for every verb: an error that names the field and the remedy, and a store left as it was."""

from __future__ import annotations

import base64
import json
import math
from datetime import datetime
from operator import attrgetter

import pytest

from memfort import Candidate, InvalidInput, NotFound
from memfort.errors import a
from memfort.operations.table import TABLE

NAIVE = datetime(2030, 1, 1)  # noqa: DTZ001  # a time without a zone is what is tested
NAMES = [None, "", " ", "\t\n", "*", "a\x00b", "\ud800", "x" * 513, 5, True, [], {}, b"alice"]
IDS = [None, 5, True, [], {}, b"mem_x", "\ud800"]
NOT_LISTS = [5, "text", {"a": 1}, True, b"ab"]


@pytest.fixture
def unchanged(alice, events):
    """Run something that must be refused as invalid and must leave everything as it is; gives the error."""
    alice.remember("likes tea")
    waits = alice.remember("likes jam", confidence=0.1).id

    def refused(call, field=None):
        before = (list(alice.export()), len(events()))
        with pytest.raises(InvalidInput) as caught:
            call(alice)
        assert (list(alice.export()), len(events())) == before
        error = caught.value
        assert error.field
        assert error.remedy
        assert str(error) == f"{error.field}: {error.problem}; {error.remedy}"
        if field is not None:
            assert error.field == field
        return error

    refused.waiting = waits
    return refused


def ids(values):
    return [f"{type(value).__name__}-{repr(value)[:12]}" for value in values]


def each(values):
    return pytest.mark.parametrize("value", values, ids=ids(values))


# -- remember ---------------------------------------------------------------------------------------------------------

FIELDS = {
    "text": [None, "", " \n\t ", 5, b"bytes", [], {}, "\ud800", "x" * 65_537, "é" * 32_769],
    "type": [5, [], {}, "", "nonsense", "\ud800", "*"],
    "kind": [5, [], "", "nonsense"],
    "key": ["", " ", "*", "a\x00b", "\ud800", 5, "x" * 513],
    "tags": [*NOT_LISTS, [""], ["*"], [None], [5], ["a\x00b"], ["\ud800"], ["x" * 513], ["t"] * 65],
    "origin": [5, "", "nonsense", "system"],
    "sensitivity": [5, "", "nonsense"],
    "access": [5, "alice", ["alice"], {"users": "alice"}, {"users": 5}, {"users": [""]}, {"users": ["*"]},
               {"readers": []}, {"agents": {"a": 1}}],
    "confidence": [math.nan, math.inf, -math.inf, 1.0001, -0.0001, True, "0.9", [], {}],
    "importance": [math.nan, math.inf, "3", True, [], -1, -0.001, 10.001, 1e9],
    "status": ["banana", "", 5, "superseded", []],
    "ttl_seconds": [0, -1, math.nan, math.inf, True, "60", [], 1e300],
    "expires_at": [NAIVE, "garbage", "", "2030-01-01", True, 1.5, [], "2020-01-01T00:00:00Z", 0, 10**30, -(10**30)],
    "observed_at": [NAIVE, "garbage", True, 1.5, [], 10**30],
    "derived_from": [*NOT_LISTS, [None], [""], ["*"]],
    "provenance": [5, "text", [1], {"a": object()}, {"a": math.nan}, {5: "a"}, {"a": "\ud800"}, {"a": "x" * 16_384}],
    "meta": [5, "text", [1], {"a": object()}, {"a": {1, 2}}, {"a": math.inf}, {5: "a"}, {"a": b"x"},
             {"a": "x" * 16_384}],
    "space": [5, "user", [("user", "alice")], {}, {"planet": "x"}, {"user": ""}, {"user": "*"}, {"user": None},
              {"user": "a\x00b"}, {"user": "\ud800"}, {"user": 5}, {"system": "x"}, {"agent": "helper"},
              {"visibility": "private"}, {"user": "alice", "visibility": "public"}, {"user": "x" * 513}, {5: "x"}],
}  # fmt: skip
CASES = [(field, value) for field, values in FIELDS.items() for value in values]


@pytest.mark.parametrize(("field", "value"), CASES, ids=[f"{field}-{repr(value)[:20]}" for field, value in CASES])
def test_remember_names_the_field(unchanged, field, value):
    given = {"text": "likes ink", field: value}
    if field == "key":
        given["kind"] = "profile"
    error = unchanged(lambda alice: alice.remember(**given))
    assert error.field.split(".")[0] in {field, "key"}


def test_an_invalid_statement_in_a_batch_affects_no_other(alice):
    made = [
        {"text": "likes ink", field: value} | ({"kind": "profile"} if field == "key" else {}) for field, value in CASES
    ]
    *bad, good = alice.remember_many([*made, "likes tea"])
    assert {(outcome.kept, outcome.reason) for outcome in bad} == {(False, "invalid")}
    assert good.kept
    assert alice.recall("likes").texts == ["likes tea"]


def test_nesting_without_end_is_refused(unchanged):
    deep: object = "x"
    for _ in range(40):
        deep = [deep]
    unchanged(lambda alice: alice.remember("likes ink", meta={"a": deep}), "meta")
    circle: dict = {}
    circle["a"] = circle
    unchanged(lambda alice: alice.remember("likes ink", meta=circle), "meta")


def test_ttl_and_expires_at_exclude_each_other(unchanged):
    unchanged(lambda alice: alice.remember("likes ink", ttl_seconds=5, expires_at="2030-01-01T00:00:00Z"), "expires_at")


def test_a_profile_fact_without_a_key_is_refused(unchanged):
    unchanged(lambda alice: alice.remember("likes ink", kind="profile"), "key")


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("txet", "text"), ("confidense", "confidence"), ("ttl_second", "ttl_seconds"), ("expires", "expires_at")],
)
def test_an_unknown_field_suggests_the_right_one(alice, wrong, right):
    [outcome] = alice.remember_many([{"text": "likes ink", wrong: 1}])
    problem = outcome.decision.detail["problem"]
    assert problem.startswith(f"{wrong}: ")
    assert f"`{right}`" in problem


def test_an_unknown_type_lists_the_known_ones(unchanged):
    error = unchanged(lambda alice: alice.remember("likes ink", type="preferance"), "type")
    assert "did you mean `preference`?" in error.remedy
    for known in ("knowledge", "event", "task", "note", "user_pref"):
        assert known in error.remedy


@each([None, 5, "text", {"text": "x"}, b"ab", True])
def test_a_batch_is_a_list(unchanged, value):
    unchanged(lambda alice: alice.remember_many(value), "memories")


@pytest.mark.parametrize("given", [{"kind": "nonsense"}, {"tags": "text"}, {"origin": 5}, {"readers": ["alice"]},
                                   {"meta": 5}, {"source": ""}, {"sensitivity": "secret"},
                                   {"portable": "yes"}])  # fmt: skip
def test_a_candidate_cannot_be_made_wrong(given):
    with pytest.raises(InvalidInput):
        Candidate(text="likes ink", **given)
    assert Candidate(text="likes ink", kind="semantic", tags=["a"]).tags == ("a",)


def test_later_changes_to_the_callers_data_have_no_effect(alice):
    meta = {"list": [1]}
    id = alice.remember("likes ink", meta=meta).id
    meta["list"].append(2)
    assert alice.get(id).meta == {"list": [1]}


# -- identities and places --------------------------------------------------------------------------------------------


@each(NAMES)
def test_invalid_actor_ids_are_refused(memory, unchanged, value):
    unchanged(lambda _: memory.as_user(value), "user")
    unchanged(lambda _: memory.as_agent(value, owner="alice"), "agent")
    unchanged(lambda _: memory.as_user("alice", project=value), "project")
    if value is not None:
        unchanged(lambda _: memory.as_agent("new", owner=value), "owner")
        unchanged(lambda _: memory.as_agent("new", owner="alice", acting_for=value), "acting_for")
    unchanged(lambda _: memory.as_agent("new", owner="alice", project=value), "project")


@each(NAMES)
def test_invalid_ids_cannot_be_registered(memory, unchanged, value):
    unchanged(lambda _: memory.agent.register(value, owner="alice"), "id")
    unchanged(lambda _: memory.agent.register("new", owner=value), "owner")
    unchanged(lambda _: memory.chat.register(value, kind="group"), "id")
    error = unchanged(lambda _: memory.chat.register("c", kind="group", participants=[value]))
    assert error.field in {"participants", "participants[0]"}
    error = unchanged(lambda _: memory.member.add({"org": value}, user="alice"))
    assert error.field.startswith("group")
    unchanged(lambda _: memory.member.add({"org": "acme"}, user=value))
    unchanged(lambda _: memory.agent.get(value), "id")
    unchanged(lambda _: memory.chat.get(value), "id")


@each(["planet", "", None, 5, "user", ()])
def test_no_group_is_called_that(memory, unchanged, value):
    unchanged(lambda _: memory.member.add({value: "x"}, user="alice"))
    unchanged(lambda _: memory.member.list({value: "x"}))


# -- reading ----------------------------------------------------------------------------------------------------------


@each([None, 5, b"tea", [], {}, True, "\ud800"])
def test_a_query_is_text(unchanged, value):
    unchanged(lambda alice: alice.recall(value), "query")


@each([0, -1, 1001, True, False, "5", 1.0, None, [], math.nan])
def test_a_limit_is_a_whole_number_in_bounds(unchanged, value):
    unchanged(lambda alice: alice.recall("tea", limit=value), "limit")
    unchanged(lambda alice: alice.list(limit=value), "limit")
    unchanged(lambda alice: alice.review.list(limit=value), "limit")


@each([5, "", "user", [], {}, {"planet": "x"}, {"user": ""}, {"user": "*"}, {"session": None}])
def test_a_space_to_search_is_a_space(unchanged, value):
    unchanged(lambda alice: alice.recall("tea", space=value))
    unchanged(lambda alice: alice.list(space=value))
    unchanged(lambda alice: alice.check("recall", space=value))


@pytest.mark.parametrize("field", ["types", "tags", "kinds", "statuses"])
@each(NOT_LISTS)
def test_a_filter_is_a_list(unchanged, field, value):
    unchanged(lambda alice: alice.list(**{field: value}), field)
    if field != "statuses":
        unchanged(lambda alice: alice.recall("tea", **{field: value}), field)


@pytest.mark.parametrize(
    ("field", "value"),
    [("types", ["x"]), ("types", [5]), ("types", [[]]), ("kinds", ["x"]), ("kinds", [None]), ("statuses", ["x"]),
     ("statuses", [[]]), ("tags", [5]), ("tags", ["\ud800"])],
    ids=lambda value: repr(value)[:12],
)  # fmt: skip
def test_invalid_filters_are_refused(unchanged, field, value):
    unchanged(lambda alice: alice.list(**{field: value}))


def cursor_of(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


FORGED = [[], {}, [1, 2], [1, "x", "zz"], ["a", "x", "00"], [10**30, "x", "00"], [True, "x", "00"], [1, 5, "00"],
          [1, "\ud800", "00"], [1, "x", 5], [math.inf, "x", "00"], [1.5, "x", "00"]]  # fmt: skip


@each(["", "x", "!!!!", 5, True, [], b"x", "\ud800", "é", *map(cursor_of, FORGED)])
def test_a_cursor_is_one_that_was_given(unchanged, value):
    unchanged(lambda alice: alice.list(cursor=value), "cursor")


@pytest.mark.parametrize("verb", ["get", "history", "explain", "forget", "erase", "review.approve", "revoke"])
@each(IDS)
def test_an_id_is_text(unchanged, verb, value):
    error = unchanged(lambda alice: attrgetter(verb)(alice)(value))
    assert error.field in {"id", "ids", "ids[0]"}


@pytest.mark.parametrize(
    "verb", ["history", "forget", "erase", "review.approve", "review.reject", "revoke", "verify_erasure"]
)
@each(["", " ", "*", "mem_none", "a\x00b", "' or 1=1 --", "x" * 512])
def test_an_unknown_id_is_not_found(alice, events, verb, value):
    alice.remember("likes tea")
    before = (list(alice.export()), len(events()))
    with pytest.raises(NotFound):
        attrgetter(verb)(alice)(value)
    assert (list(alice.export()), len(events())) == before
    assert alice.get(value) is None


@each(IDS[1:])
def test_a_source_is_text(unchanged, value):
    unchanged(lambda alice: alice.erase(source=value), "source")


@each(["", " ", "*", "src_none", "a\x00b", "x" * 512])
def test_an_unknown_source_is_not_found(alice, value):
    with pytest.raises(NotFound):
        alice.erase(source=value)


@each(IDS)
def test_words_are_given_to_a_memory_that_has_an_id(unchanged, value):
    unchanged(lambda alice: alice.correct(value, "likes ink"), "id")
    unchanged(lambda alice: alice.review.edit(value, "likes ink"), "id")
    unchanged(lambda alice: alice.check("get", id=value), "id")


@each(FIELDS["text"])
def test_new_words_are_words(unchanged, value):
    unchanged(lambda alice: alice.review.edit(unchanged.waiting, value), "text")
    unchanged(lambda alice: alice.correct(unchanged.waiting, value), "text")


def test_a_correction_knows_its_fields(unchanged):
    given = {"id": unchanged.waiting, "text": "likes ink", "confidense": 1}
    error = unchanged(lambda alice: alice.run(TABLE["correct"], given), "confidense")
    assert "`confidence`" in error.remedy


@each(["bob", 5, {}])
def test_a_viewer_is_bound(unchanged, value):
    unchanged(lambda alice: alice.explain("mem_none", viewer=value), "viewer")


@each(["dance", "", None, 5, []])
def test_a_verb_to_check_is_a_verb(unchanged, value):
    unchanged(lambda alice: alice.check(value), "verb")


# -- ending, sharing, carrying ----------------------------------------------------------------------------------------


@each([5, "org", [], [("org", "acme")], {"planet": "x"}, {"org": ""}, {"org": "*"}, {"org": None}, {"org": 5},
       {"system": ""}, {"user": "alice", "org": "\ud800"}])  # fmt: skip
def test_a_scope_to_delete_is_a_scope(unchanged, value):
    unchanged(lambda alice: alice.erase(scope=value))


@each(NAMES)
def test_a_share_requires_a_valid_grantee(unchanged, value):
    unchanged(lambda alice: alice.share(user=value))
    unchanged(lambda alice: alice.share(agent=value))


@each([None, 5, "[]", [], {}, True])
def test_a_file_is_bytes(unchanged, value):
    unchanged(lambda alice: alice.import_(value), "data")


@pytest.mark.parametrize("field", ["filename", "platform"])
@each(["", " ", 5, [], "\ud800", "a\x00b", "x" * 513])
def test_a_source_has_a_name(unchanged, field, value):
    unchanged(lambda alice: alice.import_(b"[]", **{field: value}), field)


@each(["sometimes", "", 5, None])
def test_memberships_must_be_trusted_or_registered(open_memory, value):
    with pytest.raises(InvalidInput, match="trusted, registered"):
        open_memory(memberships=value)
    assert open_memory(memberships="registered")


# -- how it is said ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "remedy"),
    [
        ("tag", "did you mean `tags`?"),
        ("budget", "did you mean `budget_tokens`?"),
        (
            "foo",
            "use one of as_of, budget_tokens, explain, kinds, limit, query, ranking, space, tags, types",
        ),
    ],
)
def test_an_argument_that_a_verb_does_not_have_is_named(unchanged, wrong, remedy):
    """For surfaces, which pass on what they were given. Python itself says so of a method."""
    error = unchanged(lambda alice: alice.run(TABLE["context"], {"query": "tea", wrong: 1}), wrong)
    assert remedy in error.remedy


def test_an_article_fits_its_word(unchanged):
    assert unchanged(lambda alice: alice.remember(5)).problem == "an int is not a text"
    assert unchanged(lambda alice: alice.remember([])).problem == "a list is not a text"
    assert a("event") == "an event"
    assert a("user") == "a user"


@pytest.mark.parametrize("weight", [0, 0.5, 10])
def test_the_least_and_the_most_important_are_kept(alice, weight):
    assert alice.remember("likes ink", importance=weight).item.importance == weight
