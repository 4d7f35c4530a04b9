"""A store's keys as the text of a key file."""

from __future__ import annotations

import json
from pathlib import Path

from memfort.errors import KeyMismatch
from memfort.trail.keys import Keys

_KEY_BYTES = 32


def key_to_text(keys: Keys) -> str:
    return json.dumps({"memfort_key": 1, "secret": keys.secret.hex(), "signing": keys.signing.hex()})


def key_from_text(text: str, path: Path) -> Keys:
    """The keys that a key file holds, or a backup."""
    try:
        data = json.loads(text)
        keys = Keys(secret=bytes.fromhex(data["secret"]), signing=bytes.fromhex(data["signing"]))
    except (ValueError, KeyError, TypeError) as error:
        raise KeyMismatch(f"the key file `{path}` cannot be read; put the right one back") from error
    if len(keys.secret) != _KEY_BYTES or len(keys.signing) != _KEY_BYTES:
        raise KeyMismatch(f"the key file `{path}` does not hold whole keys; put the right one back")
    return keys
