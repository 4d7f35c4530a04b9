"""Choosing a reranker on the command line: one setting, as an embedder is."""

from __future__ import annotations

import pytest

from embedding_server import RerankServer
from small_bert import one_that_looks_for, write_cross_encoder

KEY = "sk-not-a-real-key"


@pytest.fixture
def server():
    with RerankServer(lambda text: 0.9 if "black" in text else 0.1).running() as server:
        yield server


@pytest.fixture
def project(cli):
    return cli.folder / "work" / "memfort.toml"


@pytest.fixture
def kept(cli):
    for text in ("I love green tea", "My tea is black", "Cold tea is white"):
        cli.kept("alice", text)


def first(cli, *flags: str) -> str:
    return cli.json("--as", "alice", *flags, "recall", "green tea")["hits"][0]["item"]["text"]


@pytest.mark.usefixtures("kept")
def test_a_server_is_one_setting_away(cli, project, server, monkeypatch):
    monkeypatch.setenv("MEMFORT_RERANKER_KEY", KEY)
    server.judge = lambda text: 9.0 if "black" in text else -9.0
    assert first(cli) == "I love green tea"
    project.write_text(f'reranker = "{server.url}#judge"\n')
    assert first(cli) == "My tea is black"
    assert {headers["Authorization"] for headers, _ in server.requests} == {f"Bearer {KEY}"}
    assert KEY not in cli.ok("config", "show").out
    assert cli.json("store", "info")["reranker"] == "remote:judge"
    assert first(cli, "--reranker", "none") == "I love green tea"
    assert cli.json("--reranker", "none", "store", "info")["reranker"] == "none"
    shown = cli.ok("--as", "alice", "recall", "green tea", "--explain").out
    assert "rerank 1.000" in shown


@pytest.mark.usefixtures("kept")
def test_a_folder_is_one_setting_away_and_found_from_where_it_stands(cli, project):
    folder = write_cross_encoder(project.parent / "models" / "looks", one_that_looks_for("black"))
    project.write_text('reranker = "local:./models/looks"\n')
    shown = cli.json("config", "show")["settings"]["reranker"]
    assert shown == {"value": f"local:{folder}", "origin": str(project)}
    assert cli.json("store", "info")["reranker"] == "folder:looks"
    found = cli.json("--as", "alice", "recall", "green tea")
    shares = {hit["item"]["text"]: hit["features"]["rerank"] for hit in found["hits"]}
    assert max(shares, key=shares.get) == "My tea is black"
    assert found["warnings"] == []


@pytest.mark.usefixtures("kept")
def test_a_server_that_is_gone_is_a_warning_to_a_recall(cli, server):
    there = ("--reranker", f"{server.url}#judge")
    server.stop()
    found = cli.json("--as", "alice", *there, "recall", "green tea")
    assert found["hits"][0]["item"]["text"] == "I love green tea"
    assert ["not reranked: reranker `remote:judge`" in one for one in found["warnings"]] == [True]
    assert "not reranked" in cli.ok("--as", "alice", *there, "recall", "green tea").err
    assert cli.ok("--as", "alice", *there, "remember", "I love coffee").code == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nnoe", "did you mean `none`?"),
        ("bert", "use one of local:./folder, none, or give an address `https://…/v1/rerank`"),
        ("words", "or give an address `https://…/v1/rerank`"),
        ("local", "the folder of a cross-encoder, `local:./model`"),
        ("local:./nowhere", "it needs config.json, vocab.txt or tokenizer.json, and model.safetensors"),
        ("http://host/v1/rerank", "MEMFORT_RERANKER_MODEL"),
        ("http://host/v1/embeddings#m", "https://host/v1/rerank"),
    ],
)
def test_an_invalid_reranker_is_a_usage_error(cli, given, said):
    cli.kept("alice", "tea")
    answer = cli("--json", "--as", "alice", "--reranker", given, "recall", "tea")
    assert (answer.code, answer.json["error"]["field"]) == (2, "reranker")
    assert said in answer.json["error"]["remedy"]


def test_a_file_or_a_variable_that_names_none_is_refused_by_its_name(cli, project):
    project.write_text('reranker = "nnoe"\n')
    answer = cli("--json", "config", "show")
    assert (answer.code, answer.json["error"]["field"]) == (2, f"{project}: reranker")
    project.write_text("")
    answer = cli("--json", "config", "show", env={"MEMFORT_RERANKER": "nnoe"})
    assert answer.json["error"]["field"] == "MEMFORT_RERANKER"


@pytest.mark.parametrize(
    ("command", "loads"),
    [
        (["--as", "alice", "list"], (False, False)),
        (["store", "info"], (False, False)),
        (["config", "show"], (False, False)),
        (["--as", "alice", "remember", "green tea"], (False, False)),
        (["--as", "alice", "recall", "nothing that is there"], (True, False)),
        (["--as", "alice", "recall", "tea"], (True, True)),
    ],
)
def test_a_cross_encoder_is_loaded_only_by_commands_that_use_it(cli, command, loads):
    folder = write_cross_encoder(cli.folder / "model")
    cli.kept("alice", "tea")
    found = cli.modules(*command, "--reranker", f"local:{folder}")
    assert ("numpy" in found, "memfort.embed.cross" in found) == loads
