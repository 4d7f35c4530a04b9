"""What a writer is told about who does not hear what they wrote, and what would change it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfort.model.audience import Listeners, ListenersKind, audience_of
from memfort.model.item import Item, Sensitivity
from memfort.model.judgement import SensitivityReason
from memfort.model.people.person import user_of_person
from memfort.model.reason import Reason, explanation
from memfort.model.space import Level, Visibility
from memfort.policy.disclosure import Row, row_of

if TYPE_CHECKING:
    from memfort.engine.engine import Engine
    from memfort.engine.view import View

INSTALL = "install memfort[multilingual] to have it judged"
_WAIT = "wait until it is judged"
_STATE = "have a person state its `sensitivity`"
_OUTSIDE = "ask outside the chat"
_REMEDIES = {
    Reason.NOT_FOR_THIS_CHAT: _OUTSIDE,
    Reason.CHAT_NOT_REGISTERED: "register the chat",
    Reason.NOT_PORTABLE: "ask in the chat where it was said, or outside of any",
    Reason.PROVENANCE_UNKNOWN: f"promote it, or {_OUTSIDE}",
}


def notice_of(view: View, item: Item) -> str:
    """Tells the writer who does not hear the memory; empty if all do who read its space."""
    disclosure = view.sight.disclosure
    if disclosure is None or view.sight.seen(item.space) is None:
        return ""
    if disclosure.listeners.chat is not None:
        return "" if view.sight.admits(item) else _in_chat(view, item, disclosure.listeners)
    return _in_space(view, item) if item.sensitivity is not Sensitivity.PUBLIC else ""


def _in_chat(view: View, item: Item, listeners: Listeners) -> str:
    seen = view.sight.seen(item.space)
    assert seen is not None
    reason = view.engine.disclosure_for(view.standpoint).verdict(seen, audience_of(item))
    why, remedy = explanation(reason), _REMEDIES.get(reason, _OUTSIDE)
    if reason is Reason.NOT_FOR_THIS_CHAT and item.sensitivity is not Sensitivity.PUBLIC:
        why, remedy = privacy_of(item), remedy_for(view.engine, item)
    if reason is Reason.LEARNED_IN_PRIVATE:
        remedy = f"{_who_releases(item)} can promote it"
    place = "group" if listeners.kind is ListenersKind.GROUP else "chat"
    return f"kept; not said in this {place}: {why}; {remedy}"


def _in_space(view: View, item: Item) -> str:
    """The same for those who read it where it lives without standing there."""
    is_public = item.space.get(Level.VISIBILITY) == Visibility.PUBLIC
    if not is_public and not view.store.shares_of([item.space]):
        return ""
    readers = "others who read this public space" if is_public else "those with whom this space is shared"
    remedy = f"; {' or '.join(_judging(view.engine, item))}" if row_of(audience_of(item)) is Row.UNJUDGED else ""
    return f"kept; {readers} hear it only if they said it or it is about them alone: {privacy_of(item)}{remedy}"


def privacy_of(item: Item) -> str:
    """How private it is, in words."""
    if row_of(audience_of(item)) is not Row.UNJUDGED or item.judgement is None:
        return item.sensitivity.value
    if item.judgement.reason is SensitivityReason.UNSURE:
        return "the encoder is not sure of it"
    is_foreign = item.judgement.reason is SensitivityReason.LANGUAGE_NOT_SUPPORTED
    return "its language is not supported" if is_foreign else "nothing has judged it"


def remedy_for(engine: Engine, item: Item) -> str:
    """What would have it said in a chat."""
    is_unjudged = row_of(audience_of(item)) is Row.UNJUDGED
    return " or ".join([*(_judging(engine, item) if is_unjudged else ()), _OUTSIDE])


def _judging(engine: Engine, item: Item) -> list[str]:
    """What would have an unjudged one judged. Nothing judges a language that nothing here understands."""
    if item.judgement is None or not item.judgement.waits:
        return [_STATE]
    return [_WAIT] if engine.has_classifier else [INSTALL, _STATE]


def _who_releases(item: Item) -> str:
    """Who may promote it out of a private chat."""
    persons = (item.stated_by, item.subjects[0] if len(item.subjects) == 1 else None)
    named = dict.fromkeys(user for one in persons if one is not None and (user := user_of_person(one)) is not None)
    return " or ".join(named) or "who said it"
