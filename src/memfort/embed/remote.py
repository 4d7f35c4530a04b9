"""An embedder behind an address: any server that answers `/v1/embeddings` as OpenAI's does.

Nothing here knows whose texts they are. The key goes into one header and nowhere else: not into a message, not to
another host by a redirect, and not in the clear to another machine.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from memfort.embed.port import Vectors
from memfort.errors import EmbedderFailed, InvalidInput

BATCH = 64  # texts in one request
ATTEMPTS = 3
SECONDS = 10.0  # for one text, with all attempts
SECONDS_PER_TEXT = 0.5  # more for each of many
_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 5.0
_MOST_CHARACTERS = 8000  # of a text: beyond that servers refuse it
_MOST_BYTES = 64 * 1024 * 1024  # of an answer
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504})  # answers after which asking again can help
_REMEDIES = {
    401: "set MEMFORT_EMBEDDER_KEY to a key that it takes",
    403: "set MEMFORT_EMBEDDER_KEY to a key that it takes",
    404: "check the address and the model's name in `embedder`",
    405: "check the address in `embedder`",
}


class RemoteEmbedder:
    """Asks a server, some texts at a time. `name` is the model's: the same model elsewhere gives the same vectors."""

    is_remote = True

    def __init__(
        self, url: str, model: str, key: str | None = None, *, seconds: float = SECONDS, batch: int = BATCH,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:  # fmt: skip
        self._url, self._host = _checked(url, key)
        if not model.strip():
            remedy = "write it behind the address, `…/v1/embeddings#model`, or set MEMFORT_EMBEDDER_MODEL"
            raise InvalidInput("embedder", "the model is not named", remedy)
        if key is not None and not (key.isascii() and key.isprintable()):
            raise InvalidInput("MEMFORT_EMBEDDER_KEY", "it cannot stand in a header", "give the key alone, on one line")
        self.name = f"remote:{model.strip()}"
        self._model, self._key = model.strip(), key
        self._seconds, self._batch, self._sleep = seconds, batch, sleep
        self._length: int | None = None  # of its vectors, once one is known
        self._opener = build_opener(_NoRedirect)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """A blank text means nothing, and servers refuse it, so it is not asked about."""
        wanted = [place for place, text in enumerate(texts) if text.strip()]
        found: list[Sequence[float]] = [()] * len(texts)
        for start in range(0, len(wanted), self._batch):
            some = wanted[start : start + self._batch]
            for place, vector in zip(some, self._asked([texts[place] for place in some]), strict=True):
                found[place] = vector
        return found

    def _asked(self, texts: Sequence[str]) -> list[list[float]]:
        cut = [text[:_MOST_CHARACTERS] for text in texts]
        body = json.dumps({"model": self._model, "input": cut, "encoding_format": "float"}).encode()
        until = time.monotonic() + self._seconds + SECONDS_PER_TEXT * (len(texts) - 1)
        pause = _FIRST_PAUSE
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._read(self._posted(body, until - time.monotonic()), len(texts))
            except _Passing as passing:
                wait = min(max(pause, passing.after), _LONGEST_PAUSE)
                if attempt == ATTEMPTS or time.monotonic() + wait >= until:
                    raise self._failed(passing.problem, "see that the server runs, and try again") from passing.cause
                self._sleep(wait)
                pause *= 2
        raise AssertionError  # the last attempt returns or raises

    def _posted(self, body: bytes, seconds: float) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "memfort"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        request = Request(self._url, data=body, headers=headers, method="POST")  # noqa: S310  # http or https: checked
        try:
            with self._opener.open(request, timeout=max(seconds, 0.1)) as answer:
                found: bytes = answer.read(_MOST_BYTES + 1)
        except HTTPError as error:
            error.close()
            raise self._answered(error.code, error.headers.get("Retry-After")) from None
        except (URLError, HTTPException, OSError) as error:
            raise _Passing(f"{self._host} could not be asked ({_kind(error)})", cause=error) from error
        if len(found) > _MOST_BYTES:
            raise self._failed("its answer is too long", "check the address in `embedder`")
        return found

    def _answered(self, code: int, retry_after: str | None) -> Exception:
        problem = f"{self._host} answered {code}"
        if code in _PASSING:
            return _Passing(problem, _seconds_in(retry_after))
        remedy = _REMEDIES.get(code, "check the address and the model's name in `embedder`")
        return self._failed(problem, remedy, refused=code in {400, 413, 422})

    def _read(self, answer: bytes, count: int) -> list[list[float]]:
        try:
            rows = json.loads(answer)["data"]
            found = {int(row["index"]): [float(number) for number in row["embedding"]] for row in rows}
        except (ValueError, TypeError, KeyError, RecursionError):
            problem = "its answer is not one to `/v1/embeddings`"
            raise self._failed(problem, "check the address in `embedder`") from None
        if len(rows) != count or sorted(found) != list(range(count)):
            raise self._failed(f"it gave {len(rows)} vectors for {count} texts", "check the model's name in `embedder`")
        self._check_length({len(vector) for vector in found.values()})
        return [found[place] for place in range(count)]

    def _check_length(self, lengths: set[int]) -> None:
        length = next(iter(lengths)) if self._length is None else self._length
        if lengths != {length} or not length:
            problem = f"it gave vectors of {' and '.join(map(str, sorted(lengths | {length})))} numbers"
            raise self._failed(problem, "name one model that gives one length")
        self._length = length

    def _failed(self, problem: str, remedy: str, *, refused: bool = False) -> EmbedderFailed:
        return EmbedderFailed(self.name, problem, remedy, refused=refused)


class _Passing(Exception):
    """Never raised out of here: a failure that may be over when it is tried again, after so many seconds."""

    def __init__(self, problem: str, after: float = 0.0, cause: BaseException | None = None) -> None:
        super().__init__(problem)
        self.problem, self.after, self.cause = problem, after, cause


class _NoRedirect(HTTPRedirectHandler):
    """A key is for one host. Whoever has moved has to be named anew."""

    def redirect_request(self, *_: Any) -> None:  # whatever it is
        return None


def _checked(url: str, key: str | None) -> tuple[str, str]:
    """The address and, for messages, its host: an address may hold what must not be shown."""
    remedy = "write it like `https://host/v1/embeddings`"
    try:
        parts = urlsplit(url)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        raise InvalidInput("embedder", "the address is none", remedy) from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or not url.isascii() or not url.isprintable():
        raise InvalidInput("embedder", "the address is none", remedy)
    if parts.username is not None or parts.password is not None:
        remedy = "leave it out, and set MEMFORT_EMBEDDER_KEY"
        raise InvalidInput("embedder", "a password does not belong into the address", remedy)
    if not parts.path.rstrip("/").endswith("/embeddings"):
        raise InvalidInput("embedder", "the address does not end in `/embeddings`", remedy)
    if key is not None and parts.scheme == "http" and parts.hostname not in _HERE:
        raise InvalidInput("embedder", "the key would travel in the clear", "use https, or leave the key out")
    return url, f"{parts.hostname}{port}"


def _kind(error: BaseException) -> str:
    """What went wrong, without what it quotes."""
    reason: Any = getattr(error, "reason", error)
    if isinstance(reason, TimeoutError):
        return "no answer in time"
    return str(getattr(reason, "strerror", None) or type(reason).__name__).lower()


def _seconds_in(header: str | None) -> float:
    try:
        return max(float(header or 0), 0.0)
    except ValueError:  # a date: the pause of our own will do
        return 0.0
