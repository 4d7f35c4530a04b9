"""Which type a statement is: the inference of `remember`, and the rules of conversations where it says nothing."""

from __future__ import annotations

from memfort.capture.extract.rules import Conversation, Found
from memfort.language.types import infer_type

_HOWEVER_PUT = ("task", "preference", "decision")  # whatever day it names, and whoever it is about
_OF_A_DAY = (None, "identity", "knowledge", "context", "fact", "event", "relationship")  # that a day makes an event


def type_of(rules: Conversation, statement: str) -> str:
    """The type of a statement that is kept."""
    folded = rules.fold(statement)
    found = rules.find(folded)
    shown = next((one for one in found.types if one != "fact"), None)
    inferred = infer_type(statement) if rules.language.code == "en" else None
    if (however := _however_put(found, shown, inferred)) is not None:
        return however
    is_habit = rules.is_habit(folded)
    if not is_habit and shown in _OF_A_DAY and rules.is_dated(folded):
        return "event"
    if shown == "relationship" or rules.own_person.match(folded) or rules.named_subject(statement):
        return "relationship"
    if is_habit and "event" in (shown, inferred):
        return _by_subject(rules, folded)
    return inferred or shown or _by_subject(rules, folded)


def _however_put(found: Found, shown: str | None, inferred: str | None) -> str | None:
    if "standing_wishes" in found.sections:
        return "preference"
    if "decision" in found.types:
        return "decision"
    return next((one for one in (shown, inferred) if one in _HOWEVER_PUT), None)


def _by_subject(rules: Conversation, folded: str) -> str:
    return "identity" if rules.first_person.match(folded) else "knowledge"
