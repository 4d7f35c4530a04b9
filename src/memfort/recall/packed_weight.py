"""How important a memory is and how often it was useful, packed into the number that the index keeps for its traits.

Bits 0 to 7 are the traits, 8 to 15 the importance, 16 to 19 the uses; `recall/values.py` has those from 20.
"""

from __future__ import annotations

from typing import Any

from memfort.model.item import MAX_IMPORTANCE

_IMPORTANCE_BIT, _USES_BIT = 8, 16
_IMPORTANCE_STEPS = 250
_MAX_USES = 15  # four bits
_HALF_USES = 2  # this many uses are worth half as much as any number of them


def pack_weight(importance: float, uses: int = 0) -> int:
    steps = round(min(max(importance, 0.0), MAX_IMPORTANCE) / MAX_IMPORTANCE * _IMPORTANCE_STEPS)
    return steps << _IMPORTANCE_BIT | min(uses, _MAX_USES) << _USES_BIT


def unpack_importance(traits: Any) -> Any:
    """Of one number or of a column of them: how important, of 1."""
    return (traits >> _IMPORTANCE_BIT & 255) / _IMPORTANCE_STEPS


def unpack_use(traits: Any) -> Any:
    """How useful, of 1: the first uses count most."""
    uses = traits >> _USES_BIT & _MAX_USES
    return uses / (uses + _HALF_USES)
