"""Try many texts: `python -m tests.language.fuzz --texts 50000 --seed 7`. The exit code is 1 if one fails."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from tests.language.fuzz.growth import Growth, growing_seconds, growing_steps
from tests.language.fuzz.play import Failure, play
from tests.language.fuzz.texts import text_of, units

BATCH = 20
PROGRESS_SECONDS = 10


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.language.fuzz", description=__doc__)
    parser.add_argument("--texts", type=int, default=2000, help="how many")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first")
    parser.add_argument("--show", type=int, default=20, help="how many kinds of failures to print")
    parser.add_argument("--growth", action="store_true", help="also how time grows with the length of a text")
    options = parser.parse_args()
    failures = _play(options.seed, options.texts, options.show)
    grown = _grow(options.show) if options.growth else []
    return 1 if failures or grown else 0


def _play(first: int, wanted: int, show: int) -> list[Failure]:
    failures, kinds = list[Failure](), Counter[tuple[str, str]]()
    began = shown_at = time.monotonic()
    for seed in range(first, first + wanted, BATCH):
        texts = [text_of(number) for number in range(seed, min(seed + BATCH, first + wanted))]
        for failure in play(texts, seed):
            failures.append(failure)
            kinds[failure.where, failure.problem] += 1
            if kinds[failure.where, failure.problem] == 1 and len(kinds) <= show:
                print(f"\n{failure}\n", flush=True)
        played = seed - first + len(texts)
        if time.monotonic() - shown_at > PROGRESS_SECONDS or played == wanted:
            shown_at = time.monotonic()
            seeds = " ".join(str(one.seed) for one in failures[:30])
            print(f"{played} of {wanted}, {shown_at - began:.0f} s, {len(failures)} failures: {seeds}", flush=True)
    return failures


def _grow(show: int) -> list[Growth]:
    grown = list[Growth]()
    given = list(dict.fromkeys(units()))
    began = shown_at = time.monotonic()
    for tried, unit in enumerate(given, 1):
        for one in (*growing_steps(unit), *growing_seconds(unit)):
            grown.append(one)
            if len(grown) <= show:
                print(f"grows too fast: {one}", flush=True)
        if time.monotonic() - shown_at > PROGRESS_SECONDS or tried == len(given):
            shown_at = time.monotonic()
            print(f"growth: {tried} of {len(given)}, {shown_at - began:.0f} s, {len(grown)} too fast", flush=True)
    return grown


if __name__ == "__main__":
    sys.exit(main())
