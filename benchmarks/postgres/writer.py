"""One process of clients that write, each into a space of its own. It begins when it is told to, and says how many
memories a second all its clients have written."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor

from memfort import BoundMemory, Memory


def main(url: str, threads: int, seconds: float, number: int) -> None:
    with Memory.open(f"{url}&pool_size={threads + 2}") as memory, ThreadPoolExecutor(threads) as pool:
        clients = [memory.as_user(f"writer-{number}-{one}") for one in range(threads)]
        for client in clients:
            client.remember("I was here first")
        print("ready", flush=True)
        sys.stdin.readline()
        start = time.monotonic()
        written = sum(pool.map(lambda client: _write(client, start + seconds), clients))
        print(written / (time.monotonic() - start))


def _write(client: BoundMemory, until: float) -> int:
    written = 0
    while time.monotonic() < until:
        written += bool(client.remember(f"I keep note {written} in drawer {written % 97}"))
    return written


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
