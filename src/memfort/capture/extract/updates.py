"""The words that say that something is otherwise now, of one language, made ready for searching (`updates.txt`)."""

from __future__ import annotations

from functools import cache
from typing import Any

import re2

from memfort.capture.extract.rules import Conversation, conversation, with_any_spaces
from memfort.language.fold import fold, fold_pattern


class Updates:
    """The rules of one language."""

    def __init__(self, rules: Conversation) -> None:
        file, self._border = rules.language.updates, r"\b" if rules.is_spaced else ""
        self.adding, self.over, self.instead = map(self._anywhere, (file.adding, file.over, file.instead))
        self.ends = self._anywhere(f"{file.over}|{file.left}")
        self.left, self.not_numbers = self._anywhere(file.left), frozenset(map(fold, file.not_numbers))
        self.no_topics = frozenset(map(fold, file.no_topics))
        self.any_cue = self._anywhere("|".join((file.news, file.wrong, file.over, file.instead, file.left)))
        reasons = rf"\s+{file.because}\s+" if rules.is_spaced else file.because
        self.clause_end = re2.compile(
            rf"{rules.joint.pattern}|[.!;,。！；，：]|:\s|{fold_pattern(with_any_spaces(reasons))}"
        )

    def _anywhere(self, form: str) -> Any:
        return re2.compile(fold_pattern(with_any_spaces(rf"{self._border}(?:{form}){self._border}")))


def updates_of(rules: Conversation) -> Updates:
    return _updates(rules.language.name)


@cache
def _updates(name: str) -> Updates:
    return Updates(conversation(name))
