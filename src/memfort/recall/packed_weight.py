"""How important a memory is, how often it was useful and how fast it fades, packed into the number that the index keeps
for its traits.

Bits 0 to 7 are the traits, 8 to 15 the importance, 16 to 19 the uses, 59 to 61 the lifetime, 62 whether a turn
says nothing; `recall/values.py` has those from 20 to 58.
"""

from __future__ import annotations

from typing import Any

from memfort.model.item import MAX_IMPORTANCE

_IMPORTANCE_BIT, _USES_BIT, _LIFETIME_BIT = 8, 16, 59
_IMPORTANCE_STEPS = 250
_MAX_USES = 15  # four bits
_HALF_USES = 2  # this many uses are worth half as much as any number of them


# The lifetimes in days that the index tells apart, by their place: a memory of the first does not fade.
_LIFETIMES = (0, 1, 3, 7, 14, 30, 90, 365)
SAYS_NOTHING = 1 << 62


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


def pack_lifetime(days: float) -> int:
    """A lifetime after which a memory has faded, to the nearest that the index tells apart."""
    nearest = min(range(1, len(_LIFETIMES)), key=lambda place: abs(_LIFETIMES[place] - days))
    return nearest << _LIFETIME_BIT


def unpack_lifetimes(traits: Any) -> Any:
    """Of a column: in days; 0: it does not fade."""
    import numpy as np

    return np.array(_LIFETIMES)[traits >> _LIFETIME_BIT & 7]
