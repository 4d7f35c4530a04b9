"""Answers about people."""

from __future__ import annotations

from memfort.model.people.person import Person, Relation
from memfort.model.results import PersonForgotten
from memfort.model.value import count_noun
from memfort.operations.table import Cli, Operation
from memfort.surfaces.cli.failure import Exit
from memfort.surfaces.cli.output.console import Table
from memfort.surfaces.cli.render.ending import receipt_line
from memfort.surfaces.cli.render.rendered import Rendered


def _person(operation: Operation, person: Person) -> Rendered:
    assert isinstance(operation.cli, Cli)
    if operation.cli.says:
        return Rendered([f"{operation.cli.says}: {person.id} {person.name}"])
    aliases = [f"  also: {', '.join(person.aliases)}"] if person.aliases else []
    known = f"  known in {person.home or 'the directory'}"
    return Rendered([f"{person.id} {person.name}", *aliases, known])


def _people(_: Operation, people: list[Person]) -> Rendered:
    rows = [(one.id, one.name, ", ".join(one.aliases), one.home or "listed", one.merged_into or "") for one in people]
    table = Table(("id", "name", "aliases", "known in", "is"), rows)
    return Rendered([table], () if people else ("nobody",))


def _relation(_: Operation, relation: Relation) -> Rendered:
    return Rendered([_sentence(relation)])


def _relations(operation: Operation, relations: list[Relation]) -> Rendered:
    assert isinstance(operation.cli, Cli)
    says = operation.cli.says
    return Rendered([f"{says}: {_sentence(one)}" if says else _sentence(one) for one in relations])


def _sentence(relation: Relation) -> str:
    return f"{relation.to_person} is the {relation.term} of {relation.from_person}"


def _forgotten(_: Operation, found: PersonForgotten) -> Rendered:
    receipt = found.receipt
    done, would = ("forgot", "would forget") if receipt is None else ("erased", "would erase")
    verb = would if found.dry_run else done
    lines = [f"{verb} {count_noun(len(found.items), 'memory')}", *(f"  {id} in {space}" for space, id in found.items)]
    if receipt is not None and not found.dry_run and (found.items or receipt.counts.get("people")):
        lines.append(receipt_line(receipt))
    exit = Exit.OK if receipt is None or receipt.pending is None else Exit.FAILURE
    return Rendered(lines, exit=exit, count=len(found.items))


RENDERERS = {
    Person: _person,
    ("list", Person): _people,
    Relation: _relation,
    ("list", Relation): _relations,
    PersonForgotten: _forgotten,
}
