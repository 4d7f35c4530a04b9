"""What programs expect of a LangGraph store: namespaces, keys, filters, pages, lifetimes, batches, awaited or not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
    TTLConfig,
)
from langmem import create_manage_memory_tool, create_search_memory_tool

from memfort import Denied, FixedClock, InvalidInput, Memory
from memfort.integrations.langgraph import MemfortStore

NOON = int(datetime(2026, 1, 1, 12, tzinfo=UTC).timestamp() * 1_000_000)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOON)


@pytest.fixture
def memory(clock: FixedClock) -> Iterator[Memory]:
    with Memory.open(":memory:", clock=clock) as opened:
        yield opened


@pytest.fixture
def store(memory: Memory) -> MemfortStore:
    return MemfortStore(memory.as_user("alice"))


DOCS = ("docs", "user1")


# -- one value ---------------------------------------------------------------------------------------------------------


def test_a_value_comes_back_as_it_was_put(store: MemfortStore) -> None:
    value = {"text": "grüner Tee ☕", "n": 1.5, "flags": [True, None], "deep": {"a": {"b": ["c"]}}, "quote": '"\\\n'}
    store.put(DOCS, "k", value)
    item = store.get(DOCS, "k")
    assert item is not None
    assert (item.value, item.key, item.namespace) == (value, "k", DOCS)
    assert isinstance(item.created_at, datetime)
    assert item.created_at.tzinfo is not None


@pytest.mark.parametrize("value", [{}, {"a": ""}, {"a": 0}, {"": "b"}])
def test_small_values_are_values(store: MemfortStore, value: dict[str, Any]) -> None:
    store.put(DOCS, "k", value)
    item = store.get(DOCS, "k")
    assert item is not None
    assert item.value == value


@pytest.mark.parametrize(
    "key", ["a/b", "a%2Fb", "a b", "ключ", "*", "..", "a.b", "7c9e6679-7425-40de-944b-e07fc1f90ae7"]
)
def test_any_key_is_a_key(store: MemfortStore, key: str) -> None:
    store.put(DOCS, key, {"a": 1})
    store.put(DOCS, "other", {"a": 2})
    item = store.get(DOCS, key)
    assert item is not None
    assert (item.key, item.value) == (key, {"a": 1})
    assert {one.key for one in store.search(DOCS)} == {key, "other"}


def test_the_same_words_at_two_places_do_not_meet(store: MemfortStore) -> None:
    for namespace, key in ((("a", "b"), "c"), (("a",), "b/c"), (("a",), "b%2Fc"), (("a/b",), "c"), (("a",), "b")):
        store.put(namespace, key, {"at": [*namespace, key]})
    for namespace, key in ((("a", "b"), "c"), (("a",), "b/c"), (("a",), "b%2Fc"), (("a/b",), "c"), (("a",), "b")):
        item = store.get(namespace, key)
        assert item is not None
        assert item.value == {"at": [*namespace, key]}


def test_equal_values_under_two_keys_are_two_values(store: MemfortStore) -> None:
    store.put(DOCS, "one", {"text": "likes tea"})
    store.put(DOCS, "two", {"text": "likes tea"})
    store.delete(DOCS, "one")
    assert store.get(DOCS, "one") is None
    assert store.get(DOCS, "two") is not None


def test_a_new_value_keeps_the_time_of_the_first(store: MemfortStore, clock: FixedClock) -> None:
    times = []
    for number in range(3):
        store.put(DOCS, "k", {"n": number})
        item = store.get(DOCS, "k")
        assert item is not None
        assert item.value == {"n": number}
        times.append((item.created_at, item.updated_at))
        clock.advance(seconds=60)
    assert {created for created, _ in times} == {times[0][0]}
    assert all(before < after for (_, before), (_, after) in pairwise(times))
    assert len(store.search(DOCS)) == 1


def test_what_is_not_there_is_none(store: MemfortStore) -> None:
    assert store.get(DOCS, "nothing") is None
    store.delete(DOCS, "nothing")
    store.put(DOCS, "k", {"a": 1})
    assert store.get(DOCS, "K") is None
    assert store.get(("docs",), "k") is None


def test_a_deleted_value_can_be_put_again(store: MemfortStore) -> None:
    for _ in range(3):
        store.put(DOCS, "k", {"a": 1})
        assert store.get(DOCS, "k") is not None
        store.delete(DOCS, "k")
        assert store.get(DOCS, "k") is None


@pytest.mark.parametrize("value", [{"a": object()}, {"a": float("nan")}, {"a": {1, 2}}])
def test_a_value_that_is_no_json_names_the_remedy(store: MemfortStore, value: Any) -> None:
    with pytest.raises(InvalidInput, match="value: it cannot be written as JSON") as error:
        store.put(DOCS, "k", value)
    assert error.value.field == "value"


# -- namespaces --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "namespace", [(), ("",), ("a", ""), ("a.b",), ("a", "b.c"), ("langgraph", "a"), ("a\0",), (1,)]
)
def test_put_refuses_namespaces_that_are_none(store: MemfortStore, namespace: Any) -> None:
    with pytest.raises((InvalidNamespaceError, InvalidInput)):
        store.put(namespace, "k", {"a": 1})


@pytest.mark.parametrize(
    "op",
    [
        PutOp(("a", "b.c"), "k", {"a": 1}),
        PutOp((), "k", {"a": 1}),
        GetOp(("a.b",), "k"),
        GetOp((), "k"),
        SearchOp(("a.b",)),
        ListNamespacesOp((MatchCondition("prefix", ("a.b",)),)),
    ],
)
def test_a_batch_refuses_them_too_and_does_nothing(store: MemfortStore, op: Any) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(("a",), "k", {"a": 1}), op])
    assert store.search(()) == []


def test_no_prefix_crosses_the_border_of_a_segment(store: MemfortStore) -> None:
    """CVE-2026-71433: the tenant `acme` read what belonged to `acme-corp`."""
    for tenant in ("acme", "acme-corp", "acme/corp", "acme%", "acm", "ACME"):
        store.put(("tenants", tenant, "notes"), "k", {"of": tenant, "text": "The invoices are paid"})
    assert [one.value["of"] for one in store.search(("tenants", "acme"))] == ["acme"]
    assert [one.value["of"] for one in store.search(("tenants", "acme"), query="invoices")] == ["acme"]
    assert len(store.search(("tenants",), query="invoices")) == 6
    assert store.list_namespaces(prefix=("tenants", "acme")) == [("tenants", "acme", "notes")]
    assert store.search(("tenants", "acme", "note")) == []
    assert len(store.search(("tenants",))) == 6


@pytest.mark.parametrize("prefix", [("%",), ("*",), ("_",), ("a*",), ("a%",), ("[a]",), ("?",)])
def test_no_character_stands_for_others(store: MemfortStore, prefix: tuple[str]) -> None:
    store.put(("a",), "k", {"a": 1})
    assert store.search(prefix) == []
    store.put(prefix, "k", {"a": 2})
    assert [one.value for one in store.search(prefix)] == [{"a": 2}]


def test_namespaces_are_listed_by_prefix_suffix_and_depth(store: MemfortStore) -> None:
    spaces = [
        ("a", "b", "c"),
        ("a", "b", "d", "e"),
        ("a", "b", "d", "i"),
        ("a", "b", "f"),
        ("a", "c", "f"),
        ("b", "a", "f"),
        ("users", "123"),
        ("users", "456", "settings"),
        ("admin", "users", "789"),
    ]
    for number, namespace in enumerate(spaces):
        store.put(namespace, f"k{number}", {"n": number})
    assert set(store.list_namespaces()) == set(spaces)
    assert set(store.list_namespaces(prefix=("a", "b"))) == set(spaces[:4])
    assert set(store.list_namespaces(suffix=("f",))) == {spaces[3], spaces[4], spaces[5]}
    assert set(store.list_namespaces(prefix=("a",), suffix=("f",))) == {spaces[3], spaces[4]}
    assert set(store.list_namespaces(prefix=("a", "*", "f"))) == {spaces[3], spaces[4]}
    assert set(store.list_namespaces(suffix=("*", "f"))) == {spaces[3], spaces[4], spaces[5]}
    assert set(store.list_namespaces(max_depth=1)) == {("a",), ("b",), ("users",), ("admin",)}
    assert set(store.list_namespaces(prefix=("a", "b"), max_depth=3)) == {
        ("a", "b", "c"),
        ("a", "b", "d"),
        ("a", "b", "f"),
    }
    assert store.list_namespaces(prefix=("nothing",)) == []
    assert store.list_namespaces(prefix=("user",)) == []


def test_namespaces_come_in_pages(store: MemfortStore) -> None:
    for number in range(20):
        store.put(("namespace", f"sub_{number:02d}"), "k", {"n": number})
    pages = [store.list_namespaces(prefix=("namespace",), limit=8, offset=offset) for offset in (0, 8, 16)]
    assert [len(page) for page in pages] == [8, 8, 4]
    assert [one for page in pages for one in page] == [("namespace", f"sub_{number:02d}") for number in range(20)]


def test_a_namespace_without_values_is_not_listed(store: MemfortStore) -> None:
    store.put(("a", "b"), "k", {"a": 1})
    store.delete(("a", "b"), "k")
    assert store.list_namespaces() == []


# -- searching ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def filled(store: MemfortStore) -> MemfortStore:
    values = [
        {"type": "article", "author": "ada", "views": 10, "tags": ["x", "y"], "meta": {"lang": "en", "stars": 3}},
        {"type": "article", "author": "ben", "views": 20, "tags": ["x"], "meta": {"lang": "de", "stars": 5}},
        {"type": "report", "author": "ada", "views": 30, "tags": [], "meta": {"lang": "en", "stars": 1}},
    ]
    for number, value in enumerate(values):
        store.put(("shelf",), f"d{number}", value)
    return store


@pytest.mark.parametrize(
    ("filter", "found"),
    [
        ({"type": "article"}, {"d0", "d1"}),
        ({"type": "article", "author": "ada"}, {"d0"}),
        ({"type": "essay"}, set()),
        ({"views": {"$gt": 10}}, {"d1", "d2"}),
        ({"views": {"$gte": 10, "$lt": 30}}, {"d0", "d1"}),
        ({"views": {"$lte": 10}}, {"d0"}),
        ({"author": {"$ne": "ada"}}, {"d1"}),
        ({"author": {"$eq": "ada"}}, {"d0", "d2"}),
        ({"tags": ["x", "y"]}, {"d0"}),
        ({"meta": {"lang": "en"}}, {"d0", "d2"}),
        ({"meta": {"lang": "en", "stars": {"$gt": 2}}}, {"d0"}),
        ({"missing": {"$gt": 1}}, set()),
        ({"missing": None}, {"d0", "d1", "d2"}),
        ({}, {"d0", "d1", "d2"}),
    ],
)
def test_filters(filled: MemfortStore, filter: dict[str, Any], found: set[str]) -> None:
    assert {one.key for one in filled.search(("shelf",), filter=filter)} == found


def test_an_unknown_operator_is_an_error(filled: MemfortStore) -> None:
    with pytest.raises(ValueError, match="`\\$like` is not an operator"):
        filled.search(("shelf",), filter={"author": {"$like": "a"}})


def test_results_come_in_pages(store: MemfortStore) -> None:
    for number in range(12):
        store.put(("n",), f"k{number}", {"n": number})
    pages = [store.search(("n",), limit=5, offset=offset) for offset in (0, 5, 10, 15)]
    assert [len(page) for page in pages] == [5, 5, 2, 0]
    assert len({one.key for page in pages for one in page}) == 12
    assert len(store.search(("n",))) == 10


def test_a_query_finds_what_answers_it_with_a_score(store: MemfortStore) -> None:
    store.put(("m", "a"), "tea", {"text": "My favourite tea is Darjeeling"})
    store.put(("m", "b"), "bike", {"text": "The bicycle is red"})
    store.put(("other",), "tea", {"text": "Darjeeling is a tea from India"})
    found = store.search(("m",), query="which tea")
    assert [one.key for one in found][:1] == ["tea"]
    assert found[0].namespace == ("m", "a")
    assert found[0].score is not None
    assert found[0].score > 0
    assert store.search(("m",), query="which tea", filter={"text": "The bicycle is red"}) == []


def test_what_is_not_indexed_is_read_and_listed_but_not_searched(store: MemfortStore) -> None:
    store.put(("m",), "k", {"text": "My favourite tea is Darjeeling"}, index=False)
    assert store.search(("m",), query="favourite tea") == []
    assert store.get(("m",), "k") is not None
    assert len(store.search(("m",))) == 1


def test_more_values_than_a_page_of_the_store_holds(memory: Memory) -> None:
    store = MemfortStore(memory.as_user("alice"))
    store.batch([PutOp(("n", f"s{number % 7}"), f"k{number}", {"n": number}) for number in range(1100)])
    assert len(store.search(("n",), limit=2000)) == 1100
    assert len(store.list_namespaces()) == 7


# -- lifetimes ---------------------------------------------------------------------------------------------------------


def test_a_lifetime_is_in_minutes_and_reading_does_not_move_it(store: MemfortStore, clock: FixedClock) -> None:
    store.put(DOCS, "k", {"a": 1}, ttl=2)
    clock.advance(seconds=119)
    assert store.get(DOCS, "k", refresh_ttl=True) is not None
    clock.advance(seconds=1)
    assert store.get(DOCS, "k") is None
    assert store.search(DOCS) == []
    assert store.list_namespaces() == []


def test_writing_again_begins_a_lifetime_anew(store: MemfortStore, clock: FixedClock) -> None:
    store.put(DOCS, "k", {"a": 1}, ttl=2)
    clock.advance(seconds=100)
    store.put(DOCS, "k", {"a": 1}, ttl=2)
    clock.advance(seconds=100)
    assert store.get(DOCS, "k") is not None
    store.put(DOCS, "k", {"a": 1})
    clock.advance(seconds=10_000)
    assert store.get(DOCS, "k") is not None


def test_a_default_lifetime(memory: Memory, clock: FixedClock) -> None:
    store = MemfortStore(memory.as_user("alice"), ttl=TTLConfig(default_ttl=1))
    store.put(DOCS, "short", {"a": 1})
    store.put(DOCS, "long", {"a": 1}, ttl=None)
    clock.advance(seconds=61)
    assert store.get(DOCS, "short") is None
    assert store.get(DOCS, "long") is not None


def test_deadlines_that_reading_moves_are_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="reading moves no deadline"):
        MemfortStore(memory.as_user("alice"), ttl=TTLConfig(refresh_on_read=True))


# -- batches -----------------------------------------------------------------------------------------------------------


def test_a_batch_answers_by_position_from_before_itself(store: MemfortStore) -> None:
    store.put(("a",), "k", {"n": 1})
    results = store.batch(
        [
            GetOp(("a",), "k"),
            PutOp(("a",), "k", {"n": 2}),
            PutOp(("a",), "new", {"n": 3}),
            SearchOp(("a",), limit=10),
            GetOp(("a",), "new"),
            ListNamespacesOp(),
            PutOp(("a",), "k", {"n": 4}),
        ]
    )
    assert results[0].value == {"n": 1}
    assert results[1] is None
    assert [one.value for one in results[3]] == [{"n": 1}]
    assert results[4] is None
    assert results[5] == [("a",)]
    item = store.get(("a",), "k")
    assert item is not None
    assert item.value == {"n": 4}
    assert store.get(("a",), "new") is not None


def test_a_put_and_a_delete_of_one_key_in_a_batch(store: MemfortStore) -> None:
    store.batch([PutOp(("a",), "k", {"n": 1}), PutOp(("a",), "k", None)])
    assert store.get(("a",), "k") is None
    store.batch([PutOp(("a",), "k", None), PutOp(("a",), "k", {"n": 1})])
    assert store.get(("a",), "k") is not None


def test_awaited_it_is_the_same(memory: Memory) -> None:
    async def story() -> None:
        store = MemfortStore(memory.as_user("alice"))
        await store.aput(DOCS, "k", {"text": "green tea"}, ttl=5)
        item = await store.aget(DOCS, "k")
        assert item is not None
        assert item.value == {"text": "green tea"}
        assert [one.key for one in await store.asearch(("docs",), query="tea")] == ["k"]
        assert await store.alist_namespaces() == [DOCS]
        await asyncio.gather(*(store.aput(DOCS, f"k{number}", {"n": number}) for number in range(20)))
        assert len(await store.asearch(DOCS, limit=50)) == 21
        await store.adelete(DOCS, "k")
        assert await store.aget(DOCS, "k") is None

    asyncio.run(story())


# -- what the policy says ----------------------------------------------------------------------------------------------


def test_a_refused_value_is_an_exception_and_not_there(store: MemfortStore) -> None:
    with pytest.raises(Denied, match="never stored") as error:
        store.put(DOCS, "k", {"login": {"password": "hunter2-Xk9Q"}})
    assert error.value.reason == "secret"
    assert "hunter2" not in str(error.value)
    assert store.get(DOCS, "k") is None


def test_a_value_that_waits_for_review_says_so(store: MemfortStore, memory: Memory) -> None:
    with pytest.raises(Denied, match="waits for review by alice"):
        store.put(DOCS, "k", {"mail": "bob@example.com"})
    assert store.get(DOCS, "k") is None
    alice = memory.as_user("alice")
    alice.review.approve(*(one.item.id for one in alice.review.list()))
    item = store.get(DOCS, "k")
    assert item is not None
    assert item.value == {"mail": "bob@example.com"}


def test_a_namespace_is_no_tenant(memory: Memory) -> None:
    """Each user has a store; naming another user in a namespace is a place in one's own."""
    alices, bobs = MemfortStore(memory.as_user("alice")), MemfortStore(memory.as_user("bob"))
    bobs.put(("users", "bob"), "tea", {"text": "Assam"})
    assert alices.get(("users", "bob"), "tea") is None
    assert alices.search(()) == []
    assert alices.search((), query="Assam") == []
    assert alices.list_namespaces() == []
    alices.put(("users", "bob"), "tea", {"text": "Sencha"})
    item = bobs.get(("users", "bob"), "tea")
    assert item is not None
    assert item.value == {"text": "Assam"}


def test_a_namespace_can_stand_for_a_space(memory: Memory) -> None:
    for user in ("alice", "bob"):
        memory.member.add({"project": "apollo"}, user=user)
    spaces = {("team",): {"project": "apollo"}}
    alices = MemfortStore(memory.as_user("alice", project="apollo"), spaces=spaces)
    bobs = MemfortStore(memory.as_user("bob", project="apollo"), spaces=spaces)
    carols = MemfortStore(memory.as_user("carol"))
    alices.put(("team", "facts"), "launch", {"text": "We launch on Friday"})
    alices.put(("mine",), "tea", {"text": "I like Darjeeling"})
    item = bobs.get(("team", "facts"), "launch")
    assert item is not None
    assert item.value == {"text": "We launch on Friday"}
    assert [one.key for one in bobs.search(())] == ["launch"]
    assert [one.key for one in bobs.search((), query="launch Friday")] == ["launch"]
    assert bobs.list_namespaces() == [("team", "facts")]
    assert {one.key for one in alices.search(())} == {"launch", "tea"}
    assert carols.search(()) == []
    assert carols.get(("team", "facts"), "launch") is None


def test_other_memories_are_no_values(memory: Memory) -> None:
    alice = memory.as_user("alice")
    alice.remember("I like Darjeeling")
    alice.remember("Europe/Lisbon", kind="profile", key="timezone")
    store = MemfortStore(alice)
    store.put(DOCS, "k", {"text": "green tea"})
    assert [one.key for one in store.search(())] == ["k"]
    assert store.get(("timezone",), "") is None


def test_what_a_value_says_is_remembered_like_anything_else(memory: Memory) -> None:
    alice = memory.as_user("alice")
    MemfortStore(alice).put(("m",), "k", {"text": "My favourite tea is Darjeeling"})
    assert "Darjeeling" in alice.recall("favourite tea").hits[0].text


def test_nobody_has_no_store(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="as_user"):
        MemfortStore(memory)  # type: ignore[arg-type]


def test_langmems_tools_work_on_it_for_its_user_alone(memory: Memory) -> None:
    """A namespace with `{user_id}` from the configuration is a place in the store, whoever is named there."""
    namespace = ("memories", "{user_id}")

    def tools(user: str) -> Any:
        store = MemfortStore(memory.as_user(user))
        return (
            create_manage_memory_tool(namespace, store=store),
            create_search_memory_tool(namespace, store=store),
        )

    config: Any = {"configurable": {"user_id": "bob"}}
    (alices_manage, alices_search), (bobs_manage, bobs_search) = tools("alice"), tools("bob")
    bobs_manage.invoke({"content": "My favourite tea is Assam", "action": "create"}, config)
    assert "Assam" in bobs_search.invoke({"query": "favourite tea"}, config)
    assert "Assam" not in alices_search.invoke({"query": "favourite tea"}, config)
    alices_manage.invoke({"content": "My favourite tea is Sencha", "action": "create"}, config)
    assert "Sencha" not in bobs_search.invoke({"query": "favourite tea"}, config)
