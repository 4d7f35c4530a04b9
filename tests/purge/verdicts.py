"""What the model says of a step."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    OWN = "own"
    STRUCTURE = "structure"
    VISIBLE = "visible"
    UNSURE = "unsure"
    HIDDEN = "hidden"
