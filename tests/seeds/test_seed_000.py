"""Seed 000, rule by rule: user, workspace and scope; dedup, status, sources, audit."""

from __future__ import annotations

import hashlib
import json
import math

import pytest

from memfort import InvalidInput, NotFound

ALL = {"recall", "get", "list", "history", "explain", "export"}

SCOPES = {  # the seed's table of scope types, with the space each means
    "global": ({}, {"user": "ada"}),
    "workspace": ({"workspace": "w1"}, {"user": "ada", "workspace": "w1"}),
    "track": ({"track": "t1"}, {"user": "ada", "track": "t1"}),
    "project": ({"project": "p1"}, {"user": "ada", "project": "p1"}),
    "paper": ({"paper": "x1"}, {"user": "ada", "paper": "x1"}),
    "workspace_track": ({"workspace": "w1", "track": "t1"}, {"user": "ada", "workspace": "w1", "track": "t1"}),
    "workspace_project": ({"workspace": "w1", "project": "p1"}, {"user": "ada", "workspace": "w1", "project": "p1"}),
    "workspace_paper": ({"workspace": "w1", "paper": "x1"}, {"user": "ada", "workspace": "w1", "paper": "x1"}),
}

scope = pytest.mark.parametrize(("place", "space"), SCOPES.values(), ids=SCOPES.keys())


def row(**fields):
    """A row as the original keeps it."""
    return {"id": 1, "user_id": "ada", "kind": "note", "content": "reads papers", "confidence": 0.9} | fields


def as_file(*rows):
    return json.dumps(rows).encode()


# -- the hierarchy ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("user", ["", " ", None, "*", 7])
def test_level_1_the_user_is_required(memory, user):
    with pytest.raises(InvalidInput) as refused:
        memory.as_user(user)
    assert refused.value.field == "user"
    assert memory.as_user("ada").remember("reads papers").kept


@scope
def test_every_scope_is_its_own_space(memory, paths, place, space):
    ada = memory.as_user("ada", **place)
    kept = ada.remember("reads papers", space=space).item
    assert kept.space.to_dict() == space
    assert paths(ada, kept) == ALL


@scope
def test_a_row_goes_to_the_space_of_its_scope(memory, place, space):
    workspace = {"workspace_id": place["workspace"]} if "workspace" in place else {}
    narrow = [level for level in place if level != "workspace"]
    named = {"scope_type": narrow[0], "scope_id": place[narrow[0]]} if narrow else {"scope_type": "global"}
    ada = memory.as_user("ada", **place)
    assert ada.import_(as_file(row(**workspace, **named))).counts["kept"] == 1
    assert [item.space.to_dict() for item in ada.list()] == [space]


def test_a_row_without_a_scope_type_counts_as_global(memory):
    ada = memory.as_user("ada")
    ada.import_(as_file(row(scope_type=None, scope_id=None)))
    assert [item.space.to_dict() for item in ada.list()] == [{"user": "ada"}]


@scope
def test_level_1_another_user_sees_none_of_it(memory, paths, place, space):
    ada, eve = memory.as_user("ada", **place), memory.as_user("eve", **place)
    kept = ada.remember("reads papers", space=space).item
    assert paths(ada, kept) == ALL
    assert paths(eve, kept) == set()


def test_level_2_a_workspace_memory_needs_that_workspace(memory, paths):
    inside = memory.as_user("ada", workspace="w1")
    kept = inside.remember("reads papers", space={"user": "ada", "workspace": "w1"}).item
    assert paths(inside, kept) == ALL
    # The owner can always take out what is theirs; every other way needs the workspace.
    assert paths(memory.as_user("ada"), kept) == {"export"}
    assert paths(memory.as_user("ada", workspace="w2"), kept) == {"export"}


def test_level_2_user_global_is_visible_within_a_workspace(memory, paths):
    kept = memory.as_user("ada").remember("reads papers").item
    assert paths(memory.as_user("ada", workspace="w1"), kept) == ALL
    assert paths(memory.as_user("eve", workspace="w1"), kept) == set()


@pytest.mark.parametrize("level", ["track", "project", "paper"])
def test_level_3_a_scope_hides_from_its_neighbour_and_from_above(memory, paths, level):
    here = memory.as_user("ada", **{level: "1"})
    kept = here.remember("reads papers", space={"user": "ada", level: "1"}).item
    assert paths(here, kept) == ALL
    assert paths(memory.as_user("ada", **{level: "2"}), kept) == {"export"}
    assert paths(memory.as_user("ada"), kept) == {"export"}


def test_a_scope_is_searched_together_with_global_the_narrow_first(memory):
    ada = memory.as_user("ada", track="t1")
    ada.remember("global paper")
    ada.remember("track paper", space={"user": "ada", "track": "t1"})
    assert ada.recall("paper").texts == ["track paper", "global paper"]


MATRIX = [{}, {"track": "t1"}, {"track": "t2"}, {"paper": "x1"}, {"paper": "x2"}]


@pytest.mark.parametrize("path", ["recall", "list", "get", "history", "export"])
def test_two_users_in_five_scopes_through_every_path(memory, read_paths, path):
    kept = {}
    for user in ("ada", "eve"):
        for number, place in enumerate(MATRIX):
            standing = memory.as_user(user, **place)
            kept[user, number] = standing.remember(f"paper of {user} {number}", space={"user": user, **place}).item
    for reader in ("ada", "eve"):
        for at, place in enumerate(MATRIX):
            standing = memory.as_user(reader, **place)
            shown = {key for key, item in kept.items() if read_paths[path](standing, item)}
            everything = {(reader, number) for number in range(len(MATRIX))}
            assert shown == (everything if path == "export" else {(reader, 0), (reader, at)})


# -- dedup ------------------------------------------------------------------------------------------------------------


def test_the_same_statement_twice_in_a_scope_is_one_memory(memory):
    ada = memory.as_user("ada")
    first, again = ada.remember("reads papers"), ada.remember("  Reads  papers. ")
    assert (again.reason, again.id) == ("duplicate", first.id)
    assert len(ada.list()) == 1


def test_the_same_statement_is_kept_once_in_each_scope_and_workspace(memory):
    for place, space in SCOPES.values():
        assert memory.as_user("ada", **place).remember("reads papers", space=space).reason == "confident"
    other = {"user": "ada", "workspace": "w2"}
    assert memory.as_user("ada", workspace="w2").remember("reads papers", space=other).reason == "confident"
    assert memory.as_user("eve").remember("reads papers").reason == "confident"


def test_a_duplicate_in_a_batch_costs_no_other(memory):
    ada = memory.as_user("ada")
    reasons = [outcome.reason for outcome in ada.remember_many(["one paper", "one paper", "two papers"])]
    assert reasons == ["confident", "duplicate", "confident"]
    assert len(ada.list()) == 2


def test_adding_again_after_a_delete_works(memory):
    ada = memory.as_user("ada")
    first = ada.remember("reads papers")
    ada.forget(first.id)
    assert not ada.recall("papers")
    again = ada.remember("reads papers")
    assert again.id != first.id
    assert ada.recall("papers").texts == ["reads papers"]


# -- status -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("confidence", "status"),
    [(1, "approved"), (0.60, "approved"), (0.5999, "pending"), (0.5, "pending"), (0, "pending")],
)
def test_confidence_decides_the_status(memory, confidence, status):
    assert memory.as_user("ada").remember("reads papers", confidence=confidence).item.status == status


@pytest.mark.parametrize("confidence", [math.nan, math.inf, -math.inf, 1.2, -0.1, True, "0.9", [0.9]])
def test_an_impossible_confidence_is_refused(memory, confidence):
    ada = memory.as_user("ada")
    with pytest.raises(InvalidInput) as refused:
        ada.remember("reads papers", confidence=confidence)
    assert refused.value.field == "confidence"
    assert ada.remember("reads papers", confidence=0.9).kept
    assert len(ada.list(statuses=["approved", "pending"])) == 1


@pytest.mark.parametrize("asked", [None, "approved"])
@pytest.mark.parametrize("personal", ["mail bob@example.org", "phone +44 20 7946 0018"])
def test_personal_data_waits_for_review_even_when_approval_was_explicit(memory, paths, asked, personal):
    ada = memory.as_user("ada")
    kept = ada.remember(personal, status=asked, confidence=1).item
    assert (kept.status, kept.pii_risk) == ("pending", 2)
    assert paths(ada, kept) == {"history", "export", "inbox"}
    ada.review.approve(kept.id)
    assert paths(ada, kept) == ALL


@pytest.mark.parametrize("asked", ["pending", "rejected"])
@pytest.mark.parametrize("text", ["reads papers", "mail bob@example.org"])
def test_an_explicit_pending_or_rejected_is_left_alone(memory, asked, text):
    assert memory.as_user("ada").remember(text, status=asked, confidence=1).item.status == asked


@pytest.mark.parametrize("status", ["banana", "superseded", "APPROVED", "", 1])
def test_an_invalid_status_is_refused(memory, status):
    ada = memory.as_user("ada")
    with pytest.raises(InvalidInput) as refused:
        ada.remember("reads papers", status=status)
    assert refused.value.field == "status"
    assert ada.remember("reads papers", status="approved").kept


def test_only_approved_unforgotten_unexpired_memories_are_returned(memory, clock, paths):
    ada = memory.as_user("ada")
    kept = {
        "live": ada.remember("live paper").item,
        "pending": ada.remember("pending paper", confidence=0.2).item,
        "rejected": ada.remember("rejected paper", status="rejected").item,
        "forgotten": ada.remember("forgotten paper").item,
        "expired": ada.remember("expired paper", ttl_seconds=5).item,
    }
    ada.forget(kept["forgotten"].id)
    clock.advance(5)
    shown = {name: paths(ada, item) & {"recall", "list", "get", "explain"} for name, item in kept.items()}
    assert shown.pop("live") == {"recall", "list", "get", "explain"}
    assert set(map(frozenset, shown.values())) == {frozenset()}
    assert paths(ada, kept["forgotten"]) == {"history"}  # for those who may end it
    assert paths(ada, kept["expired"]) == set()


def test_a_listing_can_include_pending_and_deleted_memories(memory):
    ada = memory.as_user("ada")
    waits = ada.remember("pending paper", confidence=0.2)
    gone = ada.remember("forgotten paper")
    ada.forget(gone.id)
    assert [item.id for item in ada.list(statuses=["pending"])] == [waits.id]
    assert [item.id for item in ada.list(deleted=True)] == [gone.id]
    assert len(ada.list()) == 0


# -- sources ----------------------------------------------------------------------------------------------------------


def test_a_source_has_platform_filename_sha256_and_counts(memory):
    ada = memory.as_user("ada")
    data = as_file(row(), row(id=2, content="maybe", confidence=0.1), row(id=3, content=""))
    report = ada.import_(data, filename="rows.json", platform="chatgpt")
    [source] = ada.sources()
    assert (source.id, source.platform, source.filename) == (report.source, "chatgpt", "rows.json")
    assert source.sha256 == hashlib.sha256(data).hexdigest()
    assert source.counts == report.counts == {"read": 3, "kept": 1, "pending": 1, "invalid": 1, "without_provenance": 3}


def test_importing_the_same_bytes_twice_is_a_no_op(memory):
    ada = memory.as_user("ada")
    first, again = ada.import_(as_file(row())), ada.import_(as_file(row()), filename="other name")
    assert not first.already_imported
    assert again.already_imported
    assert again.source == first.source
    assert len(ada.list()) == len(ada.sources()) == 1


def test_the_same_bytes_are_another_source_for_another_user(memory):
    data = as_file(row(), row(id=2, user_id="eve", content="writes papers"))
    ada, eve = memory.as_user("ada"), memory.as_user("eve")
    assert [ada.import_(data).counts["kept"], eve.import_(data).counts["kept"]] == [1, 1]
    assert [ada.recall("papers").texts, eve.recall("papers").texts] == [["reads papers"], ["writes papers"]]


@pytest.mark.parametrize("platform", ["chatgpt", "gemini", "claude"])
def test_the_platform_is_never_a_filter(memory, platform):
    ada = memory.as_user("ada")
    ada.import_(as_file(row()), platform=platform)
    assert ada.recall("papers").texts == ["reads papers"]
    assert len(ada.list()) == 1


def test_erasing_a_source_erases_its_memories_and_nothing_else(memory):
    ada = memory.as_user("ada")
    workspace = row(id=2, content="workspace papers", workspace_id="w1")
    report = ada.import_(as_file(row(), workspace))
    ada.import_(as_file(row(content="other papers")))
    ada.remember("own papers")
    receipt = ada.erase(source=report.source)
    assert receipt.counts["memories"] == 2
    assert sorted(ada.recall("papers").texts) == ["other papers", "own papers"]
    assert not memory.as_user("ada", workspace="w1").recall("workspace")
    assert [source.counts["kept"] for source in ada.sources()] == [1]
    with pytest.raises(NotFound):
        ada.erase(source=report.source)


def test_a_source_can_be_imported_again_after_it_was_erased(memory):
    ada = memory.as_user("ada")
    ada.erase(source=ada.import_(as_file(row())).source)
    assert not ada.recall("papers")
    assert ada.import_(as_file(row())).counts["ended"] == 1  # what was erased does not come back by itself
    assert ada.import_(as_file(row()), bring_back=True).counts["kept"] == 1
    assert ada.recall("papers").texts == ["reads papers"]


def test_another_user_cannot_erase_a_source(memory):
    ada = memory.as_user("ada")
    report = ada.import_(as_file(row()))
    with pytest.raises(NotFound):
        memory.as_user("eve").erase(source=report.source)
    assert ada.recall("papers").texts == ["reads papers"]


# -- audit ------------------------------------------------------------------------------------------------------------


def test_every_mutation_is_in_the_trail_with_actor_space_action_and_item(memory):
    ada = memory.as_user("ada")
    kept = {verb: ada.remember(f"zebra {verb}").id for verb in ("correct", "forget", "erase")}
    kept |= {verb: ada.remember(f"zebra {verb}", confidence=0.1).id for verb in ("approve", "reject", "edit")}
    ada.review.approve(kept["approve"])
    ada.review.reject(kept["reject"])
    edited = ada.review.edit(kept["edit"], "zebra edited").id
    corrected = ada.correct(kept["correct"], "zebra corrected").id
    ada.forget(kept["forget"])
    ada.erase(kept["erase"])
    ada.revoke(ada.share(user="eve").id)
    events = [line["event"] for line in memory.as_system().trail.export()]
    recorded = {(event["action"], event["item"]) for event in events if event["space"] is not None}
    assert recorded == {
        *(("remember", id) for id in (*kept.values(), corrected)),
        ("edit", edited),
        ("approve", kept["approve"]),
        ("reject", kept["reject"]),
        ("supersede", kept["edit"]),
        ("supersede", kept["correct"]),
        ("forget", kept["forget"]),
        ("erase", kept["erase"]),
        ("share", None),
        ("revoke", None),
    }
    assert {(event["actor"]["id"], json.dumps(event["space"])) for event in events if event["space"]} == {
        ("ada", '{"user": "ada"}')
    }
    assert "zebra" not in json.dumps(events)


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_moderation_is_recorded_with_its_verb(memory, verb):
    ada = memory.as_user("ada")
    waits = ada.remember("pending paper", confidence=0.1)
    getattr(ada.review, verb)(waits.id)
    [event] = [line["event"] for line in ada.trail.export() if line["event"]["action"] == verb]
    assert (event["actor"]["id"], event["item"]) == ("ada", waits.id)


def test_an_empty_statement_is_refused_and_leaves_no_event(memory):
    ada = memory.as_user("ada")
    ada.remember("reads papers")
    before = list(memory.as_system().trail.export())
    with pytest.raises(InvalidInput):
        ada.remember("   ")
    assert list(memory.as_system().trail.export()) == before


# -- rows of the original ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "counted"),
    [
        ({"deleted_at": "2025-01-01T00:00:00"}, "deleted"),
        ({"status": "superseded"}, "superseded"),
        ({"expires_at": "2025-12-31T23:59:59"}, "expired"),
        ({"expires_at": "2026-01-01T00:00:00"}, "expired"),
        ({"expires_at": "2025-12-31T19:00:00-05:00"}, "expired"),
        ({"scope_type": "planet", "scope_id": "1"}, "invalid"),
        ({"scope_type": "track", "scope_id": None}, "invalid"),
        ({"scope_type": ["track"], "scope_id": "1"}, "invalid"),
        ({"status": "banana"}, "invalid"),
        ({"status": ["approved"]}, "invalid"),
        ({"confidence": 1.2}, "invalid"),
        ({"kind": "saga"}, "invalid"),
        ({"user_id": "eve"}, "invalid"),
        ({"content": "mail bob@example.org", "status": "approved"}, "pending"),
        ({"confidence": 0.5999}, "pending"),
        ({"expires_at": "2026-01-01T00:00:01"}, "kept"),
        ({"expires_at": "2025-12-31T19:00:01-05:00"}, "kept"),
        ({"source_id": 9}, "kept"),
    ],
)
def test_rows_hidden_in_the_original_store_stay_hidden(memory, fields, counted):
    ada = memory.as_user("ada")
    report = ada.import_(as_file(row(content="control paper", id=0), row(**fields)))
    assert report.counts.get(counted) == (2 if counted == "kept" else 1)
    control = ["control paper"] + (["reads papers"] if counted == "kept" else [])
    assert sorted(ada.recall("papers paper").texts) == control


@pytest.mark.parametrize(
    ("kind", "type"),
    [("profile", "identity"), ("preference", "preference"), ("goal", "preference"), ("constraint", "preference"),
     ("project", "knowledge"), ("fact", "fact"), ("decision", "decision"), ("hypothesis", "observation"),
     ("todo", "task"), ("keyword_set", "knowledge"), ("note", "knowledge")],
)  # fmt: skip
def test_each_of_the_eleven_kinds_has_a_type(memory, kind, type):
    ada = memory.as_user("ada")
    ada.import_(as_file(row(kind=kind)))
    assert [item.type for item in ada.list()] == [type]


def test_the_same_words_as_note_and_as_fact_are_two(open_memory):
    """The kind is part of what makes a duplicate."""
    ada = open_memory(policy="research").as_user("ada")
    assert ada.remember("transformers scale", type="note").reason != "duplicate"
    assert ada.remember("transformers scale", type="fact").reason != "duplicate"
    assert ada.remember("transformers scale", type="fact").reason == "duplicate"
    assert sorted(item.type for item in ada.list()) == ["fact", "note"]
    plain = open_memory(policy="default").as_user("ada")
    plain.remember("transformers scale", type="knowledge")
    assert plain.remember("transformers scale", type="fact").reason == "duplicate"
