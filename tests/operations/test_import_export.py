"""Export and import: there and back without loss, and nothing half done by a bad file."""

from __future__ import annotations

import json

import pytest

from memfort import InvalidInput, Memory
from memfort.store.memory import MemoryStore
from memfort.trail.keys import Keys
from whole import whole

ROW = {"id": 1, "user_id": "alice", "kind": "note", "content": "likes tea", "confidence": 0.9}


def memories(reader):
    return [line["memory"] for line in reader.export() if "memory" in line]


def lines(*records):
    return "\n".join(json.dumps(record) for record in records).encode()


@pytest.fixture
def lived(memory, alice, clock):
    """A memory with something of everything in it."""
    here = memory.as_user("alice", project="apollo", session="s1", workspace="w1")
    first = alice.remember("likes tea", tags=["drink"], meta={"a": [1, {"b": None}]}, type="preference", importance=2.5)
    clock.advance(1)
    alice.correct(first.id, "likes coffee")
    alice.remember("mail bob@example.org")
    alice.review.reject(alice.remember("likes ink", origin="ai", confidence=0.1).id)
    alice.remember("lives in Rome", kind="profile", key="home")
    alice.remember("lives in Oslo", kind="profile", key="home")
    source = alice.remember("raw words", kind="short_term", ttl_seconds=500, observed_at=5).id
    alice.remember("made of words", derived_from=[source], sensitivity="personal", provenance={"source": "mail"})
    alice.remember("for my eyes", access={"users": ["alice"]})
    alice.forget(alice.remember("forgotten").id)
    alice.review.edit(alice.remember("teh", confidence=0.1).id, "the")
    for space in ({"session": "s1"}, {"user": "alice", "workspace": "w1"}, {"project": "apollo"}):
        here.remember("words — with \u2028 odd \x85 line\x0b ends\r\nand 日本語 🍵", space=space)
    return here


def test_a_round_trip_is_equal(lived, open_memory, exported):
    fresh = open_memory().as_user("alice", project="apollo", session="s1", workspace="w1")
    report = fresh.import_(exported(lived))
    assert report.problems == ()
    assert memories(fresh) == memories(lived)
    assert {one["status"] for one in memories(fresh)} == {"approved", "pending", "rejected", "superseded"}
    assert exported(fresh) == exported(lived)


def test_the_trace_of_an_import_records_no_conflict_for_memories_replaced_before(lived, open_memory, exported):
    fresh = open_memory().as_user("alice", project="apollo", session="s1", workspace="w1")
    fresh.import_(exported(lived))
    events = fresh.trace.show(fresh.last_trace).events
    assert "memory_write" in {event["type"] for event in events}
    assert "superseded" in {one["status"] for one in memories(fresh)}
    assert "memory_conflict" not in {event["type"] for event in events}, "there was nothing to settle here"


def test_an_import_writes_every_record_once(alice, events):
    report = alice.import_(lines(ROW))
    assert report.counts["kept"] == 1
    assert not report.counts.get("duplicate")
    assert [event["action"] for event in events() if event["action"] == "remember"] == ["remember"]


def test_after_a_round_trip_everything_works_as_before(lived, open_memory, exported):
    other = open_memory()
    fresh = other.as_user("alice", project="apollo", session="s1", workspace="w1")
    fresh.import_(exported(lived))
    for query in ("likes", "words", "lives", "日本語"):
        assert fresh.recall(query).texts == lived.recall(query).texts
    assert fresh.remember("likes ink", origin="ai").reason == "rejected_before"
    assert fresh.remember("likes coffee").reason == "duplicate"
    assert [entry.item.text for entry in fresh.review.list()] == ["mail bob@example.org"]
    assert fresh.erase(fresh.recall("raw").hits[0].id).counts["derived"] == 1
    assert other.trail.verify().ok


def test_an_export_begins_with_its_size(lived):
    header, *rest = lived.export()
    assert header == {"memfort_export": 1, "actor": "user:alice", "memories": len(rest), "sources": 0}
    assert len(rest) > 10


def test_importing_twice_is_importing_once(lived, open_memory, exported):
    fresh = open_memory().as_user("alice", project="apollo", session="s1", workspace="w1")
    data = exported(lived)
    assert not fresh.import_(data).already_imported
    assert fresh.import_(data).already_imported
    assert len(memories(fresh)) == len(memories(lived))


def test_importing_into_the_place_it_came_from_adds_nothing(alice, exported):
    alice.remember("likes tea")
    before = memories(alice)
    report = alice.import_(exported(alice))
    assert report.counts == {"read": 1, "duplicate": 1}
    assert memories(alice) == before


@pytest.fixture
def reviewed(alice, exported):
    """An export of personal data that a person approved, and of some not approved. In the store it is gone."""
    ids = [alice.remember(text).id for text in ("mail bob@example.org", "mail eve@example.org", "mail dan@example.org")]
    alice.review.approve(*ids[:2])
    data = exported(alice)
    assert len(json.loads(data.split(b"\n")[0])["reviewed"]) == 2
    alice.erase(*ids)
    return data


def test_reimporting_reviewed_memories_keeps_their_approval(memory, alice, exported, reviewed, events):
    assert alice.import_(reviewed, bring_back=True).counts == {"read": 3, "kept": 2, "pending": 1}
    assert sorted(alice.recall("mail").texts) == ["mail bob@example.org", "mail eve@example.org"]
    assert exported(alice) == reviewed
    proven = [event for event in events() if event["reason"] == "review_proven"]
    assert [(event["action"], event["actor"]["id"]) for event in proven] == [("approve", "alice")] * 2
    assert memory.trail.verify().ok


def test_reviewed_memories_are_pending_again_in_another_store(clock, reviewed):
    other = Memory(MemoryStore(Keys(b"other secret".ljust(32), b"other signing".ljust(32))), clock=clock)
    fresh = other.as_user("alice")
    assert fresh.import_(reviewed).counts == {"read": 3, "pending": 3}
    assert not fresh.recall("mail")
    assert len(fresh.review.list()) == 3


FORGED = {
    "text": "mail mallory@example.org",
    "tags": ["planted"],
    "meta": {"mail": "mallory@example.org"},
    "readers": {"users": ["alice", "mallory"], "agents": None},
    "space": {"user": "alice", "workspace": "w"},
    "confidence": 0.5,
    "expires_at": 4_000_000_000_000_000,
    "updated_at": 5,
}


@pytest.mark.parametrize("field", FORGED)
def test_a_proof_is_for_the_very_record_it_was_made_for(alice, reviewed, field):
    header, first, *rest = map(json.loads, reviewed.split(b"\n"))
    forged = {"memory": {**first["memory"], field: FORGED[field]}}
    counts = dict(alice.import_(lines(header, forged, *rest), bring_back=True).counts)
    assert counts.pop("unknown_readers", 0) == (field == "readers")
    assert counts == {"read": 3, "kept": 1, "pending": 2}
    assert len(alice.recall("mail")) == 1


@pytest.mark.parametrize("proof", ["none", "swapped", "empty", "not hex", "of an unknown memory"])
def test_only_a_memorys_own_review_proof_counts(alice, reviewed, proof):
    header, *rest = map(json.loads, reviewed.split(b"\n"))
    (one, signed), (other, also_signed) = header["reviewed"].items()
    header["reviewed"] = {
        "none": {},
        "swapped": {one: also_signed, other: signed},
        "empty": {one: "", other: None},
        "not hex": {one: "x" * 128, other: signed + "00"},
        "of an unknown memory": {"mem_none": signed},
    }[proof]
    assert alice.import_(lines(header, *rest), bring_back=True).counts == {"read": 3, "pending": 3}


def test_an_export_without_reviews_lists_no_reviewed_memories(alice, exported):
    alice.remember("mail bob@example.org")
    alice.remember("likes tea")
    assert "reviewed" not in json.loads(exported(alice).split(b"\n")[0])


def test_an_agent_brings_no_approvals(memory, reviewed):
    agent = memory.as_agent("helper", owner="carol", acting_for="alice")
    assert agent.import_(reviewed, bring_back=True).counts == {
        "read": 3,
        "pending": 3,
        "unproven": 3,
    }  # nor does it speak as alice


def test_a_proven_approval_replaces_nothing_without_a_person(alice, exported):
    old = alice.remember("bob@example.org", kind="profile", key="mail").id
    alice.review.approve(old)
    data = exported(alice)
    alice.erase(old)
    alice.remember("none of your business", kind="profile", key="mail")
    assert alice.import_(data, bring_back=True).counts == {"read": 1, "pending": 1}
    assert [item.text for item in alice.list()] == ["none of your business"]


def test_an_export_holds_your_spaces_and_your_memories_in_shared_ones(memory, exported):
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    alice.remember("tea of alice")
    alice.remember("shared tea of alice", space={"project": "apollo"})
    bob.remember("shared tea of bob", space={"project": "apollo"})
    memory.as_user("alice", workspace="w").remember("tea at work", space={"user": "alice", "workspace": "w"})
    assert sorted(one["text"] for one in memories(alice)) == ["shared tea of alice", "tea at work", "tea of alice"]


def test_importing_into_another_users_space_is_denied(alice, bob, exported):
    alice.remember("likes tea")
    report = bob.import_(exported(alice))
    assert report.counts == {"read": 1, "denied": 1}
    assert memories(bob) == []
    assert len(memories(alice)) == 1


def test_an_imported_secret_is_refused_and_not_repeated(alice):
    secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    report = alice.import_(lines({**ROW, "content": f"token {secret}"}, {**ROW, "content": "likes jam"}))
    assert (report.counts["denied"], report.counts["kept"]) == (1, 1)
    assert secret not in whole(report)
    assert alice.recall("likes").texts == ["likes jam"]


def test_import_reports_progress_for_every_record(alice):
    steps = []
    alice.import_(lines(ROW, {**ROW, "content": ""}), progress=lambda done, of: steps.append((done, of)))
    assert steps == [(1, 2), (2, 2)]


def test_a_dry_run_matches_the_outcome_and_imports_nothing(alice, events):
    data = lines(ROW, {**ROW, "content": ""})
    before = events()
    rehearsal = alice.import_(data, dry_run=True)
    assert (memories(alice), alice.sources(), events()) == ([], [], before)
    real = alice.import_(data)
    assert (rehearsal.counts, rehearsal.problems) == (real.counts, real.problems)


# -- files that are not what they should be ---------------------------------------------------------------------------

BAD_FILES = {
    "empty": b"",
    "blank": b" \n\t\r\n ",
    "empty_list": b"[]",
    "binary": bytes(range(256)),
    "utf16": json.dumps([ROW]).encode("utf-16"),
    "latin1": '[{"content": "é"}]'.encode("latin-1"),
    "not_json": b"hello",
    "truncated_list": json.dumps([ROW]).encode()[:-5],
    "truncated_line": lines(ROW, ROW)[:-5],
    "deep": b"[" * 100_000 + b"]" * 100_000,
    "deep_line": b'{"a": ' * 100_000 + b"1" + b"}" * 100_000,
    "huge_number": b"[" + b"9" * 5_000 + b"]",
    "numbers": b"[1, 2, 3]",
    "unknown_shape": b'{"hello": "world"}',
    "null": b"null",
    "nul": b"\x00",
    "two_values_a_line": b"{} {}",
}


@pytest.mark.parametrize("data", BAD_FILES.values(), ids=BAD_FILES.keys())
def test_a_bad_file_is_refused_whole_with_a_remedy(alice, events, data):
    alice.remember("likes tea")
    before = (memories(alice), events())
    with pytest.raises(InvalidInput) as refused:
        alice.import_(data)
    assert refused.value.field == "file"
    assert len(str(refused.value)) < 300
    assert (memories(alice), events(), alice.sources()) == (*before, [])


GOOD_FILES = {
    "list": json.dumps([ROW]).encode(),
    "pretty_list": json.dumps([ROW], indent=2).encode(),
    "lines": lines(ROW),
    "bom": b"\xef\xbb\xbf" + lines(ROW),
    "crlf": lines(ROW, {**ROW, "content": ""}).replace(b"\n", b"\r\n") + b"\r\n",
    "blank_lines": b"\n\n" + lines(ROW) + b"\n\n\n",
    "no_final_newline": lines(ROW),
    "extra_fields": lines({**ROW, "embedding": [0.1] * 8, "use_count": 3}),
}


@pytest.mark.parametrize("data", GOOD_FILES.values(), ids=GOOD_FILES.keys())
def test_the_same_records_however_they_are_written(alice, data):
    assert alice.import_(data).counts["kept"] == 1
    assert alice.recall("tea").texts == ["likes tea"]


def test_an_export_cut_off_between_two_lines_is_noticed(alice, open_memory, exported):
    alice.remember_many(["likes tea", "likes jam", "likes ink"])
    fresh = open_memory().as_user("alice")
    with pytest.raises(InvalidInput, match="header"):
        fresh.import_(exported(alice).rsplit(b"\n", 1)[0])
    assert memories(fresh) == []
    assert fresh.import_(exported(alice)).counts["kept"] == 3


@pytest.mark.parametrize("version", [2, 0, "1", None, []])
def test_an_export_of_another_version_is_refused(alice, version):
    with pytest.raises(InvalidInput, match="version"):
        alice.import_(lines({"memfort_export": version, "memories": 0}))
    assert alice.import_(lines({"memfort_export": 1, "memories": 0})).counts == {"read": 0}


GARBAGE = [None, 7, -1, 0, 10**40, 1.5, True, "", "x", "\ud800", "a\x00b", [], [1], {}, {"a": 1}, ["x"] * 100]


@pytest.mark.parametrize("field", ["id", "number", "space", "kind", "type", "text", "key", "tags", "author", "origin",
    "source", "observed_at", "sensitivity", "readers", "confidence", "authority", "importance", "pii_risk", "status",
    "status_reason", "created_at", "updated_at", "expires_at", "supersedes", "superseded_by", "derived_from",
    "deleted_at", "deleted_reason", "provenance", "meta", "policy", "version"])  # fmt: skip
def test_garbage_in_any_field_of_an_export_harms_nothing_else(alice, open_memory, field):
    alice.remember("likes jam")
    [good] = memories(alice)
    bad = [{**good, "id": f"mem_{n}", "text": f"likes {n}", field: garbage} for n, garbage in enumerate(GARBAGE)]
    fresh = open_memory()
    reader = fresh.as_user("alice")
    records = [{"memory": one} for one in (*bad, good)]
    report = reader.import_(lines({"memfort_export": 1, "memories": len(records)}, *records))
    counted = sum(count for name, count in report.counts.items() if name != "read")
    assert counted == report.counts["read"] == len(records)
    assert "likes jam" in reader.recall("likes", limit=1000).texts
    assert all(reader.explain(item.id).shown for item in reader.list())
    assert len(reader.review.list()) == report.counts.get("pending", 0)
    assert len(memories(reader)) == report.counts["kept"] + report.counts.get("pending", 0)
    assert fresh.trail.verify().ok


@pytest.mark.parametrize(
    "record", [None, 1, "x", [], {}, {"memory": None}, {"memory": {}}, {"memory": []}, {"other": 1}]
)
def test_an_invalid_line_is_reported_by_its_number(alice, record):
    report = alice.import_(lines({"memfort_export": 1, "memories": 1}, record))
    assert report.counts == {"read": 1, "invalid": 1}
    assert report.problems[0].startswith("line 2: ")


def test_a_file_cannot_bring_the_forgotten_back_to_life(alice, open_memory):
    id = alice.remember("likes tea").id
    good = memories(alice)[0]
    alice.forget(id)
    fresh = open_memory().as_user("alice")
    bad = {**good, "deleted_at": good["created_at"], "deleted_reason": "forgotten"}
    report = fresh.import_(lines({"memfort_export": 1, "memories": 1}, {"memory": bad}))
    assert report.counts == {"read": 1, "deleted": 1}
    assert not fresh.recall("tea")


def test_a_file_cannot_date_a_memory_into_the_future(alice, open_memory, clock):
    alice.remember("likes tea")
    future = {**memories(alice)[0], "created_at": clock.now() + 10**12, "updated_at": clock.now() + 10**12}
    fresh = open_memory().as_user("alice")
    fresh.import_(lines({"memfort_export": 1, "memories": 1}, {"memory": future}))
    assert [item.created_at_us for item in fresh.list()] == [clock.now()]


def test_an_import_cannot_occupy_a_future_id_of_another_user(memory, open_memory):
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    coming = bob.remember("likes tea", space={"project": "apollo"}).item
    forged = {**memories(bob)[0], "text": "likes jam"}
    other = open_memory()
    report = other.as_user("alice", project="apollo").import_(
        lines({"memfort_export": 1, "memories": 1}, {"memory": forged})
    )
    assert report.counts["kept"] == 1
    assert other.as_user("bob", project="apollo").remember("likes tea", space={"project": "apollo"}).id == coming.id
    assert alice.recall("tea")


def test_a_record_of_another_user_is_reported(alice):
    report = alice.import_(lines(ROW, {**ROW, "user_id": "bob", "content": "likes jam"}))
    assert report.counts == {"read": 2, "without_provenance": 2, "kept": 1, "invalid": 1}
    assert "line 2" in report.problems[0]
    assert "jam" not in report.problems[0]


def test_imported_memories_can_be_erased_by_source_after_a_move(alice, open_memory, exported):
    source = alice.import_(lines(ROW)).source
    alice.remember("likes ink")
    fresh = open_memory().as_user("alice")
    moved = fresh.import_(exported(alice))
    assert {one.id for one in fresh.sources()} == {source, moved.source}
    assert exported(fresh) == exported(alice)
    assert source in {line["event"]["detail"].get("source") for line in fresh.trail.export()}
    assert fresh.erase(source=source).counts["memories"] == 1
    assert [item.text for item in fresh.list()] == ["likes ink"]


def test_an_imported_export_can_be_erased_as_a_whole(alice, open_memory, exported):
    alice.remember("likes tea")
    fresh = open_memory().as_user("alice")
    fresh.remember("likes ink")
    moved = fresh.import_(exported(alice))
    assert fresh.erase(source=moved.source).counts["memories"] == 1
    assert [item.text for item in fresh.list()] == ["likes ink"]


# Ids and links


@pytest.fixture
def in_group(memory):
    memory.chat.register("g", kind="group", participants=["alice", "bob"])
    return memory.as_user("alice", chat="g")


def imported(open_memory, data):
    """A fresh memory of alice's that the data was imported into, outside any chat."""
    fresh = open_memory().as_user("alice")
    assert fresh.import_(data).problems == ()
    return fresh


def test_links_follow_memories_that_get_a_new_id(in_group, open_memory, exported, clock):
    """What was learned in a group and is imported outside has a stricter origin, so it is in another partition."""
    first = in_group.remember("likes tea", sensitivity="public", space={"user": "alice"})
    clock.advance(1)
    second = in_group.correct(first.id, "likes coffee", sensitivity="public")
    clock.advance(1)
    in_group.remember("orders coffee", derived_from=[second.id], sensitivity="public", space={"user": "alice"})
    fresh = imported(open_memory, exported(in_group))
    by_text = {one["text"]: one for one in memories(fresh)}
    ids = {text: one["id"] for text, one in by_text.items()}
    assert second.id not in ids.values(), "otherwise this test shows nothing"
    assert by_text["likes coffee"]["supersedes"] == ids["likes tea"]
    assert by_text["likes tea"]["superseded_by"] == ids["likes coffee"]
    assert by_text["orders coffee"]["derived_from"] == [ids["likes coffee"]]
    assert [one.text for one in fresh.history(ids["likes coffee"])] == ["likes tea", "likes coffee"]
    assert [one.text for one in in_group.history(second.id)] == ["likes tea", "likes coffee"]


def test_evidence_follows_the_turn(alice, open_memory, exported):
    """What is imported in a private chat gets a stricter origin, the turn as well as the statement."""
    alice.observe([{"role": "user", "content": "I prefer green tea on Fridays"}])
    other = open_memory()
    other.chat.register("g", kind="private", participants=["alice"])
    fresh = other.as_user("alice", chat="g")
    assert fresh.import_(exported(alice)).problems == ()
    found = {one["id"]: one for one in memories(other.as_user("alice"))}
    quoting = [one for one in found.values() if one.get("evidence")]
    assert quoting
    assert not found.keys() & {one["id"] for one in memories(alice)}, "otherwise this test shows nothing"
    assert all(one["evidence"]["turn"] in found for one in quoting)


@pytest.mark.fails_closed
def test_an_id_in_no_sequence_survives_a_stricter_origin(in_group, alice, open_memory, exported, clock):
    kept = in_group.remember("Tom prefers the window seat", space={"user": "alice"})
    clock.advance(1)
    later = in_group.correct(kept.id, "Tom prefers the aisle seat")
    assert {one["learned_in"] for one in memories(alice)} == {"g"}
    fresh = imported(open_memory, exported(alice))
    assert [one.id for one in fresh.history(later.id)] == [kept.id, later.id]
    assert {one["learned_in"] for one in memories(fresh)} == {""}


def test_an_import_in_a_chat_collides_with_no_hidden_memory(memory, exported):
    """The group does not hear it, so the import does not find it; yet its id is taken."""
    memory.chat.register("g", kind="group", participants=["alice", "bob"])
    memory.member.add({"project": "apollo"}, user="alice", trust="owner")
    outside = memory.as_user("alice", project="apollo")
    fields = {"space": {"project": "apollo"}, "sensitivity": "personal", "subjects": ["@alice", "@bob"]}
    first = outside.remember("the rota is odd", **fields)
    here = memory.as_user("alice", chat="g", project="apollo")
    assert here.get(first.id) is None
    assert here.import_(exported(outside)).counts["kept"] == 1
    assert len({item.id for item in outside.list()}) == 2


@pytest.mark.fails_closed
def test_an_import_of_this_very_moment_takes_no_id_of_the_next_write(alice, open_memory, exported):
    """A memory that was judged has an id in no sequence and the moment it was written; a clock can stand still."""
    first = alice.remember("Tom prefers the window seat")
    [line] = memories(alice)
    judged = line | {"sensitivity": "personal", "judgement": {"reason": "encoder"}}
    header = {"memfort_export": next(iter(alice.export()))["memfort_export"], "actor": "user:alice", "memories": 1}
    fresh = open_memory().as_user("alice")
    fresh.remember("I prefer the window seat")
    fresh.import_(lines(header, {"memory": judged}))
    assert fresh.get(first.id) is not None
    assert fresh.remember("Tom prefers the aisle").id != first.id


SECRET = "gh" + "p_" + "a1B2" * 9


def places_of_texts(value, path=()):
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from places_of_texts(inner, (*path, name))
    elif isinstance(value, list):
        yield (*path, "+")
        for number, inner in enumerate(value):
            yield from places_of_texts(inner, (*path, number))
    elif value is None or isinstance(value, str):
        yield path


def with_text_at(line, path, text):
    changed = json.loads(json.dumps(line))
    inner = changed
    for name in path[:-1]:
        inner = inner[name]
    if path[-1] == "+":
        inner.append(text)
    else:
        inner[path[-1]] = text
    return changed


@pytest.mark.parametrize("form", ["{}", "@{}", "user:{}"])
def test_no_field_of_an_export_keeps_a_secret(open_memory, form):
    """Somebody changed the file by hand. The fields come from an export, so a new one is tried too."""
    elsewhere = open_memory().as_user("alice")
    elsewhere.remember("likes tea", tags=["drinks"], meta={"page": "3"})
    lines = list(elsewhere.export())
    tried = [(number, path) for number, line in enumerate(lines) for path in places_of_texts(line)]
    assert len(tried) > 30
    for number, path in tried:
        memory = open_memory()
        changed = [
            with_text_at(line, path, form.format(SECRET)) if at == number else line for at, line in enumerate(lines)
        ]
        try:
            memory.as_user("alice").import_("\n".join(map(json.dumps, changed)).encode())
        except InvalidInput:
            continue
        kept = json.dumps([*memory.as_user("alice").export(), *memory.as_system().trail.export()])
        assert SECRET not in kept, path
