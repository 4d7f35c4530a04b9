"""forget, erase, verify-erasure, erasures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memfort.cli.completing import levels, memories
from memfort.cli.consent import has_consent
from memfort.cli.failure import Exit
from memfort.cli.options import Verb, consent_options
from memfort.cli.output import Progress, Table
from memfort.cli.plain import counted
from memfort.cli.session import Session, space_from
from memfort.errors import InvalidInput

if TYPE_CHECKING:
    from memfort.memory import BoundMemory
    from memfort.memory.results import Receipt


# What a receipt counts, one of each.
_PLACES = {
    "memories": "memory",
    "older_versions": "older version",
    "derived": "derived memory",
    "index_entries": "index entry",
}


@click.command("forget", cls=Verb)
@click.argument("ids", nargs=-1, required=True, metavar="ID...", shell_complete=memories())
@consent_options
@click.pass_obj
def forget_command(session: Session, ids: tuple[str, ...], dry_run: bool, yes: bool) -> int:
    """Take memories out of every read; a tombstone stays.

    What was made from them goes too. The words may be learned again. To remove them from the files, use
    `memfort erase`.
    """
    from memfort.cli.documents import memory_document

    output = session.output
    with session.bound() as memory:
        items = memory.forget(*ids, dry_run=True)
        if not dry_run:
            if not has_consent(output, f"forget {counted(len(items), 'memory')}?", yes=yes):
                return _left_alone(session)
            items = memory.forget(*ids)
    document = {"dry_run": dry_run, "memories": [memory_document(item) for item in items]}
    verb = "would forget" if dry_run else "forgot"
    output.answer(document, *(f"{verb} {item.id} in {item.space}" for item in items))
    return Exit.OK


@click.command("erase", cls=Verb)
@click.argument("ids", nargs=-1, metavar="[ID...]", shell_complete=memories())
@click.option(
    "--scope",
    multiple=True,
    metavar="LEVEL=ID",
    shell_complete=levels,
    help="Erase a scope; the most specific level is the target.",
)
@click.option("--source", metavar="ID", help="Erase everything that came from one import.")
@click.option("--no-cascade", is_flag=True, help="With --scope: only the target itself, not what is narrower.")
@consent_options
@click.pass_obj
def erase_command(
    session: Session,
    ids: tuple[str, ...],
    scope: tuple[str, ...],
    source: str | None,
    no_cascade: bool,
    dry_run: bool,
    yes: bool,
) -> int:
    """Remove memories physically, with a receipt.

    Older versions and everything derived go too. Name memories by ID, a scope, or a source. A scope is given by its
    coordinates: the most specific level is the target, and every other one constrains it. An erasure that could not
    be finished has exit code 1, and its receipt says why.
    """
    if (bool(ids), bool(scope), source is not None).count(True) != 1:
        raise InvalidInput("ids", "exactly one is needed", "name memories by id, or give --scope, or --source")
    if no_cascade and not scope:
        raise InvalidInput("no_cascade", "there is no scope", "give --scope, or leave it out")

    def erase(memory: BoundMemory, *, dry_run: bool, progress: Progress | None = None) -> Receipt:
        if scope:
            coordinates = space_from(scope, "scope") or {}
            return memory.delete_by_scope(coordinates, cascade=not no_cascade, dry_run=dry_run, progress=progress)
        if source is not None:
            return memory.erase_source(source, dry_run=dry_run, progress=progress)
        return memory.erase(*ids, dry_run=dry_run, progress=progress)

    output = session.output
    with session.bound() as memory:
        rehearsal = erase(memory, dry_run=True)
        if dry_run:
            return _show_receipt(session, rehearsal)
        if not yes and not output.as_json:
            output.note(f"this would erase {_counted(rehearsal)}")
        if not has_consent(output, f"erase {counted(len(rehearsal.items), 'memory')} for good?", yes=yes):
            return _left_alone(session)
        with output.progress("erasing") as progress:
            receipt = erase(memory, dry_run=False, progress=progress)
    return _show_receipt(session, receipt)


@click.command("verify-erasure", cls=Verb)
@click.argument("receipt")
@click.pass_obj
def verify_erasure_command(session: Session, receipt: str) -> int:
    """Search for anything an erasure left behind.

    RECEIPT is the id that `memfort erase` gave. Exit code 1 if something is left.
    """
    from memfort.cli.documents import erasure_check_document

    with session.bound() as memory:
        found = memory.verify_erasure(receipt)
    lines = [f"{receipt}: nothing is left"] if found.ok else [f"{receipt}: {problem}" for problem in found.problems]
    session.output.answer(erasure_check_document(found), *lines)
    return Exit.OK if found.ok else Exit.FAILURE


@click.command("erasures", cls=Verb)
@click.option("--finish", is_flag=True, help="Try to finish those that had to wait; exit code 1 if one still waits.")
@click.pass_obj
def erasures_command(session: Session, finish: bool) -> int:
    """List erasures, and finish those that had to wait.

    You see the ones you asked for; the system actor sees all of them.
    """
    from memfort.cli.documents import erasure_document, when

    finished: list[str] = []
    if finish:
        with session.memory() as store:
            finished = store.finish_erasures()
    with session.bound() as memory:
        found = memory.erasures()
    rows = [(one.id, when(one.at), one.pending or "complete", counted(len(one.items), "memory")) for one in found]
    document = {"erasures": [erasure_document(one) for one in found], "finished": finished}
    session.output.answer(document, Table(("id", "at", "state", "memories"), rows))
    if not found and not session.output.as_json:
        session.output.note("no erasures")
    return Exit.FAILURE if finish and any(one.pending for one in found) else Exit.OK


def _show_receipt(session: Session, receipt: Receipt) -> int:
    from memfort.cli.documents import receipt_document

    verb = "would erase" if receipt.dry_run else "erased"
    lines = [f"{verb} {_counted(receipt)}"]
    if not receipt.dry_run and receipt.items:
        lines.append(f"receipt {receipt.id}: {receipt.state}" + (f", {receipt.pending}" if receipt.pending else ""))
    session.output.answer(receipt_document(receipt), *lines)
    return Exit.OK if receipt.pending is None else Exit.FAILURE


def _counted(receipt: Receipt) -> str:
    return ", ".join(
        counted(count, _PLACES[place]) if place in _PLACES else f"{count} {place.replace('_', ' ')}"
        for place, count in receipt.counts.items()
    )


def _left_alone(session: Session) -> int:
    session.output.note("nothing was done")
    return Exit.FAILURE
