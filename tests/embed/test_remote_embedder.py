"""An embedder behind an address, asked on a real socket: what it answers, and every way in which it can fail."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from embedding_server import EmbeddingServer
from memfort import EmbedderFailed, InvalidInput
from memfort.embed.choice import open_embedder
from memfort.embed.remote import RemoteEmbedder
from memfort.embed.words import WordEmbedder

KEY = "sk-not-a-real-key"


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer().running() as server:
        yield server


def embedder(server: EmbeddingServer, **settings) -> RemoteEmbedder:
    settings.setdefault("sleep", lambda _: None)
    return RemoteEmbedder(server.url, "words", settings.pop("key", None), **settings)


def test_vectors_come_in_the_order_of_the_texts(server):
    texts = ["my car broke down", "green tea", "the museum was closed"]
    assert embedder(server).embed(texts) == WordEmbedder().embed(texts)


def test_many_texts_go_in_several_requests_and_blank_ones_in_none(server):
    texts = [f"text {number}" if number % 3 else "  " for number in range(20)]
    found = embedder(server, batch=4).embed(texts)
    assert [len(body["input"]) for _, body in server.requests] == [4, 4, 4, 1]
    assert [list(one) for one in found] == [one if any(one) else [] for one in WordEmbedder().embed(texts)]


def test_the_request_is_the_one_that_such_servers_know(server):
    embedder(server, key=KEY).embed(["tea"])
    headers, body = server.requests[0]
    assert body == {"model": "words", "input": ["tea"], "encoding_format": "float"}
    assert headers["Authorization"] == f"Bearer {KEY}"
    embedder(server).embed(["tea"])
    assert "Authorization" not in server.requests[1][0]


@pytest.mark.parametrize("code", [429, 500, 503])
def test_temporary_errors_are_retried_a_few_times(server, code):
    pauses: list[float] = []
    server.otherwise = lambda _: (code, {"Retry-After": "1"}, {}) if len(server.requests) < 3 else None
    assert embedder(server, sleep=pauses.append).embed(["tea"]) == WordEmbedder().embed(["tea"])
    assert (len(server.requests), pauses) == (3, [1.0, 1.0])


def test_persistent_errors_end_after_a_few_retries(server):
    server.otherwise = lambda _: (503, {"Retry-After": "3600"}, {})
    pauses: list[float] = []
    with pytest.raises(EmbedderFailed, match="answered 503"):
        embedder(server, sleep=pauses.append).embed(["tea"])
    assert (len(server.requests), pauses) == (3, [5.0, 5.0])


def test_an_unreachable_server_is_reported_with_a_remedy(server):
    with EmbeddingServer().running() as gone:
        pass
    with pytest.raises(EmbedderFailed, match=r"could not be asked \(connection refused\); see that the server runs"):
        embedder(gone).embed(["tea"])


def test_a_server_that_does_not_answer_times_out(server):
    from threading import Event

    over = Event()
    server.otherwise = lambda _: over.wait(20) and None
    try:
        with pytest.raises(EmbedderFailed, match="no answer in time"):
            embedder(server, seconds=0.2).embed(["tea"])
    finally:
        over.set()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((200, {}, b"<html>"), "is not one to"),
        ((200, {}, {"error": "no"}), "is not one to"),
        ((200, {}, {"data": [{"index": 0, "embedding": ["x"]}]}), "is not one to"),
        ((200, {}, {"data": []}), "0 vectors for 2 texts"),
        ((200, {}, {"data": [{"index": 0, "embedding": [1]}] * 2}), "2 vectors for 2 texts"),
        ((200, {}, {"data": [{"index": 5, "embedding": [1]}, {"index": 0, "embedding": [1]}]}), "2 vectors for 2"),
        ((200, {}, {"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]}), "1 and 2 numbers"),
        ((200, {}, {"data": [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}]}), "0 numbers"),
        ((401, {}, {}), "MEMFORT_EMBEDDER_KEY"),
        ((404, {}, {}), "check the address"),
        ((400, {}, {}), "answered 400"),
        ((307, {"Location": "http://127.0.0.1:9/v1/embeddings"}, {}), "answered 307"),
        ((302, {"Location": "http://127.0.0.1:9/v1/embeddings"}, {}), "answered 302"),
    ],
)
def test_an_answer_that_cannot_be_used_is_refused_by_name_and_not_tried_again(server, answer, said):
    server.otherwise = lambda _: answer
    with pytest.raises(EmbedderFailed, match=said) as failed:
        embedder(server, key=KEY).embed(["my secret text", "tea"])
    assert len(server.requests) == 1
    assert KEY not in str(failed.value)
    assert "my secret text" not in str(failed.value)
    assert failed.value.refused is (answer[0] == 400)


def test_a_model_whose_vectors_change_their_length_is_refused(server):
    asked = embedder(server)
    assert asked.embed(["tea"])
    server.otherwise = lambda _: (200, {}, {"data": [{"index": 0, "embedding": [1.0, 2.0]}]})
    with pytest.raises(EmbedderFailed, match="2 and 256 numbers"):
        asked.embed(["tea"])


def test_numbers_that_are_none_are_refused():
    from memfort.embed.port import embed_texts, named_embedder

    with pytest.raises(EmbedderFailed, match="a value that is not a number"):
        embed_texts(named_embedder(lambda _: [json.loads("[NaN]")], "nan"), b"mark", ["tea"])


@pytest.mark.parametrize(
    ("address", "environ", "said"),
    [
        ("http://127.0.0.1/v1/embeddings", {}, "the model is not named"),
        ("https://host/v1", {"MEMFORT_EMBEDDER_MODEL": "m"}, "does not end in `/embeddings`"),
        ("https://me:pass@host/v1/embeddings#m", {}, "a password does not belong"),
        ("http://elsewhere/v1/embeddings#m", {"MEMFORT_EMBEDDER_KEY": KEY}, "unencrypted"),
        ("https://host/v1/embeddings#m", {"MEMFORT_EMBEDDER_KEY": "a\nb"}, "cannot be sent in a header"),
        ("https:///v1/embeddings#m", {}, "this is not an address"),
        ("http://host:port/v1/embeddings#m", {}, "this is not an address"),
        ("https://ho st/v1/embeddings\n#m", {}, "this is not an address"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_before_it_is(address, environ, said):
    with pytest.raises(InvalidInput, match=said) as refused:
        open_embedder(address, environ)
    assert "pass" not in str(refused.value).replace("a password", "")
    assert KEY not in str(refused.value)


def test_model_and_key_come_from_the_environment_or_the_model_from_the_address(server):
    environ = {"MEMFORT_EMBEDDER_MODEL": "one", "MEMFORT_EMBEDDER_KEY": KEY}
    assert [open_embedder(server.url, environ).name, open_embedder(f"{server.url}#two", environ).name] == [
        "remote:one", "remote:two"]  # fmt: skip
    open_embedder(f"{server.url}#two", environ).embed(["tea"])
    headers, body = server.requests[0]
    assert (body["model"], headers["Authorization"]) == ("two", f"Bearer {KEY}")
