"""Real servers on this machine that answer `/v1/embeddings` and `/v1/rerank`, and can be set to answer otherwise."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from memfort.embed.words import WordEmbedder

Answer = tuple[int, dict[str, str], Any]  # code, headers, document


class _Quiet(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Whoever asked has gone away: that is what some of the tests are about."""


class ModelServer:
    """Answers on a socket of its own; counts and keeps requests."""

    path: str

    def __init__(self) -> None:
        self.requests: list[tuple[dict[str, str], dict[str, Any]]] = []
        self.otherwise: Callable[[dict[str, Any]], Answer | None] = lambda _: None
        self._server = _Quiet(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}{self.path}"

    def answer(self, asked: dict[str, Any]) -> Answer:
        raise NotImplementedError

    @contextmanager
    def running(self) -> Iterator[Self]:
        thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield self
        finally:
            self.stop()
            thread.join()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # the library's name
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append((dict(self.headers), asked))
                code, headers, document = outer.otherwise(asked) or outer.answer(asked)
                data = document if isinstance(document, bytes) else json.dumps(document).encode()
                self.send_response(code)
                for name, value in {"Content-Length": str(len(data)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        return Handler


class EmbeddingServer(ModelServer):
    """Answers with the vectors of the words embedder, in another order than it was asked."""

    path = "/v1/embeddings"

    def __init__(self) -> None:
        super().__init__()
        self._words = WordEmbedder()

    @property
    def texts(self) -> list[str]:
        return [text for _, body in self.requests for text in body["input"]]

    def answer(self, asked: dict[str, Any]) -> Answer:
        vectors = self._words.embed(asked["input"])
        rows = [{"object": "embedding", "index": place, "embedding": one} for place, one in enumerate(vectors)]
        return 200, {}, {"object": "list", "model": asked["model"], "data": rows[::-1]}


class RerankServer(ModelServer):
    """Answers with what a function says of each text, the best first, as such servers do."""

    path = "/v1/rerank"

    def __init__(self, judge: Callable[[str], float]) -> None:
        super().__init__()
        self.judge = judge

    @property
    def texts(self) -> list[str]:
        return [text for _, body in self.requests for text in body["documents"]]

    def answer(self, asked: dict[str, Any]) -> Answer:
        scores = [self.judge(text) for text in asked["documents"]]
        rows = [{"index": place, "relevance_score": score, "document": {"text": asked["documents"][place]}}
                for place, score in sorted(enumerate(scores), key=lambda one: -one[1])]  # fmt: skip
        return 200, {}, {"id": "one", "model": asked["model"], "results": rows[: asked["top_n"]]}
