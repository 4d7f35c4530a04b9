"""Matrix products in the calling thread.

A library that distributes a product over threads waits for all of them, which on a busy machine takes many times as
long as the work. So products are computed in pieces that are too small to be distributed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

_ROWS, _COLUMNS, _DEPTH = 24, 24, 384  # of a piece: below the 2 ** 18 products that OpenBLAS distributes


def multiply_rows(left: Array, right: Array) -> Array:
    """The product of each row of one with each row of the other, as in a network layer."""
    count, depth = left.shape
    width = max(size for size in range(1, _COLUMNS + 1) if len(right) % size == 0)
    pieces = right.reshape(-1, width, depth).transpose(0, 2, 1)
    found: Array = np.zeros((count, len(pieces), width), np.float32)
    for row in range(0, count, _ROWS):
        into = found[row : row + _ROWS].transpose(1, 0, 2)
        for start in range(0, depth, _DEPTH):
            some = slice(start, start + _DEPTH)
            into += np.matmul(left[row : row + _ROWS, some], pieces[:, some])
    return found.reshape(count, -1)


def multiply_stacks(left: Array, right: Array) -> Array:
    """The products of two stacks of matrices, pair by pair."""
    count, depth, width = left.shape[1], left.shape[2], right.shape[2]
    few = max(1, _ROWS * _COLUMNS * _DEPTH // max(1, depth * width))
    pieces = [np.matmul(left[:, row : row + few], right) for row in range(0, count, few)]
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces, axis=1)
