"""A model on a server, called with JSON: the code that embedders, rerankers and extractors share.

Nothing here knows whose texts they are. The key goes into one header and nowhere else: not into a message, not to
another host by a redirect, and not in the clear to another machine.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import IO, Any, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from msgspec import Struct

from memfort.errors import InvalidInput, ModelFailed

ATTEMPTS = 3
SECONDS = 10.0  # for one request, with all attempts
MAX_CHARS = 8000  # of a text: servers refuse longer ones
_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 5.0
_MOST_BYTES = 64 * 1024 * 1024  # of an answer
_READ_BYTES = 64 * 1024  # at once
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504})  # status codes after which a retry can help
_Found = TypeVar("_Found")


class Service(Struct, frozen=True):
    """A service of a server."""

    path: str  # its usual path: `/v1/embeddings`
    failure: type[ModelFailed]
    most_bytes: int = _MOST_BYTES  # of an answer

    @property
    def setting(self) -> str:
        return self.failure.what

    @property
    def model_variable(self) -> str:
        return f"MEMFORT_{self.setting.upper()}_MODEL"

    @property
    def key_variable(self) -> str:  # a secret, so not a setting: settings are shown
        return f"MEMFORT_{self.setting.upper()}_KEY"


class Server:
    """One model at one address. `name` is the model's: the same model on another server gives the same vectors."""

    def __init__(
        self,
        service: Service,
        url: str,
        model: str,
        key: str | None,
        sleep: Callable[[float], None] = time.sleep,
        *,
        attempts: int = ATTEMPTS,
    ) -> None:
        self._service, self._attempts = service, attempts
        self._url, self.host = _check_address(service, url, key)
        self.model, self._key = model.strip(), key
        if not self.model:
            remedy = f"write it behind the address, `…{service.path}#model`, or set {service.model_variable}"
            raise InvalidInput(service.setting, "the model is not named", remedy)
        if key is not None and not (key.isascii() and key.isprintable()):
            raise InvalidInput(service.key_variable, "it cannot be sent in a header", "give the key alone, on one line")
        self.name = f"remote:{self.model}"
        self._sleep = sleep
        self._opener = build_opener(_NoRedirect)

    def ask(
        self,
        document: Mapping[str, Any],
        seconds: float,
        read: Callable[[Any], _Found],
        sending: Callable[[bytes], None] = lambda _: None,
    ) -> _Found:
        """The answer as parsed by `read`, which may raise on a malformed answer. `sending` is called with the request
        before it leaves."""
        body = json.dumps({"model": self.model, **document}).encode()
        sending(body)
        answer = self._answer(body, time.monotonic() + seconds)
        try:
            return read(json.loads(answer))
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError):
            problem = f"its answer is not one to `{self._service.path}`"
            raise self.failure(problem, f"check the address in `{self._service.setting}`") from None

    def failure(self, problem: str, remedy: str, *, refused: bool = False, retry_after: float = 0.0) -> ModelFailed:
        return self._service.failure(self.name, problem, remedy, refused=refused, retry_after=retry_after)

    def _answer(self, body: bytes, until: float) -> bytes:
        pause = _FIRST_PAUSE
        for attempt in range(1, self._attempts + 1):
            try:
                return self._post(body, until)
            except _TemporaryFailure as passing:
                wait = min(max(pause, passing.after), _LONGEST_PAUSE)
                if attempt == self._attempts or time.monotonic() + wait >= until:
                    remedy = "see that the server runs, and try again"
                    raise self.failure(passing.problem, remedy, retry_after=passing.after) from passing.cause
                self._sleep(wait)
                pause *= 2
        raise AssertionError  # the last attempt returns or raises

    def _post(self, body: bytes, until: float) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "memfort"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        request = Request(self._url, data=body, headers=headers, method="POST")  # noqa: S310  # http or https: checked
        try:
            with self._opener.open(request, timeout=max(until - time.monotonic(), 0.1)) as answer:
                return self._read(answer, until)
        except HTTPError as error:
            error.close()
            raise self._http_error(error.code, error.headers.get("Retry-After")) from None
        except (URLError, HTTPException, OSError) as error:
            raise _TemporaryFailure(f"{self.host} could not be asked ({_error_kind(error)})", cause=error) from error

    def _read(self, answer: IO[bytes], until: float) -> bytes:
        """The body of an answer, as far as it may be: one that is too long, or comes too slowly, is not read to its
        end."""
        found = bytearray()
        while part := answer.read(_READ_BYTES):
            found += part
            if len(found) > self._service.most_bytes:
                raise self.failure("its answer is too long", f"check the address in `{self._service.setting}`")
            if time.monotonic() > until:
                raise TimeoutError
        return bytes(found)

    def _http_error(self, code: int, retry_after: str | None) -> Exception:
        problem = f"{self.host} answered {code}"
        if code in _PASSING:
            return _TemporaryFailure(problem, _retry_after_seconds(retry_after))
        return self.failure(problem, self._remedy(code), refused=code in {400, 413, 422})

    def _remedy(self, code: int) -> str:
        if code in {401, 403}:
            return f"set {self._service.key_variable} to a key that it takes"
        also = "" if code == 405 else " and the model's name"
        return f"check the address{also} in `{self._service.setting}`"


def sort_rows(rows: Any, count: int, read: Callable[[Any], _Found]) -> list[_Found] | None:
    """Each row of an answer as parsed by `read`, in the order of the request. `None`: the rows do not match the
    request."""
    found = {int(row["index"]): read(row) for row in rows}
    if len(rows) != count or sorted(found) != list(range(count)):
        return None
    return [found[place] for place in range(count)]


class _TemporaryFailure(Exception):
    """A temporary failure, retried after so many seconds. Internal to this module."""

    def __init__(self, problem: str, after: float = 0.0, cause: BaseException | None = None) -> None:
        super().__init__(problem)
        self.problem, self.after, self.cause = problem, after, cause


class _NoRedirect(HTTPRedirectHandler):
    """Refuse redirects: a key is for one host. A moved server must be configured again."""

    def redirect_request(self, *_: Any) -> None:  # whatever it is
        return None


def _check_address(service: Service, url: str, key: str | None) -> tuple[str, str]:
    """The address and, for messages, its host: an address may contain secrets."""
    setting, end = service.setting, service.path[service.path.rindex("/") :]
    remedy = f"write it like `https://host{service.path}`"
    try:
        parts = urlsplit(url)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        raise InvalidInput(setting, "this is not an address", remedy) from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or not url.isascii() or not url.isprintable():
        raise InvalidInput(setting, "this is not an address", remedy)
    if parts.username is not None or parts.password is not None:
        remedy = f"leave it out, and set {service.key_variable}"
        raise InvalidInput(setting, "a password does not belong in the address", remedy)
    if not parts.path.rstrip("/").endswith(end):
        raise InvalidInput(setting, f"the address does not end in `{end}`", remedy)
    if key is not None and parts.scheme == "http" and parts.hostname not in _HERE:
        raise InvalidInput(setting, "the key would be sent unencrypted", "use https, or leave the key out")
    return url, f"{parts.hostname}{port}"


def _error_kind(error: BaseException) -> str:
    """The kind of an error, without what its message quotes."""
    reason: Any = getattr(error, "reason", error)
    if isinstance(reason, TimeoutError):
        return "no answer in time"
    return str(getattr(reason, "strerror", None) or type(reason).__name__).lower()


def _retry_after_seconds(header: str | None) -> float:
    """The seconds that a server asks to wait: it gives a number of them, or a date."""
    try:
        seconds = float(header or 0)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(str(header)).timestamp() - time.time()
        except (ValueError, TypeError):
            return 0.0
    return max(seconds, 0.0) if math.isfinite(seconds) else 0.0
