"""Every result, as the verbs really give it: plain data, JSON, pickles, copies, and a short `repr`."""

from __future__ import annotations

import copy
import json
import pickle
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from typing import Any

import pytest
from kinds import result_types, values_in

from memfort import (
    Break,
    ChangedDecision,
    Finding,
    InvalidInput,
    MemfortError,
    Memory,
    NotFound,
    Policy,
    RerankerFailed,
    Ruling,
    Space,
)
from memfort.model.schema import json_schema_of
from memfort.model.value import Value
from memfort.operations.table import TABLE

Given = dict[str, list[Any]]

# Parts of answers about what is wrong, of which the history has none; their wholes are tested.
NOT_THERE = {Break, ChangedDecision, Ruling, Finding}


def test_every_verb_was_asked(given: Given) -> None:
    assert set(given) == set(TABLE)


def test_every_type_of_a_result_is_among_the_answers(given: Given) -> None:
    structs = {kind for kind in result_types() if not issubclass(kind, Enum)} - {Space}
    seen = {type(one) for answer in given.values() for one in values_in(answer)}
    assert {kind for kind in structs if not issubclass(kind, Value)} == set()
    assert structs - seen - NOT_THERE == _sections_not_in_use(seen)


def _sections_not_in_use(seen: set[type]) -> set[type]:
    """Parts of a policy that the default policy has none of."""
    sections = {kind for kind in result_types() if issubclass(kind, Value) and kind.__module__.endswith(".sections")}
    return sections - seen


@pytest.mark.parametrize("verb", sorted(TABLE))
def test_plain_data_json_pickles_and_copies(given: Given, verb: str) -> None:
    for one in values_in(given[verb]):
        plain = one.to_dict()
        assert json.loads(json.dumps(plain)) == plain == json.loads(one.to_json()) == dict(one)
        assert set(plain) == set(one.__struct_encode_fields__)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(one, protocol)) == one
        assert copy.copy(one) == one == copy.deepcopy(one)


@pytest.mark.parametrize("verb", sorted(TABLE))
def test_a_repr_is_one_short_line(given: Given, verb: str) -> None:
    for one in values_in(given[verb]):
        assert len(repr(one)) <= 120, repr(one)
        assert "\n" not in repr(one)
        assert type(one).__name__ in repr(one)


@pytest.mark.parametrize("verb", sorted(TABLE))
def test_times_are_aware_in_python_and_iso_text_in_json(given: Given, verb: str) -> None:
    for one in values_in(given[verb]):
        for field in (name for name in one.__struct_fields__ if name.endswith("_us")):
            shown, plain = getattr(one, field.removesuffix("_us")), one.to_dict()[field.removesuffix("_us")]
            if getattr(one, field) is None:
                assert shown is plain is None
            else:
                assert (shown.utcoffset(), datetime.fromisoformat(plain)) == (UTC.utcoffset(None), shown)


@pytest.mark.parametrize("verb", sorted(TABLE))
def test_the_json_schema_matches_the_plain_data(given: Given, verb: str) -> None:
    for one in values_in(given[verb]):
        validator_of(type(one)).validate(one.to_dict())


@cache
def validator_of(kind: type[Value]) -> Any:
    """Made once for each type: looking a schema over takes longer than comparing a value with it."""
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(json_schema_of(kind))
    return Draft202012Validator(json_schema_of(kind))


def test_a_time_is_a_datetime_and_json_is_as_before(given: Given) -> None:
    item = given["remember"][0].item
    assert item.created_at == datetime(2026, 1, 1, tzinfo=UTC)
    assert item.to_dict()["created_at"] == "2026-01-01T00:00:00.000000Z"
    assert item.to_dict()["space"] == {"user": "alice"}
    assert item.to_dict()["status"] == "approved"


def test_reprs_show_the_essentials(given: Given) -> None:
    assert repr(given["recall"][0]) == "<Recall 'tea' 6 hits>"
    assert repr(given["remember"][1]) == "<Outcome refused: secret>"
    assert repr(given["list"][1]) == "<Page 1 item, and more>"


def test_an_outcome_is_true_if_what_was_said_is_in_force_and_other_answers_if_there_is_something(given: Given) -> None:
    kept, denied, pending, _ = given["remember"]
    assert (bool(kept), bool(denied), bool(pending)) == (True, False, False)
    assert [bool(one) for one in given["check"]] == [True, False]
    assert [bool(one) for one in given["recall"]] == [bool(one) for one in given["context"]] == [True, False]
    assert all(given[name][0] for name in ("list", "forget", "member.add"))
    assert not given["member.remove"][0]


def test_a_context_is_its_prompt(given: Given) -> None:
    context, empty = given["context"]
    assert f"{context}" == str(context) == context.text
    assert "green tea" in str(context)
    assert str(empty) == ""


def test_only_collections_are_iterable(given: Given) -> None:
    assert [hit.text for hit in given["recall"][0]] == given["recall"][0].texts
    with pytest.raises(TypeError, match="not iterable"):
        iter(given["remember"][0])
    with pytest.raises(KeyError):
        given["remember"][0]["nonsense"]


def test_a_policy_is_plain_data_and_back() -> None:
    policy = Policy(name="mine", approve_confidence=0.9)
    assert Policy.from_dict({**policy.to_dict(), "extends": "nothing"}) == policy == pickle.loads(pickle.dumps(policy))
    assert repr(policy) == f"<Policy 'mine' {policy.digest}>"


def test_errors_can_be_pickled(memory: Memory) -> None:
    with pytest.raises(InvalidInput) as invalid:
        memory.as_user("")
    with pytest.raises(NotFound) as absent:
        memory.as_user("alice").forget("mem_none")
    failed = RerankerFailed("local", "it is not there", "give another", refused=True)
    for error in (invalid.value, absent.value, failed):
        back = pickle.loads(pickle.dumps(error))
        assert isinstance(back, MemfortError)
        assert (type(back), str(back), vars(back)) == (type(error), str(error), vars(error))


def test_iterable_results_can_be_indexed(memory: Memory) -> None:
    alice = memory.as_user("alice")
    alice.remember_many(["I like green tea", "I like black tea"])
    memory.member.add({"project": "apollo"}, user="alice")
    found, page, members = alice.recall("tea"), alice.list(), memory.member.list({"project": "apollo"})
    gone = alice.forget(page[0].id, page[1].id, dry_run=True)
    for listing in (found, page, gone, members):
        assert listing[0] == next(iter(listing))
        assert (listing[-1], *listing[:0]) == (listing[len(listing) - 1],)
        assert listing[:] == tuple(listing)
        with pytest.raises(IndexError):
            listing[7]
    assert alice.recall("zebra").texts == []
    with pytest.raises(IndexError):
        alice.recall("zebra")[0]
    assert dict(found) == found.to_dict()  # type: ignore[call-overload]
