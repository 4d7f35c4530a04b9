"""`python -m benchmarks.quality`: how well a recall finds what answers a question, without a language model. Whole
conversations are remembered turn by turn and every question is asked; then once more without each sign in turn."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchmarks.quality import corpora
from benchmarks.quality.corpora import Absent, Conversation
from benchmarks.quality.measure import (
    Found,
    all_found,
    asked,
    by_kind,
    compared,
    figures,
    flat,
    interval,
    shuffled,
)
from benchmarks.speed.__main__ import surroundings
from benchmarks.speed.report import placed
from memfort import Policy
from memfort.model.feature import Feature
from memfort.policy.sections import Recalling

BENCHMARKS = Path(__file__).parent.parent
BEGIN = "<!-- `python -m benchmarks.quality --publish` writes from here -->\n"
SETS = {"LoCoMo": (corpora.locomo, frozenset({"adversarial"})), "BEAM-100K": (corpora.beam, frozenset[str]())}
# What issue and field ask for: the set, the figure, and how much of a hundred it has to be.
WORDS_ALONE = Policy(recall=Recalling(weights={one: 0.0 for one in Feature if one is not Feature.WORDS}))


@click.command(help=__doc__)
@click.option("--ablate/--no-ablate", default=True, help="Also ask without each sign in turn.")
@click.option("--publish", is_flag=True, help="Keep the run, and put its tables into the README.")
def main(ablate: bool, publish: bool) -> None:
    try:
        found = run(ablate=ablate)
    except Absent as absent:
        sys.exit(f"nothing is measured: {absent}")
    name = "published-quality" if publish else f"quality-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    (BENCHMARKS / "results").mkdir(exist_ok=True)
    (BENCHMARKS / "results" / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    if publish:
        page = BENCHMARKS / "README.md"
        page.write_text(placed(page.read_text(), render(found), BEGIN))
    click.echo(render(found))


def run(*, ablate: bool) -> dict[str, Any]:
    sets = {name: (read(), skip) for name, (read, skip) in SETS.items()}
    measured = {name: _measured(name, given, skip, ablate=ablate) for name, (given, skip) in sets.items()}
    return {"benchmark": "quality", **surroundings(), "sets": measured}


def _measured(name: str, given: Sequence[Conversation], skip: frozenset[str], *, ablate: bool) -> dict[str, Any]:
    def say(what: str) -> None:
        click.echo(f"{name}: {what}", err=True)

    ours = all_found(given, skip=skip, progress=say)
    words = flat(all_found(given, WORDS_ALONE, skip=skip))
    found: dict[str, Any] = {
        "conversations": {one.name: len(one.turns) for one in given},
        "questions": len(flat(ours)),
        "figures": figures(flat(ours)),
        "interval": interval([one.recall(10) for one in flat(ours)]),
        "by_kind": by_kind(flat(ours)),
        "by_conversation": {one: figures(inside) for one, inside in ours.items()},
        "words_alone": figures(words),
        "over_words": compared(flat(ours), words),
        "shuffled": figures(shuffled(given, skip=skip)),
        "chance": _chance(given, ours),
    }
    if updates := _updates(given):
        found["updates"] = updates
    if ablate:
        found["without"] = {one.value: _without(given, one, skip, say) for one in Feature}
    return found


def _without(given: Sequence[Conversation], feature: Feature, skip: frozenset[str], say: Any) -> dict[str, float]:
    say(f"without {feature}")
    return figures(flat(all_found(given, Policy(recall=Recalling(weights={feature: 0.0})), skip=skip)))


def _chance(given: Sequence[Conversation], found: Mapping[str, Sequence[Found]]) -> float:
    """R@10 of ten turns drawn at random."""
    shares = [min(10 / len(one.turns), 1) for one in given for _ in found[one.name]]
    return round(100 * sum(shares) / len(shares), 1)


def _updates(given: Sequence[Conversation]) -> dict[str, float]:
    """Of the questions about something that was said anew: how often the later turn came first, as both stand."""
    later = []
    for one in given:
        questions = [question for question in one.questions if question.updated is not None]
        if not questions:
            continue
        with asked(one) as asker:
            for question in questions:
                before, after = question.updated or (frozenset(), frozenset())
                order = [place for place in asker.ask(question.text) if place in before ^ after]
                later += [order[0] in after] if order else []
    return {"questions": len(later), "updated first": round(100 * sum(later) / len(later), 1)} if later else {}


def render(found: Mapping[str, Any]) -> str:
    """What was measured, as Markdown."""
    parts = [f"Commit `{found['commit']}`, {found['started'][:10]}."]
    names = list(next(iter(found["sets"].values()))["figures"])
    head = ["| | questions | " + " | ".join(names) + " |", "|---|---|" + "---|" * len(names)]
    rows = []
    for name, one in found["sets"].items():
        low, high = one["interval"]
        rows += [
            _row(f"**{name}**", one["questions"], one["figures"]),
            _row(f"{name}, words alone", one["questions"], one["words_alone"]),
            _row(f"{name}, shuffled questions", "", one["shuffled"]),
        ]
        gain = one["over_words"]
        parts.append(
            f"{name}: R@10 {one['figures']['R@10']} (95 %: {low} to {high}); over words alone {gain['gain']:+} "
            f"({gain['low']:+} to {gain['high']:+}, paired by question); ten turns at random: {one['chance']}."
        )
    parts.append("\n".join([*head, *rows]))
    kinds = [
        f"| {name} | {kind} | {value['R@10']} | {value['MRR']} |"
        for name, one in found["sets"].items()
        for kind, value in one["by_kind"].items()
    ]
    parts.append("\n".join(["| set | kind of question | R@10 | MRR |", "|---|---|---|---|", *kinds]))
    if all("without" in one for one in found["sets"].values()):
        parts.append(_ablations(found["sets"]))
    return "\n\n".join(parts) + "\n"


def _row(name: str, questions: object, values: Mapping[str, float]) -> str:
    return f"| {name} | {questions} | " + " | ".join(f"{value}" for value in values.values()) + " |"


def _ablations(sets: Mapping[str, Any]) -> str:
    head = "| without | " + " | ".join(f"{name} R@10 | {name} MRR" for name in sets) + " |"
    rows = []
    for feature in Feature:
        cells = []
        for one in sets.values():
            whole, less = one["figures"], one["without"][feature.value]
            cells += [f"{less[figure] - whole[figure]:+.1f}" for figure in ("R@10", "MRR")]
        rows.append(f"| {feature} | " + " | ".join(cells) + " |")
    return "\n".join([head, "|---|" + "---|" * (2 * len(sets)), *rows])


if __name__ == "__main__":
    main()
