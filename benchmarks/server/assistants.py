"""MCP: one tool call over HTTP, and the start of `memfort mcp` until its first answer."""

from __future__ import annotations

import http.client
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

STARTS = 7
_VERSION = "2025-11-25"
_HEADERS = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": _VERSION,
}


def recall(connection: http.client.HTTPConnection, key: str, query: str) -> None:
    """A recall through the tool, with the connection of a client that keeps it open."""
    body = json.dumps(_call(query))
    connection.request("POST", "/mcp", body, {**_HEADERS, "authorization": f"Bearer {key}"})
    answer = connection.getresponse()
    document = json.loads(answer.read())
    assert answer.status == 200, answer.status
    assert not document["result"]["isError"], document


def start(path: Path, user: str) -> dict[str, float]:
    """Seconds from the start of `memfort mcp` until it has answered the handshake, and then until the first recall."""
    ready, recalled = [], []
    for _ in range(STARTS):
        begun = time.perf_counter()
        program = str(Path(sys.executable).with_name("memfort"))
        with subprocess.Popen(
            [program, "--store", str(path), "mcp", "--as", user],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            client = {"name": "benchmark", "version": "1"}
            hello = {"protocolVersion": _VERSION, "capabilities": {}, "clientInfo": client}
            _ask(process, {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})
            ready.append(time.perf_counter() - begun)
            _send(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
            _ask(process, _call("anything about tea"))
            recalled.append(time.perf_counter() - begun)
            assert process.stdin is not None
            process.stdin.close()
    return {
        "starts": STARTS,
        "ready_s_p50": round(statistics.median(ready), 3),
        "ready_s_max": round(max(ready), 3),
        "first_recall_s_p50": round(statistics.median(recalled), 3),
        "first_recall_s_max": round(max(recalled), 3),
    }


def _call(query: str) -> dict[str, Any]:
    params = {"name": "recall", "arguments": {"query": query}}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def _ask(process: subprocess.Popen[bytes], message: dict[str, Any]) -> dict[str, Any]:
    _send(process, message)
    assert process.stdout is not None
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    assert "result" in answer, answer
    return answer


def _send(process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
