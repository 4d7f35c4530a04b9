"""Steps of the host: who takes part where, time, and upkeep of the store."""

from __future__ import annotations

from tests.purge.composer import Composer, Steps
from tests.purge.steps import UPKEEP
from tests.purge.writing import remember


def join_chat(composer: Composer) -> None:
    chat = composer.random.choice(list(composer.chats))
    kind, users, agents = composer.chats[chat]
    newcomers = [user for user in composer.users if user not in users]
    if not newcomers or (kind == "private" and len(users) > 1):
        leave_chat(composer)
        return
    composer.open_chat(chat, kind, [*users, composer.random.choice(newcomers)], agents, "join_chat")


def leave_chat(composer: Composer) -> None:
    chat = composer.random.choice(list(composer.chats))
    kind, users, agents = composer.chats[chat]
    if len(users) < 2:
        remember(composer)
        return
    leaver = composer.random.choice(users)
    composer.open_chat(chat, kind, [user for user in users if user != leaver], agents, "leave_chat")


def reopen_chat(composer: Composer) -> None:
    """Register a chat anew: with another partner, or as a chat of the other kind."""
    chat = composer.random.choice(list(composer.chats))
    kind, users, agents = composer.chats[chat]
    if kind == "private" and composer.random.random() < 0.6:
        composer.open_chat(chat, "group", users, agents, "reopen_chat")
    elif kind == "private":
        composer.open_chat(chat, "private", composer.random.sample(composer.users, 2), agents, "reopen_chat")
    else:
        composer.open_chat(chat, "private", users[:2], agents, "reopen_chat")


def add_member(composer: Composer) -> None:
    composer.join_group(composer.random.choice(list(composer.groups)), composer.random.choice(composer.users))


def remove_member(composer: Composer) -> None:
    group = composer.random.choice(list(composer.groups))
    if not composer.groups[group]:
        remember(composer)
        return
    user = composer.groups[group].pop(composer.random.randrange(len(composer.groups[group])))
    composer.groups[group] = [one for one in composer.groups[group] if one != user]
    composer.add("remove_member", None, group=dict([group]), user=user)


def wait(composer: Composer) -> None:
    composer.add("wait", None, seconds=composer.random.choice((1800.0, 7200.0, 9 * 86400.0)))


def upkeep(composer: Composer) -> None:
    """The host looks after the store. Nobody notices it in what they ask."""
    group = dict([composer.random.choice(list(composer.groups))])
    verb = composer.random.choice(UPKEEP)
    composer.add("upkeep", None, verb=verb, group=group)


def move_store(composer: Composer) -> None:
    """The store is backed up, and what is restored takes its place."""
    composer.add("move_store", None)


STEPS: Steps = {
    "join_chat": (4, join_chat),
    "leave_chat": (2, leave_chat),
    "reopen_chat": (2, reopen_chat),
    "add_member": (2, add_member),
    "remove_member": (2, remove_member),
    "wait": (2, wait),
    "upkeep": (5, upkeep),
    "move_store": (1, move_store),
}
