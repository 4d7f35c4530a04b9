"""Scenes: beginnings of histories in which something is said that an observer may not notice, or may notice in part.

Each adds its steps to a history and gives back the standpoint of the observer. What follows is random, so a scene is
only a likely place to look. None says what the observer may notice: that is the model's to decide.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.purge.steps import LEVELS, Actor, Ref, Standpoint

if TYPE_CHECKING:
    from tests.purge.composer import Composer


def a_newcomer_in_a_group(composer: Composer) -> Standpoint:
    """Something is said in a group, somebody joins it, and the two are in a private chat."""
    speaker, other, newcomer = composer.random.sample(composer.users, 3)
    composer.open_chat("club", "group", [speaker, other], [])
    said = {"text": composer.about(other), "sensitivity": "public"}
    composer.write(Standpoint(_user(speaker), (("chat", "club"),)), **said)
    composer.open_chat("club", "group", [speaker, other, newcomer], [], "join_chat")
    composer.open_chat("pair", "private", [speaker, newcomer], [], "reopen_chat")
    return Standpoint(_user(composer.random.choice((speaker, newcomer))), (("chat", "pair"),))


def a_taken_name(composer: Composer) -> Standpoint:
    """A user whom the speaker knows, or not, takes the name of somebody whom the speaker talks about in a group."""
    speaker, other, impostor = composer.random.sample(composer.users, 3)
    composer.open_chat("club", "group", [speaker, other], [])
    here = Standpoint(_user(speaker), (("chat", "club"),))
    if composer.random.random() < 0.7:
        composer.add("relate", Standpoint(_user(speaker)), person=f"@{impostor}", term="friend")
    composer.add("rename", Standpoint(_user(impostor)), name="Sarah")
    subjects = composer.random.choice(({}, {"subjects": ["Sarah"]}))
    level = composer.random.choice(LEVELS)
    composer.write(here, text=composer.about("Sarah"), sensitivity=level, portable=True, **subjects)
    return Standpoint(_user(impostor))


def a_group_memory_about_an_absent_person(composer: Composer) -> Standpoint:
    """What a project knows about somebody, where two other members are in a private chat."""
    writer, partner, absent = composer.random.sample(composer.users, 3)
    group = next(iter(composer.groups))
    for user in (writer, partner):
        composer.add_to_group(group, user, "contributor")
    composer.open_chat("pair", "private", [writer, partner], [], "reopen_chat")
    level = composer.random.choice(LEVELS)
    said = {"text": composer.about(absent), "sensitivity": level, "space": dict([group])}
    composer.write(Standpoint(_user(writer), (group,)), **said)
    return Standpoint(_user(partner), tuple(sorted([("chat", "pair"), group])))


def an_agent_for_nobody_in_a_private_chat(composer: Composer) -> Standpoint:
    """An agent notes something about somebody absent, and is asked in a private chat of two."""
    owner = composer.owners["bot"]
    other, absent = composer.random.sample([user for user in composer.users if user != owner], 2)
    agent = Actor("agent", "bot", owner=owner)
    composer.open_chat("pair", "private", [owner, other], ["bot"], "reopen_chat")
    subject = composer.random.choice((absent, other))
    composer.write(Standpoint(agent), text=composer.about(subject), sensitivity=composer.random.choice(LEVELS))
    return Standpoint(agent, (("chat", "pair"),))


def a_wording_changed_in_private(composer: Composer) -> Standpoint:
    """A memory that a group heard gets other words, outside the group."""
    speaker, subject = composer.random.sample(composer.users, 2)
    composer.open_chat("club", "group", [speaker, subject], [])
    said = {"text": composer.about(subject), "sensitivity": "public", "portable": True}
    first = composer.write(Standpoint(_user(speaker), (("chat", "club"),)), **said)
    composer.change("correct", Standpoint(_user(speaker)), memory=Ref(first), text=composer.about(subject))
    return Standpoint(_user(subject))


def a_private_memory_brought_up_in_a_group(composer: Composer) -> Standpoint:
    """What was told in a private chat, or alone, is corrected or restored where a group listens."""
    speaker, partner, other = composer.random.sample(composer.users, 3)
    composer.open_chat("pair", "private", [speaker, partner], [], "reopen_chat")
    composer.open_chat("club", "group", [speaker, other], [])
    here = Standpoint(_user(speaker), composer.random.choice(((), (("chat", "pair"),))))
    there = Standpoint(_user(speaker), (("chat", "club"),))
    first = composer.write(here, text=composer.about(other), sensitivity="public", portable=True)
    composer.change("correct", composer.random.choice((here, there)), memory=Ref(first), text=composer.about(other))
    composer.change("restore", there, memory=Ref(first))
    return Standpoint(_user(other), composer.random.choice(((), (("chat", "club"),))))


def a_conclusion_from_a_private_chat(composer: Composer) -> Standpoint:
    """What was said in a private chat leads to another statement, made elsewhere."""
    speaker, partner, other = composer.random.sample(composer.users, 3)
    composer.open_chat("pair", "private", [speaker, partner], [], "reopen_chat")
    composer.open_chat("club", "group", [speaker, other], [])
    first = composer.write(
        Standpoint(_user(speaker), (("chat", "pair"),)), text=composer.about(partner), sensitivity="public"
    )
    places = composer.random.choice(((), (("chat", "club"),)))
    said = {"text": composer.about(other), "sensitivity": "public", "derived_from": [Ref(first)]}
    composer.write(Standpoint(_user(speaker), places), **said)
    return Standpoint(_user(composer.random.choice((speaker, other))), (("chat", "club"),))


def a_private_chat_that_becomes_a_group(composer: Composer) -> Standpoint:
    speaker, partner, other = composer.random.sample(composer.users, 3)
    composer.open_chat("pair", "private", [speaker, partner], [], "reopen_chat")
    here = Standpoint(_user(speaker), (("chat", "pair"),))
    space = composer.random.choice(({}, {"space": {"chat": "pair"}}))
    composer.write(here, text=composer.about(partner), sensitivity="public", **space)
    composer.open_chat("pair", "group", [speaker, partner, other], [], "reopen_chat")
    return composer.random.choice((here, Standpoint(_user(other), here.places)))


def a_note_in_a_space_out_of_sight(composer: Composer) -> Standpoint:
    """In a group, somebody notes something about another in a project, or an agent in its own space."""
    speaker, subject = composer.random.sample(composer.users, 2)
    composer.open_chat("club", "group", [speaker, subject], ["drone"])
    group = next(iter(composer.groups))
    composer.add_to_group(group, speaker, "owner")
    said = {"text": composer.about(subject), "sensitivity": "public", "portable": True}
    if composer.random.random() < 0.5:
        composer.write(Standpoint(Actor("agent", "drone", owner="host"), (("chat", "club"),)), **said)
    else:
        places = tuple(sorted([("chat", "club"), group]))
        composer.write(Standpoint(_user(speaker), places), space=dict([group]), **said)
    return Standpoint(_user(subject), composer.random.choice(((), (("chat", "club"),))))


def one_s_own_words_before_a_partner(composer: Composer) -> Standpoint:
    """Somebody told their memory something alone, and is in a private chat with another."""
    speaker, partner = composer.random.sample(composer.users, 2)
    composer.open_chat("pair", "private", [speaker, partner], [], "reopen_chat")
    text = composer.random.choice((composer.text(), "I like chess from Oslo", composer.about(partner)))
    composer.write(Standpoint(_user(speaker)), text=text, sensitivity=composer.random.choice(LEVELS))
    return Standpoint(_user(speaker), (("chat", "pair"),))


def a_stranger_who_names_a_chat(composer: Composer) -> Standpoint:
    """Somebody who does not take part in a chat writes as if they stood there."""
    member, other, stranger = composer.random.sample(composer.users, 3)
    composer.open_chat("club", "group", [member, other], [])
    space = composer.random.choice(({}, {"space": {"chat": "club"}}))
    said = {"text": composer.about(member), "sensitivity": "public", "portable": True}
    composer.write(Standpoint(_user(stranger), (("chat", "club"),)), **said, **space)
    return Standpoint(_user(member), composer.random.choice(((), (("chat", "club"),))))


def a_stranger_who_asks_in_a_chat(composer: Composer) -> Standpoint:
    """Somebody who does not take part in a chat asks as if they stood there."""
    member, other, stranger = composer.random.sample(composer.users, 3)
    composer.open_chat("club", "group", [member, other], [])
    composer.open_chat("pair", "private", [member, other], [], "reopen_chat")
    said = {"text": composer.about(other), "sensitivity": composer.random.choice(LEVELS), "portable": True}
    composer.write(Standpoint(_user(member), (("chat", "club"),)), **said)
    return Standpoint(_user(stranger), (("chat", composer.random.choice(("club", "pair"))),))


def the_same_words_for_fewer_readers(composer: Composer) -> Standpoint:
    """A member writes for few readers what another member writes for all, with a lifetime in ticks."""
    writer, other = composer.random.sample(composer.users, 2)
    group = next(iter(composer.groups))
    for user in (writer, other):
        composer.add_to_group(group, user, "contributor")
    text, space = composer.text(), {"space": dict([group])}
    place = (group,)
    composer.write(Standpoint(_user(other), place), text="The chess from Oslo are in the cellar", ttl_ticks=2, **space)
    for _ in range(2):
        composer.write(Standpoint(_user(writer), place), text=composer.text(), access={"users": [writer]}, **space)
    composer.write(Standpoint(_user(writer), place), text=text, access={"users": [writer]}, **space)
    composer.write(Standpoint(_user(other), place), text=text, **space)
    return Standpoint(_user(other), place)


def words_about_health_before_a_newcomer(composer: Composer) -> Standpoint:
    """Somebody speaks of their health in a group, or an agent reports it; somebody joins, and it may be said again."""
    speaker, other, newcomer = composer.random.sample(composer.users, 3)
    composer.open_chat("club", "group", [speaker, other], ["drone"])
    here = (("chat", "club"),)
    message = {"role": "user", "content": composer.about_health()}
    if composer.random.random() < 0.4:
        message["speaker"] = speaker
        composer.observe(Standpoint(Actor("agent", "drone", owner="host"), here), message)
    else:
        composer.observe(Standpoint(_user(speaker), here), message)
    composer.open_chat("club", "group", [speaker, other, newcomer], ["drone"], "join_chat")
    return Standpoint(_user(composer.random.choice((newcomer, newcomer, other))), here)


def a_conversation_in_a_private_chat(composer: Composer) -> Standpoint:
    """Two talk in a private chat. Then one of them is asked in a group, or the chat itself becomes a group."""
    speaker, partner, other = composer.random.sample(composer.users, 3)
    composer.open_chat("pair", "private", [speaker, partner], [], "reopen_chat")
    said = {"role": "user", "content": composer.random.choice((composer.about(partner), composer.text()))}
    answer = {"role": "assistant", "content": f"Noted: {composer.about(partner)}"}
    composer.observe(Standpoint(_user(speaker), (("chat", "pair"),)), said, answer)
    if composer.random.random() < 0.4:
        composer.open_chat("pair", "group", [speaker, partner, other], [], "reopen_chat")
        return Standpoint(_user(other), (("chat", "pair"),))
    composer.open_chat("club", "group", [speaker, partner, other], [])
    return Standpoint(_user(composer.random.choice((speaker, partner, other))), (("chat", "club"),))


def a_correction_in_another_chat(composer: Composer) -> Standpoint:
    """Something is said in one chat and corrected, or taken back, in another."""
    speaker, partner, other = composer.random.sample(composer.users, 3)
    composer.open_chat("pair", "private", [speaker, partner], [], "reopen_chat")
    composer.open_chat("club", "group", [speaker, other], [])
    chats = composer.random.sample(("pair", "club"), 2)
    for chat, text in zip(chats, (composer.text(), composer.correction()), strict=True):
        message = {"role": "user", "content": text}
        composer.observe(Standpoint(_user(speaker), (("chat", chat),)), message, has_ids=composer.random.random() < 0.5)
    return Standpoint(_user(composer.random.choice((speaker, partner, other))), (("chat", chats[1]),))


def two_sessions_of_one_name(composer: Composer) -> Standpoint:
    """Two users talk in sessions of the same name, with the same ids, one of them through an agent."""
    speaker, other = composer.random.sample(composer.users, 2)
    here = (("session", "monday"),)
    agent = Actor("agent", "bot", acting_for=speaker, owner=composer.owners["bot"])
    author = Standpoint(composer.random.choice((_user(speaker), agent)), here)
    message = {"role": "user", "content": composer.text(), "id": "m1"}
    composer.observe(author, message, {"role": "tool", "content": composer.text(), "id": "m2"}, has_ids=False)
    composer.observe(Standpoint(_user(other), here), {**message, "content": composer.text()}, has_ids=False)
    return Standpoint(_user(other), here)


def an_agent_that_talks_with_two(composer: Composer) -> Standpoint:
    """An agent talks with its owner and with another user. Each is asked about through the same agent."""
    owner = composer.owners["bot"]
    other = composer.random.choice([user for user in composer.users if user != owner])
    standpoints = [Standpoint(Actor("agent", "bot", acting_for=user, owner=owner)) for user in (owner, other)]
    for who in standpoints:
        answer = {"role": "assistant", "content": f"Noted: {composer.about(other)}"}
        composer.observe(who, {"role": "user", "content": composer.text()}, answer)
    return composer.random.choice(standpoints)


def _user(name: str) -> Actor:
    return Actor("user", name)


SCENES: tuple[Callable[[Composer], Standpoint], ...] = (
    a_newcomer_in_a_group,
    a_taken_name,
    a_group_memory_about_an_absent_person,
    an_agent_for_nobody_in_a_private_chat,
    a_wording_changed_in_private,
    a_private_memory_brought_up_in_a_group,
    a_conclusion_from_a_private_chat,
    a_private_chat_that_becomes_a_group,
    a_note_in_a_space_out_of_sight,
    one_s_own_words_before_a_partner,
    a_stranger_who_names_a_chat,
    a_stranger_who_asks_in_a_chat,
    the_same_words_for_fewer_readers,
    words_about_health_before_a_newcomer,
    a_conversation_in_a_private_chat,
    a_correction_in_another_chat,
    two_sessions_of_one_name,
    an_agent_that_talks_with_two,
)
