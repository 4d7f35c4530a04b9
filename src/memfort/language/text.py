"""A text, read once: what its words say is worked out when it is first asked for, and kept as long as the text is.

A write or a query makes one and hands it on. Who speaks, where, and what a policy says never come in.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

from msgspec import Struct

from memfort.language.mentions import Mentions, mentions
from memfort.language.normal_form import normal_text
from memfort.language.sensitivity import WordsJudgement, judge_words
from memfort.language.sharing import is_portable
from memfort.language.types import infer_type


class Text(Struct, frozen=True, dict=True):
    said: str

    @cached_property
    def normal(self) -> str:
        """In normal form: what two wordings must share to count as the same."""
        return normal_text(self.said)

    @cached_property
    def type(self) -> str | None:
        return infer_type(self.said)

    @cached_property
    def is_portable(self) -> bool:
        return is_portable(self.said)

    @cached_property
    def judgement(self) -> WordsJudgement:
        """How private its words say it is."""
        return judge_words(self.said)

    @cached_property
    def mentions(self) -> Mentions:
        """Whom it speaks of."""
        return mentions(self.said)

    def knowing(self, **found: Any) -> Self:
        """The same text, with readings that were worked out elsewhere."""
        same = type(self)(self.said)
        same.__dict__.update(self.__dict__ | found)
        return same
