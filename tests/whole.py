"""All that an answer says, as one text: what may not be in it is looked for here. Its `repr` is short on purpose."""

from __future__ import annotations

from typing import Any

from memfort.model.value import plain


def whole(answer: Any) -> str:
    return repr(plain(answer))
