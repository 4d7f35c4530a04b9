"""`python -m tests.proofs`: every theorem with the sentence that it stands for, proved or refuted by its smallest case;
only those named, if any are."""

from __future__ import annotations

import sys
import time

from tests.proofs import test_proofs  # noqa: F401 - it knows all theorems
from tests.proofs.prove import THEOREMS, refute


def main() -> None:
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
