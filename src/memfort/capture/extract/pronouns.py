"""Put the name in the place of "she", so that a statement can be understood alone."""

from __future__ import annotations

from typing import Any

import re2

from memfort.capture.extract.context import Context
from memfort.capture.extract.rules import Conversation


def resolve(rules: Conversation, text: str, context: Context) -> str | None:
    """The statement with its first pronoun replaced; None if nobody can be meant by it."""
    folded = rules.fold(text)
    found = rules.pronoun.match(folded)
    if found is None:
        return text
    word, rest = found.group("pronoun"), text[found.end() :]
    verb = rules.contracted(found.group("contracted") or "")
    if word in rules.it:
        has_value = rules.find_value(folded) or _NAME_INSIDE.search(rest)
        is_said_of_it = context.thing and has_value and _may_be_said_of(rules, rest, context)
        return f"{_capital(context.thing)}{verb}{rest}" if is_said_of_it else None
    gender = "she" if word in rules.she else "he" if word in rules.he else ""
    if not gender:
        return None
    for one in reversed(context.people):
        if one.gender in (gender, ""):
            return f"{_capital(one.label)}{verb}{rest}"
    return None


def _may_be_said_of(rules: Conversation, rest: str, context: Context) -> bool:
    """Whether what follows "it" can be said of the last thing: where that has a day or an amount, "it's Marcus now" and
    "it's 69 euros" are about something else."""
    folded = rules.fold(rest)
    lead = rules.before_value.match(folded)
    start = lead.end() if lead else 0
    tail = rules.change_tail.search(folded, start)
    value, seen = (one[start : tail.start() if tail else None].strip(" .!,。！，") for one in (rest, folded))
    earlier = next((one.text for one in reversed(context.said) if one.text.startswith(context.thing)), "")
    known = rules.value_kinds(rules.fold(earlier))
    if not known:
        return True
    whole = [kind for kind, form in rules.values if form.fullmatch(seen)]
    if whole:
        return bool(known.intersection(whole)) or not _AMOUNT_ONLY.issuperset(whole)
    return _ONLY_A_NAME.fullmatch(value) is None


_AMOUNT_ONLY = frozenset({"number"})
_ONLY_A_NAME: Any = re2.compile(r"\p{Lu}[\pL'’-]+\.?(?: \p{Lu}[\pL'’-]+)*")
_NAME_INSIDE: Any = re2.compile(r"\p{Lu}\pL+")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
