"""All that an answer says, as one text: what may not be in it is looked for here. Its `repr` is short on purpose."""

from __future__ import annotations

import re
from typing import Any

from memfort.model.value import plain


def whole(answer: Any) -> str:
    return repr(plain(answer))


def without_ids(said: str) -> str:
    """What was said, without ids: they are letters by chance, and may spell any short word."""
    return re.sub(r"\b[a-z]{3}_[a-z0-9]{20,}", "…", said)
