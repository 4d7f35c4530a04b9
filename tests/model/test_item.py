"""Memories and candidates: form, reader lists, and the instant at which time runs out."""

from __future__ import annotations

import math
from typing import Any

import pytest

from memfort.errors import InvalidInput
from memfort.model.item import (
    MAX_META_BYTES,
    MAX_TAGS,
    MAX_TEXT_BYTES,
    Authority,
    Candidate,
    Kind,
    Readers,
    Status,
    is_expired,
    is_live,
    outweighs,
)
from memfort.model.moment import Moment, to_moment, to_text
from memfort.model.people.actor import Actor, ActorKind
from memfort.testing.conformance import NOW, memory


def test_time_has_run_out_at_the_very_instant_of_the_limit() -> None:
    item = memory(expires_at_us=NOW)
    assert is_expired(item, NOW)
    assert is_expired(item, Moment(NOW + 1))
    assert not is_expired(item, Moment(NOW - 1))
    assert not is_expired(memory(expires_at_us=None), Moment(2**60))


@pytest.mark.parametrize(
    ("fields", "live"),
    [
        ({}, True),
        ({"expires_at_us": Moment(NOW + 1)}, True),
        ({"expires_at_us": NOW}, False),
        ({"deleted_at_us": NOW}, False),
        ({"status": Status.PENDING}, False),
        ({"status": Status.REJECTED}, False),
        ({"status": Status.SUPERSEDED}, False),
    ],
)
def test_a_live_memory_is_approved_not_deleted_and_not_expired(fields: dict[str, Any], live: bool) -> None:
    assert is_live(memory(**fields), NOW) is live


ALICE = Actor(ActorKind.USER, "alice")
FOR_ALICE = Actor(ActorKind.AGENT, "helper", acting_for="alice", owner="bob")
ALONE = Actor(ActorKind.AGENT, "helper", owner="alice")


@pytest.mark.parametrize(
    ("users", "agents", "admitted"),
    [
        (None, None, [ALICE, FOR_ALICE, ALONE]),
        (["alice"], None, [ALICE, FOR_ALICE]),
        (None, ["helper"], [FOR_ALICE, ALONE]),
        (["alice"], ["helper"], [FOR_ALICE]),
        (["bob"], ["helper"], []),
        ([], None, []),
        (None, [], []),
        ([], [], []),
    ],
)
def test_where_both_lists_are_given_both_must_admit(
    users: list[str] | None, agents: list[str] | None, admitted: list[Actor]
) -> None:
    who = Readers.of(users, agents)
    assert [actor for actor in (ALICE, FOR_ALICE, ALONE) if who.admits(actor)] == admitted


@pytest.mark.parametrize("names", ["alice", ["*"], [""], [None], [["alice"]]])
def test_a_reader_list_names_its_readers_one_by_one(names: Any) -> None:
    with pytest.raises(InvalidInput, match=r"access\.users"):
        Readers.of(users=names)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"text": ""}, "text"),
        ({"text": " \n"}, "text"),
        ({"text": None}, "text"),
        ({"text": "\ud800"}, "text"),
        ({"text": "x" * (MAX_TEXT_BYTES + 1)}, "text"),
        ({"confidence": 1.1}, "confidence"),
        ({"confidence": -0.1}, "confidence"),
        ({"confidence": math.nan}, "confidence"),
        ({"confidence": True}, "confidence"),
        ({"importance": math.inf}, "importance"),
        ({"ttl_seconds": 0}, "ttl_seconds"),
        ({"ttl_seconds": -1}, "ttl_seconds"),
        ({"ttl_seconds": math.nan}, "ttl_seconds"),
        ({"ttl_seconds": math.inf}, "ttl_seconds"),
        ({"ttl_seconds": 1, "expires_at": NOW}, "expires_at"),
        ({"status": Status.SUPERSEDED}, "status"),
        ({"tags": ("x",) * (MAX_TAGS + 1)}, "tags"),
        ({"tags": ("*",)}, "tags"),
        ({"derived_from": ("",)}, "derived_from"),
        ({"key": "\x00"}, "key"),
        ({"kind": Kind.PROFILE}, "key"),
        ({"meta": {"x": object()}}, "meta"),
        ({"meta": {"x": math.nan}}, "meta"),
        ({"meta": {"x": "y" * MAX_META_BYTES}}, "meta"),
        ({"meta": [1]}, "meta"),
        ({"provenance": {"x": {1, 2}}}, "provenance"),
    ],
)
def test_a_candidate_that_cannot_be_used_is_refused_by_field_with_a_remedy(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        Candidate(**{"text": "tea", **fields})
    assert refused.value.field == field
    assert refused.value.remedy


def test_a_candidate_at_every_limit_is_accepted() -> None:
    made = Candidate(text="x" * MAX_TEXT_BYTES, confidence=0, tags=("x",) * MAX_TAGS, ttl_seconds=1e-6,
                     kind=Kind.PROFILE, key="k", meta={"a": [1, 2.5, None, True, {"b": "c"}]})  # fmt: skip
    assert len(made.text) == MAX_TEXT_BYTES


def test_authority_goes_from_the_system_down_to_inference() -> None:
    ranks = [Authority.SYSTEM_IMPOSED, Authority.TOOL_VERIFIED, Authority.USER_ASSERTED, Authority.AI_INFERRED]
    for place, heavy in enumerate(ranks):
        assert [light for light in ranks if outweighs(heavy, light)] == ranks[place + 1 :]


def test_moments_are_read_and_written_to_the_microsecond() -> None:
    text = "2026-01-02T03:04:05.000006Z"
    assert to_text(to_moment(text, "at")) == text
    assert to_moment("2026-01-02T04:04:05.000006+01:00", "at") == to_moment(text, "at")


@pytest.mark.parametrize("value", ["2026-01-02T03:04:05", "yesterday", "", True, None, 1.5, []])
def test_a_time_without_a_zone_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInput, match="at: "):
        to_moment(value, "at")
