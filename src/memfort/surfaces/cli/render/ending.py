"""Answers of the verbs that end memories."""

from __future__ import annotations

from memfort.model.results import ErasureCheck, FinishedErasures, Forgotten, Receipt, Undone
from memfort.model.value import count_noun, shortened
from memfort.operations.table import Operation
from memfort.store.port import Erasure
from memfort.surfaces.cli.failure import Exit
from memfort.surfaces.cli.output.console import Table
from memfort.surfaces.cli.output.lines import format_moment, pending_in_commands
from memfort.surfaces.cli.render.rendered import Rendered
from memfort.surfaces.cli.wording import in_commands


def _forgotten(_: Operation, found: Forgotten) -> Rendered:
    lines = [f"forgot {item.id} in {item.space}" for item in found]
    if found.dry_run:
        shown = [f"  {item.id} in {item.space}: {shortened(item.text, 100)}" for item in found]
        lines = [f"would forget {count_noun(len(found), 'memory')}", *shown]
    hidden = "would hide" if found.dry_run else "hid"
    return Rendered(
        [*lines, *_said(hidden, found)],
        tuple(found.notes),
        count=len(found),
        preview=[
            f"this would forget {count_noun(len(found), 'memory')}",
            *_shown(found),
            *_said("would hide", found),
            *found.notes,
        ],
    )


def _shown(found: Forgotten | Receipt | Undone) -> list[str]:
    return [f"  {shortened(text, 100)}" for text in found.sample]


def _said(verb: str, found: Forgotten | Receipt) -> list[str]:
    """What becomes of the sentences of conversations that say it, and which turns may still say it."""
    lines = [
        f"{verb} a sentence of turn {one.turn}" + (f": {one.words}" if one.words else "") for one in found.sentences
    ]
    return [*lines, *(f"may still say it: turn {id}" for id in found.may_still_say)]


def _receipt(_: Operation, receipt: Receipt) -> Rendered:
    counts = ", ".join(_counted_kind(place, count) for place, count in receipt.counts.items())
    lines = [f"{'would erase' if receipt.dry_run else 'erased'} {counts}", *_shown(receipt)]
    lines += _said("would rewrite" if receipt.dry_run else "rewrote", receipt)
    lines += _namesakes(receipt)
    if not receipt.dry_run and (receipt.items or receipt.namesakes):
        lines.append(receipt_line(receipt))
    return Rendered(
        lines,
        tuple(receipt.notes),
        exit=Exit.OK if receipt.pending is None else Exit.FAILURE,
        count=len(receipt.items),
        preview=[
            f"this would erase {counts}",
            *_shown(receipt),
            *_said("would rewrite", receipt),
            *_namesakes(receipt),
            *receipt.notes,
        ],
    )


def _namesakes(receipt: Receipt) -> list[str]:
    return [f"stays, with the same name: {one.id}: {shortened(one.summary, 100)}" for one in receipt.namesakes]


def receipt_line(receipt: Receipt) -> str:
    return f"receipt {receipt.id}: {receipt.state}" + (f", {pending_in_commands(receipt)}" if receipt.pending else "")


def _counted_kind(place: str, count: int) -> str:
    return count_noun(count, _PLACES[place]) if place in _PLACES else f"{count} {place.replace('_', ' ')}"


# What a receipt counts, one of each.
_PLACES = {
    "memories": "memory",
    "older_versions": "older version",
    "derived": "derived memory",
    "index_entries": "index entry",
    "sentences": "sentence",
}


def _undone(_: Operation, found: Undone) -> Rendered:
    falls, back = count_noun(len(found.items), "memory"), count_noun(len(found.back), "memory")
    said = (
        f"{falls} would fall, {back} would come back" if found.dry_run else f"{falls} taken back, {back} back in force"
    )
    lines = [said, *_shown(found), *(f"back: {shortened(item.text, 100)}" for item in found.back[:5])]
    # What came back by taking back an undo falls by a new one: the old one is gone.
    lines += [f"to take this back: memfort undo {found.id}"] if found.id and found.items and not found.dry_run else []
    return Rendered(lines, tuple(found.notes), count=len(found.items) or len(found.back), preview=lines)


def _erasures(_: Operation, found: list[Erasure]) -> Rendered:
    rows = [
        (one.id, format_moment(one.at_us), pending_in_commands(one) or "complete", count_noun(len(one.items), "memory"))
        for one in found
    ]
    return Rendered([Table(("id", "at", "state", "memories"), rows)], () if found else ("no erasures",))


def _finished_erasures(_: Operation, found: FinishedErasures) -> Rendered:
    waiting = {id: in_commands(why) for id, why in found.waiting.items()}
    lines = [f"{id}: complete" for id in found.finished] + [f"{id}: {why}" for id, why in waiting.items()]
    notes = () if lines else ("no erasure had to wait",)
    return Rendered(lines, notes, exit=Exit.FAILURE if found.waiting else Exit.OK)


def _erasure_check(_: Operation, found: ErasureCheck) -> Rendered:
    lines = [f"{found.receipt}: {problem}" for problem in found.problems or ("nothing is left",)]
    return Rendered(lines, exit=Exit.OK if found.ok else Exit.FAILURE)


RENDERERS = {
    Forgotten: _forgotten,
    Receipt: _receipt,
    Undone: _undone,
    ("list", Erasure): _erasures,
    FinishedErasures: _finished_erasures,
    ErasureCheck: _erasure_check,
}
