"""The trail as CloudEvents: the real package reads every one, and each holds only what its line holds."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime

import pytest
from cloudevents.core.formats.json import JSONFormat

from memfort import Memory
from memfort.trail.exporters.cloudevents import cloud_event

SOURCE = "/memfort/stores/test"


def read(event):
    return JSONFormat().read(None, json.dumps(event))


def ids(lines):
    return [cloud_event(line, SOURCE)["id"] for line in lines]


@pytest.mark.parametrize("who", ["system", "alice", "bob"])
def test_every_line_is_an_event_that_the_real_package_reads(trail, who):
    lines = trail(who)
    assert len(lines) >= 2
    for line in lines:
        event = read(cloud_event(line, SOURCE))
        assert event.get_specversion() == "1.0"
        assert event.get_source() == SOURCE
        assert event.get_time() == datetime(2026, 1, 1, tzinfo=UTC)
        assert event.get_datacontenttype() == "application/json"
        assert event.get_data() == line


def test_the_cloudevents_package_refuses_an_invalid_event(trail):
    event = cloud_event(trail()[0], SOURCE)
    with pytest.raises(Exception, match="source"):
        read({**event, "source": ""})


def test_the_type_names_the_verb_and_the_decision(trail):
    types = {cloud_event(line, SOURCE)["type"] for line in trail()}
    assert {
        "dev.memfort.remember.allowed.v1",
        "dev.memfort.remember.pending.v1",
        "dev.memfort.remember.denied.v1",
        "dev.memfort.recall.allowed.v1",
        "dev.memfort.add_member.allowed.v1",
    } <= types


def test_the_subject_is_the_memory_where_there_is_one(trail):
    for line in trail():
        assert cloud_event(line, SOURCE).get("subject") == line["event"]["item"]
    assert {line["event"]["item"] is None for line in trail()} == {True, False}


@pytest.mark.parametrize("who", ["system", "alice", "bob"])
def test_an_event_has_one_id_and_no_other_has_it(trail, who):
    before, after = ids(trail(who)), ids(trail(who))
    assert after[: len(before)] == before
    assert len(set(before)) == len(before)


def test_events_that_differ_in_nothing_but_their_place_have_two_ids(memory):
    alice = memory.as_user("alice")
    alice.get("mem_nothing"), alice.get("mem_nothing")
    first, second = alice.trail.export()
    assert first["event"] == second["event"]
    assert len(set(ids([first, second]))) == 2


def test_an_id_does_not_reveal_what_others_did_in_a_shared_space(open_memory):
    def ids_of_alice(others: int) -> list[str]:
        memory: Memory = open_memory()
        bob = memory.as_user("bob", project="apollo")
        for number in range(others):
            bob.remember(f"words of bob, {number}", space={"project": "apollo"}, access={"users": ["bob"]})
        alice = memory.as_user("alice", project="apollo")
        alice.remember("words of alice", space={"project": "apollo"})
        lines = [copy.deepcopy(line) for line in alice.trail.export()]
        for line in lines:  # digests are made with the key of the store, and these are two stores
            line["event"]["digest"] = line["event"]["detail"] = None
        assert [line["chain"]["kind"] for line in lines] == ["space"]
        assert len(list(memory.as_system().trail.export())) == others + 1
        return ids(lines)

    assert ids_of_alice(0) == ids_of_alice(5)


def test_a_store_put_back_from_a_backup_counts_on_with_other_ids(open_memory):
    """The same number in the same chain, and another history: it must not be taken for what was exported before."""

    def third_event(text: str) -> dict[str, object]:
        alice = (memory := open_memory()).as_user("alice")
        for one in ("first", "second", text):
            alice.remember(one)
        return list(memory.as_system().trail.export())[2]

    one, other = third_event("before the backup"), third_event("after it")
    assert one["number"] == other["number"] == 3
    assert one["chain"] == other["chain"]
    assert ids([one]) != ids([other])
