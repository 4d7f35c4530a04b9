"""A reranker: another look at the first hits, within each level, shown with every hit; and no change without one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from memfort import Memory
from memfort.store.memory import MemoryStore

TEXTS = ["tea is green", "tea is black", "tea is white", "tea is cold"]


class Judge:
    """Says what a function says of each text."""

    name = "judge-1"

    def __init__(self, judge: Callable[[str], float]) -> None:
        self._judge = judge
        self.seen: list[tuple[str, list[str]]] = []

    def rank(self, query: str, texts: Sequence[str]) -> list[float]:
        self.seen.append((query, list(texts)))
        return [self._judge(text) for text in texts]


def opened(reranker: object | None, store: MemoryStore | None = None) -> Memory:
    return Memory(store or MemoryStore(), reranker=reranker)


def test_a_reranker_reorders_the_hits_and_its_feature_is_shown():
    store = MemoryStore()
    plain = opened(None, store).as_user("alice")
    plain.remember_many(TEXTS)
    before = plain.recall("tea")
    judge = Judge(lambda text: 4.0 if "black" in text else -4.0)
    found = opened(judge, store).as_user("alice").recall("tea")
    assert found.texts[0] == "tea is black" != before.texts[0]
    assert sorted(found.texts) == sorted(before.texts)
    assert [hit.features["rerank"] for hit in found] == pytest.approx([0.982014, 0.017986, 0.017986, 0.017986])
    for hit in found:
        assert hit.score == pytest.approx(sum(hit.features.values()), abs=1e-5)
    assert found.texts[1:] == [text for text in before.texts if text != "tea is black"]  # what ties stays as it was
    assert found.hash != before.hash
    assert "rerank" not in before.hits[0].features


def test_a_reranker_can_promote_a_hit_beyond_the_limit():
    memory = opened(Judge(lambda text: float("number 39" in text) * 9))
    alice = memory.as_user("alice")
    alice.remember_many([f"tea number {number}" for number in range(45)])
    assert alice.recall("tea", limit=3).texts[0] == "tea number 39"
    assert len(alice.recall("tea", limit=3)) == 3
    assert len(alice.recall("tea", limit=45)) == 45


def test_a_reranker_sees_the_first_fifty_hits_only():
    judge = Judge(lambda _: 1.0)
    alice = opened(judge).as_user("alice")
    alice.remember_many([f"tea number {number}" for number in range(70)])
    found = alice.recall("tea", limit=70)
    assert (len(found), len(judge.seen[0][1])) == (70, 50)
    assert ["rerank" in hit.features for hit in found] == [True] * 50 + [False] * 20


def test_the_account_of_one_memory_is_that_of_the_recall():
    """Its place, its score and its shares are those it came with, also where the reranker brought it up."""
    alice = opened(Judge(lambda text: float("number 39" in text) * 9)).as_user("alice")
    alice.remember_many([f"tea number {number}" for number in range(45)])
    found = alice.recall("tea", limit=45)
    for place in (1, 2, 45):
        hit = found.hits[place - 1]
        ranking = alice.explain(hit.id, query="tea", limit=45).ranking
        assert (ranking.rank, ranking.score, ranking.features) == (place, hit.score, hit.features)
    assert found.texts[0] == "tea number 39"


def test_a_reranker_does_not_reorder_levels():
    judge = Judge(lambda text: 9.0 if "team" in text else -9.0)
    memory = opened(judge)
    alice = memory.as_user("alice", project="apollo")
    alice.remember("tea for alice")
    alice.remember("tea for the team", space={"project": "apollo"})
    levels = [hit.level for hit in opened(None, memory._engine.store).as_user("alice", project="apollo").recall("tea")]
    found = alice.recall("tea")
    assert [hit.level for hit in found] == levels
    assert len(set(levels)) == 2


def test_a_reranker_sees_only_the_askers_hits():
    judge = Judge(lambda _: 0.0)
    memory = opened(judge)
    memory.as_user("bob").remember("tea that is bob's secret")
    memory.as_user("alice").remember("tea for alice")
    assert memory.as_user("alice").recall("tea").texts == ["tea for alice"]
    assert memory.as_user("carol").recall("tea").texts == []
    assert judge.seen == [("tea", ["tea for alice"])]


@pytest.mark.parametrize(
    ("rank", "said"),
    [
        (lambda *_: 1 / 0, "failed with ZeroDivisionError"),
        (lambda *_: [1.0], "1 numbers for 4 texts"),
        (lambda _, texts: [float("nan")] * len(texts), "one is not a number"),
        (lambda _, texts: ["x"] * len(texts), "failed with ValueError"),
    ],
)
def test_a_failing_reranker_changes_nothing_and_adds_a_warning(rank, said):
    class Broken:
        name = "broken-1"

    store = MemoryStore()
    opened(None, store).as_user("alice").remember_many(TEXTS)
    broken = Broken()
    broken.rank = rank
    before, found = (opened(one, store).as_user("alice").recall("tea") for one in (None, broken))
    assert [(hit.text, hit.score) for hit in found] == [(hit.text, hit.score) for hit in before]
    assert ["not reranked: reranker `broken-1`" in one and said in one for one in found.warnings] == [True]


def test_as_of_an_earlier_phase_too():
    alice = opened(Judge(lambda text: 4.0 if "cold" in text else 0.0)).as_user("alice")
    alice.remember_many(TEXTS)
    assert alice.recall("tea", as_of="phase-1", limit=2).texts[0] == "tea is cold"
