"""List memories about people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.damaged import damaged_ids
from memfort.engine.redact import redact_for
from memfort.engine.view import View
from memfort.model.item import Item
from memfort.model.space import Level
from memfort.operations.people.resolve.names import ids_of
from memfort.operations.people.resolve.said_names import names_asked_for, own_words_with
from memfort.operations.read.filters import only_current, types_of
from memfort.operations.read.hearsay import find_refuted
from memfort.operations.read.own_words import is_of_asker, person_of
from memfort.operations.requests import Limit, Request, TypeName
from memfort.policy.sight import with_subjects
from memfort.store.port import LIVE, Filter


class AboutRequest(Request, frozen=True):
    """The people to list memories about."""

    persons: Annotated[
        tuple[str, ...],
        Meta(description="People: `me`, `@bob`, an id, a name, or words such as `my wife`.", extra={"most": 1_000}),
    ]
    limit: Annotated[Limit, Meta(description="How many at most.")] = 50
    types: Annotated[tuple[TypeName, ...] | None, Meta(description="Only of these types.")] = None
    exclude_owner: Annotated[
        str | None, Meta(description="Without the memories in this user's own spaces, which the caller has already.")
    ] = None


def handle(view: View, request: AboutRequest) -> list[Item]:
    """Memories about people, the newest first: those in sight, and for people who are present also memories of others
    that the policy discloses."""
    found, view = find_about(view, request)
    view.note_shown("about", found)
    return [redact_for(view.engine, view.sight, item) for item in found]


def find_about(view: View, request: AboutRequest) -> tuple[list[Item], View]:
    """The memories about people, and the view that shows them."""
    types = types_of(view, request.types)
    filter = LIVE if types is None else Filter(types=types)
    ids = [id for person in request.persons for id in ids_of(view, person)]
    view = view.with_sight(with_subjects(view.sight, ids))
    wanted = _without_owner(view, only_current(view, filter), request.exclude_owner)
    found = view.store.about(view.sight, ids, wanted, request.limit, view.now)
    if said := own_words_with(view, names_asked_for(view, request.persons), wanted, request.limit):
        found = _newest({item.id: item for item in (*found, *said)}.values(), request.limit)
    me = person_of(view.actor)
    if me is not None and me in ids:
        found = _with_own(view, found, me, wanted, request.limit)
    refuted = find_refuted(view, found)
    return [item for item in found if item.id not in refuted], view


def _without_owner(view: View, filter: Filter, owner: str | None) -> Filter:
    """The filter without the memories in a user's own spaces."""
    if owner is None:
        return filter
    return replace(filter, and_only=lambda item: view.is_current(item) and item.space.get(Level.USER) != owner)


def _with_own(view: View, about: Sequence[Item], me: str, filter: Filter, limit: int) -> list[Item]:
    """The memories about the asker, with everything in sight that the asker said or wrote."""
    is_wanted, key = filter.and_only or view.is_current, view.actor.key

    def is_own(item: Item) -> bool:
        return is_wanted(item) and (item.stated_by == me or item.author.key == key or is_of_asker(item, me))

    own = replace(filter, and_only=is_own)
    said = view.store.page(view.sight, own, None, limit, view.now)
    if len(said) < limit:  # the end of everything in sight, as in a listing: a missing memory raises an error
        damaged_ids(view.engine, view.sight)
    return _newest({item.id: item for item in (*about, *said)}.values(), limit)


def _newest(found: Iterable[Item], limit: int) -> list[Item]:
    return sorted(found, key=lambda item: (-item.created_at_us, item.id))[:limit]
