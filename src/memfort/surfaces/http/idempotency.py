"""`Idempotency-Key`: one effect, however often a request is sent. The answer is kept for a day, encrypted so that only
whoever has the key of the request can read it, and goes when something that it names is erased."""

from __future__ import annotations

import re
from collections.abc import Callable
from os import urandom
from typing import Any

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from starlette.requests import Request
from starlette.responses import Response

from memfort.engine.once import Once
from memfort.store.port import Reply
from memfort.surfaces.http.problems import RETRY_SECONDS, HttpProblem
from memfort.trail.keys import Keys

HEADER = "idempotency-key"
_MOST = 255
_NONCE_BYTES = 12
_NAMES = re.compile(rb'"([a-z]{3}_[a-z2-7]{24})"')
_COMPARED = ("memfort-at", "if-match")  # headers that are a part of the request


class IdempotentRequest:
    """A request with a key of its sender's."""

    def __init__(self, keys: Keys, sender: str, request: Request, body: bytes) -> None:
        given = request.headers[HEADER]
        if not 0 < len(given) <= _MOST:
            raise HttpProblem(
                400, "invalid_header", f"it has 1 to {_MOST} characters", field="Idempotency-Key", remedy="use a UUID"
            )
        name = sender.encode() + b"\x00" + given.encode()
        self.key = keys.seal("reply", name)
        self._cipher = AESGCM(keys.seal("reply secret", name))
        parts = [
            request.method,
            request.url.path,
            request.url.query,
            *(request.headers.get(one, "") for one in _COMPARED),
        ]
        self._fingerprint = keys.seal("reply request", msgspec.json.encode(parts) + body)
        self.response: Response | None = None  # to the request, once it was carried out

    def once(self, answer: Callable[[Any], Response]) -> Once:
        def encode(result: Any) -> tuple[bytes, tuple[str, ...]]:
            self.response = response = answer(result)
            headers = {
                name: response.headers[name]
                for name in ("content-type", "etag", "memfort-trace")
                if name in response.headers
            }
            content = msgspec.json.encode((response.status_code, headers, bytes(response.body).decode()))
            nonce = urandom(_NONCE_BYTES)
            names = sorted({name.decode() for name in _NAMES.findall(response.body)})
            return nonce + self._cipher.encrypt(nonce, content, self._fingerprint), tuple(names)

        return Once(self.key, self._fingerprint, encode)

    def replay_of_running(self, reply: Reply | None) -> Response:
        """The answer while another request with the key is carried out; it may have been kept just now."""
        if reply is None or (reply.fingerprint == self._fingerprint and reply.body is None):
            raise HttpProblem(
                409,
                "in_progress",
                "the request was sent before, and is still being carried out",
                field="Idempotency-Key",
                remedy="wait, then send it again with the same key: you get its answer",
                headers={"retry-after": RETRY_SECONDS},
            )
        return self.replay(reply)

    def replay(self, reply: Reply) -> Response:
        """The answer that was given before."""
        if reply.fingerprint != self._fingerprint:
            raise HttpProblem(
                409,
                "key_reused",
                "the key was used for another request",
                field="Idempotency-Key",
                remedy="use a new one",
            )
        if reply.body is None:
            raise HttpProblem(
                409,
                "not_repeated",
                "the request was begun before, and its answer is not kept",
                field="Idempotency-Key",
                remedy="look at what is there; to do it once more, use a new key",
            )
        try:
            content = self._cipher.decrypt(reply.body[:_NONCE_BYTES], reply.body[_NONCE_BYTES:], self._fingerprint)
        except InvalidTag:
            raise HttpProblem(409, "not_repeated", "the kept answer is damaged", field="Idempotency-Key") from None
        status, headers, body = msgspec.json.decode(content)
        return Response(body.encode(), status, {**headers, "idempotency-replayed": "true"})
