"""A server whose disk is full: writes get 507, reads and erasing go on, and it writes again when there is room.

The disk is a small file system that only the server sees. Where none can be mounted, it is the simulated one of the
tests of faults.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.server.processes import ask, run_token, served

MEGABYTE = 1024 * 1024
BYTES = 14 * MEGABYTE
BATCH, MOST_BATCHES = 40, 60
FAULTS = Path(__file__).parent.parent / "faults"


def small_file_system(root: Path) -> list[str] | None:
    """A command that runs another one with a small file system at `root`."""
    script = f'mount -t tmpfs -o size={BYTES} none "$0" && exec "$@"'
    for namespace in (["unshare", "-m"], ["unshare", "-Urm"]):
        command = [*namespace, "sh", "-c", script, str(root)]
        if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
            return command
    return None


def simulated_disk(folder: Path, root: Path) -> dict[str, str]:
    """The environment of a process whose disk has so many bytes."""
    library = folder / "disk.so"
    build = ["cc", "-O1", "-shared", "-fPIC", "-o", str(library), str(FAULTS / "disk.c"), "-ldl", "-lpthread"]
    subprocess.run(build, check=True, capture_output=True)
    (folder / "sitecustomize.py").write_text(
        f"import ctypes\nctypes.CDLL(None).disk_space(ctypes.c_longlong({BYTES}))\n"
    )
    return {"LD_PRELOAD": str(library), "MEMFORT_DISK_ROOT": str(root), "PYTHONPATH": str(folder)}


@pytest.mark.parametrize("disk", ["mounted", "simulated"])
def test_a_full_disk_is_a_507_and_others_are_served(tmp_path: Path, disk: str):
    root = tmp_path / "disk"
    root.mkdir()
    within = small_file_system(root) if disk == "mounted" else None
    environment = {} if within else simulated_disk(tmp_path, root)
    with served(root / "memory.db", within=within or (), log=tmp_path / "log", **environment) as (process, port, _):
        token = run_token(Path(f"/proc/{process.pid}/root{root}/memory.db"))  # its disk is mounted for itself alone
        alice, bob = ({"x-requester-id": name} for name in ("alice", "bob"))
        assert ask(port, "POST", "/v1/remember", {"text": "bob drinks tea"}, token, **bob)[0] == 201
        full = fill_up(port, token, alice)
        assert full["code"] == "store_full"
        assert full["remedy"]
        status, found = ask(port, "POST", "/v1/recall", {"query": "tea"}, token, **bob)
        assert status == 200
        assert [hit["item"]["text"] for hit in found["hits"]] == ["bob drinks tea"]
        assert ask(port, "GET", "/readyz")[0] == 200
        assert (
            ask(port, "POST", "/v1/remember", {"text": "one more " + "longer and longer " * 600}, token, **bob)[0]
            == 507
        )
        status, receipt = ask(port, "POST", "/v1/erase", {"scope": {"user": "alice"}}, token, **alice)
        assert status in {200, 202}, receipt
        assert ask(port, "POST", "/v1/recall", {"query": "whale"}, token, **alice)[1]["hits"] == []
        assert ask(port, "POST", "/v1/finish-erasures", {}, token)[0] == 200
        assert ask(port, "POST", "/v1/remember", {"text": "bob has a cat"}, token, **bob)[0] == 201
        assert ask(port, "POST", "/v1/trail/verify", {}, token)[1]["broken"] == []


def fill_up(port: int, token: str, headers: dict[str, str]) -> dict[str, object]:
    """Write until not even one statement has room; the problem that the server answers with then."""
    answer: dict[str, object] = {}
    for size in (BATCH, 8, 1):
        for batch in range(MOST_BATCHES):
            texts = [
                {"text": f"whale {size} {batch} {number}: " + f"note{size}x{batch}x{number} " * 400}
                for number in range(size)
            ]
            status, answer = ask(port, "POST", "/v1/remember-many", {"memories": texts}, token, **headers)
            if status != 200:
                assert status == 507, answer
                break
        else:
            raise AssertionError("the disk never filled up")
    return answer
