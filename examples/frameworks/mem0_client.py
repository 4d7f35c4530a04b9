"""mem0: its own client, unchanged, asks a server of Memfort. The server has a store of its own and ends with the script."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memfort import Memory

os.environ["MEM0_TELEMETRY"] = "False"
from mem0 import MemoryClient  # after telemetry is off
from mem0.exceptions import ValidationError


@contextmanager
def served(store: Path) -> Iterator[str]:
    """A server that answers mem0's clients, and its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    command = [sys.executable, "-m", "memfort", "--store", str(store), "serve", "--mem0", "--port", port]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{address}/readyz").close()
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait()


def show(name: str, client: MemoryClient) -> None:
    found = client.search("Which tea is the favourite?", filters={"user_id": name})
    print(f"{name}:", [one["memory"] for one in found["results"]])


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "memory.db"
        with Memory.open(store) as memory:
            keys = {user: memory.keys.create(user=user).token for user in ("alice", "bob")}
        with served(store) as address:
            alice, bob = (MemoryClient(api_key=key, host=address) for key in keys.values())
            alice.add("My favourite tea is Darjeeling", user_id="alice")
            show("alice", alice)
            show("bob", bob)
            try:
                alice.add("my password is hunter2-Xk9Q", user_id="alice")
            except ValidationError as refused:
                print("refused:", refused)
            print("counts:", alice.get_all(filters={"user_id": "alice"})["count"])


if __name__ == "__main__":
    main()
