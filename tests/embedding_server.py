"""A real server on this machine that answers `/v1/embeddings`, and can be told to answer otherwise."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from memfort.embed.words import WordEmbedder

Answer = tuple[int, dict[str, str], Any]  # code, headers, document


class _Quiet(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Whoever asked has gone away: that is what some of the tests are about."""


class EmbeddingServer:
    """Answers with the vectors of the words embedder, in another order than it was asked; counts and keeps requests."""

    def __init__(self) -> None:
        self.requests: list[tuple[dict[str, str], dict[str, Any]]] = []
        self.otherwise: Callable[[dict[str, Any]], Answer | None] = lambda _: None
        self._words = WordEmbedder()
        self._server = _Quiet(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1/embeddings"

    @contextmanager
    def running(self) -> Iterator[EmbeddingServer]:
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

    @property
    def texts(self) -> list[str]:
        return [text for _, body in self.requests for text in body["input"]]

    def answer(self, asked: dict[str, Any]) -> Answer:
        vectors = self._words.embed(asked["input"])
        rows = [{"object": "embedding", "index": place, "embedding": one} for place, one in enumerate(vectors)]
        return 200, {}, {"object": "list", "model": asked["model"], "data": rows[::-1]}

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
