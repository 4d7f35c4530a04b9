"""people: add, find, show, update, alias, merge, link, relate, unrelate, drop, forget, list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from memfort.cli.consent import has_consent
from memfort.cli.failure import Exit
from memfort.cli.options import Verbs, consent_options, space_option
from memfort.cli.output import Table
from memfort.cli.plain import counted
from memfort.cli.session import Session, space_from
from memfort.errors import NotFound

if TYPE_CHECKING:
    from memfort.memory.people.forgetting import PersonForgotten
    from memfort.model.person import Person, Relation


@click.group("people", cls=Verbs)
def people_command() -> None:
    """Keep the people that memories are about.

    ID is `@bob` for the user bob, `per_…` for a person that was made, or `me`.
    """


@people_command.command("add")
@click.argument("name")
@click.option("--alias", "aliases", multiple=True, metavar="NAME", help="Another name; repeat it for more.")
@click.option("--relation", metavar="WORD", help="What they are to you, for example wife.")
@click.option("--user", metavar="USER", help="The user they are.")
@space_option
@click.pass_obj
def add_person(
    session: Session,
    name: str,
    aliases: tuple[str, ...],
    relation: str | None,
    user: str | None,
    space: tuple[str, ...],
) -> None:
    """Enter a person in the directory, for all to see.

    With --space, only those know them who see that space.
    """
    with session.bound(make=True) as memory:
        made = memory.people.add(name, aliases, relation=relation, user=user, space=space_from(space))
    known = "listed" if made.home is None else f"known in {made.home}"
    session.output.answer({"person": person_document(made)}, f"{made.id} {made.name}, {known}")


@people_command.command("find")
@click.argument("reference")
@click.pass_obj
def find_people(session: Session, reference: str) -> None:
    """Find whom a name, an alias, `my wife` or `@bob` could mean.

    Your own connections come first.
    """
    with session.bound() as memory:
        found = memory.people.find(reference)
    _show_people(session, found)


@people_command.command("show")
@click.argument("id")
@click.pass_obj
def show_person(session: Session, id: str) -> None:
    """Show a person, and what they are to others."""
    with session.bound() as memory:
        person = memory.people.get(id)
        if person is None:
            raise NotFound("person", id)
        relations = memory.people.relations(person.id)
    document = {"person": person_document(person), "relations": [relation_document(one) for one in relations]}
    session.output.answer(document, *_lines(person), *(f"  {_sentence(one)}" for one in relations))


@people_command.command("update")
@click.argument("id")
@click.option("--name", help="What they are called from now on.")
@click.option("--alias", "aliases", multiple=True, metavar="NAME", help="In place of the other names; repeat it.")
@click.pass_obj
def update_person(session: Session, id: str, name: str | None, aliases: tuple[str, ...]) -> None:
    """Say how a person is called.

    Who entered them may, and so may they themselves.
    """
    with session.bound() as memory:
        after = memory.people.update(id, name=name, aliases=aliases or None)
    session.output.answer({"person": person_document(after)}, *_lines(after))


@people_command.command("alias")
@click.argument("id")
@click.argument("aliases", nargs=-1, required=True, metavar="NAME...")
@click.pass_obj
def alias_person(session: Session, id: str, aliases: tuple[str, ...]) -> None:
    """Give a person more names."""
    with session.bound() as memory:
        after = memory.people.alias(id, *aliases)
    session.output.answer({"person": person_document(after)}, *_lines(after))


@people_command.command("merge")
@click.argument("keep")
@click.argument("gone")
@click.pass_obj
def merge_people(session: Session, keep: str, gone: str) -> None:
    """Say that two persons are one.

    GONE stays as a redirect to KEEP. What you said about the one was then said about the other.
    """
    with session.bound() as memory:
        merged = memory.people.merge(keep, gone)
    session.output.answer({"person": person_document(merged)}, f"they are one: {merged.id} {merged.name}")


@people_command.command("link")
@click.argument("id")
@click.option("--user", required=True, metavar="USER", help="The user they are.")
@click.pass_obj
def link_person(session: Session, id: str, user: str) -> None:
    """Say which user a person is.

    It holds for what you say about them; for what everybody says, the system has to say it.
    """
    with session.bound() as memory:
        linked = memory.people.link(id, user=user)
    session.output.answer({"person": person_document(linked)}, f"{id} is {linked.id}")


@people_command.command("relate")
@click.argument("person")
@click.argument("term")
@click.argument("other")
@space_option
@click.pass_obj
def relate_people(session: Session, person: str, term: str, other: str, space: tuple[str, ...]) -> None:
    """Say what somebody is to a person: `people relate me wife per_…`.

    Who is known in one space only is related there; otherwise it is for all to see, unless --space is given.
    """
    with session.bound() as memory:
        made = memory.people.relate(person, term, other, space=space_from(space))
    session.output.answer({"relation": relation_document(made)}, _sentence(made))


@people_command.command("unrelate")
@click.argument("person")
@click.argument("term")
@click.argument("other")
@click.pass_obj
def unrelate_people(session: Session, person: str, term: str, other: str) -> None:
    """Take back what somebody is to a person."""
    with session.bound() as memory:
        gone = memory.people.unrelate(person, term, other)
    document = {"taken_back": [relation_document(one) for one in gone]}
    session.output.answer(document, *(f"taken back: {_sentence(one)}" for one in gone))


@people_command.command("drop")
@click.argument("id")
@click.pass_obj
def drop_person(session: Session, id: str) -> None:
    """Take a person out for good, with every name.

    Memories keep the id, which is nobody's from then on.
    """
    with session.bound() as memory:
        memory.people.drop(id)
    session.output.answer({"dropped": id}, f"dropped {id}")


@people_command.command("forget")
@click.argument("reference")
@click.option("--about", is_flag=True, help="What is known about them; the default.")
@click.option("--stated", is_flag=True, help="What they said; with --about, both.")
@click.option("--erase", is_flag=True, help="Remove it physically, and what you entered of them, with a receipt.")
@consent_options
@click.pass_obj
def forget_person(
    session: Session, reference: str, about: bool, stated: bool, erase: bool, dry_run: bool, yes: bool
) -> int:
    """Forget what is known about a person, or what they said.

    It reaches your own spaces, where you may write, and the chats you take part in; the system reaches everything.
    Forgotten, a tombstone stays of each memory, and the words may be learned again.
    """
    which = "both" if about and stated else "stated_by" if stated else "about"
    with session.bound() as memory:
        found = memory.forget_person(reference, which, erase=erase, dry_run=True)
        if not dry_run:
            verb = "erase" if erase else "forget"
            if not has_consent(session.output, f"{verb} {counted(len(found.items), 'memory')}?", yes=yes):
                session.output.note("nothing was done")
                return Exit.FAILURE
            with session.output.progress("forgetting") as progress:
                found = memory.forget_person(reference, which, erase=erase, progress=progress)
    return _show_forgotten(session, found)


@people_command.command("list")
@click.option("--limit", type=int, default=100, show_default=True, help="How many at most.")
@click.option("--after", metavar="ID", help="Go on after this one, the last of the page before.")
@click.pass_obj
def list_people(session: Session, limit: int, after: str | None) -> None:
    """List everybody in sight who was entered or mentioned."""
    with session.bound() as memory:
        found = memory.people.list(limit=limit, after=after)
    _show_people(session, found)


def _show_forgotten(session: Session, found: PersonForgotten) -> int:
    from memfort.cli.documents import receipt_document

    receipt = found.receipt
    document = {
        "person": found.person,
        "which": found.which.value,
        "dry_run": found.dry_run,
        "memories": [id for _, id in found.items],
        "counts": dict(found.counts),
        "receipt": None if receipt is None else receipt_document(receipt),
    }
    done = ("would erase" if found.dry_run else "erased") if receipt is not None else None
    verb = done or ("would forget" if found.dry_run else "forgot")
    lines = [f"{verb} {counted(len(found.items), 'memory')}", *(f"  {id} in {space}" for space, id in found.items)]
    if receipt is not None and not found.dry_run and (found.items or receipt.counts.get("people")):
        lines.append(f"receipt {receipt.id}: {receipt.state}" + (f", {receipt.pending}" if receipt.pending else ""))
    session.output.answer(document, *lines)
    return Exit.OK if receipt is None or receipt.pending is None else Exit.FAILURE


def person_document(person: Person) -> dict[str, Any]:
    from memfort.cli.documents import when
    from memfort.model.person import person_to_dict

    return {**person_to_dict(person), "user": person.user, "created_at": when(person.created_at)}


def relation_document(relation: Relation) -> dict[str, Any]:
    from memfort.cli.documents import when
    from memfort.model.person import relation_to_dict

    return {**relation_to_dict(relation), "stated_by": relation.stated_by, "at": when(relation.at)}


def _show_people(session: Session, found: Iterable[Person]) -> None:
    people = list(found)
    rows = [(one.id, one.name, ", ".join(one.aliases), one.home or "listed", one.merged_into or "") for one in people]
    document = {"people": [person_document(one) for one in people]}
    session.output.answer(document, Table(("id", "name", "aliases", "known in", "is"), rows))
    if not people and not session.output.as_json:
        session.output.note("nobody")


def _lines(person: Person) -> list[str]:
    aliases = [f"  also: {', '.join(person.aliases)}"] if person.aliases else []
    return [f"{person.id} {person.name}", *aliases, f"  known in: {person.home or 'the directory'}"]


def _sentence(relation: Relation) -> str:
    return f"{relation.to_person} is the {relation.term} of {relation.from_person}"
