"""A model that follows a script, behind the streaming interface that OpenClaw asks, on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Script:
    """What to call next, and what was asked."""

    def __init__(self) -> None:
        self.to_call: list[tuple[str, dict[str, Any]]] = []
        self.asked: list[dict[str, Any]] = []
        self.address = ""

    def next_delta(self, request: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(request)
        if self.to_call and request.get("tools"):
            name, arguments = self.to_call.pop(0)
            function = {"name": name, "arguments": json.dumps(arguments)}
            call = {"index": 0, "id": f"call_{len(self.asked)}", "type": "function", "function": function}
            return {"role": "assistant", "tool_calls": [call]}
        return {"role": "assistant", "content": "Noted."}

    @property
    def read_of_tools(self) -> str:
        """What the tools have answered, as the model read it."""
        said = [one["content"] for one in self.asked[-1]["messages"] if one["role"] == "tool"]
        return "\n".join(one if isinstance(one, str) else json.dumps(one) for one in said)

    @property
    def prompt(self) -> str:
        """All that the user is said to have said when the model was asked last, with what was put before it."""
        return json.dumps([one["content"] for one in self.asked[-1]["messages"] if one["role"] == "user"])


@contextmanager
def scripted_model() -> Iterator[Script]:
    script = Script()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None: ...

        def do_POST(self) -> None:  # as the base class names it
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            delta = script.next_delta(request)
            reason = "tool_calls" if "tool_calls" in delta else "stop"
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            for choice in ({"delta": delta, "finish_reason": None}, {"delta": {}, "finish_reason": reason}):
                chunk = {
                    "id": "c",
                    "object": "chat.completion.chunk",
                    "model": "m",
                    "choices": [{"index": 0, **choice}],
                }
                self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")
            self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    script.address = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield script
    finally:
        server.shutdown()
