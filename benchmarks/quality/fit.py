"""`python -m benchmarks.quality.fit`: fit the weights of the features on the questions of three sets at once, test them
on conversations and sets that they were not fitted on, and show them beside the shipped ones."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import click
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from benchmarks.quality import corpora
from benchmarks.quality.corpora import Absent, Conversation, Question
from benchmarks.quality.measure import percent
from benchmarks.quality.partition import COMPUTED, Matrix, Partition
from benchmarks.speed.__main__ import surroundings
from benchmarks.speed.report import placed
from memfort import FixedClock, Item, Memory
from memfort.model.moment import Moment
from memfort.model.results import Feature
from memfort.policy.settings.sections import WEIGHTS
from memfort.store.memory import MemoryStore

BENCHMARKS = Path(__file__).parent.parent
BEGIN = "<!-- `python -m benchmarks.quality.fit --publish` writes from here -->\n"
SETS: dict[str, Callable[[], list[Conversation]]] = {
    "LoCoMo": corpora.locomo,
    "BEAM-100K": corpora.beam,
    "GateMem": corpora.gatemem,
}
# These sets have no data for them: they keep their weights.
HELD = (Feature.IMPORTANCE, Feature.NEWER_VALUE)
FITTED = tuple(feature for feature in Feature if feature not in HELD)
FOLDS = 5
_STEPS, _LONGEST_STEP, _KEPT_SMALL = 20, 3.0, 1e-3
_SHARPNESS = 10.0  # by how much a weight is smaller than in the likelihood it is fitted with

Weights = NDArray[np.float64]


class QuestionFeatures(Struct, frozen=True):
    """A question against the memories of its conversation."""

    conversation: str
    question: Question
    features: Matrix  # those that are fitted
    places: NDArray[np.int64]

    def select(self, columns: Sequence[int]) -> QuestionFeatures:
        return replace(self, features=self.features[:, columns])

    @property
    def is_gold(self) -> NDArray[np.bool_]:
        return np.isin(self.places, list(self.question.gold))

    def figures(self, weights: Weights) -> tuple[float, float]:
        """R@10 and the reciprocal of the first rank."""
        scores = np.round(self.features @ weights, 6)
        order = self.places[np.lexsort((-self.places, -scores))].tolist()
        first = set(order[:10])
        parts = self.question.parts or tuple(frozenset({place}) for place in self.question.gold)
        rank = next((rank for rank, place in enumerate(order) if place in self.question.gold), len(order))
        return fmean(bool(part & first) for part in parts), 1 / (1 + rank)


def question_features(conversations: Iterable[Conversation], template: Item) -> list[QuestionFeatures]:
    columns = [place for place, feature in enumerate(COMPUTED) if feature in FITTED]
    found = []
    for one in conversations:
        partition = Partition(one, {place: replace(template, text=turn) for place, turn in enumerate(one.turns)})
        for question in one.questions:
            found.append(
                QuestionFeatures(one.name, question, partition.features(question.text)[:, columns], partition.places)
            )
    return found


def a_memory() -> Item:
    memory = Memory(MemoryStore(), clock=FixedClock(Moment(1_767_225_600_000_000)))
    item = memory.as_user("reader").remember("likes tea").item
    assert item is not None
    return item


def fit_weights(sets: Sequence[Sequence[QuestionFeatures]], features: Sequence[Feature] = FITTED) -> Weights:
    """The weights with which the answering turns are the likeliest, each question counting the same within its set and
    each set the same. None is below zero except that of the one negative feature."""
    asked = [one for inside in sets for one in inside if one.is_gold.any()]
    worth = np.array([1 / len(inside) for inside in sets for one in inside if one.is_gold.any()])
    sizes = np.array([len(one.places) for one in asked])
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    rows = np.concatenate([one.features for one in asked])
    gold = np.concatenate([one.is_gold / one.is_gold.sum() for one in asked])
    row_worth, of = np.repeat(worth, sizes), np.repeat(np.arange(len(asked)), sizes)
    sign = np.array([-1.0 if WEIGHTS[feature] < 0 else 1.0 for feature in features])
    weights = sign.copy()
    for _ in range(_STEPS):
        scores = rows @ weights
        scores -= np.maximum.reduceat(scores, starts)[of]
        likely = np.exp(scores)
        likely /= np.add.reduceat(likely, starts)[of]
        slope = rows.T @ ((likely - gold) * row_worth) + _KEPT_SMALL * weights
        means = np.add.reduceat(rows * likely[:, None], starts)
        bend = (rows * (likely * row_worth)[:, None]).T @ rows - (means * worth[:, None]).T @ means
        bend += _KEPT_SMALL * np.eye(len(weights))
        free = (weights != 0) | (slope * sign < 0)  # what would leave its side stays at zero
        step = np.zeros(len(weights))
        step[free] = np.linalg.solve(bend[np.ix_(free, free)], slope[free])
        weights -= np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
        weights = np.where(weights * sign < 0, 0.0, weights)
    return weights / _SHARPNESS


def run() -> dict[str, Any]:
    template = a_memory()
    sets = {name: question_features(read(), template) for name, read in SETS.items()}
    shipped = np.array([WEIGHTS[feature] for feature in FITTED])
    every = fit_weights(list(sets.values()))
    held_out = _held_out(sets)
    alone = {name: fit_weights([inside for other, inside in sets.items() if other != name]) for name in sets}
    return {
        "benchmark": "fit",
        **surroundings(),
        "questions": {name: len(inside) for name, inside in sets.items()},
        "figures": {
            name: {
                "as they ship": _figures((one, shipped) for one in inside),
                "fitted on other conversations": held_out[name],
                "fitted on the other sets": _figures((one, alone[name]) for one in inside),
            }
            for name, inside in sets.items()
        },
        "weights": {
            feature.value: {
                "ships": WEIGHTS[feature],
                "all sets": round(float(every[place]), 2),
                **{f"without {name}": round(float(alone[name][place]), 2) for name in sets},
            }
            for place, feature in enumerate(FITTED)
        },
    }


def _held_out(sets: Mapping[str, Sequence[QuestionFeatures]]) -> dict[str, dict[str, float]]:
    tried: dict[str, list[tuple[QuestionFeatures, Weights]]] = {name: [] for name in sets}
    folds = {name: _folds(inside) for name, inside in sets.items()}
    for fold in range(FOLDS):
        known = [[one for one, of in inside if of != fold] for inside in folds.values()]
        weights = fit_weights(known)
        for name, inside in folds.items():
            tried[name] += [(one, weights) for one, of in inside if of == fold]
    return {name: _figures(inside) for name, inside in tried.items()}


def _folds(asked: Sequence[QuestionFeatures]) -> list[tuple[QuestionFeatures, int]]:
    """Each with the part that its whole conversation is in."""
    names = list(dict.fromkeys(one.conversation for one in asked))
    return [(one, names.index(one.conversation) % FOLDS) for one in asked]


def _figures(tried: Iterable[tuple[QuestionFeatures, Weights]]) -> dict[str, float]:
    found = [one.figures(weights) for one, weights in tried]
    return {"R@10": percent(fmean(one[0] for one in found)), "MRR": percent(fmean(one[1] for one in found))}


def render(found: Mapping[str, Any]) -> str:
    ways = list(next(iter(found["figures"].values())))
    head = ["| | questions | " + " | ".join(ways) + " |", "|---|---|" + "---|" * len(ways)]
    rows = [
        _row(name, found["questions"][name], *(f"{one['R@10']} / {one['MRR']}" for one in inside.values()))
        for name, inside in found["figures"].items()
    ]
    columns = list(next(iter(found["weights"].values())))
    rows_of_features = ["| feature | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
    rows_of_features += [_row(name, *one.values()) for name, one in found["weights"].items()]
    origin = f"Commit `{found['commit']}`, {found['started'][:10]}. R@10 / MRR, every memory ranked, no floor."
    return "\n\n".join([origin, "\n".join([*head, *rows]), "\n".join(rows_of_features)]) + "\n"


def _row(*cells: object) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


@click.command(help=__doc__)
@click.option("--publish", is_flag=True, help="Keep the run, and put its tables into the README.")
def main(publish: bool) -> None:
    try:
        found = run()
    except Absent as absent:
        sys.exit(f"nothing is fitted: {absent}")
    if publish:
        (BENCHMARKS / "results" / "published-fit.json").write_text(json.dumps(found, indent=1) + "\n")
        page = BENCHMARKS / "README.md"
        page.write_text(placed(page.read_text(), render(found), BEGIN))
    click.echo(render(found))


if __name__ == "__main__":
    main()
