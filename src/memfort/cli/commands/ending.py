"""forget, erase, verify-erasure, erasures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memfort.cli.consent import has_consent
from memfort.cli.failure import Exit
from memfort.cli.options import Verb, consent_options
from memfort.cli.output import Progress, Table
from memfort.cli.session import Session, space_from
from memfort.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from memfort.memory import BoundMemory
    from memfort.memory.results import Receipt


@click.command("forget", cls=Verb)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@consent_options
@click.pass_obj
def forget_command(session: Session, ids: tuple[str, ...], dry_run: bool, yes: bool) -> int:
    """Take memories out of every read; a tombstone stays.

    The words may be learned again. To remove them from the files, use `memfort erase`.
    """
    from memfort.cli.documents import memory_document
    from memfort.model.decision import Verdict

    output = session.output
    with session.bound() as memory:
        for id in ids:
            if memory.check("forget", id=id).verdict is Verdict.DENIED:
                raise NotFound("memory", id)
        if dry_run:
            document = {"dry_run": True, "memories": list(ids)}
            output.answer(document, *(f"would forget {id}" for id in ids))
            return Exit.OK
        if not has_consent(output, f"forget {_memories(len(ids))}?", yes=yes):
            return _left_alone(session)
        items = memory.forget(*ids)
    document = {"dry_run": False, "memories": [memory_document(item) for item in items]}
    output.answer(document, *(f"forgot {item.id} in {item.space}" for item in items))
    return Exit.OK


@click.command("erase", cls=Verb)
@click.argument("ids", nargs=-1, metavar="[ID...]")
@click.option(
    "--scope", multiple=True, metavar="LEVEL=ID", help="Erase a scope; the most specific level is the target."
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
        if not has_consent(output, f"erase {_memories(len(rehearsal.items))} for good?", yes=yes):
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
    rows = [(one.id, when(one.at), one.pending or "complete", _memories(len(one.items))) for one in found]
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
    return ", ".join(f"{count} {place.replace('_', ' ')}" for place, count in receipt.counts.items())


def _memories(count: int) -> str:
    return "1 memory" if count == 1 else f"{count} memories"


def _left_alone(session: Session) -> int:
    session.output.note("nothing was done")
    return Exit.FAILURE
