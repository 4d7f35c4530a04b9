"""`python -m benchmarks.quality`: retrieval quality without a language model. Whole conversations are remembered turn
by turn and every question is asked; then again without each feature in turn."""

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
from benchmarks.quality.floor import trade_off
from benchmarks.quality.measure import (
    DEPTH,
    Found,
    by_kind,
    chances,
    compared,
    figures,
    flat,
    found_in,
    from_elsewhere,
    interval,
    shuffled,
    stored,
)
from benchmarks.quality.newer_values import WAYS, as_they_stand, share_first, updated_first
from benchmarks.quality.partition import FLOOR, NO_FLOOR, Partition
from benchmarks.speed.__main__ import surroundings
from benchmarks.speed.report import placed
from memfort.model.results import Feature
from memfort.policy.settings.sections import WEIGHTS
from memfort.recall.rank import Floor

BENCHMARKS = Path(__file__).parent.parent
BEGIN = "<!-- `python -m benchmarks.quality --publish` writes from here -->\n"
SETS = {"LoCoMo": corpora.locomo, "BEAM-100K": corpora.beam, "statements": corpora.lives}
KINDS_HEAD = "| set | kind of question | R@10 | MRR | R@10 of a question of another conversation |"
WORDS_ALONE = {feature: WEIGHTS[feature] * (feature is Feature.WORDS) for feature in Feature}


@click.command(help=__doc__)
@click.option("--ablate/--no-ablate", default=True, help="Also ask without each feature in turn.")
@click.option("--reranker", metavar="WHICH", help="Also ask with this one: the setting's local:./folder or address.")
@click.option("--publish", is_flag=True, help="Keep the run, and put its tables into the README.")
def main(ablate: bool, reranker: str | None, publish: bool) -> None:
    if publish and reranker is not None:
        raise click.UsageError("what is published has no second ranking; leave out --reranker or --publish")
    try:
        found = run(ablate=ablate, reranker=reranker)
    except Absent as absent:
        sys.exit(f"nothing is measured: {absent}")
    name = "published-quality" if publish else f"quality-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    (BENCHMARKS / "results").mkdir(exist_ok=True)
    (BENCHMARKS / "results" / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    if publish:
        page = BENCHMARKS / "README.md"
        page.write_text(placed(page.read_text(), render(found), BEGIN))
    click.echo(render(found))


def run(*, ablate: bool, reranker: str | None = None) -> dict[str, Any]:
    measured = {name: _measured(name, read(), ablate=ablate, reranker=reranker) for name, read in SETS.items()}
    return {"benchmark": "quality", **surroundings(), "reranker": reranker, "sets": measured}


def _measured(name: str, given: Sequence[Conversation], *, ablate: bool, reranker: str | None = None) -> dict[str, Any]:
    ours: dict[str, list[Found]] = {}
    control: list[Found] = []
    partitions: list[Partition] = []
    stands: list[bool] = []
    for one in given:
        with stored(one) as asker:
            ours[one.name] = [found_in(asker.ask(question.text), question) for question in one.questions]
            control += [found_in(asker.ask(text), question) for question, text in shuffled(one)]
            stands += as_they_stand(one, asker.ask)
            partitions.append(Partition(one, asker.items))
        click.echo(f"{name}: {one.name}", err=True)
    every, words = flat(ours), _weighed(partitions, WORDS_ALONE, NO_FLOOR)
    elsewhere = [  # without the floor, which would leave most of them without hits
        found_in(partition.ask(text, WEIGHTS, NO_FLOOR)[:DEPTH], question)
        for partition, pairs in zip(partitions, from_elsewhere(given), strict=True)
        for question, text in pairs
    ]
    found: dict[str, Any] = {
        "conversations": {one.name: len(one.turns) for one in given},
        "questions": len(every),
        "figures": figures(every),
        "interval": interval([one.recall(10) for one in every]),
        "by_kind": by_kind(every),
        "by_conversation": {one: figures(inside) for one, inside in ours.items()},
        "words_alone": figures(words),
        "over_words": compared(every, words),
        "shuffled": figures(control),
        "from_elsewhere": figures(elsewhere),
        "from_elsewhere_by_kind": by_kind(elsewhere),
        "chance": chances(given),
        "floor": trade_off(partitions),
    }
    if stands:
        found["updates"] = {"as it stands": share_first(stands), **{way: updated_first(given, way) for way in WAYS}}
    if reranker is not None:
        anew = _reranked(given, reranker)
        found["reranked"] = {"figures": figures(anew), "over": compared(anew, every), "by_kind": by_kind(anew)}
    if ablate:
        found["in_memory"] = figures(_weighed(partitions, WEIGHTS, FLOOR))
        found["without"] = {one.value: figures(_weighed(partitions, {**WEIGHTS, one: 0.0}, FLOOR)) for one in Feature}
        found["without"]["floor"] = figures(_weighed(partitions, WEIGHTS, NO_FLOOR))
    return found


def _reranked(given: Sequence[Conversation], reranker: str) -> list[Found]:
    """The same questions to the same conversations, with a reranker."""
    found: list[Found] = []
    for one in given:
        with stored(one, reranker=reranker) as asker:
            found += [found_in(asker.ask(question.text), question) for question in one.questions]
        click.echo(f"{one.name}, reranked", err=True)
    return found


def _weighed(partitions: Sequence[Partition], weights: Mapping[Feature, float], floor: Floor) -> list[Found]:
    """Asked without the store, by the product's own scores."""
    return [
        found_in(partition.ask(question.text, weights, floor)[:DEPTH], question)
        for partition in partitions
        for question in partition.conversation.questions
    ]


def render(found: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    parts = [f"Commit `{found['commit']}`, {found['started'][:10]}."]
    names = list(next(iter(found["sets"].values()))["figures"])
    head = ["| | questions | " + " | ".join(names) + " |", "|---|---|" + "---|" * len(names)]
    rows = []
    for name, one in found["sets"].items():
        low, high = one["interval"]
        rows += [
            _row(f"**{name}**", one["questions"], one["figures"]),
            *([_row(f"{name}, reranked", one["questions"], one["reranked"]["figures"])] if "reranked" in one else []),
            _row(f"{name}, words alone", one["questions"], one["words_alone"]),
            _row(f"{name}, shuffled questions", "", one["shuffled"]),
            _row(f"{name}, questions of another conversation", "", one["from_elsewhere"]),
        ]
        gain = one["over_words"]
        parts.append(
            f"{name}: R@10 {one['figures']['R@10']} (95 %: {low} to {high}); over words alone {gain['gain']:+} "
            f"({gain['low']:+} to {gain['high']:+}, paired by question). Shuffled questions: "
            f"{one['shuffled']['R@10']}, of another conversation {one['from_elsewhere']['R@10']}; ten turns at random: "
            f"{one['chance']['any turn']}, about the person the shuffled question asks about: "
            f"{one['chance']['about the same person']}."
        )
    parts += [_second_look(name, one["reranked"]["over"]) for name, one in found["sets"].items() if "reranked" in one]
    parts.append("\n".join([*head, *rows]))
    kinds = [
        f"| {name} | {kind} | {value['R@10']} | {value['MRR']} | {one['from_elsewhere_by_kind'][kind]['R@10']} |"
        for name, one in found["sets"].items()
        for kind, value in one["by_kind"].items()
    ]
    parts.append("\n".join([KINDS_HEAD, "|---|---|---|---|---|", *kinds]))
    parts += [_floors(name, one["floor"]) for name, one in found["sets"].items()]
    parts += [_updates(name, one["updates"]) for name, one in found["sets"].items() if "updates" in one]
    if all("without" in one for one in found["sets"].values()):
        parts.append(_ablations(found["sets"]))
    return "\n\n".join(parts) + "\n"


def _second_look(name: str, gain: Mapping[str, float]) -> str:
    return f"{name}, reranked: R@10 {gain['gain']:+} ({gain['low']:+} to {gain['high']:+}, paired by question)."


def _row(name: str, questions: object, values: Mapping[str, float]) -> str:
    return f"| {name} | {questions} | " + " | ".join(f"{value}" for value in values.values()) + " |"


def _floors(name: str, found: Mapping[str, Any]) -> str:
    columns = list(next(iter(found["floors"].values())))
    titles = ["R@10", *(f"nothing comes: {one}" for one in columns[1:])]
    head = [f"| {name}: floor | " + " | ".join(titles) + " |", "|---|" + "---|" * len(titles)]
    rows = [f"| {floor} | " + " | ".join(map(str, one.values())) + " |" for floor, one in found["floors"].items()]
    held = found["held out"]
    chosen = ", ".join(f"{one:.2f}" for one in held["chosen"])
    sentence = (
        f"{name}: the strictest of these that loses at most half a point on four fifths of the conversations is "
        f"{chosen}; on the fifth it changes R@10 by {held['R@10']:+} and brings nothing for "
        f"{held['of another conversation']} of a hundred questions of another conversation."
    )
    return "\n".join([*head, *rows]) + "\n\n" + sentence


def _updates(name: str, found: Mapping[str, Any]) -> str:
    ways = "; ".join(f"{way} {one['updated first']}" for way, one in found.items())
    count = next(iter(found.values()))["questions"]
    return f"{name}, {count} questions about what was said anew: in a hundred it comes before what it replaced, {ways}."


def _ablations(sets: Mapping[str, Any]) -> str:
    head = "| without | " + " | ".join(f"{name} R@10 | {name} MRR" for name in sets) + " |"
    rows = []
    for feature in next(iter(sets.values()))["without"]:
        cells = []
        for one in sets.values():
            whole, less = one["in_memory"], one["without"][feature]
            cells += [f"{less[figure] - whole[figure]:+.1f}" for figure in ("R@10", "MRR")]
        rows.append(f"| {feature} | " + " | ".join(cells) + " |")
    return "\n".join([head, "|---|" + "---|" * (2 * len(sets)), *rows])


if __name__ == "__main__":
    main()
