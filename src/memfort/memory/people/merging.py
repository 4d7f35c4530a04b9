"""Two persons who turn out to be one. The one that goes stays as a redirect, and the words of whoever said so follow.

What somebody else said about the one is not what they said about the other: if a person turns out to be a user, that
user may hear what is said of them, and whether that was meant is for those to say who said it, or for the system.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from memfort.errors import InvalidInput
from memfort.memory.engine import ALL_STATES, Engine
from memfort.memory.lifetimes import changed
from memfort.memory.people.directory import Draft, changing, check_border, denied, seen
from memfort.model.actor import Actor, ActorKind, Standpoint
from memfort.model.directory import principal_of
from memfort.model.item import Item
from memfort.model.person import (
    MAX_ALIASES,
    Person,
    check_names,
    person_of_user,
    user_of_person,
)
from memfort.model.reason import Reason
from memfort.model.sight import Sight
from memfort.model.space import Coordinate, Level, Space, check_id
from memfort.policy.people import ALLOWED, is_known_in, may_change, may_merge
from memfort.policy.sight import maintenance_sight


def merge(engine: Engine, standpoint: Standpoint, keep: str, gone: str) -> Person:
    """Say that two persons are one. A user's person is always the one that stays."""
    with changing(engine, standpoint.actor, "merge_people") as draft:
        sight = engine.sight(standpoint)
        return unite(draft, sight, seen(engine, sight, keep), seen(engine, sight, gone))


def link(engine: Engine, standpoint: Standpoint, id: str, user: str) -> Person:
    """Say which user a person is."""
    return merge(engine, standpoint, person_of_user(check_id(user, "user")), id)


def unite(draft: Draft, sight: Sight, primary: Person, secondary: Person) -> Person:
    """Make the secondary a redirect to the primary; gives the primary as it is then."""
    if user_of_person(secondary.id) is not None and user_of_person(primary.id) is None:
        primary, secondary = secondary, primary
    if primary.id == secondary.id:
        raise InvalidInput("gone", f"it is `{primary.id}` already", "name two different persons")
    reason = may_merge(draft.actor, primary, secondary)
    if reason not in ALLOWED:
        raise denied(reason)
    if not _is_known_to_all(primary, secondary):
        raise InvalidInput(
            "keep", f"`{primary.id}` is known to fewer than `{secondary.id}`", "keep the one that more can see"
        )
    for one in (primary, secondary):
        check_border(sight, one.home)
    is_new = draft.person(secondary.id) is not None  # nobody has said anything about them yet
    redirect = replace(secondary, merged_into=primary.id, merged_by=draft.actor, version=secondary.version + 1)
    draft.put(redirect, "merge_people", reason)
    after = _with_names(draft, primary, secondary)
    if not is_new:
        _carry_relations(draft, sight, secondary.id, primary.id, reason)
        _carry_memories(draft, secondary.id, primary.id, reason)
    return after


def _is_known_to_all(person: Person, beside: Person) -> bool:
    """Whether everybody who knows the one may know the other."""
    if beside.home is None:
        return person.home is None and person.readers.is_open
    return is_known_in(person.home, person.readers, beside.home, beside.readers)


def _with_names(draft: Draft, primary: Person, secondary: Person) -> Person:
    """The primary with the names of the secondary too; if the actor may name it, and all who know it may know them.
    Otherwise they stay with the redirect, and whoever may know it finds the primary by them."""
    reason = may_change(draft.actor, primary)
    if reason not in ALLOWED or not _is_known_to_all(secondary, primary):
        return primary
    name, aliases = check_names(primary.name, [*primary.aliases, *secondary.names][:MAX_ALIASES])
    if aliases == primary.aliases:
        return primary
    begun = primary if primary.version else replace(primary, created_by=draft.actor, created_at=draft.now)
    after = replace(begun, name=name, aliases=aliases, version=primary.version + 1)
    draft.put(after, "update_person", reason)
    return after


def _carry_relations(draft: Draft, sight: Sight, gone: str, kept: str, reason: Reason) -> None:
    """What the merger said somebody is to the one, they are to the other."""
    found = [one for one in draft.engine.store.relations(sight, [gone]) if _is_theirs(draft.actor, one.created_by)]
    for one in found:
        after = replace(one, from_person=_now(one.from_person, gone, kept), to_person=_now(one.to_person, gone, kept))
        if after.from_person == after.to_person:
            draft.drop(one, "unrelate", reason)
        else:
            draft.put(after, "relate", reason)


def _carry_memories(draft: Draft, gone: str, kept: str, reason: Reason) -> None:
    """What the merger said about the one was said about the other; if the system merged, what anybody said."""
    engine, actor = draft.engine, draft.actor
    for item in list(_about(engine, gone)):
        if _is_theirs(actor, item.author) and _still_writes(engine, actor, item.space):
            subjects = tuple(dict.fromkeys(_now(one, gone, kept) for one in item.subjects))
            stated_by = None if item.stated_by is None else _now(item.stated_by, gone, kept)
            after = changed(item, draft.now, subjects=subjects, stated_by=stated_by)
            draft.changes.append(engine.update(after))
            draft.events.append(engine.changed("merge_people", actor, after, reason, draft.now))


def _about(engine: Engine, person: str) -> Iterator[Item]:
    """Every memory about a person or stated by them, in whatever state. A merge is rare, so it may look everywhere."""
    wanted = replace(ALL_STATES, and_only=lambda item: person in (*item.subjects, item.stated_by))
    return engine.everything(maintenance_sight(engine.store.spaces()), wanted)


def _is_theirs(actor: Actor, author: Actor) -> bool:
    return actor.kind is ActorKind.SYSTEM or principal_of(author) == principal_of(actor)


def _still_writes(engine: Engine, actor: Actor, space: Space) -> bool:
    """Whether the actor could go there and write. Who has left a chat changes nothing in it any more."""
    if actor.kind is ActorKind.SYSTEM:
        return True
    own = [Coordinate(Level.USER, actor.user)] if actor.user is not None else []
    own += [Coordinate(Level.AGENT, actor.agent)] if actor.agent is not None else []
    there = [one for one in space.coordinates if one.level is not Level.VISIBILITY]
    place = engine.sight(Standpoint(actor, tuple(dict.fromkeys((*own, *there))))).seen(space)
    return place is not None and place.writable


def _now(id: str, gone: str, kept: str) -> str:
    return kept if id == gone else id
