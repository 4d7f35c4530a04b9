"""The table of disclosure: what may be said in a room, and what others' spaces give about people."""

from __future__ import annotations

import msgspec
from tests.purge.directory import GROUP_LEVELS, Directory, Space
from tests.purge.statements import PERSONAL, PUBLIC, SENSITIVE, Statement
from tests.purge.steps import Standpoint


class Room(msgspec.Struct, frozen=True):
    chat: str
    kind: str
    listeners: frozenset[str]


def may_hear(
    one: Statement, subjects: frozenset[str], room: Room | None, observer: Standpoint, directory: Directory
) -> bool:
    """Whether a memory in sight may be said in a room."""
    if room is None or room.kind == "unknown":
        return True
    if one.is_turn and was_heard_in_the_window(one, room):
        return True
    if one.portable is False and any(origin.chat not in {None, room.chat} for origin in one.origins):
        return False
    if _is_kept_by_origin(one, room):
        return False
    if _was_heard_there(one, room):
        return True
    if not subjects and one.level > PUBLIC and one.said_by:
        subjects = frozenset({one.said_by})
    if room.kind == "group":
        return one.level == PUBLIC or (one.level == PERSONAL and subjects == {observer.actor.person})
    owner = _owner(one.space, directory)
    if len(room.listeners) == 1:
        return _may_hear_alone(one, subjects, next(iter(room.listeners)), owner)
    if one.level == PUBLIC and all(
        _has_reason(one, subjects, listener, observer) or _may_read_anyway(one, listener, room, directory)
        for listener in room.listeners
    ):
        return True  # and if its words make it personal, it may still be for each as the owner or the only subject
    return one.level <= PERSONAL and all(subjects == {listener} or listener == owner for listener in room.listeners)


def may_read_published(
    one: Statement, subjects: frozenset[str], room: Room | None, observer: Standpoint, directory: Directory
) -> bool:
    """Whether somebody else's public space, or a share, gives it: the column "one person", origin included."""
    if not one.declassified and any(origin.kind == "private" for origin in one.origins):
        return False
    listeners = {observer.actor.person} if room is None or room.kind == "unknown" else room.listeners
    owner = _owner(one.space, directory)
    return all(_may_hear_alone(one, subjects, listener, owner) for listener in listeners)


def _may_hear_alone(one: Statement, subjects: frozenset[str], person: str | None, owner: str | None) -> bool:
    if one.level == PUBLIC or person == one.said_by:
        return True
    if one.level == PERSONAL:
        return person in subjects or person == owner
    return subjects == {person}


def _has_reason(one: Statement, subjects: frozenset[str], listener: str, observer: Standpoint) -> bool:
    """A reason to say something public to one of two. Without subjects, the documents leave open whose it is."""
    if not subjects or listener in subjects or listener == one.said_by:
        return True
    if any(listener in origin.present for origin in one.origins):
        return True
    asker = observer.actor.person
    return subjects == {asker} and asker in {one.said_by, one.user}


def _may_read_anyway(one: Statement, listener: str, room: Room, directory: Directory) -> bool:
    """Whether the listener owns its space or could read it: "membership is the permission". Where memberships are not
    registered, anybody may say that they are a member."""
    if listener == _owner(one.space, directory) or ("visibility", "public") in one.space:
        return True
    return all(
        (level == "user" and id == listener)
        or (level == "chat" and id == room.chat)
        or level == "system"
        or (level in GROUP_LEVELS and (not directory.registered or listener in directory.members.get((level, id), {})))
        for level, id in one.space
    )


def _is_kept_by_origin(one: Statement, room: Room) -> bool:
    """What was learned in a private chat stays there, among those who were there."""
    if one.declassified:
        return False
    private = [origin for origin in one.origins if origin.kind == "private"]
    return any(
        origin.chat != room.chat or room.kind != "private" or not room.listeners <= origin.present for origin in private
    )


def _was_heard_there(one: Statement, room: Room) -> bool:
    """What was said in a private chat may be said there again to those who were present; and what was said in a chat
    before it was registered, to who said it."""
    return any(
        origin.chat == room.chat
        and (
            (room.kind == "private" and room.listeners <= origin.present)
            or (origin.kind == "unknown" and room.listeners == {one.said_by})
        )
        for origin in one.origins
    )


def was_heard_in_the_window(one: Statement, room: Room) -> bool:
    """The window shows what was said while everybody who listens now took part."""
    return any(origin.chat == room.chat and room.listeners <= origin.present for origin in one.origins)


def comes_as_about_people(
    one: Statement, subjects: frozenset[str], room: Room | None, observer: Standpoint, directory: Directory
) -> bool:
    """What others' spaces give: portable, learned in a group, kept by a user or a chat, about somebody present."""
    if not subjects or not {level for level, _ in one.space} & {"user", "chat"}:
        return False
    if one.portable is False and (room is None or any(origin.chat != room.chat for origin in one.origins)):
        return False
    if not one.declassified and any(origin.kind in {None, "private"} for origin in one.origins):
        return False
    asker = observer.actor.person
    was_there = any(asker in origin.present for origin in one.origins)
    is_named = one.level == PUBLIC and was_there
    if room is None:
        return is_named or _may_hear_of_oneself(one, subjects, asker)
    if room.kind == "unknown":
        return True
    return (is_named or bool(subjects & room.listeners)) and may_hear(one, subjects, room, observer, directory)


def _may_hear_of_oneself(one: Statement, subjects: frozenset[str], asker: str | None) -> bool:
    if one.level == SENSITIVE:
        return subjects == {asker} or (asker in subjects and one.said_by == asker)
    return asker in subjects


def readers_admit(one: Statement, observer: Standpoint, room: Room | None) -> bool:
    actor = observer.actor
    if one.users is not None:
        if actor.person not in one.users and one.user != actor.user:
            return False
        if room is not None and room.kind != "unknown" and not room.listeners <= one.users:
            return False
    return one.agents is None or actor.kind == "user" or actor.id in one.agents


def _owner(space: Space, directory: Directory) -> str | None:
    for level, id in space:
        if level == "user":
            return id
        if level == "agent":
            return directory.owners.get(id)
    return None
