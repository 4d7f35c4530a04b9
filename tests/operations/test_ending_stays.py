"""An ending that leaves something says how much of what the caller is shown stays, and why; of the rest it says
nothing."""

from __future__ import annotations

import pytest

APOLLO = {"project": "apollo"}


@pytest.fixture
def members(memory):
    for name, trust in (("alice", "contributor"), ("bob", "contributor"), ("vera", "viewer"), ("olga", "approver")):
        memory.member.add(APOLLO, user=name, trust=trust)
    found = {name: memory.as_user(name, project="apollo") for name in ("alice", "bob", "vera", "olga")}
    for text in ("the launch is in May", "the gate is blue"):
        found["bob"].remember(text, space=APOLLO)
    found["bob"].remember("the vault is behind the stairs", space=APOLLO, access={"users": ["bob"]})
    found["alice"].remember("the rocket is red", space=APOLLO)
    return found


@pytest.mark.parametrize("named", [{"scope": APOLLO}, {"until": 4_000_000_000_000_000}], ids=["scope", "time"])
@pytest.mark.parametrize("verb", ["forget", "erase"])
def test_what_others_wrote_stays_and_is_counted(members, verb, named):
    end = getattr(members["alice"], verb)
    note = "2 memories stay: others wrote them, and your level ends only your own there (level_too_low)"
    assert end(**named, dry_run=True).notes[0] == note
    assert end(**named).notes[0] == note
    assert sorted(item.text for item in members["alice"].list()) == ["the gate is blue", "the launch is in May"]


def test_only_what_matches_is_counted(members):
    [note] = members["alice"].erase(query="blue gate", dry_run=True).notes[:1]
    assert note.startswith("1 memory stays: others wrote")
    assert not any("stay" in note for note in members["alice"].erase(query="red rocket", dry_run=True).notes)


def test_a_viewer_learns_that_reading_is_not_ending(members):
    notes = members["vera"].erase(scope=APOLLO, dry_run=True).notes
    assert notes[0] == "3 memories stay: you may read there and not write (read_only_here)"


def test_who_may_end_all_is_told_of_nothing_that_stays(members):
    notes = members["olga"].erase(scope=APOLLO, dry_run=True).notes
    assert not any("stay" in note for note in notes)
