"""audit: verify, export, checkpoint."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from memfort.cli.failure import Exit
from memfort.cli.options import Verbs
from memfort.cli.plain import counted
from memfort.cli.reading import read_text
from memfort.cli.session import Session
from memfort.cli.streaming import stream
from memfort.errors import InvalidInput
from memfort.trace.cloudevents import cloud_event
from memfort.trace.line import Line
from memfort.trace.ocsf import ocsf_event

if TYPE_CHECKING:
    from memfort.memory import Memory
    from memfort.trace.checkpoint import Checkpoint

# The formats of others, each a way to write one line of the trail; a store has a name in them.
_FORMATS: dict[str, Callable[[Line, str], dict[str, Any]]] = {"cloudevents": cloud_event, "ocsf": ocsf_event}
_URI = re.compile(r"([A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+")


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
    key, kept = (None, []) if anchors is None else _anchors(read_text(anchors, "anchors"))
    with session.memory() as store:
        earlier = _signed_with_another_key(key, str(store.info()["key"]))
        found = store.audit_verify([] if earlier else kept)
    ok = found.ok and earlier is None
    document = {
        "ok": ok,
        "chains": found.chains,
        "events": found.events,
        "unanchored": found.unanchored,
        "broken": [{"chain": one.chain, "number": one.number, "problem": one.problem} for one in found.broken],
        "anchors": earlier,
    }
    broken = [f"{one.chain} link {one.number}: {one.problem}" for one in found.broken]
    verdict = "the trail holds" if found.ok else "the trail is broken"
    counts = f"{counted(found.events, 'event')} in {counted(found.chains, 'chain')}"
    summary = f"{verdict}: {counts}, {found.unanchored} not signed yet"
    unchecked = [f"the anchors were not checked: {earlier}"] if earlier else []
    session.output.answer(document, summary, *broken, *unchecked)
    return Exit.OK if ok else Exit.FAILURE


@audit_command.command("export")
@click.option(
    "--format",
    type=click.Choice(["jsonl", *_FORMATS]),
    default="jsonl",
    show_default=True,
    help="How to write an event.",
)
@click.option("--source", metavar="URI", help="The store's name in the other formats; made from its key otherwise.")
@click.option("--output", "path", metavar="FILE", help="Write to this file instead of stdout.")
@click.option("--overwrite", is_flag=True, help="Write over a file that is there.")
@click.pass_obj
def export(session: Session, format: str, source: str | None, path: str | None, overwrite: bool) -> None:
    """Write the trail as JSON lines: what you did; for the system actor, all of it. Never any contents.

    A line is an event as it is kept (jsonl), a CloudEvent 1.0 (cloudevents) or a Datastore Activity of OCSF 1.6.0
    (ocsf). With --json it is one JSON list.
    """
    _check_source(source, format)
    with session.asking() as (store, memory):
        lines = memory.trail()
        if format in _FORMATS:
            name = source or _name(store)
            lines = (_FORMATS[format](line, name) for line in lines)
        stream(session.output, lines, path, overwrite=overwrite, what="events")


@audit_command.command("checkpoint")
@click.pass_obj
def checkpoint(session: Session) -> None:
    """Sign every chain that has grown. What lies before a signature cannot be rewritten unnoticed.

    Keep the answer of --json in another place, and give it to `audit verify --anchors` one day.
    """
    from memfort.trace.checkpoint import checkpoint_to_dict

    with session.memory() as store:
        signed, key = store.audit_checkpoint(), store.info()["key"]
    document = {"key": key, "anchors": [checkpoint_to_dict(one) for one in signed]}
    session.output.answer(document, *(f"{one.chain} is signed up to link {one.number}" for one in signed))


def _anchors(text: str) -> tuple[str | None, list[Checkpoint]]:
    """The name of the key that signed them, and the checkpoints."""
    from memfort.trace.checkpoint import checkpoint_from_dict

    try:
        data = json.loads(text)
        return data.get("key"), [checkpoint_from_dict(one) for one in data["anchors"]]
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        raise InvalidInput("anchors", "it cannot be read", "give what `audit checkpoint --json` wrote") from None


def _signed_with_another_key(anchors: str | None, store: str) -> str | None:
    """A signature of an earlier key cannot be checked. That is no forgery, and no proof of anything either."""
    if anchors is None or anchors == store:
        return None
    return f"they were signed with an earlier key `{anchors}`, or another store's; the key here is `{store}`"


def _check_source(source: str | None, format: str) -> None:
    if source is None:
        return
    if format not in _FORMATS:
        raise InvalidInput("source", "only other formats name the store", f"add --format {' or '.join(_FORMATS)}")
    if _URI.fullmatch(source) is None:
        raise InvalidInput("source", f"`{source}` is not a URI", "write it like `https://example.com/memory`")


def _name(store: Memory) -> str:
    """A name that no other store has. A new key gives a new one; who needs it to stay gives their own."""
    return f"/memfort/stores/{store.info()['key']}"
