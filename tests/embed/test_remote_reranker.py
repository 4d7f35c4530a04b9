"""A reranker behind an address, asked on a real socket: what it answers, and every way in which it can fail."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from embedding_server import RerankServer
from memfort import InvalidInput, RerankerFailed
from memfort.embed.choice import open_reranker
from memfort.embed.port import rerank_texts
from memfort.embed.remote import RemoteReranker

KEY = "sk-not-a-real-key"
CHANCES = {"green tea": 0.25, "my car broke down": 0.0, "black tea": 1.0, "the museum": 0.9}


@pytest.fixture
def server() -> Iterator[RerankServer]:
    with RerankServer(lambda text: CHANCES.get(text, 0.5)).running() as server:
        yield server


def reranker(server: RerankServer, **settings) -> RemoteReranker:
    settings.setdefault("sleep", lambda _: None)
    return RemoteReranker(server.url, "judge", settings.pop("key", None), **settings)


def test_probabilities_keep_the_order_of_the_texts_and_their_values(server):
    assert rerank_texts(reranker(server), "tea", list(CHANCES)) == pytest.approx(list(CHANCES.values()))


def test_scores_outside_zero_to_one_are_mapped_to_probabilities(server):
    odds = {"good": 4.0, "fair": 0.0, "bad": -4.0}
    server.judge = odds.__getitem__
    assert reranker(server).rank("tea", list(odds)) == list(odds.values())
    assert rerank_texts(reranker(server), "tea", list(odds)) == pytest.approx([0.982014, 0.5, 0.017986], abs=1e-6)


def test_whichever_they_are_the_order_is_the_servers(server):
    for scores in ([0.1, 0.7, 0.3], [0.1, 7.0, 0.3], [-0.1, 0.7, 0.3], [1e-9, 1 - 1e-9, 0.5], [-900.0, 900.0, 0.0]):
        server.judge = dict(zip("abc", scores, strict=True)).__getitem__
        found = rerank_texts(reranker(server), "tea", ["a", "b", "c"])
        assert sorted("abc", key=dict(zip("abc", found, strict=True)).get) == sorted("abc", key=server.judge)
        assert all(0 <= one <= 1 for one in found)


def test_the_request_is_the_one_that_such_servers_know(server):
    reranker(server, key=KEY).rank("hot drinks", ["green tea", "x" * 9000])
    headers, body = server.requests[0]
    assert body == {"model": "judge", "query": "hot drinks", "documents": ["green tea", "x" * 8000], "top_n": 2}
    assert headers["Authorization"] == f"Bearer {KEY}"
    reranker(server).rank("hot drinks", ["green tea"])
    assert "Authorization" not in server.requests[1][0]


@pytest.mark.parametrize("code", [429, 500, 503])
def test_temporary_errors_are_retried_a_few_times(server, code):
    pauses: list[float] = []
    server.otherwise = lambda _: (code, {"Retry-After": "1"}, {}) if len(server.requests) < 3 else None
    assert len(reranker(server, sleep=pauses.append).rank("tea", ["green tea"])) == 1
    assert (len(server.requests), pauses) == (3, [1.0, 1.0])


def test_a_server_that_does_not_answer_times_out(server):
    from threading import Event

    over = Event()
    server.otherwise = lambda _: over.wait(20) and None
    try:
        with pytest.raises(RerankerFailed, match="no answer in time"):
            reranker(server, seconds=0.2).rank("tea", ["green tea"])
    finally:
        over.set()


def results(*rows: tuple[object, object]) -> tuple[int, dict[str, str], object]:
    return 200, {}, {"results": [{"index": place, "relevance_score": score} for place, score in rows]}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((200, {}, b"<html>"), "is not one to `/v1/rerank`"),
        ((200, {}, {"error": "no"}), "is not one to"),
        ((200, {}, [{"index": 0, "score": 0.5}]), "is not one to"),
        ((200, {}, {"results": 7}), "is not one to"),
        ((200, {}, {"results": [{"index": 0, "score": 0.5}, {"index": 1, "score": 0.5}]}), "is not one to"),
        (results((0, 0.5), (1, "x")), "is not one to"),
        (results((0, 0.5), (1, None)), "is not one to"),
        (results((0, 0.5), (float("inf"), 0.5)), "is not one to"),
        (results((0, 0.5), (1, 10**400)), "is not one to"),
        (results((0, 0.5), (1, float("nan"))), "a value that is not a number"),
        (results((0, 0.5), (1, float("inf"))), "a value that is not a number"),
        (results(), "0 numbers for 2 texts"),
        (results((0, 0.5)), "1 numbers for 2 texts"),
        (results((0, 0.5), (0, 0.5)), "2 numbers for 2 texts"),
        (results((0, 0.5), (7, 0.5)), "2 numbers for 2 texts"),
        (results((0, 0.5), (1, 0.5), (2, 0.5)), "3 numbers for 2 texts"),
        (results((0, 0.5), (1, 0.5), (1, 0.9)), "3 numbers for 2 texts"),
        ((401, {}, {}), "MEMFORT_RERANKER_KEY"),
        ((404, {}, {}), "check the address and the model's name in `reranker`"),
        ((422, {}, {}), "answered 422"),
        ((307, {"Location": "http://127.0.0.1:9/v1/rerank"}, {}), "answered 307"),
        ((302, {"Location": "http://127.0.0.1:9/v1/rerank"}, {}), "answered 302"),
    ],
)
def test_an_answer_that_cannot_be_used_is_refused_by_name_and_not_tried_again(server, answer, said):
    server.otherwise = lambda _: answer
    with pytest.raises(RerankerFailed, match=said) as failed:
        rerank_texts(reranker(server, key=KEY), "my secret query", ["my secret text", "tea"])
    assert len(server.requests) == 1
    assert str(failed.value).startswith("reranker `remote:judge`: ")
    assert KEY not in str(failed.value)
    assert "my secret" not in str(failed.value)


@pytest.mark.parametrize(
    ("address", "environ", "said"),
    [
        ("http://127.0.0.1/v1/rerank", {}, "the model is not named; .*MEMFORT_RERANKER_MODEL"),
        ("http://127.0.0.1/v1/rerank", {"MEMFORT_EMBEDDER_MODEL": "m"}, "the model is not named"),
        ("https://host/v1", {"MEMFORT_RERANKER_MODEL": "m"}, "does not end in `/rerank`"),
        ("https://host/v1/embeddings#m", {}, "does not end in `/rerank`"),
        ("https://me:pass@host/v1/rerank#m", {}, "a password does not belong"),
        ("http://elsewhere/v1/rerank#m", {"MEMFORT_RERANKER_KEY": KEY}, "unencrypted"),
        ("https://host/v1/rerank#m", {"MEMFORT_RERANKER_KEY": "a\nb"}, "cannot be sent in a header"),
        ("http://host:port/v1/rerank#m", {}, "this is not an address"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_before_it_is(address, environ, said):
    with pytest.raises(InvalidInput, match=said) as refused:
        open_reranker(address, environ)
    assert "pass" not in str(refused.value).replace("a password", "")
    assert KEY not in str(refused.value)


def test_model_and_key_come_from_the_environment_or_the_model_from_the_address(server):
    environ = {"MEMFORT_RERANKER_MODEL": "one", "MEMFORT_RERANKER_KEY": KEY, "MEMFORT_EMBEDDER_KEY": "another"}
    assert [open_reranker(server.url, environ).name, open_reranker(f"{server.url}#two", environ).name] == [
        "remote:one", "remote:two"]  # fmt: skip
    open_reranker(f"{server.url}#two", environ).rank("tea", ["green tea"])
    open_reranker(f"{server.url}#two", {"MEMFORT_EMBEDDER_KEY": "another"}).rank("tea", ["green tea"])
    [(headers, body), (keyless, _)] = server.requests
    assert (body["model"], headers["Authorization"]) == ("two", f"Bearer {KEY}")
    assert "Authorization" not in keyless  # a key is for one server
