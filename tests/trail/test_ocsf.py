"""The trail as OCSF Datastore Activity: every event fits the schema, and says who did what, and how it went."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator, ValidationError

from memfort.operations.table import TABLE
from memfort.operations.trail.activities import NO_VERBS, activities, activity_of
from memfort.trail.exporters import ocsf

SOURCE = "/memfort/stores/test"
SCHEMA = json.loads((Path(__file__).parents[1] / "data" / "ocsf-1.6.0-datastore-activity.json").read_text())
VALIDATOR = Draft202012Validator(SCHEMA)


def ocsf_event(line, source):
    return ocsf.ocsf_event(line, source, activity_of(line["event"]["action"]))


@pytest.fixture
def events(trail):
    return [ocsf_event(line, SOURCE) for line in trail()]


def only(events, **wanted):
    """The events of one verb, and with one status if that is asked for."""
    return [
        event
        for event in events
        if event["metadata"]["event_code"] == wanted["verb"]
        and event["status_code"] == wanted.get("reason", event["status_code"])
    ]


@pytest.mark.parametrize("who", ["system", "alice", "bob"])
def test_every_line_fits_the_schema(trail, who):
    lines = trail(who)
    assert len(lines) >= 2
    for line in lines:
        VALIDATOR.validate(ocsf_event(line, SOURCE))


@pytest.mark.parametrize("broken", ["actor", "src_endpoint", "database", "time", "metadata"])
def test_the_schema_refuses_an_incomplete_event(events, broken):
    event = {name: value for name, value in events[0].items() if name != broken}
    with pytest.raises(ValidationError):
        VALIDATOR.validate(event)


def test_the_type_is_the_class_and_the_activity(events):
    for event in events:
        assert event["type_uid"] == event["class_uid"] * 100 + event["activity_id"]
        assert event["type_name"] == f"Datastore Activity: {event['activity_name']}"


@pytest.mark.parametrize(
    ("verb", "activity"),
    [("remember", 6), ("supersede", 2), ("recall", 4), ("list", 8), ("forget", 7), ("erase", 7), ("share", 99)],
)
def test_a_verb_is_its_activity(events, verb, activity):
    found = only(events, verb=verb)
    assert found
    assert {event["activity_id"] for event in found} == {activity}


def test_a_verb_that_ocsf_has_no_word_for_keeps_its_own(events):
    (event,) = only(events, verb="add_member")
    assert (event["activity_id"], event["activity_name"]) == (99, "add_member")
    assert "add_member" not in activities()


@pytest.mark.parametrize(
    ("reason", "status"),
    [("confident", (1, "Success", 1)), ("low_confidence", (99, "pending", 1)), ("secret", (2, "Failure", 2))],
)
def test_the_status_is_the_decision_and_its_reason(events, reason, status):
    event = only(events, verb="remember", reason=reason)[0]
    assert (event["status_id"], event["status"], event["severity_id"]) == status


def test_a_reason_comes_with_its_sentence_and_an_unknown_one_speaks_for_itself(trail):
    line = next(line for line in trail() if line["event"]["reason"] == "secret")
    assert "never stored" in ocsf_event(line, SOURCE)["status_detail"]
    later = {**line, "event": {**line["event"], "reason": "of_a_later_version"}}
    assert ocsf_event(later, SOURCE)["status_detail"] == "of_a_later_version"


def test_an_agent_is_an_application_beside_the_user_it_acts_for(events):
    actor = next(event["actor"] for event in events if "app_uid" in event["actor"])
    assert (actor["app_uid"], actor["user"]["uid"]) == ("helper", "bob")
    owners = {event["unmapped"].get("agent_owner") for event in events}
    assert owners == {None, "alice"}


def test_a_user_and_the_system_are_users_of_two_types(events):
    kinds = {(event["actor"]["user"]["uid"], event["actor"]["user"]["type"]) for event in events}
    assert {("alice", "User"), ("system", "System")} <= kinds


def test_fields_without_an_ocsf_equivalent_are_unmapped_and_kept(trail):
    for line in trail():
        event, unmapped = line["event"], ocsf_event(line, SOURCE)["unmapped"]
        for name in ("space", "item", "digest", "detail"):
            assert unmapped.get(name) == (event[name] or None)
        assert (unmapped["chain"], unmapped["hash"]) == (line["chain"], line["hash"])


def test_the_moment_is_there_to_the_microsecond(lived, trail, clock):
    clock.advance(0.123456)
    lived.as_user("alice").remember("a moment later")
    event = next(
        event for line in trail() if (event := ocsf_event(line, SOURCE))["metadata"]["original_time"].endswith("3456Z")
    )
    assert (event["time"], event["metadata"]["original_time"]) == (1_767_225_600_123, "2026-01-01T00:00:00.123456Z")


def test_a_chain_position_is_exported_only_to_actors_who_may_know_it(trail):
    mine = [ocsf_event(line, SOURCE) for line in trail("alice")]
    assert {("sequence" in event["metadata"], event["unmapped"]["chain"]["kind"]) for event in mine} == {
        (True, "actor"),
        (False, "space"),
    }


def test_no_contents_are_in_any_format(lived, events):
    assert any("volcanic" in text for text in lived.as_user("alice").recall("volcanic").texts)
    assert "volcanic" not in json.dumps(events)
    assert "AKIA" not in json.dumps(events)


def test_no_action_has_two_entries():
    """An action that is a verb by now has its activity in the table of operations."""
    assert not NO_VERBS.keys() & {row.recorded_as for row in TABLE.values()}
