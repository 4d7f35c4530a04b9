"""The format of a file, recognised by its shape, and the contents of its records."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfort import FixedClock, InvalidInput, Memory
from memfort.capture.importers.formats import read_import
from memfort.model.moment import Moment
from memfort.store.memory import MemoryStore

NOW = Moment(1_767_225_600_000_000)
ROW = {"user_id": "alice", "kind": "note", "content": "likes tea"}
NODE = {"content": "likes tea", "metadata": {"domain": "user_pref"}}
EXPORT = [{"memfort_export": 1, "memories": 0}]


def as_lines(*records):
    return "\n".join(map(json.dumps, records)).encode()


@pytest.mark.parametrize(
    ("records", "platform"),
    [([ROW], "research"), ([NODE], "scoped"), (EXPORT, "memfort")],
    ids=["rows", "nodes", "own"],
)
def test_the_format_is_recognised_by_its_shape(records, platform):
    assert read_import(as_lines(*records), NOW)[0] == platform
    assert read_import(json.dumps(records).encode(), NOW)[0] == platform


def test_a_record_of_another_shape_is_a_problem_of_its_own():
    _, [good, bad, worse] = read_import(as_lines(ROW, {"hello": 1}, 7), NOW)
    assert good.fields["text"] == "likes tea"
    assert bad.problem == worse.problem == "it is not a record of this file's format"
    assert (good.place, bad.place, worse.place) == ("line 1", "line 2", "line 3")


def test_records_of_a_list_are_counted_and_lines_keep_their_number():
    assert [one.place for one in read_import(json.dumps([ROW, ROW]).encode(), NOW)[1]] == ["record 1", "record 2"]
    assert [one.place for one in read_import(b"\n" + as_lines(ROW) + b"\r\n\r\n" + as_lines(ROW), NOW)[1]] == [
        "line 2",
        "line 4",
    ]


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_only_a_newline_ends_a_line(end):
    row = json.dumps({**ROW, "content": f"one{end}two"}, ensure_ascii=False)
    _, records = read_import(f"{row}\n{row}".encode(), NOW)
    assert [one.fields["text"] for one in records] == [f"one{end}two"] * 2


@pytest.mark.parametrize(
    ("text", "microseconds"),
    [("2030-01-01T00:00:00", 1_893_456_000_000_000), ("2030-01-01 00:00:00", 1_893_456_000_000_000),
     ("2030-01-01T00:00:00Z", 1_893_456_000_000_000), ("2030-01-01T01:00:00+01:00", 1_893_456_000_000_000),
     ("2029-12-31T19:00:00-05:00", 1_893_456_000_000_000), ("2030-01-01T00:00:00.000001", 1_893_456_000_000_001)],
)  # fmt: skip
def test_times_of_rows_are_utc_unless_they_say_otherwise(text, microseconds):
    _, [row] = read_import(as_lines({**ROW, "expires_at": text}), NOW)
    assert row.fields["expires_at"] == microseconds


@pytest.mark.parametrize("time", ["soon", "", True, 1.5, [], {}, "2030-13-01", 10**30])
def test_an_invalid_time_is_a_problem_of_its_record_only(time):
    _, [bad, good] = read_import(as_lines({**ROW, "expires_at": time}, ROW), NOW)
    assert bad.problem.startswith("expires_at: ")
    assert good.fields


def test_a_problem_never_repeats_the_contents():
    secret = "zanzibar"
    _, records = read_import(
        as_lines({**ROW, "content": secret, "expires_at": "soon"}, {**ROW, "scope_type": "x"}), NOW
    )
    assert all(record.problem for record in records)
    assert secret not in repr([record.problem for record in records])


def test_a_row_says_whose_it_is_and_where_it_belongs():
    row = {
        **ROW,
        "workspace_id": "w",
        "scope_type": "track",
        "scope_id": 7,
        "evidence": {"q": 1},
        "source_id": 3,
        "id": 9,
    }
    _, [read] = read_import(as_lines(row), NOW)
    assert read.owner == "alice"
    assert read.fields["space"] == {"user": "alice", "workspace": "w", "track": "7"}
    assert read.fields["meta"] == {"evidence": {"q": 1}}
    assert read.fields["provenance"] == {"source": "row 9", "batch": 3}
    assert read.notes == ()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    | st.sampled_from(["alice", "track", "global", "approved", "superseded", "user_pref", "note", "2030-01-01"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
ROW_FIELDS = ["workspace_id", "scope_type", "scope_id", "status", "confidence", "tags", "evidence", "source_id",
              "expires_at", "created_at", "deleted_at", "content", "kind", "user_id", "id"]  # fmt: skip
NODE_FIELDS = ["domain", "sourceId", "agentId", "userId", "tags", "scope", "scopeLevel", "access", "retention",
               "ttlSec", "confidenceScore", "provenance"]  # fmt: skip


@settings(max_examples=120, deadline=None)
@given(st.dictionaries(st.sampled_from(ROW_FIELDS), json_values, max_size=5))
def test_any_row_is_kept_left_out_or_reported_and_harms_no_other(fields):
    imported_beside({**ROW, "content": "odd", **fields}, {**ROW, "content": "likes tea"})


@settings(max_examples=120, deadline=None)
@given(
    st.dictionaries(st.sampled_from(NODE_FIELDS), json_values, max_size=5),
    st.dictionaries(st.sampled_from(["content", "createdAt", "updatedAt", "id", "version"]), json_values, max_size=3),
)
def test_any_node_is_kept_left_out_or_reported_and_harms_no_other(metadata, fields):
    imported_beside({"content": "odd", **fields, "metadata": metadata}, NODE)


def imported_beside(odd, good):
    memory = Memory(MemoryStore(), clock=FixedClock(NOW))
    alice = memory.as_user("alice", session="s", project="p", org="o")
    report = alice.import_(as_lines(good, odd))
    outcomes = ("kept", "pending", "duplicate", "denied", "invalid", "expired", "deleted", "superseded")
    assert sum(report.counts.get(name, 0) for name in outcomes) == report.counts["read"] == 2
    assert "likes tea" in alice.recall("tea", limit=100).texts
    assert memory.trail.verify().ok
    json.dumps(list(alice.export()), allow_nan=False).encode()


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode(errors="replace")))
def test_any_bytes_are_read_or_refused(data):
    with suppress(InvalidInput):
        read_import(data, NOW)
