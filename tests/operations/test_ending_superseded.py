"""Whoever has a superseded memory forgotten means what it says: its later wordings end too, and the answer says so."""

from __future__ import annotations

import pytest


@pytest.fixture
def alice(memory):
    return memory.as_user("alice")


def texts(bound) -> set[str]:
    return {item.text for item in bound.list()}


def test_forgetting_an_older_wording_ends_the_one_in_force(alice):
    first = alice.remember("the shed code word is Heron")
    second = alice.correct(first.id, "the shed code word is Egret")
    third = alice.correct(second.id, "the shed code word is Stork")
    alice.remember("the shed is green")
    preview = alice.forget(first.id, dry_run=True)
    assert {item.id for item in preview} == {first.id, second.id, third.id}
    assert preview.notes == (f"`{first.id}` is superseded by `{third.id}`, which ends with it",)
    assert len(texts(alice)) == 2
    gone = alice.forget(first.id)
    assert ({item.id for item in gone}, gone.notes) == ({first.id, second.id, third.id}, preview.notes)
    assert texts(alice) == {"the shed is green"}


def test_another_statement_in_its_place_stays_and_is_named(alice):
    first = alice.remember("Lyon", kind="profile", key="city")
    second = alice.remember("Paris", kind="profile", key="city")
    note = f"`{first.id}` is superseded by `{second.id}`, which stays in force; name that id to end it too"
    for ending in (alice.forget, alice.erase):
        preview = ending(first.id, dry_run=True)
        assert preview.notes == (note,)
    assert [item.id for item in alice.forget(first.id)] == [first.id]
    assert texts(alice) == {"Paris"}


def test_erasing_an_older_wording_leaves_the_one_in_force_and_says_so(alice):
    first = alice.remember("the shed code word is Heron")
    second = alice.correct(first.id, "the shed code word is Egret")
    receipt = alice.erase(first.id)
    assert "stays in force" in receipt.notes[0]
    assert texts(alice) == {"the shed code word is Egret"}
    assert alice.erase(second.id).notes == ()


def test_what_another_corrected_stays_if_one_may_not_end_it(memory):
    for name, trust in (("alice", "contributor"), ("bob", "approver")):
        memory.member.add({"project": "apollo"}, user=name, trust=trust)
    alice, bob = (memory.as_user(name, project="apollo") for name in ("alice", "bob"))
    first = alice.remember("the launch is in May", space={"project": "apollo"})
    second = bob.correct(first.id, "the launch is in June")
    gone = alice.forget(first.id)
    assert [item.id for item in gone] == [first.id]
    assert f"superseded by `{second.id}`, which stays in force" in gone.notes[0]
    assert texts(bob) == {"the launch is in June"}
