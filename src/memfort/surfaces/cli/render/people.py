"""Answers about people."""

from __future__ import annotations

from typing import Any

from memfort.model.people.person import Person, Relation, person_to_dict, relation_to_dict
from memfort.model.results import PersonForgotten
from memfort.model.value import count_noun
from memfort.operations.table import Cli, Operation
from memfort.surfaces.cli.failure import Exit
from memfort.surfaces.cli.output.console import Table
from memfort.surfaces.cli.output.documents import format_moment, receipt_document
from memfort.surfaces.cli.render.ending import receipt_line
from memfort.surfaces.cli.render.rendered import Rendered


def person_document(person: Person) -> dict[str, Any]:
    return {**person_to_dict(person), "user": person.user, "created_at": format_moment(person.created_at_us)}


def relation_document(relation: Relation) -> dict[str, Any]:
    return {**relation_to_dict(relation), "stated_by": relation.stated_by, "at": format_moment(relation.at_us)}


def _person(operation: Operation, person: Person) -> Rendered:
    assert isinstance(operation.cli, Cli)
    document = {"person": person_document(person)}
    if operation.cli.says:
        return Rendered(document, [f"{operation.cli.says}: {person.id} {person.name}"])
    aliases = [f"  also: {', '.join(person.aliases)}"] if person.aliases else []
    known = f"  known in {person.home or 'the directory'}"
    return Rendered(document, [f"{person.id} {person.name}", *aliases, known])


def _people(_: Operation, people: list[Person]) -> Rendered:
    rows = [(one.id, one.name, ", ".join(one.aliases), one.home or "listed", one.merged_into or "") for one in people]
    document = {"people": [person_document(one) for one in people]}
    table = Table(("id", "name", "aliases", "known in", "is"), rows)
    return Rendered(document, [table], () if people else ("nobody",))


def _relation(_: Operation, relation: Relation) -> Rendered:
    return Rendered({"relation": relation_document(relation)}, [_sentence(relation)])


def _relations(operation: Operation, relations: list[Relation]) -> Rendered:
    assert isinstance(operation.cli, Cli)
    says = operation.cli.says
    document = {says.replace(" ", "_") or "relations": [relation_document(one) for one in relations]}
    return Rendered(document, [f"{says}: {_sentence(one)}" if says else _sentence(one) for one in relations])


def _sentence(relation: Relation) -> str:
    return f"{relation.to_person} is the {relation.term} of {relation.from_person}"


def _forgotten(_: Operation, found: PersonForgotten) -> Rendered:
    receipt = found.receipt
    document = {
        "person": found.person,
        "which": found.which.value,
        "dry_run": found.dry_run,
        "memories": [id for _, id in found.items],
        "counts": dict(found.counts),
        "receipt": None if receipt is None else receipt_document(receipt),
    }
    done, would = ("forgot", "would forget") if receipt is None else ("erased", "would erase")
    verb = would if found.dry_run else done
    lines = [f"{verb} {count_noun(len(found.items), 'memory')}", *(f"  {id} in {space}" for space, id in found.items)]
    if receipt is not None and not found.dry_run and (found.items or receipt.counts.get("people")):
        lines.append(receipt_line(receipt))
    exit = Exit.OK if receipt is None or receipt.pending is None else Exit.FAILURE
    return Rendered(document, lines, exit=exit, count=len(found.items))


RENDERERS = {
    Person: _person,
    ("list", Person): _people,
    Relation: _relation,
    ("list", Relation): _relations,
    PersonForgotten: _forgotten,
}
