"""Why a memory comes for a query or does not, and how many do not for which reason: as far as the asker may know."""

from __future__ import annotations

from collections import Counter

import pytest

from memfort import InvalidInput
from memfort.errors import Denied
from memfort.model.item import Status
from memfort.policy.settings.document import read_policy

TEA = "I prefer green tea"


def reason_for(asker, id, query="green tea", **wanted):
    """The reason, checked against what a recall with the same wishes does."""
    explanation = asker.explain(id, query=query, **wanted)
    budget = wanted.pop("budget_tokens", None)
    if budget is None:
        came = asker.recall(query, **wanted).hits
    else:
        came = asker.context(query, budget_tokens=budget, **wanted).hits
    assert explanation.shown == (id in [hit.id for hit in came])
    return explanation.reason


# -- it comes ---------------------------------------------------------------------------------------------------------


def test_recall_hits_are_explained_with_rank_score_and_features(alice):
    ids = [alice.remember(text).id for text in (TEA, "tea with Bob", "green is the garden, and the tea in it")]
    hits = alice.recall("green tea").hits
    assert {hit.id for hit in hits} == set(ids)
    for place, hit in enumerate(hits, start=1):
        explanation = alice.explain(hit.id, query="green tea")
        assert (explanation.shown, explanation.reason) == (True, "matches_query")
        assert (explanation.ranking.rank, explanation.ranking.matches, explanation.ranking.limit) == (place, 3, 10)
        assert (explanation.ranking.score, explanation.ranking.level) == (hit.score, hit.level)
        assert explanation.ranking.features == hit.features
        assert sum(explanation.ranking.features.values()) == pytest.approx(explanation.ranking.score, abs=1e-5)
        assert (
            explanation.lines[0]
            == f"{hit.id} comes to user:alice for this query: {explanation.lines[0].split(': ', 1)[1]}"
        )


def test_id_and_query_may_be_named_in_either_order(alice):
    id = alice.remember(TEA).id
    assert alice.explain(query="tea", id=id) == alice.explain(id, query="tea")
    with pytest.raises(InvalidInput, match="viewer"):
        alice.explain("tea", viewer=id)
    assert alice.explain(id).ranking is None


def test_neither_the_words_nor_the_query_are_repeated(alice):
    id = alice.remember("the minister drinks absinthe", tags=["absinthe"]).id
    for explanation in (
        alice.explain(id, query="minister absinthe"),
        alice.explain(id, query="absinthe", tags=["ops"]),
    ):
        assert "absinthe" not in str(explanation)
        assert id in str(explanation)


# -- it does not come, and why ----------------------------------------------------------------------------------------


def test_below_the_floor_shows_the_score_and_the_floor(alice):
    id = alice.remember(TEA).id
    alice.remember("zebras are striped")
    assert reason_for(alice, id, "zebra") == "no_match"
    ranking = alice.explain(id, query="zebra").ranking
    assert (ranking.rank, ranking.matches) == (None, 1)
    assert ranking.reached["words"] == 0 == ranking.floor["words"]
    assert ranking.reached["meaning"] < ranking.floor["meaning"]
    assert "not among the 1 that match" in str(alice.explain(id, query="zebra"))
    assert reason_for(alice, id, "tea") == "matches_query"


def test_a_query_without_words_finds_nothing_and_says_so(alice):
    id = alice.remember(TEA).id
    assert reason_for(alice, id, "?!") == "no_match"
    assert reason_for(alice, id, "tea") == "matches_query"


def test_the_floor_is_the_policys(open_memory):
    strict = read_policy("[recall]\nleast_words = 0.9\nleast_meaning = 1.0\n", "strict")
    for policy, reason in (({"policy": strict}, "no_match"), ({}, "matches_query")):
        alice = open_memory(**policy).as_user("alice")
        id = alice.remember("the kettle boils water for tea every morning").id
        assert reason_for(alice, id, "green tea") == reason
        ranking = alice.explain(id, query="green tea").ranking
        assert 0 < ranking.reached["words"] < 0.9
        assert ranking.floor["words"] == (0.9 if policy else 0)


def test_behind_the_limit_says_at_which_place(alice):
    for number in range(4):
        alice.remember(f"green tea number {number}")
    last = alice.recall("green tea", limit=10).hits[-1].id
    assert reason_for(alice, last, limit=3) == "below_limit"
    ranking = alice.explain(last, query="green tea", limit=3).ranking
    assert (ranking.rank, ranking.matches, ranking.limit) == (4, 4, 3)
    assert reason_for(alice, last, limit=4) == "matches_query"


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        ({"tags": ["ops"]}, {"tags": ["home"]}),
        ({"types": ["task"]}, {"types": ["preference"]}),
        ({"kinds": ["profile"]}, {"kinds": ["semantic"]}),
    ],
)
def test_a_filter_is_named(alice, wanted, fits):
    id = alice.remember(TEA, tags=["home"], type="preference").id
    assert reason_for(alice, id, **wanted) == "not_asked_for"
    assert f"other {next(iter(wanted))}" in str(alice.explain(id, query="tea", **wanted))
    assert reason_for(alice, id, **fits) == "matches_query"


def test_another_space_than_the_one_asked(memory):
    alice = memory.as_user("alice", project="apollo")
    id = alice.remember(TEA).id
    assert reason_for(alice, id, space={"project": "apollo"}) == "outside_asked_space"
    assert reason_for(alice, id, space={"user": "alice"}) == "matches_query"
    assert reason_for(alice, id) == "matches_query"


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda alice: alice.remember(TEA, confidence=0.1).id, "pending_review"),
        (lambda alice: alice.remember(TEA, status="rejected").id, "rejected"),
        (lambda alice: alice.forget(alice.remember(TEA).id)[0].id, "forgotten"),
        (lambda alice: alice.remember(TEA, ttl_seconds=1).id, "expired"),
        (lambda alice: alice.remember(TEA).id, "matches_query"),
    ],
    ids=["pending", "rejected", "forgotten", "expired", "matches"],
)
def test_an_inactive_memory_gives_its_state_as_the_reason(alice, bob, clock, make, reason):
    id = make(alice)
    clock.advance(1)
    assert alice.explain(id, query="green tea", tags=["ops"] if reason != "matches_query" else []).reason == reason
    assert reason_for(alice, id) == reason
    assert bob.explain(id, query="green tea").reason == "not_found"


def test_a_superseded_memory_names_its_replacement(alice):
    old = alice.remember(TEA).id
    new = alice.correct(old, "I prefer black tea").id
    explanation = alice.explain(old, query="tea")
    assert (explanation.shown, explanation.reason) == (False, "superseded")
    assert f"replaced by {new}" in str(explanation)
    assert reason_for(alice, new, "tea") == "matches_query"


def test_another_phase(alice):
    id = alice.remember(TEA).id
    assert reason_for(alice, id) == "matches_query"
    alice.phase.start("a new quarter")
    assert reason_for(alice, id) == "other_phase"


def test_your_memory_in_another_space_is_not_where_you_stand(memory, alice):
    there = memory.as_user("alice", session="s1")
    id = there.remember(TEA, space={"session": "s1"}).id
    assert reason_for(alice, id) == "not_where_you_stand"
    assert reason_for(there, id) == "matches_query"


def test_the_budget_of_a_prompt(alice):
    alice.remember("tea")
    long = alice.remember("tea of the garden in the hills, picked by hand in the early morning of a cold day").id
    assert reason_for(alice, long, "tea", budget_tokens=30) == "tokens_full"
    explanation = str(alice.explain(long, query="tea", budget_tokens=30))
    assert "it takes about 27 tokens and the fence 21, of 30, and 1 other is in" in explanation
    assert reason_for(alice, long, "tea", budget_tokens=300) == "matches_query"
    assert alice.explain(long, query="tea", budget_tokens=300).ranking.limit == 50


# -- only as far as the asker may know --------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["green tea", "zebra", "?!"])
def test_another_users_memory_is_explained_like_a_missing_one(alice, bob, events, query):
    id = alice.remember(TEA).id
    wishes = [{}, {"limit": 1}, {"tags": ["ops"]}, {"budget_tokens": 30}, {"space": {"user": "alice"}}]
    for wanted in wishes:
        explanation = bob.explain(id, query=query, **wanted)
        assert explanation.reason == "not_found"
        assert str(explanation) == str(bob.explain("mem_none", query=query, **wanted)).replace("mem_none", id)
        assert explanation.ranking is None
    of_bob = [event for event in events() if event["action"] == "explain" and event["actor"]["id"] == "bob"]
    assert {str(event["detail"].get("ids")) for event in of_bob} == {"[]"}
    assert alice.explain(id, query=query).reason != "not_found"


def test_memories_of_other_readers_take_no_rank(memory):
    alice, bob = memory.as_user("alice", org="acme"), memory.as_user("bob", org="acme")
    for number in range(3):
        alice.remember(f"green tea {number}", space={"org": "acme"}, access={"users": ["alice"]})
    id = alice.remember("tea", space={"org": "acme"}).id
    assert (bob.explain(id, query="green tea").ranking.rank, bob.explain(id, query="tea").ranking.matches) == (1, 1)
    assert alice.explain(id, query="green tea").ranking.matches == 4


def test_explain_hides_a_private_memory_in_a_group_and_gives_the_reason_to_its_owner_alone(memory):
    memory.chat.register("team", kind="group", participants=["alice", "bob"])
    memory.chat.register("dm", kind="private", participants=["alice"])
    alone, team = memory.as_user("alice"), memory.as_user("alice", chat="team")
    secret = memory.as_user("alice", chat="dm").remember("I have anxiety about tea", space={"user": "alice"}).id
    said = team.remember("I like tea", space={"user": "alice"}).id
    assert team.explain(secret, query="tea") == team.explain(secret)
    assert str(team.explain(secret, query="tea")) == str(team.explain("mem_none")).replace("mem_none", secret)
    assert team.explain(said, query="tea").ranking.matches == 1
    explanation = alone.explain(secret, viewer=team, query="tea")
    assert (explanation.shown, explanation.reason) == (False, "learned_in_private")
    assert alone.explain(said, viewer=team, query="tea").reason == "matches_query"
    assert alone.explain(secret, query="tea").shown


def test_explain_does_not_rank_for_another_user(memory, alice, bob):
    id = alice.remember(TEA).id
    alice.share(user="bob")
    with pytest.raises(InvalidInput, match="for yourself only"):
        alice.explain(id, viewer=bob, query="tea")
    assert alice.explain(id, viewer=bob).shown
    memory.chat.register("team", kind="group", participants=["alice", "bob"])
    with pytest.raises(InvalidInput, match="outside of any chat"):
        memory.as_user("alice", chat="team").explain(id, viewer=alice, query="tea")


def test_a_disclosed_memory_is_explained_without_its_metadata(memory):
    memory.chat.register("team", kind="group", participants=["ada", "bea"])
    ada, bea = memory.as_user("ada", chat="team"), memory.as_user("bea")
    id = ada.remember("Bea plays the violin", subjects=["@bea"], tags=["odd"], space={"user": "ada"}).id
    explanation = bea.explain(id, query="violin")
    assert (explanation.shown, explanation.reason, explanation.ranking.level) == (True, "about_person", "about_me")
    assert "said by @ada in the chat team" in str(explanation)
    assert not any(word in str(explanation) for word in ("lives in", "policy", "written by"))
    assert (bea.recall("violin", tags=["odd"]).hits, bea.explain(id, query="violin", tags=["odd"]).reason) == (
        (),
        "not_asked_for",
    )
    assert reason_for(bea, id, "zebra") == "no_match"
    with pytest.raises(Denied):
        bea.explain(id, viewer=ada)
    assert [hit.id for hit in ada.recall("violin", tags=["odd"])] == [id]


def test_an_expired_disclosed_memory_is_explained_as_absent(memory, clock):
    memory.chat.register("team", kind="group", participants=["ada", "bea"])
    ada, bea = memory.as_user("ada", chat="team"), memory.as_user("bea")
    id = ada.remember("Bea plays the violin", subjects=["@bea"], space={"user": "ada"}, ttl_seconds=60).id
    assert bea.explain(id).shown
    clock.advance(60)
    assert bea.get(id) is None
    assert str(bea.explain(id)) == str(bea.explain("mem_none")).replace("mem_none", id)
    assert ada.explain(id).reason == "expired"


# -- what did not come, counted ---------------------------------------------------------------------------------------


def everything(asker):
    states = [status.value for status in Status]
    return [item.id for item in asker.list(limit=100, statuses=states, deleted=True)]


def full_of_reasons(alice, clock):
    alice.remember("tea is grown in the garden", ttl_seconds=5)
    clock.advance(5)
    for text in (TEA, "green tea for two", "tea tea", "zebras are striped", "the harbor is wide"):
        alice.remember(text)
    alice.remember("green tea waits", confidence=0.1)
    alice.remember("green tea was wrong", status="rejected")
    alice.correct(alice.remember("green tea is old").id, "green tea is new")
    alice.forget(alice.remember("green tea is gone").id)
    alice.remember("green tea as a task", type="task", tags=["ops"])


@pytest.mark.parametrize("wanted", [{}, {"limit": 2}, {"limit": 1, "tags": ["ops"]}, {"types": ["preference"]}])
def test_every_memory_came_or_is_counted_under_the_reason_explain_gives(alice, clock, wanted):
    full_of_reasons(alice, clock)
    found = alice.recall("green tea", explain=True, **wanted)
    why = Counter(alice.explain(id, query="green tea", **wanted).reason.value for id in everything(alice))
    assert why.pop("matches_query", 0) == len(found)
    assert dict(found.withheld) == dict(why)
    assert {"pending_review", "rejected", "superseded", "forgotten", "expired"} <= why.keys()
    assert found.hash == alice.recall("green tea", **wanted).hash


@pytest.mark.parametrize("wanted", [{}, {"limit": 3}, {"tags": ["ops"]}, {"types": ["preference"], "limit": 1}])
@pytest.mark.parametrize("budget", [1, 32, 45, 1000])
def test_every_memory_is_in_the_prompt_or_counted_under_the_reason_explain_gives(alice, clock, budget, wanted):
    full_of_reasons(alice, clock)
    alice.remember("green tea of the garden in the hills, picked by hand in the early morning of a cold and windy day")
    wanted = {"budget_tokens": budget, **wanted}
    found = alice.context("green tea", explain=True, **wanted)
    why = Counter(alice.explain(id, query="green tea", **wanted).reason.value for id in everything(alice))
    assert why.pop("matches_query", 0) == len(found.hits)
    assert dict(found.withheld) == dict(why)
    assert list(found.withheld) == sorted(found.withheld)
    assert found.withheld.get("tokens_full", 0) == found.left_out
    assert {"pending_review", "rejected", "superseded", "forgotten", "expired"} <= why.keys()
    if "limit" not in wanted and "tags" not in wanted:
        assert bool(found.left_out) == (budget < 1000)
    assert (found.text, alice.context("green tea", **wanted).withheld) == (
        alice.context("green tea", **wanted).text,
        None,
    )


def test_nothing_is_counted_unless_it_is_asked_for(alice):
    alice.remember(TEA)
    alice.remember("zebras are striped")
    assert alice.recall("tea").withheld is None
    assert alice.recall("tea", explain=True).withheld == {"no_match": 1}
    with pytest.raises(InvalidInput, match="as_of"):
        alice.recall("tea", explain=True, as_of="phase-1")
    with pytest.raises(InvalidInput, match="as_of"):
        alice.context("tea", explain=True, as_of="phase-1")


def test_memories_of_a_past_phase_are_counted_only_for_writers(alice, bob):
    alice.remember(TEA)
    alice.share(user="bob")
    alice.phase.start("a new quarter")
    alice.remember("tea is black now")
    assert alice.recall("tea", explain=True).withheld == {"other_phase": 1}
    assert bob.recall("tea", explain=True).withheld == {}
    assert len(bob.recall("tea")) == 1


def test_withheld_counts_cover_only_what_the_caller_may_know(memory, clock):
    alice, bob = memory.as_user("alice", org="acme"), memory.as_user("bob", org="acme")
    bob.remember("tea", space={"org": "acme"})
    before = bob.recall("tea", explain=True)
    full_of_reasons(alice, clock)
    alice.remember("green tea in secret", space={"org": "acme"}, access={"users": ["alice"]})
    assert bob.recall("tea", explain=True).withheld == before.withheld == {}
    alice.remember("zebras", space={"org": "acme"})
    assert bob.recall("tea", explain=True).withheld == {"no_match": 1}
    alice.share(user="bob")
    shared = bob.recall("tea", explain=True, space={"user": "alice"}).withheld
    assert not {"pending_review", "rejected", "superseded", "forgotten", "expired"} & shared.keys()
    assert shared["no_match"] == 2


# -- bad questions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        ({"query": 5}, "query"),
        ({"query": "tea", "limit": 0}, "limit"),
        ({"query": "tea", "budget_tokens": 0}, "budget_tokens"),
        ({"query": "tea", "types": ["nonsense"]}, "type"),
        ({"query": "tea", "space": {"planet": "x"}}, "planet"),
        ({"limit": 3}, "query"),
        ({"tags": ["ops"]}, "query"),
        ({"budget_tokens": 30}, "query"),
    ],
)
def test_invalid_questions_give_the_same_error_for_every_id(alice, bob, wanted, field):
    mine = alice.remember(TEA).id
    said = []
    for asker, id in ((alice, mine), (bob, mine), (bob, "mem_none")):
        with pytest.raises(InvalidInput, match=field) as raised:
            asker.explain(id, **wanted)
        said.append(str(raised.value))
    assert len(set(said)) == 1


def test_a_trace_is_explained_without_a_query(alice):
    alice.remember(TEA)
    trace = alice.recall("tea").trace
    with pytest.raises(InvalidInput, match="as it was asked"):
        alice.explain(trace, query="tea")
    assert alice.explain(trace).shown
