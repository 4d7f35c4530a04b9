"""`trail export --format`: the same lines, in the words of others."""

from __future__ import annotations

import json

import pytest
from cloudevents.core.formats.json import JSONFormat

from memfort.operations.trail.activities import activity_of
from memfort.trail.exporters.cloudevents import cloud_event
from memfort.trail.exporters.ocsf import ocsf_event


def ocsf(line, source):
    return ocsf_event(line, source, activity_of(line["event"]["action"]))


RENDER = {"cloudevents": cloud_event, "ocsf": ocsf}


def lines(answer):
    return [json.loads(line) for line in answer.out.splitlines()]


def source(world):
    return f"/memfort/stores/{world.json('store', 'info')['key']}"


def test_lines_as_they_are_kept_are_the_default(world):
    plain = world.ok("--as", "system", "trail", "export").out
    assert world.ok("--as", "system", "trail", "export", "--format", "jsonl").out == plain
    assert {"chain", "number", "hash", "event"} == lines(world.ok("--as", "system", "trail", "export"))[0].keys()


@pytest.mark.parametrize("who", ["system", "alice"])
@pytest.mark.parametrize("format", RENDER)
def test_a_format_writes_every_line_in_its_own_words(world, who, format):
    kept = lines(world.ok("--as", who, "trail", "export"))
    written = lines(world.ok("--as", who, "trail", "export", "--format", format))
    assert written == [RENDER[format](line, source(world)) for line in kept]
    assert len(written) >= 5


def test_a_custom_source_uri_names_the_store(world):
    uri = "https://example.com/memory"
    for line in world.ok(
        "--as", "system", "trail", "export", "--format", "cloudevents", "--source", uri
    ).out.splitlines():
        assert JSONFormat().read(None, line).get_source() == uri
    events = lines(world.ok("--as", "system", "trail", "export", "--format", "ocsf", "--source", uri))
    assert {event["database"]["uid"] for event in events} == {uri}


@pytest.mark.parametrize(
    "given",
    [
        ["--format", "cloudevents", "--source", ""],
        ["--format", "cloudevents", "--source", "two words"],
        ["--format", "cloudevents", "--source", "100%"],
        ["--format", "cloudevents", "--source", "https://example.com/é"],
        ["--source", "https://example.com/memory"],
    ],
)
def test_a_source_that_cannot_be_one_is_refused(world, given):
    answer = world("--json", "--as", "system", "trail", "export", *given)
    assert answer.code == 2
    assert answer.json["error"]["field"].lstrip("-") == "source"


def test_an_unknown_format_is_refused(world):
    assert world("--as", "system", "trail", "export", "--format", "cef").code == 2


def test_json_makes_a_batch_of_them(world):
    batch = world.json("--as", "system", "trail", "export", "--format", "cloudevents")
    assert batch == lines(world.ok("--as", "system", "trail", "export", "--format", "cloudevents"))


def test_a_file_holds_the_same_lines(world):
    path = world.folder / "trail.jsonl"
    printed = world.ok("--as", "system", "trail", "export", "--format", "ocsf", "--output", str(path)).out
    written = path.read_text().splitlines()
    assert printed == f"wrote {len(written)} events to {path}\n"
    assert [json.loads(line) for line in written] == lines(
        world.ok("--as", "system", "trail", "export", "--format", "ocsf")
    )


@pytest.mark.parametrize("format", RENDER)
def test_exports_hold_no_contents_and_no_other_actors_events(world, format):
    assert "Alice prefers green tea" in world.ok("--as", "alice", "list").out
    mine = world.ok("--as", "alice", "trail", "export", "--format", format).out
    all_of_it = world.ok("--as", "system", "trail", "export", "--format", format).out
    assert world.ids["memory"] in mine
    assert world.ids["bob"] not in mine
    assert world.ids["bob"] in all_of_it
    for word in ("green", "launch", "volcanoes", "+49"):
        assert word not in all_of_it
