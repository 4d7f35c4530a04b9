"""store gc: hand-written, because it may run until it is stopped, and asks only before it removes tombstones."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from memfort.model.value import count_noun
from memfort.surfaces.cli.failure import Exit
from memfort.surfaces.cli.input.consent import has_consent
from memfort.surfaces.cli.options import Verb, consent_options
from memfort.surfaces.cli.session import Session

if TYPE_CHECKING:
    from memfort.model.results import Collection, Receipt


@click.command("gc", cls=Verb)
@click.option(
    "--compact-days",
    type=float,
    metavar="N",
    help="Also remove physically the memories superseded, forgotten or expired more than N days ago.",
)
@click.option(
    "--every",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Collect again every so many seconds, until stopped.",
)
@consent_options
@click.pass_obj
def store_gc_command(
    session: Session, compact_days: float | None, every: float | None, dry_run: bool, yes: bool
) -> int:
    """Retire expired memories, and those over their author's limit.

    It works in small steps, between which others can write. Expired memories are invisible already; this makes that
    final. Compacting asks first, and gives a receipt; the sources of a memory in force, and the wordings in its
    history, stay.
    """
    output = session.output
    if every is not None and compact_days is not None and not yes:
        raise click.UsageError("--every with --compact-days removes more each time; say --yes to all of it")
    with session.memory() as memory:
        if compact_days is not None and not dry_run and not yes:
            rehearsal = memory.store.gc(compact_days=compact_days, dry_run=True).compacted
            tombstones = 0 if rehearsal is None else len(rehearsal.items)
            if tombstones and not has_consent(
                output, f"remove {count_noun(tombstones, 'tombstone')} for good?", yes=yes
            ):
                output.note("nothing was done")
                return Exit.FAILURE
        while True:
            with output.progress("collecting") as progress:
                collected = memory.store.gc(compact_days=compact_days, dry_run=dry_run, progress=progress)
            code = _show(session, collected)
            if every is None:
                return code
            time.sleep(every)


def _show(session: Session, collected: Collection) -> int:
    receipt, would = collected.compacted, "would be " if collected.dry_run else ""
    lines = [f"{would}retired: {count_noun(collected.expired, 'expired memory')}"]
    if collected.evicted or collected.over:
        lines.append(f"{would}retired to make room: {count_noun(len(collected.evicted), 'memory')}")
        lines += [f"  {id}" for _, id in collected.evicted]
    if collected.over:
        lines.append(f"still over the limit: {count_noun(collected.over, 'author')}; nothing else can be retired")
    if receipt is not None:
        removed = count_noun(len(receipt.items), "tombstone")
        lines.append(f"{would}removed for good: {removed}" + (f", receipt {receipt.id}" if _is_done(receipt) else ""))
    session.output.answer(collected.to_dict(), *lines)
    return Exit.OK if receipt is None or receipt.pending is None else Exit.FAILURE


def _is_done(receipt: Receipt) -> bool:
    return bool(receipt.items) and not receipt.dry_run
