"""Recall, get, list and history through the one sight."""

from __future__ import annotations

import pytest

from memfort import InvalidInput, NotFound, Policy


def test_recall_gives_score_level_reason_trace_and_hash(alice):
    item = alice.remember("likes green tea").item
    recall = alice.recall("tea")
    [hit] = recall
    assert (hit.item, hit.id, hit.text, hit.level, hit.reason) == (item, item.id, item.text, "user", "matches_query")
    assert hit.score > 0
    assert recall.trace.startswith("trc_")
    assert (len(recall), bool(recall), recall.query, recall.damaged) == (1, True, "tea", ())


def test_equal_answers_have_equal_hashes(alice, clock):
    alice.remember("likes tea")
    first = alice.recall("tea")
    clock.advance(1)
    again = alice.recall("tea please")
    assert first.hash == again.hash
    assert first.trace != again.trace
    alice.remember("more tea")
    assert alice.recall("tea").hash != first.hash


WORDS_ONLY = Policy(recall={"weights": {"meaning": 0.0, "nearby_meaning": 0.0}})  # no two texts mean the very same


def test_better_matches_come_first_and_ties_go_to_the_newer(open_memory, clock):
    alice = open_memory(policy=WORDS_ONLY).as_user("alice")
    for text in ("tea one", "tea two", "tea and tea", "coffee"):
        alice.remember(text)
        clock.advance(1)
    assert alice.recall("tea").texts == ["tea and tea", "tea two", "tea one"]


@pytest.mark.parametrize("limit", [1, 2, 3, 1000])
def test_the_limit_is_a_prefix_of_the_whole_answer(alice, limit):
    alice.remember_many(f"tea {'tea ' * (number % 3)}{number}" for number in range(12))
    assert alice.recall("tea", limit=limit).texts == alice.recall("tea", limit=12).texts[:limit]


def test_more_ties_than_fit_are_settled_by_age(open_memory, clock):
    alice = open_memory(policy=WORDS_ONLY).as_user("alice")
    for number in range(150):
        alice.remember(f"tea {number:03}")
        clock.advance(1)
    assert alice.recall("tea", limit=3).texts == ["tea 149", "tea 148", "tea 147"]
    assert len(alice.recall("tea", limit=1000)) == 150


def test_a_filter_looks_past_the_first_matches(alice, clock):
    alice.remember("tea wanted", tags=["rare"], kind="profile", key="k", type="task")
    for number in range(200):
        alice.remember(f"tea {number}")
        clock.advance(1)
    for wanted in ({"tags": ["rare"]}, {"kinds": ["profile"]}, {"types": ["task"]}, {"types": ["todo"]}):
        assert alice.recall("tea", limit=1, **wanted).texts == ["tea wanted"]
    assert not alice.recall("tea", tags=["rare", "missing"])


@pytest.mark.parametrize("field", ["text", "tag", "key"])
def test_a_memory_is_found_by_its_text_its_tags_and_its_key(alice, field):
    given = {"text": {"text": "zebra here"}, "tag": {"text": "here", "tags": ["zebra"]},
             "key": {"text": "here", "kind": "profile", "key": "zebra"}}[field]  # fmt: skip
    alice.remember_many([given, "nothing of the kind"])
    assert len(alice.recall("zebra")) == 1


def test_recall_can_be_asked_of_one_space(memory):
    alice = memory.as_user("alice", project="apollo")
    alice.remember("tea alone")
    alice.remember("tea together", space={"project": "apollo"})
    assert len(alice.recall("tea")) == 2
    assert alice.recall("tea", space={"project": "apollo"}).texts == ["tea together"]
    assert not alice.recall("tea", space={"user": "bob"})


def test_other_users_memories_change_no_score(memory, alice, bob):
    alice.remember("likes tea")
    before = [(hit.id, hit.score) for hit in alice.recall("tea")]
    bob.remember_many(f"tea {number}" for number in range(30))
    assert [(hit.id, hit.score) for hit in alice.recall("tea")] == before
    assert len(bob.recall("tea", limit=100)) == 30


def test_the_order_of_levels_is_the_policys(open_memory):
    memory = open_memory(policy=Policy(spaces={"read_order": ("org", "user")}))
    alice = memory.as_user("alice", org="acme")
    alice.remember("tea of alice")
    alice.remember("tea of acme", space={"org": "acme"})
    assert alice.recall("tea").texts == ["tea of acme", "tea of alice"]


def test_a_space_that_refines_another_comes_before_it(memory):
    alice = memory.as_user("alice", project="apollo", org="acme")
    alice.remember("tea tea tea", space={"org": "acme"})
    alice.remember("tea", space={"org": "acme", "project": "apollo"})
    assert alice.recall("tea").texts == ["tea", "tea tea tea"]


def test_get_returns_none_for_missing_and_foreign_ids_alike(alice, bob):
    kept = alice.remember("likes tea").item
    assert alice.get(kept.id) == kept
    assert bob.get(kept.id) is None
    assert alice.get("mem_none") is None


def test_the_answer_to_a_strangers_id_is_word_for_word_that_to_an_unknown_one(alice, bob):
    id = alice.remember("likes tea").id
    with pytest.raises(NotFound) as strange:
        bob.history(id)
    with pytest.raises(NotFound) as unknown:
        bob.history("mem_none")
    assert str(strange.value).replace(id, "X") == str(unknown.value).replace("mem_none", "X")
    assert str(bob.explain(id)).replace(id, "X") == str(bob.explain("mem_none")).replace("mem_none", "X")
    assert alice.history(id)


# -- lists ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
def test_pages_join_to_the_whole_list_newest_first(alice, clock, size):
    for number in range(7):
        alice.remember(f"tea {number}")
        clock.advance(number % 2)  # some at the same instant
    whole = alice.list(limit=1000).items
    assert [item.created_at_us for item in whole] == sorted((item.created_at_us for item in whole), reverse=True)
    pages, cursor = [], None
    while True:
        page = alice.list(limit=size, cursor=cursor)
        pages += page.items
        if (cursor := page.cursor) is None:
            break
    assert tuple(pages) == whole


def test_a_cursor_reveals_no_more_than_its_user_may_see(alice, bob):
    alice.remember_many(["tea one", "tea two"])
    bob.remember("tea three")
    cursor = alice.list(limit=1).cursor
    assert len(alice.list(limit=1, cursor=cursor)) == 1
    assert {item.text for item in bob.list(cursor=cursor)} <= {"tea three"}


def test_a_list_can_be_filtered(alice):
    alice.remember("a", tags=["x", "y"], type="task")
    alice.remember("b", tags=["x"], kind="profile", key="k")
    assert [item.text for item in alice.list(tags=["x", "y"])] == ["a"]
    assert [item.text for item in alice.list(types=["todo"])] == ["a"]
    assert [item.text for item in alice.list(kinds=["profile"])] == ["b"]
    assert len(alice.list(tags=["x"])) == 2


def test_only_writers_list_memories_not_in_force(alice, bob):
    alice.remember("pending tea", confidence=0.1)
    gone = alice.remember("forgotten tea").id
    alice.remember("live tea")
    alice.forget(gone)
    alice.share(user="bob")
    assert [item.text for item in bob.list()] == ["live tea"]
    assert len(bob.list(statuses=["pending"])) == len(bob.list(deleted=True)) == 0
    assert len(alice.list(statuses=["pending"])) == 1
    assert len(alice.list(deleted=True)) == 2


# -- history ----------------------------------------------------------------------------------------------------------


def test_a_share_reader_sees_only_memories_in_force(alice, bob):
    first = alice.remember("likes tea")
    second = alice.correct(first.id, "likes coffee")
    waits = alice.remember("likes jam", confidence=0.1)
    alice.share(user="bob")
    assert [item.text for item in bob.history(second.id)] == ["likes coffee"]
    for id in (first.id, waits.id):
        with pytest.raises(NotFound):
            bob.history(id)
    assert [item.text for item in alice.history(first.id)] == ["likes tea", "likes coffee"]


def test_an_expired_version_is_in_no_history(alice, clock):
    first = alice.remember("likes tea", ttl_seconds=5)
    second = alice.correct(first.id, "likes coffee", ttl_seconds=50)
    assert len(alice.history(second.id)) == 2
    clock.advance(5)
    assert [item.text for item in alice.history(second.id)] == ["likes coffee"]
    clock.advance(45)
    with pytest.raises(NotFound):
        alice.history(second.id)


def test_history_does_not_cross_a_reader_list(memory):
    alice, bob = memory.as_user("alice", org="acme"), memory.as_user("bob", org="acme")
    first = alice.remember("likes tea", space={"org": "acme"}, access={"users": ["alice"]})
    second = alice.correct(first.id, "likes coffee", access={"users": ["alice", "bob"]})
    assert [item.text for item in bob.history(second.id)] == ["likes coffee"]
    assert [item.text for item in alice.history(second.id)] == ["likes tea", "likes coffee"]


def test_an_unknown_type_lists_the_known_ones(alice):
    alice.remember("likes tea")
    with pytest.raises(InvalidInput, match="preference"):
        alice.recall("tea", types=["prefrence"])
    assert alice.recall("tea", types=["preference"])
    assert not alice.recall("tea", types=["knowledge"])


def test_expired_memories_are_swept_once_in_every_state(alice, clock, events):
    kept = alice.remember("drinks tea", ttl_seconds=60)
    alice.correct(kept.id, "drinks coffee")
    alice.remember("drinks ink", ttl_seconds=60, confidence=0.1)
    alice.review.reject(alice.remember("drinks oil", ttl_seconds=60, confidence=0.2).id)
    clock.advance(60)
    alice.recall("drinks")
    swept = [event for event in events() if event["action"] == "expire"]
    assert len(swept) == 4
    alice.recall("drinks")
    alice.list()
    assert [event for event in events() if event["action"] == "expire"] == swept
    assert alice.list(statuses=["superseded", "rejected", "pending", "approved"]).items == ()


@pytest.mark.parametrize("sign", ["\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u202e"])
def test_what_nobody_sees_hides_no_memory(alice, sign):
    alice.remember(f"Air{sign}bus builds the A350 in Toulouse")
    alice.remember("The bus leaves at nine")
    assert alice.recall("Airbus").texts == [f"Air{sign}bus builds the A350 in Toulouse"]
    assert alice.recall(f"A{sign}irbus").texts[0] == f"Air{sign}bus builds the A350 in Toulouse"
