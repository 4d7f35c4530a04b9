"""What a file is trusted with: whose statements it may bring back, and that its names hide no secret."""

from __future__ import annotations

from msgspec.structs import replace

from memfort.model.people.actor import Actor, ActorKind
from memfort.policy.secrets import find_secrets
from memfort.policy.settings.policy import Policy
from memfort.store.port import Store


def may_speak_for(store: Store, actor: Actor, author: Actor) -> bool:
    """Whose statements an importer may bring back as theirs: its own, and for a user those of agents that act for it or
    belong to it. So an importer can neither take another actor's id nor forge their statements."""
    if actor.kind is ActorKind.SYSTEM or author.key == actor.key:
        return True
    is_agents = actor.kind is ActorKind.USER and author.kind is ActorKind.AGENT
    return is_agents and actor.id in {author.acting_for, _owner_of(store, author)}


def as_registered(store: Store, author: Actor) -> Actor:
    """An author that a file names, with the owner from the directory: a file can claim any owner."""
    return replace(author, owner=_owner_of(store, author))


def _owner_of(store: Store, author: Actor) -> str | None:
    agent = store.agent(author.id) if author.kind is ActorKind.AGENT else None
    return None if agent is None else agent.owner


def names_of(actor: Actor) -> list[str]:
    return [name for name in (actor.id, actor.acting_for, actor.owner) if name is not None]


def is_secret(policy: Policy, name: str) -> bool:
    return bool(find_secrets(name, extra_patterns=tuple(policy.privacy.deny_patterns.items())))
