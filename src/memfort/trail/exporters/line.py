"""A line of the exported trail, and the id of its event in other systems.

Other formats are made only from a line, so they disclose no more than the line does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from memfort.model.serialize.encoding import canonical_json
from memfort.trail.event import ChainId

Line = Mapping[str, Any]  # chain, event and, for readers who may know it, its position in the chain: number and hash


def line_id(line: Line) -> str:
    """An id that every export of the same event repeats, and no other event has.

    It is derived from the link's hash, and not from its number alone: a store restored from a backup reuses numbers,
    and its next event must not be mistaken for one that was exported before. A reader who may not know the position in
    the chain gets a digest of the line instead.
    """
    chain = ChainId(line["chain"]["kind"], bytes.fromhex(line["chain"]["key"]))
    if "number" in line:
        return f"{chain}:{line['number']}:{line['hash']}"
    content = canonical_json({"chain": line["chain"], "event": line["event"]})
    return f"{chain}:{hashlib.sha256(content).hexdigest()}"
