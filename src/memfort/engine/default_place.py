"""The space of a write that names none, as the policy says (`spaces.default_place`), and of one that names a visibility
instead.

An unnamed write reaches more people than its caller in two cases only: an agent that keeps in its own space what is
for anybody, and a fact about the group in a group chat. A conversation never goes to a public space.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from memfort.engine.inputs import owner_coordinates, space_of
from memfort.errors import InvalidInput
from memfort.language.mentions import mentions
from memfort.language.sharing import is_about_no_person, is_about_the_group
from memfort.model.audience import ListenersKind
from memfort.model.item import Candidate, Kind
from memfort.model.people.actor import Actor, ActorKind, Standpoint
from memfort.model.space import OWNED_LEVELS, SYSTEM_ID, Level, Space, Visibility
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import DefaultPlace
from memfort.policy.visibility import default_visibility, is_public_statement

if TYPE_CHECKING:
    from memfort.engine.view import View


def place_of(view: View, candidate: Candidate) -> Space:
    """The space that a statement is for: the one it names, the one of its visibility, or the default place."""
    standpoint, policy = view.standpoint, view.policy
    if candidate.space is not None:
        if candidate.visibility is not None:
            raise InvalidInput("visibility", "the space is named too, and says it", "give one of the two")
        return space_of(standpoint, candidate.space)
    if candidate.visibility is not None:
        return space_with(standpoint, candidate.visibility, policy)
    if _writes_as_itself(standpoint.actor, policy):
        return space_with(standpoint, default_visibility(candidate, standpoint.actor.owner, policy), policy)
    if (chat := _group_chat(standpoint, policy)) is not None and _is_group_fact(view, chat, candidate):
        return chat
    return home_of(standpoint, policy)


def default_places(standpoint: Standpoint, policy: Policy) -> list[Space]:
    """The spaces that `place_of` may give to a statement that names neither a space nor a visibility."""
    home = find_home(standpoint, policy)
    found = [] if home is None else [home]
    if _writes_as_itself(standpoint.actor, policy):
        ruled = {rule.visibility for rule in policy.spaces.visibility} | {Visibility.PRIVATE}
        by_default = {Visibility.PUBLIC} if policy.spaces.default_place is DefaultPlace.AGENT else set[Visibility]()
        found += [space_with(standpoint, one, policy) for one in sorted(ruled | by_default)]
    elif (chat := _group_chat(standpoint, policy)) is not None:
        found.append(chat)
    return list(dict.fromkeys(found))


def space_or_home(standpoint: Standpoint, given: Mapping[str, str] | Space | None, policy: Policy) -> Space:
    return home_of(standpoint, policy) if given is None else space_of(standpoint, given)


def home_of(standpoint: Standpoint, policy: Policy) -> Space:
    """The default space of a phase, an import batch and what a conversation leaves. Nobody but the caller's own person
    or the agent's owner reads it."""
    actor = standpoint.actor
    if actor.kind is ActorKind.SYSTEM:
        return _SYSTEM_SPACE
    if policy.spaces.default_place is DefaultPlace.HERE:
        return _here(standpoint, policy.spaces.written)
    if actor.user is None or _writes_as_itself(actor, policy):
        return _agent_space(actor.id, Visibility.PRIVATE)
    return _user_space(actor.user)


def find_home(standpoint: Standpoint, policy: Policy) -> Space | None:
    """The same for reads; nothing where the caller has no default place."""
    try:
        return home_of(standpoint, policy)
    except InvalidInput:
        return None


def find_conversation_space(standpoint: Standpoint, policy: Policy) -> Space | None:
    """The default space of a conversation; nothing where the caller has none."""
    try:
        return conversation_space(standpoint, None, policy)
    except InvalidInput:
        return None


def conversation_space(standpoint: Standpoint, given: Mapping[str, str] | None, policy: Policy) -> Space:
    """The space of a conversation: the one named, else the chat or the session that the actor stands at, else its
    home."""
    if given is None and policy.spaces.default_place is not DefaultPlace.HERE:
        here = (level for level in (Level.CHAT, Level.SESSION) if level in policy.spaces.written)
        given = next(({level.value: id} for level in here if (id := standpoint.get(level)) is not None), None)
    return space_or_home(standpoint, given, policy)


def default_conversation(space: Space) -> str:
    """The name of the conversation in a space, if the caller gives none: that of the chat or the session."""
    return space.get(Level.CHAT) or space.get(Level.SESSION) or _UNNAMED_CONVERSATION


_UNNAMED_CONVERSATION = "default"


def statement_space(view: View, candidate: Candidate) -> Space:
    """The space of a statement that the caller's own person made in a conversation: the chat if it is about the group,
    else their home. It never goes to a public space."""
    standpoint, policy = view.standpoint, view.policy
    if (chat := _group_chat(standpoint, policy)) is not None and _is_group_fact(view, chat, candidate):
        return chat
    return home_of(standpoint, policy)


def space_with(standpoint: Standpoint, visibility: Visibility, policy: Policy) -> Space:
    """The caller's space of a visibility. `private` and `public` are those of the agent that acts, or that its owner
    stands at, and `public` is bounded to the team and the org that the caller stands at. A caller without an agent has
    its home as its private space, and no public one. `shared` is what a user shares with all of their agents."""
    written = policy.spaces.written
    if visibility is Visibility.SHARED:
        return _shared_space(standpoint.actor, written)
    agent = _agent_of(standpoint) if Level.AGENT in written else None
    if visibility is Visibility.PUBLIC:
        return _public_space(agent, standpoint, written)
    return home_of(standpoint, policy) if agent is None else _agent_space(agent, visibility)


def _writes_as_itself(actor: Actor, policy: Policy) -> bool:
    """Whether an agent keeps statements in its own space. Not when it acts for a user who is not its owner."""
    if actor.kind is not ActorKind.AGENT or policy.spaces.default_place is DefaultPlace.HERE:
        return False
    return actor.acting_for is None or (
        actor.acting_for == actor.owner and policy.spaces.default_place is DefaultPlace.AGENT
    )


def _agent_of(standpoint: Standpoint) -> str | None:
    """The agent whose spaces a visibility means: the one that acts as itself or for its owner, or the one that a user
    stands at. An agent that acts for somebody else has that person's rights, and no space of its own."""
    actor = standpoint.actor
    if actor.kind is ActorKind.USER:
        return standpoint.get(Level.AGENT)
    return actor.agent if actor.acting_for in {None, actor.owner} else None


# -- the place where the caller stands --------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _here(standpoint: Standpoint, written: tuple[Level, ...]) -> Space:
    """The standpoint's coordinates at the levels that accept writes, with the owner if one of them has to have one. It
    is an error where these are none, or where others stand too: the caller has to name such a space."""
    actor = standpoint.actor
    levels = set(written) - {Level.AGENT, Level.SYSTEM, Level.VISIBILITY}
    named = {one.level.value: one.id for one in standpoint.coordinates if one.level in levels}
    if actor.user is None and Level.AGENT in written:
        named |= owner_coordinates(actor)
    if not named:
        raise InvalidInput("space", "you stand at no level where this policy keeps memories", _remedy(actor, written))
    place = space_of(standpoint, named)
    if not place.is_private:
        raise InvalidInput("space", f"others stand at {place} too, and would read it", _remedy(actor, written))
    return place


def _remedy(actor: Actor, written: tuple[Level, ...]) -> str:
    if actor.user is None and Level.USER in written:
        return "act for a user, or name the space"
    owned = [level.value for level in written if level in OWNED_LEVELS]
    return f"stand at a {' or '.join(owned)}, or name the space" if owned else "name the space"


# -- facts about a group ----------------------------------------------------------------------------------------------


def _group_chat(standpoint: Standpoint, policy: Policy) -> Space | None:
    """The space of the chat in which a user's facts about the group are kept, if the policy has that."""
    spaces = policy.spaces
    if not spaces.group_facts or spaces.default_place is not DefaultPlace.OWN or standpoint.actor.user is None:
        return None
    chat = standpoint.get(Level.CHAT)
    return None if chat is None or Level.CHAT not in spaces.written else _chat_space(chat)


def _is_group_fact(view: View, chat: Space, candidate: Candidate) -> bool:
    """Whether a statement that nothing shows to be private is about the group itself or about no person, in a
    registered group chat where the caller takes part."""
    disclosure, seen = view.sight.disclosure, view.sight.seen(chat)
    is_group = disclosure is not None and disclosure.listeners.kind is ListenersKind.GROUP
    if not is_group or seen is None or not seen.writable:
        return False
    is_said_here = candidate.kind is Kind.SEMANTIC and candidate.source is None  # and not from a file
    if not is_said_here or candidate.subjects or not is_public_statement(candidate):
        return False
    return is_about_the_group(candidate.text) or is_about_no_person(candidate.text, mentions(candidate.text))


# -- spaces -----------------------------------------------------------------------------------------------------------

_SYSTEM_SPACE = Space.of({Level.SYSTEM: SYSTEM_ID})


def _public_space(agent: str | None, standpoint: Standpoint, written: tuple[Level, ...]) -> Space:
    if Level.AGENT not in written:
        raise InvalidInput("visibility", "this policy has no agents' spaces, so none is public", "name the space")
    if agent is None:
        who = "a user by themselves" if standpoint.actor.agent is None else "an agent that acts for somebody else"
        raise InvalidInput("visibility", f"{who} has no public space", "stand at your own agent, or name the space")
    bounds = {level.value: standpoint.get(level) for level in (Level.TEAM, Level.ORG)}
    bounded = {level: id for level, id in bounds.items() if id is not None}
    if not bounded:
        return _agent_space(agent, Visibility.PUBLIC)
    return Space.of({Level.AGENT: agent, Level.VISIBILITY: Visibility.PUBLIC.value, **bounded})


def _shared_space(actor: Actor, written: tuple[Level, ...]) -> Space:
    user = actor.owner if actor.user is None else actor.user
    if user is None or Level.USER not in written:
        who = "the system" if user is None else "this policy"
        raise InvalidInput("visibility", f"{who} has no spaces that a user shares with agents", "name the space")
    return Space.of({Level.USER: user, Level.VISIBILITY: Visibility.SHARED.value})


@lru_cache(maxsize=4096)
def _user_space(user: str) -> Space:
    return Space.of({Level.USER: user})


@lru_cache(maxsize=4096)
def _chat_space(chat: str) -> Space:
    return Space.of({Level.CHAT: chat})


@lru_cache(maxsize=4096)
def _agent_space(agent: str, visibility: Visibility) -> Space:
    return Space.of({Level.AGENT: agent, Level.VISIBILITY: visibility.value})
