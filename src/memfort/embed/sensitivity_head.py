"""The trained head that reads a text's sensitivity from the vector of the multilingual encoder.

Its weights come with the package (`tools/sensitivity` trains them) and are loaded when a text is first judged. Several
small networks answer, and their mean counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from memfort.embed.port import Embedder
from memfort.language.sensitivity import HeadJudgement, Thresholds, head_level, level_of, statements
from memfort.model.item import Sensitivity

WEIGHTS = Path(__file__).parent / "sensitivity_head.npz"
_DOUBTFUL = 0.4  # below it, a statement among several needs its neighbours
_MOST_STATEMENTS = 50  # of one text; a longer one is judged by its beginning and as a whole


class SensitivityHead:
    """Judges texts by their vectors. Making one costs nothing: the weights are loaded by the first `judge`."""

    def __init__(self, thresholds: Thresholds | None = None) -> None:
        self._thresholds = thresholds or Thresholds()

    @property
    def model_version(self) -> str:
        """Which training text and settings the weights are of."""
        return str(self._weights["version"])

    def judge(self, texts: Sequence[str], encoder: Embedder) -> list[HeadJudgement]:
        """The judgement of each text, independent of the others: that of its gravest statement."""
        return [self._judge_text(text, encoder) for text in texts]

    def _judge_text(self, text: str, encoder: Embedder) -> HeadJudgement:
        some = statements(text)
        if len(some) > _MOST_STATEMENTS:
            some = [*some[:_MOST_STATEMENTS], text]
        judged = [self._judge_statement(some, place, encoder) for place in range(len(some))]
        if not judged:  # it states nothing
            return HeadJudgement(Sensitivity.PUBLIC, None, 0.0, 0.0, self.model_version)
        return max(judged, key=lambda one: (one.level is Sensitivity.SENSITIVE, one.p_non_public))

    def _judge_statement(self, some: Sequence[str], place: int, encoder: Embedder) -> HeadJudgement:
        """The judgement of one statement among its neighbours. A doubtful one among several counts only as far as it
        does together with a neighbour: a sentence torn out of a talk says little."""
        alone = self._of_vector(encoder.embed([some[place]])[0])
        if len(some) == 1 or alone.p_non_public >= _DOUBTFUL or alone.p_non_public < self._thresholds.floor:
            return alone
        beside = [" ".join(some[start : start + 2]) for start in (place - 1, place) if 0 <= start < len(some) - 1]
        together = max((self._of_vector(one) for one in encoder.embed(beside)), key=lambda one: one.p_non_public)
        return min(alone, together, key=lambda one: one.p_non_public)

    def _of_vector(self, vector: Sequence[float]) -> HeadJudgement:
        chances = self._chances(vector)
        names: list[str] = self._weights["categories"]
        by_name = dict(zip(names[1:], chances[1:], strict=True))
        p_non_public = 1.0 - chances[0]
        p_sensitive = sum(chance for name, chance in by_name.items() if level_of(name) is Sensitivity.SENSITIVE)
        level = head_level(p_non_public, p_sensitive, self._thresholds)
        category = max(by_name, key=lambda name: by_name[name])
        return HeadJudgement(level, category, p_non_public, p_sensitive, self.model_version)

    def _chances(self, vector: Sequence[float]) -> list[float]:
        """The probability of each category, the mean over all networks."""
        import numpy as np

        given = np.asarray(vector, np.float32)
        total = np.zeros(len(self._weights["categories"]))
        for w1, b1, w2, b2 in self._weights["networks"]:
            scores = np.maximum(given @ w1 + b1, 0) @ w2 + b2
            likely = np.exp(scores - scores.max())
            total += likely / likely.sum()
        return [float(one) for one in total / len(self._weights["networks"])]

    @cached_property
    def _weights(self) -> dict[str, Any]:
        import numpy as np

        with np.load(WEIGHTS, allow_pickle=False) as file:
            count = sum(name.startswith("w1_") for name in file.files)
            networks = [
                tuple(file[f"{part}_{place}"].astype(np.float32) for part in ("w1", "b1", "w2", "b2"))
                for place in range(count)
            ]
            return {"networks": networks, "categories": file["categories"].tolist(), "version": str(file["version"])}
