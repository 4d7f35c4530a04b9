"""Another embedder: until its vectors are there, words find what is kept; making them can be interrupted, watched and
done in the background; and an embedder that fails keeps nothing from being kept or found."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import pytest

from memfort import EmbedderFailed, FixedClock, InvalidInput, Memory
from memfort.embed import embedder_tag, named_embedder
from memfort.embed.port import NamedEmbedder, embed_texts
from memfort.embed.words import WordEmbedder
from memfort.policy.sight import maintenance_sight
from memfort.store.memory import MemoryStore
from memfort.store.port import Store
from memfort.store.sqlite import SqliteStore

WORDS = WordEmbedder()
TEXTS = [f"note {number} about {word}" for number, word in enumerate(["tea", "ships", "harbours", "music", "rain"] * 8)]


class Backwards:
    """The vectors of the table with their numbers turned round: as good, and not the same."""

    name = "backwards-1"
    sums_words = True  # as the table does: a question is its telling words to it

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += texts
        return [vector[::-1] for vector in WORDS.embed(texts)]


@pytest.fixture(params=["dict", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path) -> Iterator[Store]:
    made: Store = MemoryStore() if request.param == "dict" else SqliteStore(tmp_path / "memory.db", ballast_bytes=0)
    yield made
    made.close()


def without(memory: Memory, embedder) -> int:
    """How many memories have no vector of it."""
    spaces = list(memory._engine.store.spaces())
    return len(memory._engine.store.unembedded(maintenance_sight(spaces), embedder_tag(embedder)))


def found(memory: Memory) -> list[tuple[str, float]]:
    return [(hit.text, hit.score) for hit in memory.as_user("alice").recall("boats in the port", limit=40)]


def test_another_embedder_finds_by_words_until_it_is_asked_about_everything(store):
    first, second = Memory(store), Memory(store, embedder=Backwards())
    first.as_user("alice").remember_many(TEXTS)
    first.as_user("bob").remember("bob sails a ship")
    by_meaning = found(first)
    assert by_meaning
    assert found(second) == []
    assert second.as_user("alice").recall("ships", limit=40).texts != []
    steps: list[tuple[int, int]] = []
    done = second.store.reembed(batch=7, progress=lambda *step: steps.append(step))
    assert (done.done, done.total, done.refused) == (41, 41, 0)
    assert sorted(now - before for (before, _), (now, _) in pairwise([(0, 41), *steps])) == [1, 5, 7, 7, 7, 7, 7]
    assert {total for _, total in steps} == {41}
    assert found(second) == by_meaning
    assert found(first) == []
    assert second.store.reembed().total == 0
    assert second.as_system().doctor(checks=["integrity"]).problems == []
    assert second.trail.verify().ok
    assert first.store.reembed().done == 41
    assert found(first) == by_meaning


def test_reembedding_is_recorded_and_changes_no_memory(store):
    memory = Memory(store)
    alice = memory.as_user("alice")
    alice.remember_many(TEXTS[:10])
    before = list(alice.list(limit=100))
    other = Memory(store, embedder=Backwards())
    other.store.reembed(batch=4)
    assert list(other.as_user("alice").list(limit=100)) == before
    events = [line["event"] for line in other.as_system().trail.export() if line["event"]["action"] == "reembed"]
    assert [one["detail"]["memories"] for one in events] == [4, 4, 2]
    assert {(one["detail"]["embedder"], one["reason"]) for one in events} == {("backwards-1", "embedded")}
    assert not [line for line in other.as_user("alice").trail.export() if line["event"]["action"] == "reembed"]


def test_an_interrupted_reembedding_resumes(store):
    Memory(store).as_user("alice").remember_many(TEXTS)
    embedder = Backwards()
    memory = Memory(store, embedder=embedder)

    def interrupt(done: int, total: int) -> None:
        if done >= 16:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.store.reembed(batch=8, progress=interrupt)
    assert without(memory, embedder) == 24
    for one in (memory, Memory(store, embedder=Backwards())):
        assert (one.store.reembed_status().left, one.store.reembed_status().is_running) == (24, False)
        assert one.store.info().without_vector == 24
    done = memory.store.reembed(batch=8)
    assert (done.done, done.left, memory.store.reembed_status().left) == (24, 0, 0)
    assert sorted(embedder.asked) == sorted(["memory", *TEXTS])  # each once, after a word that shows the length


def test_reembedding_tolerates_concurrent_changes(store):
    """Somebody corrects, forgets and adds while the embedder thinks, with no transaction open."""
    first = Memory(store)
    alice = first.as_user("alice")
    ids = [outcome.item.id for outcome in alice.remember_many(TEXTS[:6])]
    embedder = Backwards()
    once = iter([True])

    def busy(texts: Sequence[str]) -> list[list[float]]:
        if texts != ["memory"] and next(once, False):
            alice.correct(ids[0], "note about submarines")
            alice.forget(ids[1])
            alice.remember("a new note")
        return embedder.embed(texts)

    memory = Memory(store, embedder=named_embedder(busy, "backwards-1"))
    assert memory.store.reembed().done == 4
    assert without(memory, embedder) == 2  # the correction and the new note, by the other embedder
    assert memory.store.reembed().done == 2
    assert without(memory, embedder) == 0
    assert memory.as_user("alice").recall("submarines").texts[0] == "note about submarines"
    assert (memory.as_system().doctor(checks=["integrity"]).problems, memory.trail.verify().ok) == ([], True)


def test_without_an_embedder_vectors_are_taken_out(store):
    memory = Memory(store)
    memory.as_user("alice").remember_many(TEXTS)
    none = Memory(store, embedder="none")
    assert (none.store.reembed().done, none.store.reembed().done) == (40, 0)
    assert without(memory, WORDS) == 40


@pytest.mark.parametrize("batch", [0, -1, 1001, True, 1.5, "8"])
def test_an_invalid_batch_size_is_refused(store, batch):
    with pytest.raises(InvalidInput, match="batch"):
        Memory(store).store.reembed(batch=batch)


# -- an embedder that fails -------------------------------------------------------------------------------------------


class Failing:
    """Fails while `fails` is set."""

    def __init__(self, *, remote: bool) -> None:
        self.name = "failing-1"
        self.is_remote = remote
        self.fails = True
        self.tried = threading.Event()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.tried.set()
        if self.fails:
            raise EmbedderFailed(self.name, "it is down", "wait")
        return WORDS.embed(texts)


def until(holds: Callable[[], bool]) -> None:
    for _ in range(1000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it never came to that")


@pytest.mark.parametrize("remote", [True, False])
def test_a_failure_keeps_nothing_from_being_kept_or_found(store, remote):
    embedder = Failing(remote=remote)
    memory = Memory(store, embedder=embedder)
    alice = memory.as_user("alice")
    alice.remember("the engine exploded")
    by_words = alice.recall("engine")
    assert by_words.texts == ["the engine exploded"]
    assert by_words.warnings == ("found by words alone: embedder `failing-1`: it is down; wait",)
    assert alice.context("engine").warnings == by_words.warnings
    assert alice.recall("motor trouble").texts == []
    until(embedder.tried.is_set)
    until(lambda: memory.store.reembed_status().problem is not None)
    with pytest.raises(EmbedderFailed, match="it is down"):
        memory.store.reembed()
    embedder.fails = False
    assert memory.store.reembed().done + memory.store.reembed_status().done >= 1
    found = alice.recall("motor trouble")
    assert (found.texts, found.warnings) == (["the engine exploded"], ())
    assert memory.as_system().doctor(checks=["integrity"]).problems == []
    memory.close()


def test_pending_embeddings_are_finished_on_close(tmp_path):
    embedder = Failing(remote=True)
    embedder.fails = False
    with Memory.open(tmp_path / "memory.db", embedder=embedder) as memory:
        memory.as_user("alice").remember_many(TEXTS)
    with Memory.open(tmp_path / "memory.db", embedder=embedder) as memory:
        assert without(memory, embedder) == 0
        assert (memory.as_system().doctor(checks=["integrity"]).problems, memory.trail.verify().ok) == ([], True)


def test_writers_do_not_wait_for_a_remote_embedder(tmp_path):
    """It thinks until the write is over and another user has written."""
    written = threading.Event()

    def slow(texts: Sequence[str]) -> list[list[float]]:
        assert written.wait(20)
        return WORDS.embed(texts)

    with Memory.open(tmp_path / "memory.db", embedder=named_embedder(slow, "slow-1", remote=True)) as memory:
        memory.as_user("alice").remember("the engine exploded")
        memory.as_user("bob").remember("bob likes tea")
        written.set()
        until(lambda: memory.store.reembed_status().done == 2)
        assert memory.as_user("alice").recall("motor trouble").texts == ["the engine exploded"]


def test_refused_and_rolled_back_texts_are_never_sent_to_an_embedder(store):
    """A secret that the gates refuse goes to no server, and neither does what is rolled back."""
    embedder = Backwards()
    embedder.is_remote = True
    memory = Memory(store, embedder=embedder)
    alice = memory.as_user("alice")
    assert alice.remember("the key is AKIAQ3EGRVFJ7WKPZT5M").item is None
    kept = alice.remember("a harmless note").item
    until(lambda: "a harmless note" in embedder.asked)
    alice.erase(kept.id)
    memory.close()
    assert embedder.asked == ["a harmless note"]


def test_forgotten_texts_are_not_embedded_and_changed_texts_are_embedded_again(tmp_path):
    begun, go, asked_about = threading.Event(), threading.Event(), []

    def slow(texts: Sequence[str]) -> list[list[float]]:
        begun.set()
        assert go.wait(20)
        asked_about.extend(texts)
        return WORDS.embed(texts)

    embedder = named_embedder(slow, "slow-1", remote=True)
    with Memory.open(tmp_path / "memory.db", embedder=embedder) as memory:
        alice = memory.as_user("alice")
        first = alice.remember("the first note").item
        assert begun.wait(20)
        second, third = (alice.remember(text).item for text in ("the second note", "the third note"))
        alice.forget(second.id)
        alice.correct(third.id, "the third note in other words")
        alice.correct(first.id, "the first note in other words")
        go.set()
        until(lambda: without(memory, embedder) == 0)
        assert (memory.as_system().doctor(checks=["integrity"]).problems, memory.trail.verify().ok) == ([], True)
    assert "the second note" not in asked_about
    assert {"the first note in other words", "the third note in other words"} <= set(asked_about)


def test_a_refused_text_is_skipped_and_the_others_are_embedded():
    def picky(texts: Sequence[str]) -> list[list[float]]:
        if any("rain" in text for text in texts):
            raise EmbedderFailed("picky-1", "too wet", "dry it", refused=True)
        return WORDS.embed(texts)

    store = MemoryStore()
    Memory(store).as_user("alice").remember_many(TEXTS)
    memory = Memory(store, embedder=named_embedder(picky, "picky-1"))
    done = memory.store.reembed()
    assert (done.done, done.refused, done.left) == (32, 8, 0)
    assert (memory.store.reembed().total, memory.store.info().without_vector) == (
        0,
        0,
    )  # asking once more would not help
    by_words = memory.as_user("alice").recall("note 4")
    assert (by_words.texts[0], by_words.warnings) == ("note 4 about rain", ())

    def never(texts: Sequence[str]) -> list[list[float]]:
        raise EmbedderFailed("never-1", "no such model", "name another", refused=True)

    none = Memory(store, embedder=named_embedder(never, "never-1"))
    with pytest.raises(EmbedderFailed, match="no such model"):
        none.store.reembed()
    assert none.store.info().without_vector == 40


def test_the_only_text_is_refused_for_itself_if_the_embedder_takes_a_word(store):
    Memory(store).as_user("alice").remember("rain")
    takes = {"memory"}

    def picky(texts: Sequence[str]) -> list[list[float]]:
        if not takes.issuperset(texts):
            raise EmbedderFailed("picky-1", "too wet", "dry it", refused=True)
        return WORDS.embed(texts)

    memory = Memory(store, embedder=named_embedder(picky, "picky-1"))
    memory._engine.embedding.check()
    takes.clear()
    with pytest.raises(EmbedderFailed, match="too wet"):
        memory.store.reembed()
    assert memory.store.reembed_status().left == 1
    assert memory.as_user("alice").recall("rain").texts == ["rain"]
    takes.add("memory")
    assert (memory.store.reembed().refused, memory.store.reembed_status().left) == (1, 0)


@pytest.mark.parametrize("remote", [True, False])
def test_a_text_with_a_zero_vector_is_not_embedded_again(store, remote):
    def deaf_to_rain(texts: Sequence[str]) -> list[list[float]]:
        return [
            [0.0] * 256 if "rain" in text else vector for text, vector in zip(texts, WORDS.embed(texts), strict=True)
        ]

    memory = Memory(store, embedder=named_embedder(deaf_to_rain, "deaf-1", remote=remote))
    alice = memory.as_user("alice")
    alice.remember_many(["I love the rain", "my car broke down"])
    until(lambda: memory.store.info().without_vector == 0)
    assert memory.store.reembed().total == 0
    assert alice.recall("rain").texts == ["I love the rain"]
    assert (alice.recall("rain").warnings, alice.recall("vehicle trouble").warnings) == ((), ())
    assert alice.recall("vehicle trouble").texts == ["my car broke down"]
    Memory(store, embedder="none").as_user("alice").remember("The office is in Rome")
    assert alice.recall("office").warnings == (
        "1 of 3 memories found by words alone: no vector of `deaf-1`; run `reembed`",
    )
    assert (memory.store.reembed().done, alice.recall("office").warnings) == (1, ())


# -- vectors of another length ----------------------------------------------------------------------------------------


def of_length(length: int) -> NamedEmbedder:
    """One model by its name, and another by its vectors."""
    return named_embedder(lambda texts: [vector[:length] for vector in WORDS.embed(texts)], "model-1")


@pytest.mark.parametrize(("before", "after"), [(64, 128), (128, 64)])
def test_vectors_of_another_length_under_the_same_name_count_as_none(store, before, after):
    old = Memory(store, embedder=of_length(before))
    old.as_user("alice").remember_many(TEXTS)
    assert (found(old) != [], old.as_user("alice").recall("tea").warnings, old.store.reembed().total) == (True, (), 0)
    memory = Memory(store, embedder=of_length(after))
    alice = memory.as_user("alice")
    warning = "found by words alone: no vector of `model-1`; run `reembed`"
    assert alice.recall("boats in the port").warnings == (f"all memories {warning}",)
    assert found(memory) == []
    assert (memory.store.info().without_vector, memory.store.reembed_status().left) == (40, 40)

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.store.reembed(batch=10, progress=interrupt)
    assert alice.recall("boats in the port").warnings == (f"30 of 40 memories {warning}",)
    assert 0 < len(found(memory)) < len(found(old)) + 40
    # At once, before it was asked anything else.
    assert Memory(store, embedder=of_length(after)).store.reembed().done == 30
    assert (memory.store.info().without_vector, alice.recall("ships").warnings) == (0, ())
    fresh = Memory(store, embedder=of_length(after))
    assert found(memory) == found(fresh) != []
    assert all("meaning" in hit.features for hit in alice.recall("boats in the port"))
    assert memory.as_system().doctor(checks=["integrity"]).problems == []


def test_returning_to_the_old_vector_length_finds_the_old_vectors(store):
    """Where there are vectors of both lengths, those count that the embedder gives now, in the first recall too."""
    Memory(store, embedder=of_length(64)).as_user("alice").remember("a ship in the harbour")
    Memory(store, embedder=of_length(128)).as_user("alice").remember("my car broke down")
    for length, query, text in ((64, "boat", "a ship in the harbour"), (128, "vehicle", "my car broke down")):
        alice = Memory(store, embedder=of_length(length)).as_user("alice")
        for asked_again in (False, True):
            hits = alice.recall(query)
            assert (hits.texts, asked_again) == ([text], asked_again)
            assert hits.warnings[0].startswith("1 of 2 memories")
            explanation = alice.explain(hits.hits[0].id, query=query)
            assert (explanation.shown, explanation.ranking.score) == (True, hits.hits[0].score)
        first = Memory(store, embedder=of_length(length)).as_user("alice")
        assert first.explain(hits.hits[0].id, query=query).ranking.score == hits.hits[0].score


def test_memories_of_different_audiences_are_embedded_in_separate_batches():
    together: list[set[str]] = []

    def watching(texts: Sequence[str]) -> list[list[float]]:
        together.append({text.split()[0] for text in texts})
        return WORDS.embed(texts)

    store = MemoryStore()
    memory = Memory(store)
    for name in ("alice", "bob"):
        memory.as_user(name).remember_many([f"{name} note {number}" for number in range(5)])
    memory.as_user("alice", project="apollo").remember("shared note", space={"project": "apollo"})
    assert Memory(store, embedder=named_embedder(watching, "watching-1")).store.reembed().done == 11
    assert all(len(names) == 1 for names in together)
    assert {"alice"} in together


# -- in the background ------------------------------------------------------------------------------------------------


def test_the_background_gives_everything_its_vectors_while_others_work(tmp_path):
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        memory.as_user("alice").remember_many(TEXTS)
    go = threading.Event()
    embedder = Backwards()

    def waiting(texts: Sequence[str]) -> list[list[float]]:
        if threading.current_thread().name == "memfort-reembed":
            assert go.wait(20)
        return embedder.embed(texts)

    with Memory.open(path, embedder=named_embedder(waiting, "backwards-1"), reembed="background") as memory:
        assert (
            memory.store.reembed_status().is_running
        )  # from the start, or who waits for its end would not wait at all
        alice = memory.as_user("alice")
        assert alice.recall("ships").texts != []
        alice.remember("a ship in the harbour")
        go.set()
        until(lambda: not memory.store.reembed_status().is_running and memory.store.reembed_status().done >= 40)
        state = memory.store.reembed_status()
        assert (state.done, state.total, state.problem) == (40, 40, None)
        assert without(memory, embedder) == 0
        assert memory.as_system().doctor(checks=["integrity"]).problems == []


def test_closing_ends_the_background_in_the_middle_and_the_next_goes_on(tmp_path):
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        memory.as_user("alice").remember_many([f"{text} {number}" for number in range(5) for text in TEXTS])
    begun = threading.Event()

    def slow(texts: Sequence[str]) -> list[list[float]]:
        if texts != ["memory"]:
            begun.set()
        time.sleep(0.5)  # so long that all of it is not done before somebody closes, on a busy machine too
        return WORDS.embed(texts)

    embedder = named_embedder(slow, "slow-1")
    memory = Memory.open(path, embedder=embedder, reembed="background")
    assert begun.wait(20)
    memory.close()
    with Memory.open(path, embedder=embedder) as memory:
        left = without(memory, embedder)
        assert 0 < left < 200
        assert memory.store.reembed().done == left
        assert (memory.as_system().doctor(checks=["integrity"]).problems, memory.trail.verify().ok) == ([], True)


def test_an_invalid_reembed_option_is_refused(store):
    with pytest.raises(InvalidInput, match="reembed"):
        Memory(store, reembed="sometimes")


def test_the_vectors_are_those_that_writing_would_have_made(tmp_path):
    """Also for disclosed memories, which have an entry of their own."""
    embedder = Backwards()

    def history(path, **options) -> None:
        with Memory.open(path, **options) as memory:
            memory.chat.register("duo", kind="group", participants=["alice", "bob"])
            chat = memory.as_user("alice", chat="duo")
            chat.remember("bob is a good swimmer", subjects=["@bob"])
            memory.as_user("alice").remember_many(TEXTS[:5])

    history(tmp_path / "one.db")
    history(tmp_path / "two.db", embedder=embedder)
    with Memory.open(tmp_path / "one.db", embedder=embedder) as memory:
        memory.store.reembed()
    assert _vectors(tmp_path / "one.db") == _vectors(tmp_path / "two.db")
    assert len(_vectors(tmp_path / "two.db")) == 7


def _vectors(path) -> list[bytes]:
    import apsw

    raw = apsw.Connection(str(path))
    try:
        return sorted(vector for (vector,) in raw.execute("select vector from entry"))
    finally:
        raw.close()


def test_recall_as_of_goes_by_words_unless_the_embedder_is_quick(store):
    embedder = Backwards()
    memory = Memory(store, embedder=embedder)
    alice = memory.as_user("alice")
    alice.remember("my car broke down")
    asked_before = len(embedder.asked)
    assert alice.recall("car", as_of="phase-1").texts == ["my car broke down"]
    assert len(embedder.asked) == asked_before + 1  # the query
    quick = Memory(store)
    assert quick.as_user("alice").recall("vehicle trouble", as_of="phase-1").texts == ["my car broke down"]


def test_a_name_and_a_function_make_the_same_vectors_as_an_object():
    embedder = Backwards()
    by_name = NamedEmbedder("backwards-1", embedder.embed)
    assert embed_texts(embedder, b"mark", TEXTS[:3]) == embed_texts(by_name, b"mark", TEXTS[:3])


def test_reembedding_other_users_memories_changes_no_answers(tmp_path):
    """Bob's answers, to the last digit, with and without Alice beside him: before, half way through and after."""

    def answers(name: str, *, alice: bool) -> list[object]:
        clock = FixedClock(1_700_000_000_000_000)
        found_by_bob: list[object] = []
        with Memory.open(tmp_path / name, clock=clock) as memory:
            for text in TEXTS[:12]:
                if alice:
                    memory.as_user("alice").remember(f"{text}, says alice")
                memory.as_user("bob").remember(text)
        with Memory.open(tmp_path / name, embedder=Backwards(), clock=clock) as memory:
            bob = memory.as_user("bob")

            def look(*_: int) -> None:
                found = bob.recall("boats in the port and tea", limit=20)
                found_by_bob.append(
                    ([(hit.item, hit.score, dict(hit.features)) for hit in found], found.hash, found.warnings)
                )

            look()
            memory.store.reembed(batch=50)
            look()
            found_by_bob.append([item.id for item in bob.list(limit=50)])
        return found_by_bob

    alone, beside = answers("alone.db", alice=False), answers("beside.db", alice=True)
    assert alone == beside
    assert alone[0] != alone[1]
