"""Products of matrices in one thread: the same numbers, and no other thread at work."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys

import numpy as np
import pytest

from memfort.embed import bert
from memfort.embed.products import multiply_rows, multiply_stacks

RANDOM = np.random.default_rng(7)


def made(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("count", [1, 23, 24, 25, 256])
@pytest.mark.parametrize(("width", "depth"), [(384, 384), (1536, 384), (384, 1536), (7, 5), (1024, 500)])
def test_each_row_with_each_row(count, width, depth):
    left, right = made(count, depth), made(width, depth)
    assert np.allclose(multiply_rows(left, right), left @ right.T, atol=1e-3)


@pytest.mark.parametrize("count", [1, 90, 256])
def test_a_stack_pair_by_pair(count):
    left, right = made(12, count, 32), made(12, 32, count)
    assert np.allclose(multiply_stacks(left, right), left @ right, atol=1e-4)


def test_no_other_thread_works():
    script = (
        "import time, numpy as np\n"
        "from memfort.embed.products import multiply_stacks, multiply_rows\n"
        "a, b, c = (np.ones(shape, np.float32) for shape in ((256, 1536), (384, 1536), (12, 256, 256)))\n"
        "others, own = time.process_time() - time.thread_time(), time.thread_time()\n"
        "for _ in range(10):\n    multiply_rows(a, b)\n    multiply_stacks(c, c)\n"
        "print((time.process_time() - time.thread_time() - others) / (time.thread_time() - own))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 0.5  # a second thread would take about as long as this one


def test_a_model_takes_no_product_in_any_other_way():
    tree = ast.walk(ast.parse(inspect.getsource(bert)))
    assert not [node for node in tree if isinstance(node, ast.MatMult)]
