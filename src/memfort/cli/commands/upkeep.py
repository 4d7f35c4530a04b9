"""gc, reindex, reembed, info. These show nobody any contents, so they ask for no identity."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from memfort.cli.consent import has_consent
from memfort.cli.failure import Exit
from memfort.cli.options import Verb, consent_options
from memfort.cli.plain import counted
from memfort.cli.session import Session

if TYPE_CHECKING:
    from memfort.memory.results import Receipt
    from memfort.memory.upkeep.collecting import Collection


@click.command("gc", cls=Verb)
@click.option(
    "--compact-days",
    type=float,
    metavar="N",
    help="Also remove physically what was superseded, forgotten or expired more than N days ago.",
)
@click.option(
    "--every",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Collect again whenever so many seconds have gone by, until it is stopped.",
)
@consent_options
@click.pass_obj
def gc_command(session: Session, compact_days: float | None, every: float | None, dry_run: bool, yes: bool) -> int:
    """Collect what has ended.

    Retires what has expired, and what is more than its author may keep, in small steps between which others can write.
    Nobody can see what has expired any more as it is; this makes that final. Compacting asks first, and gives a
    receipt; what a memory still in force was made from, and the wordings in its history, stay.
    """
    output = session.output
    if every is not None and compact_days is not None and not yes:
        raise click.UsageError("--every with --compact-days removes more each time; say --yes to all of it")
    with session.memory() as store:
        if compact_days is not None and not dry_run and not yes:
            rehearsal = store.gc(compact_days=compact_days, dry_run=True).compacted
            tombstones = 0 if rehearsal is None else len(rehearsal.items)
            if tombstones and not has_consent(output, f"remove {counted(tombstones, 'tombstone')} for good?", yes=yes):
                output.note("nothing was done")
                return Exit.FAILURE
        while True:
            with output.progress("collecting") as progress:
                collected = store.gc(progress, compact_days=compact_days, dry_run=dry_run)
            code = _show(session, collected)
            if every is None:
                return code
            time.sleep(every)


def _show(session: Session, collected: Collection) -> int:
    from memfort.cli.documents import receipt_document

    receipt, would = collected.compacted, "would be " if collected.dry_run else ""
    document = {
        "dry_run": collected.dry_run,
        "expired": collected.expired,
        "evicted": [id for _, id in collected.evicted],
        "over": collected.over,
        "batches": collected.batches,
        "compacted": None if receipt is None else receipt_document(receipt),
    }
    lines = [f"{would}retired: {counted(collected.expired, 'expired memory')}"]
    if collected.evicted or collected.over:
        lines.append(f"{would}retired to make room: {counted(len(collected.evicted), 'memory')}")
        lines += [f"  {id}" for _, id in collected.evicted]
    if collected.over:
        lines.append(f"still over the limit: {counted(collected.over, 'author')}; nothing more of theirs could go")
    if receipt is not None:
        removed = counted(len(receipt.items), "tombstone")
        lines.append(f"{would}removed for good: {removed}" + (f", receipt {receipt.id}" if _is_done(receipt) else ""))
    session.output.answer(document, *lines)
    return Exit.OK if receipt is None or receipt.pending is None else Exit.FAILURE


def _is_done(receipt: Receipt) -> bool:
    return bool(receipt.items) and not receipt.dry_run


@click.command("reindex", cls=Verb)
@click.pass_obj
def reindex_command(session: Session) -> None:
    """Write the text index anew, with the vectors of the embedder in use."""
    with session.memory() as store, session.output.progress("indexing") as progress:
        count = store.reindex(progress)
        embedder = store.info()["embedder"]
    vectors = "without vectors" if embedder == "none" else f"with new vectors of `{embedder}`"
    session.output.answer({"memories": count, "embedder": embedder}, f"indexed {counted(count, 'memory')}, {vectors}")


@click.command("reembed", cls=Verb)
@click.option("--batch", type=int, default=64, show_default=True, help="How many memories in one step.")
@click.pass_obj
def reembed_command(session: Session, batch: int) -> None:
    """Give every memory a vector of the embedder in use.

    After another embedder was chosen, or while one could not be asked. In small steps between which others can write;
    interrupted, the next run goes on with what is left. Until then memories are found by their words.
    """
    so_far = (0, 0)
    with session.memory() as store, session.output.progress("embedding") as progress:

        def tell(done: int, total: int) -> None:
            nonlocal so_far
            so_far = (done, total)
            if progress is not None:
                progress(done, total)

        try:
            found = store.reembed(tell, batch=batch)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_stopped(*so_far)) from None
    document = {"embedder": found.embedder, "memories": found.done, "of": found.total, "refused": found.refused}
    line = f"embedded {counted(found.done, 'memory')} with `{found.embedder}`"
    if found.embedder == "none":
        line = f"took the vector out of {counted(found.done, 'memory')}"
    session.output.answer(document, line + (f"; it would not take {found.refused}" if found.refused else ""))


def _stopped(done: int, total: int) -> str:
    so_far = f"{done} of {total} are done, and stay so" if total else "nothing is done yet"
    return f"interrupted: {so_far}; `memfort reembed` goes on with the rest"


@click.command("info", cls=Verb)
@click.pass_obj
def info_command(session: Session) -> None:
    """Show facts about the store."""
    with session.memory() as store:
        facts = store.info()
    session.output.answer(facts, *(f"{name.replace('_', ' ')}: {value}" for name, value in facts.items()))
