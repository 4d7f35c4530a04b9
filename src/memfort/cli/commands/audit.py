"""audit: verify, export, checkpoint."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from memfort.cli.failure import Exit
from memfort.cli.options import Verbs
from memfort.cli.reading import read_text
from memfort.cli.session import Session
from memfort.cli.streaming import stream
from memfort.errors import InvalidInput

if TYPE_CHECKING:
    from memfort.trace.checkpoint import Checkpoint


@click.group("audit", cls=Verbs)
def audit_command() -> None:
    """Verify, export and sign the trail."""


@audit_command.command("verify")
@click.option("--anchors", metavar="FILE", help="Checkpoints kept elsewhere, as `audit checkpoint --json` wrote them.")
@click.pass_obj
def verify(session: Session, anchors: str | None) -> int:
    """Check the whole trail, and that the store is as it tells. Names the first broken link of each chain.

    With --anchors, also that nothing they cover was rewritten or cut off.
    """
    kept = [] if anchors is None else _anchors(read_text(anchors, "anchors"))
    with session.memory() as store:
        found = store.audit_verify(kept)
    document = {
        "ok": found.ok,
        "chains": found.chains,
        "events": found.events,
        "unanchored": found.unanchored,
        "broken": [{"chain": one.chain, "number": one.number, "problem": one.problem} for one in found.broken],
    }
    broken = [f"{one.chain} link {one.number}: {one.problem}" for one in found.broken]
    verdict = "the trail holds" if found.ok else "the trail is broken"
    summary = f"{verdict}: {found.events} events in {found.chains} chains, {found.unanchored} not signed yet"
    session.output.answer(document, summary, *broken)
    return Exit.OK if found.ok else Exit.FAILURE


@audit_command.command("export")
@click.option("--output", "path", metavar="FILE", help="Write to this file instead of stdout.")
@click.option("--overwrite", is_flag=True, help="Write over a file that is there.")
@click.pass_obj
def export(session: Session, path: str | None, overwrite: bool) -> None:
    """Write the trail as JSON lines: what you did; for the system actor, all of it. Never any contents.

    With --json it is one JSON list.
    """
    with session.bound() as memory:
        stream(session.output, memory.trail(), path, overwrite=overwrite, what="events")


@audit_command.command("checkpoint")
@click.pass_obj
def checkpoint(session: Session) -> None:
    """Sign every chain that has grown. What lies before a signature cannot be rewritten unnoticed.

    Keep the answer of --json in another place, and give it to `audit verify --anchors` one day.
    """
    from memfort.trace.checkpoint import checkpoint_to_dict

    with session.memory() as store:
        signed = store.audit_checkpoint()
    document = {"anchors": [checkpoint_to_dict(one) for one in signed]}
    session.output.answer(document, *(f"{one.chain} is signed up to link {one.number}" for one in signed))


def _anchors(text: str) -> list[Checkpoint]:
    from memfort.trace.checkpoint import checkpoint_from_dict

    try:
        return [checkpoint_from_dict(one) for one in json.loads(text)["anchors"]]
    except (KeyError, TypeError, ValueError, RecursionError):
        raise InvalidInput("anchors", "it cannot be read", "give what `audit checkpoint --json` wrote") from None
