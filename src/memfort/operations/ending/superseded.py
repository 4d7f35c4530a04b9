"""Endings of a memory by the id of a superseded one: what superseded it, and what the caller is told about that.

A later wording of the same memory ends with it, since whoever has a fact forgotten means the fact. Another statement
that took its place says something else, and stays.
"""

from __future__ import annotations

from collections.abc import Container

from memfort.engine.view import View
from memfort.model.item import Item, Status, as_expired, conversation_of
from memfort.model.people.directory import is_author
from memfort.policy.sight import decision_sight


def find_successors(view: View, item: Item) -> list[Item]:
    """What superseded a memory, one after the other, as far as the actor may write there: the last is in force. A file
    can name any memory as the newer one, so only one that names the older counts."""
    found: list[Item] = []
    known, last = {item.id}, item
    while last.status is Status.SUPERSEDED and last.superseded_by is not None and last.superseded_by not in known:
        known.add(last.superseded_by)
        older = last
        there = view.store.items(decision_sight(view.sight.writable.narrowed([item.space])), [last.superseded_by])
        last = next((one for one in there if older.id in (one.supersedes, *one.replaces)), older)
        if last is older or as_expired(last, view.now).deleted_at_us is not None:
            break
        found.append(last)
    return found


def find_wordings_to_end(view: View, item: Item) -> list[Item]:
    """The later wordings of a memory, as far as the actor may end them."""
    found: list[Item] = []
    there, older = view.writable, item
    for one in find_successors(view, item):
        may_end = there.may_end(one) and (there.sight.admits(one) or is_author(view.actor, one.author))
        if one.supersedes != older.id or conversation_of(one) is not None or not may_end:
            break
        found.append(one)
        older = one
    return found


def notes_on_superseded(view: View, item: Item, ended: Container[str]) -> list[str]:
    """What the caller is told: whether what is in force instead ends too. It names nothing that the caller may not
    see; in a chat that may not hear the memory, not even that something replaced it."""
    return [_note_on_superseded(view, item, ended)] if not view.sight.is_in_chat or view.sight.admits(item) else []


def _note_on_superseded(view: View, item: Item, ended: Container[str]) -> str:
    successors = find_successors(view, item)
    last = successors[-1] if successors else None
    if last is None or not view.sight.admits(last):
        ends = last is not None and last.id in ended
        return f"`{item.id}` is superseded" + ("; what is in force instead ends with it" if ends else "")
    if last.id in ended:
        return f"`{item.id}` is superseded by `{last.id}`, which ends with it"
    return f"`{item.id}` is superseded by `{last.id}`, which stays in force; name that id to end it too"
