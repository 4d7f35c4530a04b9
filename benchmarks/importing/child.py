"""`python -m benchmarks.importing.child ARCHIVE STORE`: import an archive, and print the counts, the seconds and the
peak of the resident memory of this process."""

from __future__ import annotations

import json
import resource
import sys
import time

from memfort import Memory


def main(archive: str, store: str, seconds: float) -> None:
    with Memory.open(store) as memory:
        before, start = _peak_megabytes(), time.perf_counter()
        done = [0, 1]

        def stop_in_time(read: int, total: int) -> None:
            done[:] = read, total
            if seconds and time.perf_counter() - start > seconds:
                raise TimeoutError

        counts = {}
        try:
            counts = dict(memory.as_user("alice").import_(path=archive, progress=stop_in_time).counts)
        except TimeoutError:
            counts = dict(memory.as_user("alice").sources()[0].counts)
        taken = time.perf_counter() - start
    found = {"counts": counts, "seconds": round(taken, 1), "share_read": round(done[0] / done[1], 3)}
    print(json.dumps({**found, "peak_mb": _peak_megabytes(), "peak_mb_before": before}))


def _peak_megabytes() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
