"""Checks of a running server, from outside: does it answer, is the connection private, do versions and clocks agree."""

from __future__ import annotations

import http.client
import json
import time
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from memfort import __version__
from memfort.client.remote.transport import LOOPBACK
from memfort.errors import InvalidInput
from memfort.model.results import CheckResult

_SECONDS = 10.0
_MOST_SKEW_SECONDS = 30.0


def check_server(url: str, key: str | None) -> list[CheckResult]:
    """What is wrong with a server, as far as a client can see."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or parts.hostname is None:
        raise InvalidInput("server", "it is not the address of a server", "write it like `https://memory.example`")
    try:
        alive = _get(url, "/livez")
    except (OSError, http.client.HTTPException) as error:
        remedy = "check the address, and that `memfort serve` runs"
        return [CheckResult("server", "no answer", (f"it does not answer ({type(error).__name__})",), remedy=remedy)]
    checks = [_status("server", alive, "alive"), _status("store", _get(url, "/readyz"), "ready")]
    return [*checks, _connection(url), _version(url), _clock(alive), _key(url, key)]


def _status(name: str, answer: tuple[int, dict[str, str], bytes], good: str) -> CheckResult:
    status, _, body = answer
    if status == 200:
        return CheckResult(name, good)
    return CheckResult(name, f"status {status}", (_detail(body),), remedy="look into the log of the server")


def _connection(url: str) -> CheckResult:
    parts = urlsplit(url)
    if parts.scheme == "https" or parts.hostname in LOOPBACK:
        return CheckResult("connection", "TLS" if parts.scheme == "https" else "on this machine")
    problem = "keys and memories cross the network in clear"
    return CheckResult("connection", "no TLS", (problem,), remedy="use `--tls-cert`, or a proxy that ends TLS")


def _version(url: str) -> CheckResult:
    _, _, body = _get(url, "/openapi.json")
    try:
        found = str(json.loads(body)["info"]["version"])
    except (ValueError, KeyError, TypeError):
        return CheckResult("version", "unknown", ("it is not a Memfort server",), remedy="check the address")
    notes = () if found == __version__ else (f"this client has {__version__}",)
    return CheckResult("version", found, notes=notes)


def _clock(answer: tuple[int, dict[str, str], bytes]) -> CheckResult:
    """Whether the clocks agree. Expiry of memories, keys and tokens depends on the server's."""
    try:
        skew = parsedate_to_datetime(answer[1]["date"]).timestamp() - time.time()
    except (KeyError, ValueError):
        return CheckResult("clock", "unknown")
    found = f"{abs(skew):.0f} s apart"
    if abs(skew) <= _MOST_SKEW_SECONDS:
        return CheckResult("clock", found)
    return CheckResult("clock", found, ("the clocks differ",), remedy="synchronise them")


def _key(url: str, key: str | None) -> CheckResult:
    if key is None:
        return CheckResult("key", "not checked", notes=("set MEMFORT_KEY to check a key",))
    status, _, body = _get(url, "/v1/spaces", key)
    if status in {200, 403}:  # a key without the scope `read` is a key all the same
        return CheckResult("key", "valid")
    return CheckResult("key", f"status {status}", (_detail(body),), remedy="make a key with `memfort keys create`")


def _get(url: str, path: str, key: str | None = None) -> tuple[int, dict[str, str], bytes]:
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(str(parts.hostname), parts.port, timeout=_SECONDS)
    try:
        headers = {} if key is None else {"authorization": f"Bearer {key}"}
        connection.request("GET" if key is None else "POST", f"{parts.path.rstrip('/')}{path}", headers=headers)
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def _detail(body: bytes) -> str:
    try:
        return str(json.loads(body)["detail"])
    except (ValueError, KeyError, TypeError):
        return "it answers with no JSON"
