"""Other callers beside the largest requests of one: how much longer they wait than when nobody else asks. The one has
some connections, on each of which the same request is sent again as soon as it is answered."""

from __future__ import annotations

import http.client
import json
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from benchmarks.speed.corpus import Corpus

BEGIN = "<!-- `python -m benchmarks.server --beside --publish` writes from here -->\n"
CONNECTIONS = 4
_LARGEST = 1 << 14  # statements, ids or words, before the first that is taken is looked for
_REFUSED = {400, 413, 422}
_Fields = Callable[[int], dict[str, Any]]


def _statements(count: int) -> dict[str, Any]:
    return {"memories": [{"text": text, "type": "fact"} for text in Corpus(seed=-9).statements(count)]}


KINDS: Mapping[str, _Fields] = {
    "remember-many": _statements,
    "recall": lambda count: {"query": " ".join(f"whale{number}" for number in range(count))},
    "forget": lambda count: {"ids": [f"mem_{number:024d}" for number in range(count)]},
}


def beside(port: int, key: str, other: str, seconds: float) -> dict[str, Any]:
    """For each kind of request: the largest that the server takes, how long it takes itself, and how long `other`'s
    recalls take beside it and alone."""
    return {kind: _beside_one(port, key, other, kind, fields, seconds) for kind, fields in KINDS.items()}


def _beside_one(port: int, key: str, other: str, kind: str, fields: _Fields, seconds: float) -> dict[str, Any]:
    size, body, own_ms = _largest(port, key, kind, fields)
    alone = _recalls(port, other, seconds)
    with _asked_again_and_again(port, key, kind, body) as statuses:
        found = _recalls(port, other, seconds)
    return {
        "parts": size,
        "bytes": len(body),
        "own_ms": round(own_ms),
        "answers": {str(status): statuses.count(status) for status in sorted(set(statuses))},
        "alone_ms": _percentiles(alone),
        "beside_ms": _percentiles(found),
        "ratio": {name: round(_percentiles(found)[name] / one, 1) for name, one in _percentiles(alone).items()},
    }


def _largest(port: int, key: str, kind: str, fields: _Fields) -> tuple[int, bytes, float]:
    """Half as many until the server takes it."""
    size = _LARGEST
    while size > 1:
        body = json.dumps(fields(size)).encode()
        begun = time.perf_counter()
        status = _ask(port, key, kind, body)
        if status not in _REFUSED and status != 0:
            return size, body, (time.perf_counter() - begun) * 1000
        size //= 2
    raise AssertionError(f"no request of `{kind}` is taken")


def _ask(port: int, key: str, kind: str, body: bytes) -> int:
    """The status; 0 if the connection broke."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    try:
        headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
        connection.request("POST", f"/v1/{kind}", body, headers)
        with connection.getresponse() as answer:
            answer.read()
            return answer.status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


@contextmanager
def _asked_again_and_again(port: int, key: str, kind: str, body: bytes) -> Iterator[list[int]]:
    stop, statuses = threading.Event(), list[int]()

    def run() -> None:
        while not stop.is_set():
            statuses.append(_ask(port, key, kind, body))
            if statuses[-1] >= 400:
                stop.wait(0.1)  # it is told to wait

    threads = [threading.Thread(target=run) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    try:
        yield statuses
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _recalls(port: int, key: str, seconds: float) -> list[float]:
    """Milliseconds of each recall of a caller who asks on one connection, with a pause between two."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    questions, taken, until = Corpus(seed=-8).questions(20), list[float](), time.perf_counter() + seconds
    while time.perf_counter() < until or not taken:
        body = json.dumps({"query": questions[len(taken) % len(questions)]})
        begun = time.perf_counter()
        connection.request("POST", "/v1/recall", body, headers)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
        taken.append((time.perf_counter() - begun) * 1000)
        time.sleep(0.01)
    connection.close()
    return taken


def _percentiles(taken: list[float]) -> dict[str, float]:
    ordered = sorted(taken)
    return {"p50": round(statistics.median(ordered), 2), "p95": round(ordered[int(0.95 * (len(ordered) - 1))], 2)}


def table(found: Mapping[str, Any]) -> str:
    """The table of the README, made from the JSON alone."""
    cores, load = found["cores"], found["load_average"][0]
    lines = [
        f"One worker on {cores} cores that others used too (load {load:.0f}); {CONNECTIONS} connections of the one.",
        "",
        "| the one caller sends | parts, bytes | takes itself | others alone, p50 / p95 | beside it | times |",
        "|---|---|---|---|---|---|",
    ]
    for kind, one in found["beside"].items():
        alone, beside, ratio = one["alone_ms"], one["beside_ms"], one["ratio"]
        lines.append(
            f"| `{kind}` | {one['parts']:,}, {one['bytes']:,} | {one['own_ms']:,} ms "
            f"| {alone['p50']} / {alone['p95']} ms | {beside['p50']} / {beside['p95']} ms "
            f"| {ratio['p50']} / {ratio['p95']} |"
        )
    return "\n".join(lines) + "\n"
