"""Export what an actor owns, and the people in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from memfort.capture.importers.formats import EXPORT_VERSION, phase_to_dict
from memfort.engine.damaged import damaged_ids
from memfort.engine.default_place import find_home
from memfort.engine.lifecycle.proposals import is_proposal
from memfort.engine.redact import redact_for
from memfort.engine.transaction import Session
from memfort.engine.view import View
from memfort.model.item import Item, Status
from memfort.model.people.person import Person, Relation, person_to_dict, relation_to_dict
from memfort.model.reason import Reason
from memfort.model.results import Source, source_to_dict
from memfort.model.serialize.record import item_to_dict
from memfort.operations.requests import Request
from memfort.operations.transfer.approval_proofs import REVIEWED, STATED, is_by_another, proof_of, was_reviewed
from memfort.operations.transfer.export_people import is_about_others, people_in
from memfort.policy.sight import own_spaces_sight
from memfort.store.port import Filter

_OWNED = Filter(statuses=frozenset(Status))


class ExportRequest(Request, frozen=True):
    """No fields: everything that the actor owns is exported."""


def handle(session: Session, request: ExportRequest) -> Iterator[dict[str, Any]]:  # noqa: ARG001  # it has no fields
    """A header, then the import batches and every memory that the actor owns, oldest first: all of its private spaces,
    and its own writes elsewhere; and the people in them, as far as it may know them. The header names memories that are
    missing because they are damaged, and proves which personal data a person approved here and which statements other
    people made."""
    with session.view() as view:
        items, damaged = _owned_items(view)
        home = find_home(view.standpoint, view.policy)
        is_alone = not view.sight.is_in_chat  # a chat hears the answer: of batches and phases it may know nothing
        at_home = view.sight.narrowed([home] if home is not None and is_alone else [])
        sources = [source for source in view.store.sources(at_home) if source.items is None]  # not reimported ones
        people, relations = people_in(view, items)
        phases = _own_phases(view) if is_alone else []
        header = _header(view, items, people)
        shown = {"ids": [item.id for item in items]}
        view.note_read("export", Reason.VISIBLE if items else Reason.NOT_FOUND, shown)
    header |= {"damaged": damaged, "sources": len(sources), "relations": len(relations), "phases": len(phases)}
    # Outside the snapshot: a caller may take the lines when it likes, and must not hold an old view of the store by it.
    return chain(_lines(header, sources, items, people, relations), ({"phase": phase} for phase in phases))


def _own_phases(view: View) -> list[dict[str, Any]]:
    """The phases of the actor's own spaces. Those of groups are the groups'."""
    own = own_spaces_sight(view.actor, view.engine.own_spaces(view.sight))
    found = view.store.phases(own)
    return [phase_to_dict(seen.space, one) for seen in own.spaces for one in found.get(seen.space.id, ())]


def _header(view: View, items: Sequence[Item], people: Sequence[Person]) -> dict[str, Any]:
    keys = view.store.keys
    return {
        "memfort_export": EXPORT_VERSION,
        "actor": str(view.actor),
        "memories": len(items),
        REVIEWED: {item.id: proof_of(keys, item, REVIEWED) for item in items if was_reviewed(item)},
        STATED: {item.id: proof_of(keys, item, STATED) for item in items if is_by_another(item, view.actor)},
        "people": len(people),
        "store": keys.fingerprint if is_about_others(items, people) else None,
    }


def _lines(
    header: dict[str, Any],
    sources: Sequence[Source],
    items: Sequence[Item],
    people: Sequence[Person],
    relations: Sequence[Relation],
) -> Iterator[dict[str, Any]]:
    always = {"memfort_export", "actor", "memories", "sources"}
    yield {name: value for name, value in header.items() if value or name in always}
    for source in sources:
        yield {"source": source_to_dict(source)}
    for item in sorted(items, key=lambda item: (item.created_at_us, item.number, item.id)):
        yield {"memory": item_to_dict(item)}
    for person in people:
        yield {"person": person_to_dict(person)}
    for relation in relations:
        yield {"relation": relation_to_dict(relation)}


def _owned_items(view: View) -> tuple[list[Item], list[str]]:
    """What an actor owns, and the ids of damaged memories there, whose author cannot be read any more."""
    actor, held, engine = view.actor, view.sight.writable, view.engine
    own = own_spaces_sight(actor, engine.own_spaces(held), disclosure=held.disclosure)
    rest = held.narrowed([seen.space for seen in held.spaces if seen.space.id not in own.by_id])
    mine = [item for item in engine.all_items(rest, _OWNED) if item.space.is_private or item.author.key == actor.key]
    damaged = sorted({*damaged_ids(engine, own), *damaged_ids(engine, rest)})
    own_items = [redact_for(engine, own, item) for item in engine.all_items(own, _OWNED) if not is_proposal(item)]
    return [*own_items, *(redact_for(engine, rest, item) for item in mine)], damaged
