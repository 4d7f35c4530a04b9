"""Choosing an embedder on the command line, and giving everything its vectors."""

from __future__ import annotations

import pytest

from embedding_server import EmbeddingServer
from memfort import Memory
from memfort.operations.upkeep import reembed

KEY = "sk-not-a-real-key"


@pytest.fixture
def server():
    with EmbeddingServer().running() as server:
        yield server


@pytest.fixture
def project(cli):
    return cli.folder / "work" / "memfort.toml"


def _counts(done):
    return done["embedder"], done["done"], done["total"], done["refused"]


def test_a_server_is_one_setting_away(cli, project, server, monkeypatch):
    monkeypatch.setenv("MEMFORT_EMBEDDER_KEY", KEY)
    cli.kept("alice", "my car broke down")
    project.write_text(f'embedder = "{server.url}#words"\n')
    assert cli.json("--as", "alice", "recall", "vehicle trouble", "--no-weak")["hits"] == []
    done = cli.json("store", "reembed")
    assert _counts(done) == ("remote:words", 1, 1, 0)
    found = cli.json("--as", "alice", "recall", "vehicle trouble", "--no-weak")
    assert ([hit["item"]["text"] for hit in found["hits"]], found["warnings"]) == (["my car broke down"], [])
    cli.kept("alice", "I adopted two kittens")
    assert cli.json("store", "reembed")["total"] == 0  # it was asked about when the command ended
    assert "embedded 0 memories with `remote:words`" in cli.ok("store", "reembed").out
    assert {headers["Authorization"] for headers, _ in server.requests} == {f"Bearer {KEY}"}
    assert KEY not in cli.ok("config", "show").out


def test_a_server_that_is_gone_is_a_warning_to_a_recall_and_an_error_to_reembed(cli, server):
    cli.kept("alice", "my car broke down")
    there = ("--embedder", f"{server.url}#words")
    server.stop()
    found = cli("--json", "--as", "alice", *there, "recall", "car")
    assert found.code == 0
    assert [hit["item"]["text"] for hit in found.json["hits"]] == ["my car broke down"]
    assert ["found by words alone" in one for one in found.json["warnings"]] == [True]
    assert "found by words alone" in cli.ok("--as", "alice", *there, "recall", "car").err
    failed = cli("--json", *there, "store", "reembed")
    assert (failed.code, failed.json["error"]["code"]) == (1, "embedder_failed")
    assert "could not be asked" in failed.json["error"]["message"]
    assert failed.json["error"]["remedy"]
    assert failed.json["error"]["remedy"] not in failed.json["error"]["message"]
    kept = cli.ok("--as", "alice", *there, "remember", "I love green tea")
    assert kept.code == 0
    assert [hit["item"]["text"] for hit in cli.json("--as", "alice", "recall", "tea")["hits"]] == ["I love green tea"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("wrods", "did you mean `words`?"),
        ("http://host/v1/embeddings", "MEMFORT_EMBEDDER_MODEL"),
        ("local:x", "minilm"),
    ],
)
def test_an_invalid_embedder_is_a_usage_error(cli, given, said):
    cli.kept("alice", "tea")
    answer = cli("--json", "--as", "alice", "--embedder", given, "recall", "tea")
    assert (answer.code, answer.json["error"]["field"]) == (2, "embedder")
    assert said in answer.json["error"]["remedy"]


def test_a_file_that_names_none_is_refused_by_key_and_variable(cli, project):
    project.write_text('embedder = "wrods"\n')
    answer = cli("--json", "config", "show")
    assert (answer.code, answer.json["error"]["field"]) == (2, f"{project}: embedder")
    project.write_text("")
    answer = cli("--json", "config", "show", env={"MEMFORT_EMBEDDER": "wrods"})
    assert answer.json["error"]["field"] == "MEMFORT_EMBEDDER"


def test_a_folder_is_found_from_where_the_setting_stands(cli, project):
    project.write_text('embedder = "local:./models/mine"\n')
    shown = cli.json("config", "show")["settings"]["embedder"]
    assert shown == {"value": f"local:{project.parent / 'models/mine'}", "origin": str(project)}


def test_missing_vectors_are_reported(cli, server):
    cli.kept("alice", "my car broke down")
    there = ("--embedder", f"{server.url}#words")
    assert cli.json("store", "info")["without_vector"] == 0
    assert (cli.json(*there, "store", "info")["embedder"], cli.json(*there, "store", "info")["without_vector"]) == (
        "remote:words",
        1,
    )
    [check] = [one for one in cli.json(*there, "doctor")["checks"] if one["check"] == "vectors"]
    assert (check["ok"], check["remedy"]) == (True, "memfort store reembed")
    assert check["notes"] == ["1 memory found by words alone: no vector of `remote:words`"]
    assert cli.json("--as", "alice", "recall", "car")["warnings"] == []
    [warning] = cli.json("--as", "alice", *there, "recall", "car")["warnings"]
    assert warning == "all memories found by words alone: no vector of `remote:words`; run `reembed`"
    cli.ok("--as", "alice", *there, "remember", "I love green tea")
    [warning] = cli.json("--as", "alice", *there, "recall", "car")["warnings"]
    assert warning.startswith("1 of 2 memories found by words alone")
    assert cli.json(*there, "store", "reembed")["done"] == 1
    assert cli.json("--as", "alice", *there, "recall", "car")["warnings"] == []
    [warning] = cli.json("--as", "alice", "recall", "car")["warnings"]
    assert warning.startswith("all memories found by words alone: no vector of `memfort-words-1`")
    assert "with new vectors of `memfort-words-1`" in cli.ok("store", "reindex").out
    assert cli.json("--as", "alice", "recall", "car")["warnings"] == []
    assert cli.json("--embedder", "none", "store", "info")["without_vector"] == 0


def test_warnings_do_not_depend_on_other_users_memories(memory_file_of_bob):
    path = memory_file_of_bob
    with Memory.open(path) as memory:
        assert memory.as_user("bob").recall("car").warnings
        assert memory.as_user("alice").recall("tea").warnings == ()


@pytest.fixture
def memory_file_of_bob(tmp_path):
    with Memory.open(tmp_path / "m.db", embedder="none") as memory:
        memory.as_user("bob").remember("my car broke down")
    with Memory.open(tmp_path / "m.db") as memory:
        memory.as_user("alice").remember("I love green tea")
    return tmp_path / "m.db"


def test_an_interrupted_run_says_how_far_it_came(cli, server, monkeypatch):
    for text in ("my car broke down", "I love green tea", "The office is in Rome"):
        cli.kept("alice", text)
    give, asked = reembed._embed_batch, []

    def interrupted(*given):
        if asked:
            raise KeyboardInterrupt
        asked.append(given)
        return give(*given)

    monkeypatch.setattr(reembed, "_embed_batch", interrupted)
    stopped = cli("--embedder", f"{server.url}#words", "store", "reembed", "--batch", "2")
    assert stopped.code == 130
    assert "interrupted: 2 of 3 are done, and stay so; `memfort store reembed` goes on with the rest" in stopped.err


def test_memories_refused_by_the_embedding_server_are_reported_once(cli, server):
    for text in ("I love the rain", "my car broke down"):
        cli.kept("alice", text)
    server.otherwise = lambda asked: (400, {}, {}) if any("rain" in text for text in asked["input"]) else None
    there = ("--embedder", f"{server.url}#words")
    assert cli.json(*there, "store", "info")["without_vector"] == 2
    assert _counts(cli.json(*there, "store", "reembed")) == ("remote:words", 1, 2, 1)
    assert (cli.json(*there, "store", "reembed")["total"], cli.json(*there, "store", "info")["without_vector"]) == (
        0,
        0,
    )
    found = cli.json(*there, "--as", "alice", "recall", "what do I love")
    assert ([hit["item"]["text"] for hit in found["hits"]], found["warnings"]) == (["I love the rain"], [])


def test_a_server_whose_vectors_have_another_length_is_noticed(cli, server):
    cli.kept("alice", "my car broke down")
    there = ("--embedder", f"{server.url}#words")
    assert cli.json(*there, "store", "reembed")["done"] == 1
    assert cli.json(*there, "store", "reembed")["total"] == 0

    def shorter(asked):
        code, headers, document = server.answer(asked)
        rows = [{**row, "embedding": row["embedding"][:64]} for row in document["data"]]
        return code, headers, {**document, "data": rows}

    server.otherwise = shorter
    found = cli.json(*there, "--as", "alice", "recall", "vehicle trouble", "--no-weak")
    assert (found["hits"], found["warnings"]) == (
        [],
        ["all memories found by words alone: no vector of `remote:words`; run `reembed`"],
    )
    assert cli.json(*there, "store", "reembed")["done"] == 1
    found = cli.json(*there, "--as", "alice", "recall", "vehicle trouble", "--no-weak")
    assert (len(found["hits"]), found["warnings"]) == (1, [])


def test_none_takes_the_vectors_out(cli):
    cli.kept("alice", "my car broke down")
    assert len(cli.json("--as", "alice", "recall", "vehicle trouble", "--no-weak")["hits"]) == 1
    done = cli.json("--embedder", "none", "store", "reembed")
    assert _counts(done) == ("none", 1, 1, 0)
    assert cli.json("--as", "alice", "recall", "vehicle trouble", "--no-weak")["hits"] == []
    assert cli.json("store", "reembed")["done"] == 1
    assert "took the vector out of 1 memory" in cli.ok("--embedder", "none", "store", "reembed").out
    assert cli.json("store", "reembed")["done"] == 1
    assert len(cli.json("--as", "alice", "recall", "vehicle trouble", "--no-weak")["hits"]) == 1
