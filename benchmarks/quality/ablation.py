"""`python -m benchmarks.quality.ablation`: the value of each feature of a score on conversations that its weights were
not fitted on.

The conversations of both sets are divided into five parts. For each part the weights are fitted on the other four, once
with every feature and once without each, and the questions of the part are ranked by the product's own scores. The same
is done with the weights that ship, which were chosen with these sets in view. A feature is defended if leaving it out
loses more than noise: if the interval of the loss, paired by question, lies above zero somewhere.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from benchmarks.quality import corpora
from benchmarks.quality.corpora import Absent, Conversation, Question
from benchmarks.quality.fit import FOLDS, QuestionFeatures, fit_weights
from benchmarks.quality.measure import DEPTH, found_in, stored
from benchmarks.quality.newer_values import is_first
from benchmarks.quality.partition import COMPUTED, FLOOR, Partition
from benchmarks.quality.updates import updates
from benchmarks.speed.__main__ import surroundings
from benchmarks.speed.report import placed
from memfort.model.results import Feature
from memfort.policy.settings.sections import WEIGHTS

BENCHMARKS = Path(__file__).parent.parent
BEGIN = "<!-- `python -m benchmarks.quality.ablation --publish` writes from here -->\n"
SETS: dict[str, Callable[[], list[Conversation]]] = {"LoCoMo": corpora.locomo, "BEAM-100K": corpora.beam}
EVERYDAY = "everyday talk"  # our own: too small to fit on
# The sets have no known people, and do not say which memories were useful.
NO_DATA = (Feature.ABOUT, Feature.USE)
FITTED = tuple(feature for feature in COMPUTED if feature not in NO_DATA)
_RESAMPLED = 2000

Weights = Mapping[Feature, float]
Outcomes = dict[str, list["Outcome"]]  # by set


class Case(Struct, frozen=True):
    """A question of one conversation, with the features that weights are fitted on."""

    partition: Partition
    question: Question
    features: QuestionFeatures
    fold: int


class Outcome(Struct, frozen=True):
    recall: float  # R@10, of 1
    reciprocal: float  # 1 / the rank of the first answering turn
    is_right_value: bool | None  # whether the newer value came before the older; `None`: there is only one


def make_cases(conversations: Sequence[Conversation]) -> list[Case]:
    found = []
    for number, one in enumerate(conversations):
        with stored(one) as asker:
            partition = Partition(one, asker.items)
        for question in one.questions:
            features = QuestionFeatures(one.name, question, partition.features(question.text), partition.places)
            found.append(Case(partition, question, features, number % FOLDS))
        click.echo(one.name, err=True)
    return found


def ask(case: Case, weights: Weights) -> Outcome:
    question = case.question
    order = case.partition.ask(question.text, weights, FLOOR)[:DEPTH]
    found = found_in(order, question)
    return Outcome(found.recall(10), found.reciprocal, _is_right_value(order, question))


def _is_right_value(order: Sequence[int], question: Question) -> bool | None:
    if question.updated is None:
        return None
    older, newer = question.updated
    return is_first(order, older, newer) if newer & question.gold else is_first(order, newer, older)


def run() -> dict[str, Any]:
    sets = {name: make_cases(read()) for name, read in SETS.items()}
    asked = {**sets, EVERYDAY: make_cases(updates())}
    outcomes: dict[str, dict[str, Outcomes]] = {"fitted": {}, "shipped": {}}
    for name, left_out in {"nothing": None, **{one.value: one for one in Feature if one not in NO_DATA}}.items():
        fitted = [_fit_without(left_out, sets, fold) for fold in range(FOLDS)]
        shipped = {feature: 0.0 if feature is left_out else weight for feature, weight in WEIGHTS.items()}
        outcomes["fitted"][name] = _ask_all(asked, fitted)
        outcomes["shipped"][name] = _ask_all(asked, [shipped] * FOLDS)
        click.echo(f"without {name}", err=True)
    return {
        "benchmark": "ablation",
        **surroundings(),
        "questions": {name: len(inside) for name, inside in asked.items()},
        **{
            way: {name: _losses(found["nothing"], one) for name, one in found.items()}
            for way, found in outcomes.items()
        },
    }


def _fit_without(left_out: Feature | None, sets: Mapping[str, Sequence[Case]], fold: int) -> dict[Feature, float]:
    """The weights fitted on every part but one. A feature that cannot be fitted has the weight that ships."""
    features = [one for one in FITTED if one is not left_out]
    columns = [list(COMPUTED).index(one) for one in features]
    known = [[one.features.select(columns) for one in inside if one.fold != fold] for inside in sets.values()]
    found = dict(zip(features, fit_weights(known, features).tolist(), strict=True))
    return {one: 0.0 if one is left_out else found.get(one, WEIGHTS[one]) for one in Feature}


def _ask_all(asked: Mapping[str, Sequence[Case]], weights: Sequence[Weights]) -> Outcomes:
    return {name: [ask(one, weights[one.fold]) for one in inside] for name, inside in asked.items()}


def _losses(whole: Outcomes, less: Outcomes) -> dict[str, Any]:
    """For each set the figures without a feature, and what leaving it out loses, with its interval."""
    found = {}
    for name, outcomes in less.items():
        pairs = list(zip(whole[name], outcomes, strict=True))
        values = [(a.is_right_value, b.is_right_value) for a, b in pairs if a.is_right_value is not None]
        found[name] = {
            "R@10": _loss([(a.recall, b.recall) for a, b in pairs]),
            "MRR": _loss([(a.reciprocal, b.reciprocal) for a, b in pairs]),
            **({"right value first": _loss([(float(a), float(b or False)) for a, b in values])} if values else {}),
        }
    return found


def _loss(pairs: Sequence[tuple[float, float]]) -> dict[str, float]:
    """In points of a hundred: the mean without, the mean loss, and the middle 95 of a hundred resampled means."""
    before, after = np.array(pairs).T
    lost = before - after
    drawn = np.random.default_rng(0).integers(0, len(lost), (_RESAMPLED, len(lost)))
    means = np.sort(lost[drawn].mean(axis=1))
    low, high = means[_RESAMPLED // 40], means[-_RESAMPLED // 40]
    names = ("without", "lost", "low", "high")
    return dict(zip(names, _percent(np.array([after.mean(), lost.mean(), low, high])), strict=True))


def _percent(values: NDArray[np.float64]) -> list[float]:
    return [round(100 * value, 1) + 0.0 for value in values.tolist()]


def render(found: Mapping[str, Any]) -> str:
    parts = [f"Commit `{found['commit']}`, {found['started'][:10]}."]
    for way, label in (("fitted", "weights fitted on other conversations"), ("shipped", "weights as they ship")):
        figures = [(name, figure) for name, one in found[way]["nothing"].items() for figure in one]
        head = f"| {label} | " + " | ".join(f"{name} {figure}" for name, figure in figures) + " |"
        whole = [f"{found[way]['nothing'][name][figure]['without']}" for name, figure in figures]
        rows = [_row("with every feature", whole)]
        for feature, sets in found[way].items():
            if feature != "nothing":
                rows.append(_row(f"without `{feature}`", [_cell(sets[name][figure]) for name, figure in figures]))
        parts.append("\n".join([head, "|---|" + "---|" * len(figures), *rows]))
    return "\n\n".join(parts) + "\n"


def _row(name: str, cells: Sequence[str]) -> str:
    return f"| {name} | " + " | ".join(cells) + " |"


def _cell(loss: Mapping[str, float]) -> str:
    """The gain or loss without a feature; bold if it is more than noise."""
    cell = f"{-loss['lost'] + 0.0:+.1f} ({-loss['high'] + 0.0:+.1f} to {-loss['low'] + 0.0:+.1f})"
    return f"**{cell}**" if loss["low"] > 0 else cell


@click.command(help=__doc__)
@click.option("--publish", is_flag=True, help="Keep the run, and put its tables into the README.")
def main(publish: bool) -> None:
    try:
        found = run()
    except Absent as absent:
        sys.exit(f"nothing is measured: {absent}")
    if publish:
        (BENCHMARKS / "results" / "published-ablation.json").write_text(json.dumps(found, indent=1) + "\n")
        page = BENCHMARKS / "README.md"
        page.write_text(placed(page.read_text(), render(found), BEGIN))
    click.echo(render(found))


if __name__ == "__main__":
    main()
