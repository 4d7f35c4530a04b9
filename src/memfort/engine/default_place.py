"""The space of a write that names none, as the policy says (`spaces.default_place`). A conversation never goes to a
public space."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from memfort.engine.inputs import space_of
from memfort.language.sharing import is_for_anybody
from memfort.model.item import Candidate, Kind, Sensitivity
from memfort.model.people.actor import Actor, ActorKind, Standpoint
from memfort.model.space import SYSTEM_ID, Level, Space, Visibility
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import DefaultPlace


def place_of(standpoint: Standpoint, candidate: Candidate, policy: Policy) -> Space:
    """The space that a statement is for: the one it names, or the default place."""
    if candidate.space is not None:
        return space_of(standpoint, candidate.space)
    actor = standpoint.actor
    if _writes_as_itself(actor, policy) and _is_public(candidate, actor, policy):
        return _agent_space(actor.id, Visibility.PUBLIC)
    return home_of(standpoint, policy)


def default_places(standpoint: Standpoint, policy: Policy) -> list[Space]:
    """The spaces that `place_of` may give to a statement that names none."""
    actor = standpoint.actor
    public = [_agent_space(actor.id, Visibility.PUBLIC)] if _writes_as_itself(actor, policy) else []
    return [home_of(standpoint, policy), *public]


def space_or_home(standpoint: Standpoint, given: Mapping[str, str] | Space | None, policy: Policy) -> Space:
    return home_of(standpoint, policy) if given is None else space_of(standpoint, given)


def home_of(standpoint: Standpoint, policy: Policy) -> Space:
    """The default space of a conversation, a phase or an import batch. It is never public."""
    actor = standpoint.actor
    if actor.kind is ActorKind.AGENT and (actor.user is None or _writes_as_itself(actor, policy)):
        return _agent_space(actor.id, Visibility.PRIVATE)
    return _own_space(actor)


def conversation_space(standpoint: Standpoint, given: Mapping[str, str] | None, policy: Policy) -> Space:
    """The space of a conversation: the one named, else the actor's session, else its home."""
    session = standpoint.get(Level.SESSION)
    if given is None and session is not None:
        given = {Level.SESSION.value: session}
    return space_or_home(standpoint, given, policy)


def _writes_as_itself(actor: Actor, policy: Policy) -> bool:
    """Whether an agent keeps statements in its own space. Not when it acts for a user who is not its owner."""
    is_allowed = actor.kind is ActorKind.AGENT and actor.acting_for in {None, actor.owner}
    return is_allowed and policy.spaces.default_place is DefaultPlace.AGENT


def _is_public(candidate: Candidate, actor: Actor, policy: Policy) -> bool:
    """Whether neither the fields nor the text of a statement mark it as the owner's, short-lived or private."""
    is_lasting = (candidate.ttl_seconds, candidate.ttl_ticks, candidate.expires_at) == (None, None, None)
    if not is_lasting or policy.types[policy.resolve_type(candidate.type)].lifetime_seconds is not None:
        return False
    if candidate.kind is not Kind.SEMANTIC or candidate.subjects or not candidate.readers.is_open:
        return False
    if candidate.sensitivity not in {None, Sensitivity.PUBLIC}:
        return False
    return is_for_anybody(candidate.text, actor.owner)


@lru_cache(maxsize=4096)
def _own_space(actor: Actor) -> Space:
    if actor.kind is ActorKind.SYSTEM:
        return Space.of({Level.SYSTEM: SYSTEM_ID})
    return Space.of({Level.USER: str(actor.user)})


@lru_cache(maxsize=4096)
def _agent_space(agent: str, visibility: Visibility) -> Space:
    return Space.of({Level.AGENT: agent, Level.VISIBILITY: visibility})
