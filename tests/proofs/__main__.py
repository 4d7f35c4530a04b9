"""`python -m tests.proofs`: every theorem with the sentence that it stands for, proved or refuted by its smallest case;
only those named, if any are. `--cases 1000000` instead compares the product with the model in so many random cases."""

from __future__ import annotations

import sys
import time
from itertools import chain
from random import Random

from tests.proofs import test_proofs  # noqa: F401 - it knows all theorems
from tests.proofs.comparison import random_asked, small_world
from tests.proofs.known import unknown_difference
from tests.proofs.prove import THEOREMS, refute


def compare(count: int) -> int:
    """The number of differences that are not known, in the small world and in random cases."""
    found, random = 0, Random(count)
    for number, one in enumerate(chain(small_world(), (random_asked(random) for _ in range(count)))):
        if (difference := unknown_difference(*one)) is not None:
            found += 1
            print(difference)
        if number % 10_000 == 0:
            print(f"{number} cases, {found} differences, {time.process_time():.0f} s of processor time", flush=True)
    return found


def main() -> None:
    if sys.argv[1:2] == ["--cases"]:
        sys.exit(1 if compare(int(sys.argv[2])) else 0)
    begun, wanted = time.process_time(), sys.argv[1:]
    for one in THEOREMS:
        if wanted and one.name not in wanted:
            continue
        found = refute(one)
        print(f"{'proved ' if found is None else 'refuted'} {one.name}: {one.sentence}")
        if found is not None:
            print(f"        {one.because}\n        {found.case}")
    print(f"{time.process_time() - begun:.0f} seconds of processor time")


if __name__ == "__main__":
    main()
