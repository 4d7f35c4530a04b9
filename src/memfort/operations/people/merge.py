"""Merge two persons into one. The merged one stays as a redirect, and the merging actor's own memories follow it.

Other actors' memories do not follow: if a person turns out to be a user, that user may read what is said about them, so
each speaker, or the system, must agree to the merge for their own memories.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.engine import ALL_STATES
from memfort.engine.transaction import Session, Transaction
from memfort.errors import InvalidInput
from memfort.model.item import Item
from memfort.model.people.actor import Actor, ActorKind, Standpoint
from memfort.model.people.directory import principal_of
from memfort.model.people.person import MAX_ALIASES, Person, check_names, user_of_person
from memfort.model.reason import Reason
from memfort.model.space import Coordinate, Level, Space
from memfort.operations.people.edits import PeopleEdits, change_people, check_border, denial
from memfort.operations.people.resolve.look_up import get_person
from memfort.operations.requests import PersonId, Request
from memfort.policy.people import ALLOWED, is_known_in, may_change, may_merge
from memfort.policy.sight import maintenance_sight


class MergeRequest(Request, frozen=True):
    """The two persons to merge."""

    keep: Annotated[PersonId, Meta(description="The one that stays, unless the other is a user.")]
    gone: Annotated[PersonId, Meta(description="The one that becomes a redirect.")]


def handle(session: Session, request: MergeRequest) -> Person:
    """Merge two persons. A user's person is always the one that stays."""
    return merge(session, request.keep, request.gone)


def merge(session: Session, keep: str, gone: str) -> Person:
    def change(tx: Transaction, edits: PeopleEdits) -> Person:
        return merge_records(tx, edits, get_person(tx.store, tx.sight, keep), get_person(tx.store, tx.sight, gone))

    return change_people(session, "merge_people", [keep, gone], change)


def merge_records(tx: Transaction, edits: PeopleEdits, primary: Person, secondary: Person) -> Person:
    """Make the secondary a redirect to the primary; returns the changed primary."""
    if user_of_person(secondary.id) is not None and user_of_person(primary.id) is None:
        primary, secondary = secondary, primary
    if primary.id == secondary.id:
        raise InvalidInput("gone", f"it is `{primary.id}` already", "name two different persons")
    reason = may_merge(edits.actor, primary, secondary)
    if reason not in ALLOWED:
        raise denial(reason)
    if not _is_known_to_all(primary, secondary):
        raise InvalidInput(
            "keep", f"`{primary.id}` is known to fewer than `{secondary.id}`", "keep the one that more can see"
        )
    for one in (primary, secondary):
        check_border(tx.sight, one.home)
    is_new = edits.person(secondary.id) is not None  # no memory is about them yet
    redirect = replace(secondary, merged_into=primary.id, merged_by=edits.actor, version=secondary.version + 1)
    edits.put(redirect, "merge_people", reason)
    after = _with_names(edits, primary, secondary)
    if not is_new:
        _carry_relations(tx, edits, (secondary.id, primary.id), reason)
        _carry_memories(tx, edits, (secondary.id, primary.id), reason, tx.store.spaces())
    return after


def merge_mentioned(tx: Transaction, edits: PeopleEdits, kept: str, nameless: Person, home: Space) -> None:
    """Make a person whom the actor mentioned without a name a redirect to the one who turns out to be meant, with the
    actor's memories of this space. Their relations lead on through the redirect."""
    redirect = replace(nameless, merged_into=kept, merged_by=edits.actor, version=nameless.version + 1)
    edits.put(redirect, "merge_people", Reason.PERSON_MENTIONED)
    _carry_memories(tx, edits, (nameless.id, kept), Reason.PERSON_MENTIONED, [home])


def _is_known_to_all(person: Person, beside: Person) -> bool:
    """Whether everyone who knows the one may know the other."""
    if beside.home is None:
        return person.home is None and person.readers.is_open
    return is_known_in(person.home, person.readers, beside.home, beside.readers)


def _with_names(edits: PeopleEdits, primary: Person, secondary: Person) -> Person:
    """The primary with the names of the secondary added, if the actor may name it and everyone who knows it may know
    them. Otherwise the names stay with the redirect, and readers who may know it find the primary by them."""
    reason = may_change(edits.actor, primary)
    if reason not in ALLOWED or not _is_known_to_all(secondary, primary):
        return primary
    name, aliases = check_names(primary.name, [*primary.aliases, *secondary.names][:MAX_ALIASES])
    if aliases == primary.aliases:
        return primary
    begun = primary if primary.version else replace(primary, created_by=edits.actor, created_at_us=edits.now)
    after = replace(begun, name=name, aliases=aliases, version=primary.version + 1)
    edits.put(after, "update_person", reason)
    return after


def _carry_relations(tx: Transaction, edits: PeopleEdits, ids: tuple[str, str], reason: Reason) -> None:
    """Move the relations that the merging actor stated from the one person to the other."""
    gone, kept = ids
    found = [one for one in tx.store.relations(tx.sight, [gone]) if _is_theirs(tx.actor, one.created_by)]
    for one in found:
        after = replace(
            one,
            from_person=_follow_merge(one.from_person, gone, kept),
            to_person=_follow_merge(one.to_person, gone, kept),
        )
        if after.from_person == after.to_person:
            edits.drop(one, "unrelate", reason)
        else:
            edits.put(after, "relate", reason)


def _carry_memories(
    tx: Transaction, edits: PeopleEdits, ids: tuple[str, str], reason: Reason, spaces: Iterable[Space]
) -> None:
    """Move the merging actor's memories from the one person to the other; if the system merges, all memories."""
    gone, kept = ids
    for item in list(_items_about(tx, gone, spaces)):
        if _is_theirs(tx.actor, item.author) and _may_still_write(tx, item.space):
            subjects = tuple(dict.fromkeys(_follow_merge(one, gone, kept) for one in item.subjects))
            stated_by = None if item.stated_by is None else _follow_merge(item.stated_by, gone, kept)
            after = tx.next_version(item, subjects=subjects, stated_by=stated_by)
            edits.changes.append(tx.update(after))
            edits.events.append(tx.event("merge_people", after, reason))


def _items_about(tx: Transaction, person: str, spaces: Iterable[Space]) -> Iterator[Item]:
    """Every memory of the spaces about a person or stated by them, in any state. A merge is rare, so it may search
    them all."""
    wanted = replace(ALL_STATES, and_only=lambda item: person in (*item.subjects, item.stated_by))
    return tx.engine.all_items(maintenance_sight(spaces), wanted)


def _is_theirs(actor: Actor, author: Actor) -> bool:
    return actor.kind is ActorKind.SYSTEM or principal_of(author) == principal_of(actor)


def _may_still_write(tx: Transaction, space: Space) -> bool:
    """Whether the actor may write there. An actor who has left a chat changes nothing in it any more."""
    actor = tx.actor
    if actor.kind is ActorKind.SYSTEM:
        return True
    own = [Coordinate(Level.USER, actor.user)] if actor.user is not None else []
    own += [Coordinate(Level.AGENT, actor.agent)] if actor.agent is not None else []
    there = [one for one in space.coordinates if one.level is not Level.VISIBILITY]
    place = tx.engine.sight(Standpoint(actor, tuple(dict.fromkeys((*own, *there))))).seen(space)
    return place is not None and place.writable


def _follow_merge(id: str, gone: str, kept: str) -> str:
    return kept if id == gone else id
