"""Whether a text says that something was wrong before, or is otherwise now: in any of the languages, by one search."""

from __future__ import annotations

from functools import cache
from typing import Any

from memfort.capture.extract.rules import conversation, with_any_spaces
from memfort.language.fold import fold, fold_pattern
from memfort.language.language import languages
from memfort.language.normalise import compile_set

_LONGEST = 400  # characters; a longer text says many things


def says_wrong(text: str) -> bool:
    """Whether it says that something was wrong: "sorry", "hang on", "I misread"."""
    return _found(text, 0)


def says_otherwise(text: str) -> bool:
    """Whether it says that something was wrong, has changed, has ended or is off."""
    return _found(text, 0) or _found(text, 1)


def _found(text: str, which: int) -> bool:
    if len(text) > _LONGEST:
        return False
    return bool(_forms()[which].Match(fold(text)))


@cache
def _forms() -> tuple[Any, Any]:
    wrong, changed = list[str](), list[str]()
    for one in languages():
        rules = conversation(one.name)
        border = r"\b" if rules.is_spaced else ""
        for patterns, form in (
            (wrong, rules.file.slips),
            (changed, rules.file.changes),
            (changed, rules.file.endings),
            (changed, rules.file.cancelled),
        ):
            patterns.append(fold_pattern(with_any_spaces(f"{border}{form}{border}")))
        for form in (one.updates.over, one.updates.instead, one.updates.left, one.updates.news):
            changed.append(fold_pattern(with_any_spaces(f"{border}(?:{form}){border}")))
        wrong.append(fold_pattern(with_any_spaces(f"{border}(?:{one.updates.wrong}){border}")))
    return compile_set(wrong), compile_set(changed)
