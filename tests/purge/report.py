"""Print a leak so that a reader can follow it: the steps that matter, what became of each, and the first difference."""

from __future__ import annotations

from tests.purge.replay import Comparison, Difference, compare, shrink
from tests.purge.steps import Standpoint, Step
from tests.purge.stores import Open

WIDTH = 200  # characters of an answer to show


class Leak(AssertionError):
    """The observer noticed a step that they may not notice."""


def report(found: Comparison, open_memory: Open) -> str:
    """The history of a leak, cut down to the steps that it takes."""
    smallest = shrink(found.history, lambda history: bool(compare(history, open_memory).differences))
    return describe(compare(smallest, open_memory))


def describe(found: Comparison) -> str:
    history = found.history
    lines = [
        f"history {history.seed}, memberships {history.memberships}, observer {_who(history.observer)}",
        *(f"  {_step(step, found)}" for step in history.steps),
        *(line for difference in found.differences[:3] for line in _difference(difference)),
        f"again: python -m tests.purge --seed {history.seed} --histories 1",
    ]
    return "\n".join(lines)


def _step(step: Step, found: Comparison) -> str:
    verdict = "reworded" if step.number in found.reworded else str(found.verdicts[step.number])
    given = [read["verb"] for read in step.given["reads"]] if step.kind == "look" else step.given
    return f"{step.number:3} {verdict:9} {_who(step.who)}: {step.kind} {given}"


def _who(who: Standpoint | None) -> str:
    if who is None:
        return "host"
    actor = who.actor
    name = actor.id if actor.kind == "user" else f"{actor.id} of {actor.owner} for {actor.acting_for or 'nobody'}"
    return f"{name} at {', '.join('='.join(place) for place in who.places) or 'no place'}"


def _difference(one: Difference) -> list[str]:
    pairs = enumerate(zip(one.full, one.purged, strict=False))
    start = next((place for place, (a, b) in pairs if a != b), min(len(one.full), len(one.purged)))
    window = slice(max(0, start - 40), start + WIDTH)
    return [
        f"  step {one.step}, {one.call}",
        f"    in full  …{one.full[window]}",
        f"    purged   …{one.purged[window]}",
    ]
