"""The classifier in use: the encoder that judges the sensitivity of what words do not settle, and who is told that a
memory waits for it."""

from __future__ import annotations

from collections.abc import Callable

from memfort.embed.classifier import SensitivityModel
from memfort.model.item import Item
from memfort.model.results import SensitivityProgress


class Classifier:
    """The encoder, if there is one. No write calls it."""

    def __init__(self, head: SensitivityModel | None = None) -> None:
        self.head = head
        self.name = "none" if head is None else head.name
        self.on_unjudged: Callable[[Item], None] = lambda _: None  # called for each memory written that waits
        self.background = SensitivityProgress(self.name)  # the progress of judging in the background
