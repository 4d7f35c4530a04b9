"""Look people up by id, as far as a sight may know them, and follow merges."""

from __future__ import annotations

from collections.abc import Iterable

from memfort.errors import NotFound
from memfort.model.people.actor import Actor
from memfort.model.people.person import SPEAKER, Person, person_of_user, user_of_person, user_person
from memfort.model.sight import Sight
from memfort.model.space import check_id
from memfort.policy.people import canonical, is_merge_trusted, is_shown
from memfort.policy.secrets import has_secret
from memfort.store.port import Store


def look_up(store: Store, sight: Sight, id: str) -> Person | None:
    """The person that an id stands for, as far as this sight may know. Every user is a person, recorded or not."""
    if id in SPEAKER and sight.actor.user is not None:
        id = person_of_user(sight.actor.user)
    found = [person for person in store.people(sight, [id]) if is_shown(sight, person)]
    if not found:
        user = user_of_person(id)
        if user is None or has_secret(user):  # no user has a secret for a name, and the read of one is recorded
            return None
        return user_person(check_id(user, "user"))
    last = canonical(id, redirects(store, sight, found))
    return found[0] if last == id else look_up(store, sight, last)


def get_person(store: Store, sight: Sight, id: str) -> Person:
    found = look_up(store, sight, id)
    if found is None:
        raise NotFound("person", id)
    return found


def redirects(store: Store, sight: Sight, people: Iterable[Person], actor: Actor | None = None) -> dict[str, str]:
    """The merges of these persons, step by step; with an actor, only merges that apply to the actor's memories. A
    person merged into an unknown one stays as they were."""
    known = {person.id: person for person in people}
    moved: dict[str, str] = {}
    pending = list(known.values())
    while pending:
        steps = {
            one.id: one.merged_into
            for one in pending
            if one.merged_into and (not actor or is_merge_trusted(actor, one))
        }
        wanted = [id for id in steps.values() if id not in known and user_of_person(id) is None]
        pending = store.people(sight, wanted) if wanted else []
        known |= {person.id: person for person in pending}
        moved |= {id: to for id, to in steps.items() if to in known or user_of_person(to) is not None}
    return moved
