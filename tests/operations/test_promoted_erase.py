"""Forgetting and erasing a memory reaches the copies that were promoted from it, wherever they are, without a word of
those that the asker cannot see."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfort.policy.settings.document import read_policy
from whole import whole

PROJECT = {"project": "apollo"}
STATES = ["approved", "pending", "rejected", "superseded"]
WORD = "quarterstaff"


def everything(reader):
    return {item.text for item in reader.list(statuses=STATES, deleted=True, limit=1000)}


def events(reader):
    return [line["event"] for line in reader.trail.export()]


def files(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.fixture
def inside(memory):
    """Alice, standing in the project."""
    return memory.as_user("alice", **PROJECT)


@pytest.fixture
def carol(memory):
    return memory.as_user("carol", **PROJECT)


@pytest.fixture
def promoted(inside, carol, tmp_path):
    """A fact of alice's that she promoted into a project, and what carol made of the copy there."""
    source = inside.remember(f"keeps a {WORD}", type="fact", space={"user": "alice"}).id
    copy = inside.promote(source, to=PROJECT).id
    made = carol.remember(f"somebody has a {WORD}", space=PROJECT, derived_from=[copy]).id
    carol.remember("unrelated words", space=PROJECT)
    assert sorted(carol.recall(WORD).texts) == [f"keeps a {WORD}", f"somebody has a {WORD}"]
    assert WORD.encode() in files(tmp_path) or not files(tmp_path)
    return source, copy, made


def test_erasing_a_source_takes_the_copies_in_sight_along_and_counts_them(memory, inside, carol, promoted, tmp_path):
    source, copy, made = promoted
    rehearsal = inside.erase(source, dry_run=True)
    receipt = inside.erase(source)
    assert {id for _, id in receipt.items} == {id for _, id in rehearsal.items} == {source, copy, made}
    assert (receipt.counts["memories"], receipt.counts["derived"]) == (1, 2)
    assert everything(carol) == {"unrelated words"}
    assert WORD.encode() not in files(tmp_path)
    assert inside.verify_erasure(receipt.id).ok
    assert memory.trail.verify().ok


def test_copies_out_of_sight_go_without_a_word(memory, alice, carol, promoted, tmp_path):
    """Alice has left the project: she may not learn what became of the copy there, but nothing of it may stay."""
    source, copy, made = promoted
    steps = []
    rehearsal = alice.erase(source, dry_run=True)
    receipt = alice.erase(source, progress=lambda done, of: steps.append((done, of)))
    assert [id for _, id in rehearsal.items] == [id for _, id in receipt.items] == [source]
    assert (receipt.counts["memories"], receipt.counts["derived"], steps) == (1, 0, [(1, 1)])
    assert everything(carol) == {"unrelated words"}
    assert WORD.encode() not in files(tmp_path)
    assert alice.verify_erasure(receipt.id).ok
    recorded = [one for one in events(alice) if one["action"] not in {"promote", "remember"}]
    assert {one["action"] for one in recorded} >= {"erase", "finish_erasure"}
    assert not any(id in whole(one) for one in (*recorded, *alice.erasures()) for id in (copy, made))
    gone = [one for one in events(memory.as_system()) if one["action"] == "erase"]
    silent = {one["item"] for one in gone if one["actor"]["id"] == "system"}
    assert silent == {copy, made}
    assert memory.trail.verify().ok


def test_a_receipt_is_the_same_whether_or_not_there_are_copies_out_of_sight(open_memory):
    """The counts of what was erased depend on nothing that the eraser cannot see."""
    counts = []
    for copied in (False, True):
        memory = open_memory()
        alice, inside = memory.as_user("alice"), memory.as_user("alice", **PROJECT)
        source = inside.remember(f"keeps a {WORD}", type="fact", space={"user": "alice"}).id
        if copied:
            copy = inside.promote(source, to=PROJECT).id
            memory.as_user("carol", **PROJECT).remember("more", space=PROJECT, derived_from=[copy])
        receipt = alice.erase(source)
        counts.append((receipt.items, receipt.counts["memories"], receipt.counts["derived"], receipt.state))
    assert counts[0] == counts[1]
    assert counts[0][1:3] == (1, 0)


def test_erasing_a_copy_leaves_others_sources_alone(alice, carol, promoted):
    _, copy, made = promoted
    receipt = carol.erase(copy)
    assert {id for _, id in receipt.items} == {copy, made}
    assert everything(alice) == {f"keeps a {WORD}"}


def test_erasing_also_erases_copies_for_other_readers(inside, carol, promoted, tmp_path):
    source, copy, _ = promoted
    hidden = carol.remember(f"for carol, {WORD}", space=PROJECT, derived_from=[copy], access={"users": ["carol"]}).id
    receipt = inside.erase(source)
    assert hidden not in {id for _, id in receipt.items}
    assert everything(carol) == {"unrelated words"}
    assert WORD.encode() not in files(tmp_path)


@pytest.mark.parametrize("standing", ["inside", "alice"])
def test_erasing_a_scope_reaches_copies_outside_it(request, carol, promoted, standing):
    source, copy, made = promoted
    eraser = request.getfixturevalue(standing)
    receipt = eraser.erase(scope={"user": "alice"})
    seen = {source, copy, made} if standing == "inside" else {source}
    assert {id for _, id in receipt.items} == seen
    assert everything(carol) == {"unrelated words"}


def test_the_system_sees_every_copy_it_erases(memory, carol, promoted):
    source, copy, made = promoted
    receipt = memory.as_system().erase(source)
    assert {id for _, id in receipt.items} == {source, copy, made}
    assert everything(carol) == {"unrelated words"}


def test_a_crash_leaves_no_copy_behind(memory, alice, carol, promoted, monkeypatch):
    source, _, _ = promoted

    def crash(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("memfort.operations.ending.removal.remove_unseen", crash)
    with pytest.raises(KeyboardInterrupt):
        alice.erase(source)
    assert any(WORD in text for text in everything(carol))
    monkeypatch.undo()
    assert len(memory.finish_erasures().finished) == 1
    assert everything(carol) == {"unrelated words"}
    assert memory.trail.verify().ok


def test_a_session_memory_that_became_the_users_goes_with_it(memory, tmp_path):
    here = memory.as_user("alice", session="s1")
    source = here.remember(f"keeps a {WORD}", type="fact", space={"session": "s1"}).id
    copy = here.promote(source, to={"user": "alice"}).id
    here.remember("likes jam")
    receipt = here.erase(source)
    assert {id for _, id in receipt.items} == {source, copy}
    assert everything(here) == {"likes jam"}
    assert WORD.encode() not in files(tmp_path)


# -- forgetting -------------------------------------------------------------------------------------------------------

WAITS = read_policy(
    '[[spaces.promotions]]\nfrom_level = "user"\nto_level = "project"\nauthority = "user_asserted"\napprovals = 1\n',
    "waits",
)


def test_forgetting_a_source_forgets_a_copy_that_waits(open_memory):
    memory = open_memory(policy=WAITS)
    inside, alice = memory.as_user("alice", **PROJECT), memory.as_user("alice")
    ids = [inside.remember(text, type="fact", space={"user": "alice"}).id for text in ("keeps a pike", "keeps a bow")]
    seen, unseen = (inside.promote(id, to=PROJECT) for id in ids)
    assert [outcome.item.status for outcome in (seen, unseen)] == ["pending", "pending"]
    assert [item.id for item in inside.forget(ids[0])] == [ids[0], seen.id]
    assert [item.id for item in alice.forget(ids[1])] == [ids[1]]
    assert inside.review.list() == []
    assert unseen.id not in repr([one for one in events(alice) if one["action"] == "forget"])
    assert memory.trail.verify().ok


def test_forgetting_reaches_copies_of_derived_memories(memory, inside, alice, carol):
    """What was made is a tombstone since it was promoted; the way to its copy leads through it all the same."""
    source = inside.remember("keeps weapons", space={"user": "alice"}).id
    made = inside.remember(f"keeps a {WORD}", type="fact", space={"user": "alice"}, derived_from=[source]).id
    copy = inside.promote(made, to=PROJECT).id
    assert [hit.item.id for hit in carol.recall(WORD)] == [copy]
    assert [item.id for item in alice.forget(source)] == [source]
    assert not carol.recall(WORD)
    assert carol.list(deleted=True).items[0].deleted_reason == "forgotten"
    assert memory.trail.verify().ok


def test_erasing_a_copy_takes_the_tombstone_of_its_source_along_where_the_eraser_reaches_it(
    inside, carol, promoted, tmp_path
):
    source, copy, made = promoted
    receipt = inside.erase(copy)
    assert {id for _, id in receipt.items} == {source, copy, made}
    assert (everything(inside), everything(carol)) == ({"unrelated words"}, {"unrelated words"})
    assert WORD.encode() not in files(tmp_path)


def test_erasing_a_copy_reveals_no_unreachable_source(inside, carol, promoted):
    source, copy, made = promoted
    receipt = carol.erase(copy)
    assert {id for _, id in receipt.items} == {copy, made}
    assert f"keeps a {WORD}" in everything(inside)  # alice's own, and for her to erase
    assert source not in str(events(carol))
