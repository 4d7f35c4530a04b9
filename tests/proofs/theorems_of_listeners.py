"""Theorems about who listens: what one more person, one more agent or another way of asking changes."""

from __future__ import annotations

from dataclasses import replace

import z3
from tests.proofs.disclosure import heard, room_of, told
from tests.proofs.logic import Truth, both, either, has, implies, is_, is_given, no, some, union
from tests.proofs.prove import refuted, theorem
from tests.proofs.symbols import Agent, just
from tests.proofs.things import DEFAULT, Chat, Memory, Policy, Room, Standpoint
from tests.proofs.world import World

Statement = tuple[list[Truth], Truth]
LEAVES = z3.Bool("leaves")


def hears(room: Room, memory: Memory, policy: Policy = DEFAULT) -> Truth:
    return heard(told(memory, room, policy, LEAVES))


def larger(w: World, policy: Policy, *, person: bool) -> Statement:
    """A chat hears no more when somebody is added to it."""
    memory, at, chat = w.memory(), w.standpoint(kinds=("user", "agent")), w.chat()
    if person:
        more = replace(chat, users=union(chat.users, just(w.person("newcomer"))))
    else:
        more = replace(chat, agents=union(chat.agents, just(z3.Const("new_agent", Agent))))
    small, large = (room_of(at, one, w.listens_for, closed=False) for one in (chat, more))
    return [is_given(at.levels["chat"]), hears(large, memory, policy)], hears(small, memory, policy)


def said_before_registration(w: World) -> Truth:
    return is_(w.memory().origin, "unregistered")


@theorem("Within one kind of chat more listeners never reveal more (late registration aside).")
def adding_a_listener_never_reveals(w: World) -> Statement:
    premises, claim = larger(w, replace(w.policy(), participants=False), person=True)
    return [*premises, no(said_before_registration(w))], claim


@refuted(
    "… of what was said before registration too.",
    people=3,
    because="A newcomer whose agent sat there already becomes a member, and members hear what is public.",
)
def adding_a_listener_never_reveals_what_was_said_before_registration(w: World) -> Statement:
    premises, claim = larger(w, replace(w.policy(), participants=False), person=True)
    return [*premises, said_before_registration(w)], claim


@theorem("… nor does one more agent.")
def adding_an_agent_never_reveals(w: World) -> Statement:
    return larger(w, w.policy(), person=False)


@refuted(
    "… under the rule `participants` too.",
    people=2,
    because="What is about people who take part is shown as soon as they do.",
)
def adding_a_listener_never_reveals_under_any_policy(w: World) -> Statement:
    return larger(w, w.policy(), person=True)


@refuted(
    "A group hears no more than the same people in a private chat.",
    people=2,
    because="In a group the asker decides, because they ask aloud by choice; between two, each needs a reason.",
)
def a_group_hears_no_more_than_a_private_chat(w: World) -> Statement:
    memory, at, chat = w.memory(), w.standpoint(kinds=("user",)), w.chat()
    private, group = (
        room_of(at, replace(chat, kind=kind), w.listens_for, closed=False) for kind in ("private", "group")
    )
    return [is_given(at.levels["chat"]), hears(group, memory)], hears(private, memory)


def asking(w: World, memory: Memory, chat: Chat) -> tuple[Standpoint, Truth, Truth]:
    """An agent that acts for somebody, what it hears in a chat, and what that person hears who asks there."""
    at = w.standpoint(kinds=("agent",))
    person = replace(at, kind="user", agent=frozenset())
    mine, theirs = (room_of(one, chat, w.listens_for, closed=False) for one in (at, person))
    return at, hears(mine, memory), hears(theirs, memory)


@theorem(
    "Agents in a private chat with one person are that person's, whoever asks: Dora and the assistant that asks "
    "for Dora get the same."
)
def agent_for_bob_hears_what_bob_hears(w: World) -> Statement:
    memory, chat, other = w.memory(), w.chat(kinds=("private",)), w.person("other")
    at, mine, theirs = asking(w, memory, chat)
    alone = z3.ForAll([other], implies(has(chat.users, other), has(at.user, other)))
    return [is_given(at.user), is_given(at.levels["chat"]), alone, no(memory.for_agents)], mine == theirs


@theorem("… and everywhere, if the agent is not registered in the chat or is Bob's own.")
def an_agent_of_bob_or_from_outside_hears_what_bob_hears(w: World) -> Statement:
    memory, chat = w.memory(), w.chat()
    at, mine, theirs = asking(w, memory, chat)
    sits = some(at.agent, lambda agent: has(chat.agents, agent))
    own = some(at.agent, lambda agent: some(w.owner(agent), lambda owner: has(at.user, owner)))
    return [is_given(at.user), either(no(sits), own), no(memory.for_agents)], mine == theirs


@refuted(
    "… and everywhere, whosever agent it is.",
    people=2,
    because=("An agent that only sits in a chat listens for its owner; one that asks, asks as the person it acts for."),
)
def any_agent_for_bob_hears_what_bob_hears(w: World) -> Statement:
    memory, chat = w.memory(), w.chat()
    at, mine, theirs = asking(w, memory, chat)
    return [is_given(at.user), no(memory.for_agents), mine], theirs


@theorem("An agent that only sits in a chat listens for its owner.")
def an_agent_listens_for_its_owner(w: World) -> Statement:
    memory, at, chat = w.memory(), w.standpoint(kinds=("user",)), w.chat(kinds=("private",))
    agent, owner, other = z3.Const("agent", Agent), w.person("agents_owner"), w.person("other")
    here = room_of(at, chat, w.listens_for, closed=False)
    sits = [has(chat.agents, agent), has(w.owner(agent), owner), is_given(at.levels["chat"])]
    two = [has(chat.users, other), no(has(at.user, other))]
    private = is_(memory.sensitivity, "unjudged", "personal", "sensitive")
    sets = (memory.subjects, memory.speaker, memory.owner, memory.heard_by)
    return [*sits, *two, private, hears(here, memory)], either(*(has(one, owner) for one in sets))


@theorem("An agent that asks for nobody asks as its owner.")
def an_agent_for_nobody_hears_what_its_owner_hears(w: World) -> Statement:
    memory, at, owner = w.memory(), w.standpoint(kinds=("agent",)), w.person("agents_owner")
    chat = w.chat()
    person = replace(at, kind="user", user=just(owner), agent=frozenset())
    mine, theirs = (room_of(one, chat, w.listens_for, closed=False) for one in (at, person))
    outside = some(at.agent, lambda agent: both(no(has(chat.agents, agent)), has(w.owner(agent), owner)))
    nobody, reads = no(is_given(at.user)), has(memory.may_read, owner)
    premises = [nobody, outside, reads, no(memory.for_agents), no(memory.for_users)]
    return premises, hears(mine, memory) == hears(theirs, memory)
