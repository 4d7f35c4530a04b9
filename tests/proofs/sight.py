"""Who sees which space: you see a memory when you stand where it stands."""

from __future__ import annotations

from typing import Any

from tests.proofs.logic import (
    Set,
    Truth,
    both,
    choose,
    either,
    every,
    has,
    image,
    implies,
    is_,
    is_empty,
    is_given,
    no,
    only_if,
    some,
    union,
)
from tests.proofs.things import BELONGING, LEVELS, Directory, Space, Standpoint


def is_space(space: Space) -> Truth:
    """Whether coordinates make a space."""
    user, agent = is_given(space.user), is_given(space.agent)
    levels = {level: is_given(id) for level, id in space.levels.items()}
    return both(
        either(user, agent, space.system, *levels.values()),
        implies(space.system, no(either(user, agent, *levels.values()))),
        implies(either(levels["paper"], levels["track"]), either(user, agent)),
        choose(
            agent,
            is_(space.visibility, "private", "public"),
            either(is_(space.visibility, "none"), both(is_(space.visibility, "shared"), user)),
        ),
    )


def stands_somewhere(at: Standpoint) -> Truth:
    return either(at.at_system, is_given(at.at_user), is_given(at.at_agents), *map(is_given, at.levels.values()))


def acts_for_nobody(at: Standpoint) -> Truth:
    return both(is_given(at.agent), is_empty(at.user))


def is_agent_of(at: Standpoint, person: Any, directory: Directory) -> Truth:
    """Whether it is an agent of this person that acts for nobody."""
    return both(acts_for_nobody(at), some(at.agent, lambda agent: has(directory.owner(agent), person)))


def reads_user(at: Standpoint, person: Any, space: Space, directory: Directory) -> Truth:
    """User u: u, or an agent acting for u. What is shared between a user's agents: each of them."""
    itself = both(has(at.user, person), has(at.at_user, person))
    return either(itself, both(is_(space.visibility, "shared"), is_agent_of(at, person, directory)))


def holds_agent(at: Standpoint, agent: Any, directory: Directory) -> Truth:
    """Agent a, private: a's owner, and a itself when it acts for its owner or for nobody."""
    by_owner = both(is_(at.kind, "user"), some(directory.owner(agent), lambda owner: has(at.user, owner)))
    for_owner = some(directory.owner(agent), lambda owner: has(at.user, owner))
    return either(by_owner, both(has(at.agent, agent), either(acts_for_nobody(at), for_owner)))


def reads_agent(at: Standpoint, agent: Any, space: Space, directory: Directory) -> Truth:
    """Agent a, public: anyone."""
    return both(has(at.at_agents, agent), either(is_(space.visibility, "public"), holds_agent(at, agent, directory)))


def takes_part(at: Standpoint, level: str, directory: Directory) -> Truth:
    """Whether the actor is a participant or member: by the record, or by the host's word where there is no record."""
    by_word = both(directory.takes_word, no(directory.registered[level]))
    return both(no(is_(at.kind, "system")), either(directory.member[level], by_word))


def reads_level(at: Standpoint, level: str, id: Any, directory: Directory) -> Truth:
    right = directory.belongs[level] if level in BELONGING else takes_part(at, level, directory)
    return both(has(at.levels[level], id), right)


def names_foreign_chat(at: Standpoint, directory: Directory) -> Truth:
    """Naming a chat one does not take part in gives nothing."""
    return both(is_given(at.levels["chat"]), no(takes_part(at, "chat", directory)))


def may_look(at: Standpoint, directory: Directory) -> Truth:
    return both(stands_somewhere(at), no(names_foreign_chat(at, directory)))


def reads_space(space: Space, at: Standpoint, directory: Directory) -> Truth:
    """Whether every coordinate of a space is one of the standpoint's own."""
    return both(
        may_look(at, directory),
        is_space(space),
        implies(space.system, at.at_system),
        every(space.user, lambda person: reads_user(at, person, space, directory)),
        every(space.agent, lambda agent: reads_agent(at, agent, space, directory)),
        *(
            every(space.levels[level], lambda one, level=level: reads_level(at, level, one, directory))
            for level in LEVELS
        ),
    )


def in_sight(space: Space, at: Standpoint, directory: Directory, shared: Truth) -> Truth:
    """`shared`: a share of exactly this space, in force, names the actor or a group of theirs."""
    return either(reads_space(space, at, directory), both(shared, is_space(space), may_look(at, directory)))


def leaves_its_space(space: Space, at: Standpoint, directory: Directory) -> Truth:
    """Whether what is read leaves its space: through a share, or from the public space of somebody else's agent."""
    of_others = some(space.agent, lambda agent: no(holds_agent(at, agent, directory)))
    return either(no(reads_space(space, at, directory)), of_others)


def asker_of(at: Standpoint, owner: Any) -> Set:
    """An agent asks as the person it acts for, otherwise as its owner."""
    return union(at.user, only_if(is_empty(at.user), image(at.agent, owner)))
