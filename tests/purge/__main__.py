"""Play many histories: `python -m tests.purge --histories 100000 --seed 7`. The exit code is 1 if one leaks."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from tests.purge.histories import generate
from tests.purge.model import Verdict
from tests.purge.replay import Comparison, compare
from tests.purge.report import report
from tests.purge.stores import store_for

PROGRESS_SECONDS = 5


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.purge", description=__doc__)
    parser.add_argument("--histories", type=int, default=1000, help="how many")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first")
    parser.add_argument("--show", type=int, default=10, help="how many leaks to cut down and print")
    options = parser.parse_args()
    verdicts, leaks = Counter[Verdict](), list[Comparison]()
    began = shown_at = time.monotonic()
    for played, seed in enumerate(range(options.seed, options.seed + options.histories), 1):
        history = generate(seed)
        found = compare(history, store_for(history))
        verdicts.update(found.verdicts.values())
        if found.differences:
            leaks.append(found)
            if len(leaks) <= options.show:
                print(f"\n{report(found, store_for(history))}\n", flush=True)
        if time.monotonic() - shown_at > PROGRESS_SECONDS or played == options.histories:
            shown_at = time.monotonic()
            print(_progress(played, options.histories, shown_at - began, leaks, verdicts), flush=True)
    return 1 if leaks else 0


def _progress(played: int, wanted: int, seconds: float, leaks: list[Comparison], verdicts: Counter[Verdict]) -> str:
    judged = sum(verdicts[one] for one in (Verdict.HIDDEN, Verdict.VISIBLE, Verdict.UNSURE))
    shares = ", ".join(f"{verdicts[one] / max(1, judged):.0%} {one}" for one in (Verdict.HIDDEN, Verdict.UNSURE))
    seeds = " ".join(str(one.history.seed) for one in leaks[:30])
    return f"{played} of {wanted}, {seconds:.0f} s, {shares} of others' steps, {len(leaks)} leaks: {seeds}"


if __name__ == "__main__":
    sys.exit(main())
