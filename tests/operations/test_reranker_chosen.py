"""A reranker that is named by a setting: a cross-encoder in a folder or a server, for real; and what it gets to see."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from embedding_server import RerankServer
from memfort import InvalidInput, Memory
from memfort.embed import log_odds, named_reranker
from memfort.store.memory import MemoryStore
from small_bert import one_that_looks_for, write_cross_encoder

TEXTS = ["tea is green", "tea is black", "tea is white", "tea is cold"]


@pytest.fixture
def server() -> Iterator[RerankServer]:
    with RerankServer(lambda text: 0.9 if "black" in text else 0.1).running() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_cross_encoder(tmp_path / "looks", one_that_looks_for("black"))


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore()
    Memory(store).as_user("alice").remember_many(TEXTS)
    return store


def test_a_cross_encoder_in_a_folder_reorders_the_hits(store, folder):
    before = Memory(store).as_user("alice").recall("tea")
    memory = Memory(store, reranker=f"local:{folder}")
    found = memory.as_user("alice").recall("tea")
    assert found.texts[0] == "tea is black" != before.texts[0]
    assert found.texts[1:] == [text for text in before.texts if text != "tea is black"]
    assert found.hits[0].features["rerank"] > 0.7
    assert [hit.features["rerank"] for hit in found.hits[1:]] == pytest.approx([0.047426] * 3, abs=1e-4)
    assert found.warnings == ()
    assert memory.store.info().reranker == "folder:looks"


def test_a_server_reorders_the_hits(store, server):
    found = Memory(store, reranker=f"{server.url}#judge").as_user("alice").recall("tea")
    assert (found.texts[0], found.warnings) == ("tea is black", ())
    assert [hit.features["rerank"] for hit in found] == [0.9, 0.1, 0.1, 0.1]
    [(_, asked)] = server.requests
    assert (asked["model"], asked["query"], sorted(asked["documents"])) == ("judge", "tea", sorted(TEXTS))


def test_a_named_function_reorders_the_hits(store):
    for judge in (
        named_reranker(lambda _, texts: [0.9 if "black" in text else 0.1 for text in texts], "mine", chances=True),
        named_reranker(lambda _, texts: [log_odds(0.9 if "black" in text else 0.1) for text in texts], "mine"),
    ):
        found = Memory(store, reranker=judge).as_user("alice").recall("tea")
        assert found.texts[0] == "tea is black"
        assert [hit.features["rerank"] for hit in found] == pytest.approx([0.9, 0.1, 0.1, 0.1])


def test_a_function_with_invalid_probabilities_changes_nothing(store):
    judge = named_reranker(lambda _, texts: [7.0] * len(texts), "mine", chances=True)
    found = Memory(store, reranker=judge).as_user("alice").recall("tea")
    assert found.texts == Memory(store).as_user("alice").recall("tea").texts
    assert ["reranker `mine`: it failed with ValueError" in one for one in found.warnings] == [True]


@pytest.mark.parametrize("given", [None, "none"])
def test_none_is_none(store, given):
    memory = Memory(store, reranker=given)
    assert "rerank" not in memory.as_user("alice").recall("tea").hits[0].features
    assert memory.store.info().reranker == "none"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("local", "none that is known"),
        ("local:minilm", "none that is known"),
        ("words", "none that is known"),
        ("", "none that is known"),
        ("local:./nowhere", "has no model"),
        ("https://host/v1/rerank", "the model is not named"),
        (lambda query, texts: [], "named_reranker"),
        (7, "an int is not a reranker"),
        (object(), "an object is not a reranker"),
    ],
)
def test_an_invalid_reranker_is_refused_by_field(given, said):
    with pytest.raises(InvalidInput, match=said) as refused:
        Memory(MemoryStore(), reranker=given)
    assert refused.value.field == "reranker"


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_a_function_needs_a_name(name):
    with pytest.raises(InvalidInput, match="name"):
        named_reranker(lambda query, texts: [], name)
    with pytest.raises(InvalidInput, match="cannot be called"):
        named_reranker("not a function", "name")


# -- when it fails ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((200, {}, {"results": []}), "0 numbers for 4 texts"),
        ((200, {}, b"{}"), "is not one to `/v1/rerank`"),
        ((401, {}, {}), "set MEMFORT_RERANKER_KEY to a key that it takes"),
    ],
)
def test_a_failing_server_keeps_the_order_and_adds_a_warning(store, server, answer, said):
    before = Memory(store).as_user("alice").recall("tea")
    alice = Memory(store, reranker=f"{server.url}#judge").as_user("alice")
    server.otherwise = lambda _: answer
    found = alice.recall("tea")
    assert [(hit.text, hit.score) for hit in found] == [(hit.text, hit.score) for hit in before]
    [warning] = found.warnings
    assert warning.startswith("not reranked: reranker `remote:judge`: ")
    assert said in warning
    server.otherwise = lambda _: None
    again = alice.recall("tea")  # nothing is remembered of a failure
    assert (again.texts[0], again.warnings) == ("tea is black", ())


def test_an_unreachable_server_keeps_the_order_and_adds_a_warning(store, server):
    before = Memory(store).as_user("alice").recall("tea")
    server.stop()
    found = Memory(store, reranker=f"{server.url}#judge").as_user("alice").recall("tea")
    assert found.texts == before.texts
    assert ["could not be asked (connection refused)" in one for one in found.warnings] == [True]


def test_a_broken_model_folder_keeps_the_order_and_adds_a_warning(store, folder):
    (folder / "vocab.txt").unlink()
    found = Memory(store, reranker=f"local:{folder}").as_user("alice").recall("tea")
    assert found.texts == Memory(store).as_user("alice").recall("tea").texts
    assert ["has no model of the BERT family" in one for one in found.warnings] == [True]


# -- what it gets to see ----------------------------------------------------------------------------------------------


def test_a_rerank_server_is_sent_only_the_askers_hits(server):
    memory = Memory(MemoryStore(), reranker=f"{server.url}#judge")
    bob = memory.as_user("bob", project="apollo", chat="lunch")
    bob.remember("tea that is bob's alone")
    bob.remember("tea for the team", space={"project": "apollo"})
    bob.remember("tea for lunch", space={"chat": "lunch"})
    alice = memory.as_user("alice", project="apollo")
    alice.remember("tea for alice")
    alice.remember("tea that waits", confidence=0.1)
    alice.forget(alice.remember("tea that is forgotten").id)
    assert server.requests == []  # writing asks nothing
    assert sorted(alice.recall("tea", limit=1).texts) == ["tea for alice"]
    assert sorted(server.texts) == ["tea for alice", "tea for the team"]
    assert memory.as_user("carol").recall("tea").texts == []
    alice.get(alice.list().items[0].id)
    assert len(server.requests) == 1  # an empty result is not sent, and no other verb asks
    server.requests.clear()
    assert "tea for lunch" in bob.recall("tea").texts
    assert not any("alice" in text for text in server.texts)


def test_in_a_chat_the_reranker_gets_only_what_the_chat_may_hear(server):
    memory = Memory(MemoryStore(), reranker=f"{server.url}#judge")
    memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
    memory.as_user("alice").remember("tea that alice likes in private", sensitivity="sensitive")
    there = memory.as_user("alice", chat="lunch")
    there.remember("tea for lunch", space={"chat": "lunch"})
    assert there.recall("tea").texts == ["tea for lunch"]
    assert server.texts == ["tea for lunch"]
    server.requests.clear()
    memory.as_user("alice").recall("tea")
    assert server.texts == ["tea that alice likes in private"]


def test_a_failure_for_one_user_changes_nothing_for_another(server):
    def hits_of_alice(trouble: bool) -> object:
        memory = Memory(MemoryStore(), reranker=f"{server.url}#judge")
        memory.as_user("alice").remember_many(TEXTS)
        if trouble:
            memory.as_user("bob").remember("tea of bob")
            server.otherwise = lambda asked: (400, {}, {}) if "tea of bob" in asked["documents"] else None
            assert memory.as_user("bob").recall("tea").warnings
        found = memory.as_user("alice").recall("tea")
        return [(hit.id, hit.text, hit.score, hit.features) for hit in found], found.warnings, found.hash

    assert hits_of_alice(trouble=True) == hits_of_alice(trouble=False)
