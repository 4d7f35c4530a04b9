"""Abstention: how many unanswerable questions get an empty answer, and how many answers to the others that costs."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from msgspec.structs import replace

from benchmarks.quality.measure import percent
from benchmarks.quality.partition import FLOOR, NO_FLOOR, Partition, recall_at_10

TRIED = (0.0, 0.10, 0.12, 0.14, 0.16, 0.18, 0.20, 0.24)
MOST_LOST = 0.005
_FOLDS = 5

Row = list[tuple[float, bool]]  # for each floor: R@10, and whether the answer was empty


def trade_off(partitions: Sequence[Partition]) -> dict[str, object]:
    """For each floor: the recall, and how often the answer is empty, for the set's own questions and for unanswerable
    ones. Then the same with the floor chosen on other conversations."""
    answered = [
        [_tried(partition, one.text, one.gold) for one in partition.conversation.questions] for partition in partitions
    ]
    pairs = zip(partitions, [*partitions[1:], partitions[0]], strict=True)  # each asked of the next
    foreign = [[_tried(other, one.text) for one in partition.conversation.questions] for partition, other in pairs]
    without = [_tried(partition, text) for partition in partitions for text in partition.conversation.unanswerable]
    everything = [row for rows in answered for row in rows]
    rows = {}
    for place, floor in enumerate(TRIED):
        rows[f"{floor:.2f}"] = {
            "R@10": percent(fmean(row[place][0] for row in everything)),
            "own": _empty(everything, place),
            "of another conversation": _empty([row for rows in foreign for row in rows], place),
            "on the subject, without an answer": _empty(without, place),
        }
    return {"floors": rows, "held out": _held_out(answered, foreign)}


def _tried(partition: Partition, text: str, gold: frozenset[int] = frozenset()) -> Row:
    row = []
    for least in TRIED:
        floor = replace(FLOOR, best=least) if least else NO_FLOOR
        ranking = partition.ask(text, floor=floor)
        row.append((recall_at_10(ranking, gold) if gold else 0.0, not ranking))
    return row


def _empty(rows: Sequence[Row], place: int) -> float:
    return percent(fmean(row[place][1] for row in rows)) if rows else 0.0


def _held_out(answered: Sequence[Sequence[Row]], foreign: Sequence[Sequence[Row]]) -> dict[str, object]:
    """The strictest floor that loses at most half a point on the other conversations, tested on these."""
    chosen, kept, none = [], [], []
    for fold in range(_FOLDS):
        known = [row for place, rows in enumerate(answered) if place % _FOLDS != fold for row in rows]
        lost = [fmean(row[0][0] - row[place][0] for row in known) for place in range(len(TRIED))]
        best = max(place for place in range(len(TRIED)) if lost[place] <= MOST_LOST)
        chosen.append(TRIED[best])
        for place in range(fold, len(answered), _FOLDS):
            kept += [row[best][0] - row[0][0] for row in answered[place]]
            none += [row[best][1] for row in foreign[place]]
    return {"chosen": chosen, "R@10": percent(fmean(kept)), "of another conversation": percent(fmean(none))}
