"""How private a statement is, by its words alone: what it says about somebody's health, money, loves or troubles.

A text is read by the rules of every language that has some, since a private statement may be in any of them. What
sounds alike and is about no person is taken out first. Rules miss things: that is why they only ever raise what a
caller says, and never lower it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from msgspec import Struct

from memfort.language.data import CLAUSE_END
from memfort.language.language import languages, shared
from memfort.language.normalise import LazyPattern, any_of, compile_set, plain, wording
from memfort.model.item import Sensitivity

EPHEMERAL_TYPES = frozenset({"context", "event", "task", "observation"})


def classify(text: str) -> tuple[Sensitivity, str | None]:
    """The sensitivity of `text`, and the rule that says so; public and no rule when none fits. The gravest wins."""
    seen, rules = plain(text), _rules()
    found = rules.patterns.Match(seen) or ()
    if found != [rules.empty]:  # as it is of most texts
        found = rules.patterns.Match(rules.ordinary.sub(" _ ", seen)) or ()
    place = min(found, default=rules.empty)
    return (Sensitivity.PUBLIC, None) if place >= rules.empty else rules.answers[place]


def stricter(given: Sensitivity, found: Sensitivity) -> Sensitivity:
    """The graver of what was asked for and what was found."""
    return given if given is found else max(given, found, key=_GRAVITY.index)


def private_chat_floor(type: str, sensitivity: Sensitivity, *, learned_in_private: bool) -> Sensitivity:
    """What passes in a private chat and is soon over is at least personal: it was said to one person, in passing."""
    if learned_in_private and type in EPHEMERAL_TYPES:
        return stricter(sensitivity, Sensitivity.PERSONAL)
    return sensitivity


_GRAVITY = tuple(Sensitivity)  # they are declared from the least to the gravest


class _Rules(Struct, frozen=True):
    answers: tuple[tuple[Sensitivity, str], ...]  # the level and the name of each category, the gravest first
    patterns: (
        Any  # theirs, searched for at once; then the empty pattern, which is in every text that RE2 did not give up
    )
    ordinary: LazyPattern  # the last of the patterns

    @property
    def empty(self) -> int:
        """The place of the empty pattern."""
        return len(self.answers)


@cache
def _rules() -> _Rules:
    levels = shared().sensitivity.levels
    answers = tuple((Sensitivity(level), name) for level, names in levels.items() for name in names)
    files = [one.sensitivity for one in languages()]
    forms = [
        [form for file in files for rule in file.rule if rule.name == name for form in rule.forms]
        for _, name in answers
    ]
    ordinary = LazyPattern(rf"\b{any_of(*(file.ordinary for file in files if file.rule))}\b")
    categories = [wording(rf"\b{any_of(*map(_bordered, some))}").pattern for some in forms]
    return _Rules(answers, compile_set([*categories, "", ordinary.pattern]), ordinary)


def _bordered(form: str) -> str:
    """The form between word borders; the end of a clause is a border of its own."""
    return form if form.endswith(CLAUSE_END) else rf"(?:{form})\b"
