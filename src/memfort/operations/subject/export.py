"""Copy everything by and about a person: for people to read, and for programs."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from memfort.engine.redact import redact_for
from memfort.engine.view import View
from memfort.model.item import Item, Status
from memfort.model.people.actor import ActorKind
from memfort.model.reason import Reason
from memfort.model.results import Namesake, PersonLink, SubjectCopy
from memfort.model.sight import Sight
from memfort.model.space import Space
from memfort.operations.ending.forget_person import PersonTask, namesake, person_task
from memfort.operations.requests import OneWord, Request
from memfort.policy.sight import own_spaces_sight
from memfort.store.port import Filter

_KEPT = Filter(statuses=frozenset(Status))


class SubjectExportRequest(Request, frozen=True):
    """The person whose memories are copied."""

    person: Annotated[OneWord, Meta(description="The person: `me`, `@bob`, an id or a name.")]


def handle(view: View, request: SubjectExportRequest) -> SubjectCopy:
    """The memories by and about a person that the caller may see, in any state but forgotten, oldest first. Of those
    that the caller may end without seeing them, as the system does, only the places are named."""
    task = person_task(view, request.person, PersonLink.BOTH, with_own=True)
    found = {(item.space.id, item.id): item for item in _seen(view, task)}
    items = sorted(found.values(), key=lambda item: (item.created_at_us, item.id))
    view.note_read("subject.export", Reason.VISIBLE if items else Reason.NOT_FOUND, {"ids": [one.id for one in items]})
    return SubjectCopy(
        task.person.id, view.now, tuple(items), _unseen(view, task, found), _namesakes(view, task, found)
    )


def _namesakes(view: View, task: PersonTask, found: Container[tuple[bytes, str]]) -> tuple[Namesake, ...]:
    """What only says the name, for somebody to decide about."""
    items = (item for item in task.namesakes(view) if (item.space.id, item.id) not in found)
    return tuple(namesake(view, item) for item in items)


def _unseen(view: View, task: PersonTask, found: Container[tuple[bytes, str]]) -> tuple[tuple[Space, str], ...]:
    """The places of memories that the system may end and not see. Anybody else ends only what they may see."""
    if view.actor.kind is not ActorKind.SYSTEM:
        return ()
    items = task.items(view, ended=False)
    return tuple((item.space, item.id) for item in items if (item.space.id, item.id) not in found)


def _seen(view: View, task: PersonTask) -> Iterator[Item]:
    """Those in sight, and those in the caller's own spaces wherever the caller stands, as far as the listeners may hear
    them."""
    for sight in _sights(view):
        wanted = replace(_KEPT, and_only=task.matches)
        yield from (redact_for(view.engine, sight, item) for item in view.engine.all_items(sight, wanted))


def _sights(view: View) -> Iterator[Sight]:
    held = view.sight
    own = own_spaces_sight(view.actor, view.engine.own_spaces(held), disclosure=held.disclosure)
    yield own
    yield held.narrowed([seen.space for seen in held.spaces if seen.space.id not in own.by_id])
