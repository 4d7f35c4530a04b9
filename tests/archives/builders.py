"""Archives as other programs write them, made by us from the lists of their fields; never files of others."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

BEGUN = 1_700_000_000.0  # November 2023


def message(role: str, text: Any, id: str, at: float | None = BEGUN, **more: Any) -> dict[str, Any]:
    content = text if isinstance(text, Mapping) else {"content_type": "text", "parts": [text]}
    known = {"id": id, "author": {"role": role}, "create_time": at, "content": content, "recipient": "all", "weight": 1}
    return {**known, **more}


def chatgpt(*turns: tuple[str, Any] | dict[str, Any], id: str = "c-1", begun: float = BEGUN, **more: Any) -> Any:
    """A conversation whose messages follow each other: pairs of a role and a text, or whole messages."""
    mapping: dict[str, Any] = {"root": {"id": "root", "parent": None, "children": [], "message": None}}
    last = "root"
    for number, turn in enumerate(turns):
        node = f"{id}-{number}"
        made = turn if isinstance(turn, dict) else message(turn[0], turn[1], node, begun + number)
        mapping[node] = {"id": node, "parent": last, "children": [], "message": made}
        mapping[last]["children"].append(node)
        last = node
    known = {"id": id, "conversation_id": id, "title": "A talk", "create_time": begun, "current_node": last}
    return {**known, "mapping": mapping, **more}


def claude(*turns: tuple[str, str] | dict[str, Any], id: str = "u-1", **more: Any) -> Any:
    messages = [
        turn
        if isinstance(turn, dict)
        else {
            "uuid": f"{id}-{number}",
            "sender": turn[0],
            "text": turn[1],
            "content": [{"type": "text", "text": turn[1]}],
            "created_at": f"2024-03-01T10:00:{number:02}.000000Z",
        }
        for number, turn in enumerate(turns)
    ]
    return {"uuid": id, "name": "A talk", "created_at": "2024-03-01T10:00:00Z", "chat_messages": messages, **more}


def as_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def as_lines(*values: Any) -> bytes:
    return b"\n".join(map(as_json, values))


def as_zip(files: Mapping[str, bytes] | Sequence[tuple[str, bytes]]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, data in files.items() if isinstance(files, Mapping) else files:
            zipped.writestr(name, data)
    return made.getvalue()
