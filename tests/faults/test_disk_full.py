"""When the disk is full, writing stops whole, reading goes on, and erasing works (fault F5)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fault_support import HERE, build_disk, count, start_worker

MEGABYTE = 1024 * 1024
SETTINGS = {"bytes": 16 * MEGABYTE, "ballast_bytes": 2 * MEGABYTE, "before": 60}


def on_a_small_file_system(job: str, tmp: Path, **settings: Any) -> list[dict[str, Any]] | None:
    """Run the story on a tmpfs, mounted invisibly to other processes; `None` if this machine does not let us."""
    root, notes = tmp / "mounted", tmp / "notes"
    root.mkdir()
    worker = [sys.executable, str(HERE / "fault_worker.py"), job, str(root / "memory.db"), str(notes)]
    script = f'mount -t tmpfs -o size={settings["bytes"]} none "$0" && exec "$@"'
    for namespace in (["unshare", "-m"], ["unshare", "-Urm"]):
        tried = subprocess.run([*namespace, "sh", "-c", script, str(root), "true"], capture_output=True, check=False)
        if tried.returncode == 0:
            command = [*namespace, "sh", "-c", script, str(root), *worker, json.dumps(settings)]
            assert subprocess.run(command, check=False).returncode == 0
            return [json.loads(line) for line in notes.read_text().splitlines()]
    return None


def on_a_simulated_disk(job: str, tmp: Path, **settings: Any) -> list[dict[str, Any]]:
    root = tmp / "simulated"
    root.mkdir()
    env = {"LD_PRELOAD": str(build_disk(tmp)), "MEMFORT_DISK_ROOT": str(root)}
    return start_worker(job, root / "memory.db", tmp / "notes", env=env, **settings).finish()


def story(job: str, disk: str, folder: Path, **settings: Any) -> dict[str, Any]:
    """Everything the worker reported. Where nothing can be mounted, both kinds of disk are the simulated one."""
    notes = on_a_small_file_system(job, folder, **settings) if disk == "mounted" else None
    notes = notes or on_a_simulated_disk(job, folder, **settings)
    report = {key: value for note in notes for key, value in note.items()}
    print(json.dumps(report))
    return report


@pytest.mark.parametrize(("erase", "left"), [(1, 24_576), (30, 524_288)])
@pytest.mark.parametrize("disk", ["mounted", "simulated"])
def test_on_a_full_disk_reading_and_erasing_go_on(tmp_path: Path, disk: str, erase: int, left: int) -> None:
    for round in range(max(1, count(1) // 50)):
        folder = tmp_path / f"{round}"
        folder.mkdir()
        settings = {**SETTINGS, "seed": f"full/{round}", "erase": erase, "left": left}
        report = story("full", disk, folder, **settings)
        assert report["ballast_before"]
        assert report["stopped"] == "StoreFull"
        assert "erasing still works" in report["message"]
        assert report["second"] == report["other"] == "StoreFull"
        assert report["read_errors"] == []
        assert report["found"] > 0
        assert report["listed_as_kept"], "everything acknowledged is there, and nothing else"
        assert report["erase"] == "complete" or report["pending"]
        assert report["still_read"] == []
        assert report["residue"] == 0 or report["erase"] == "pending"
        assert report["verified"], report["problems"]
        assert report["residue_at_last"] == 0
        assert report["wrote"] is None
        assert report["ballast_at_last"], "the next one to need it will find it"
        assert report["intact"]
        assert report["trail"]
        assert report["checkup"] == []


def test_reading_goes_on_however_long_the_disk_is_full(tmp_path: Path) -> None:
    report = story("full", "simulated", tmp_path, **SETTINGS, seed="full", erase=1, left=24_576, reads=100)
    assert report["read_errors"] == []


@pytest.mark.parametrize("disk", ["mounted", "simulated"])
def test_a_store_can_be_opened_read_and_erased_on_a_disk_without_a_byte_left(tmp_path: Path, disk: str) -> None:
    report = story("full_from_the_start", disk, tmp_path, **SETTINGS, seed="full from the start")
    assert report["reads"] == 20
    assert report["recalls"]
    assert report["erase"] == "complete"
    assert report["residue"] == 0
    assert report["wrote"] is None
    assert report["checkup"] == []
    assert report["ballast_bytes"] == SETTINGS["ballast_bytes"]


@pytest.mark.parametrize("disk", ["mounted", "simulated"])
def test_reads_are_answered_on_a_full_disk_and_writes_leave_the_ballast_alone(tmp_path: Path, disk: str) -> None:
    report = story("read_when_full", disk, tmp_path, **SETTINGS, seed="read when full")
    assert report["recall"] == ["likes tea"]
    assert report["unrecorded"] >= 1
    assert "answered and not recorded" in report["doctor"][0]
    assert report["command"][:2] == [0, 0]
    assert report["durable"] == "StoreFull"
    assert report["writes"] == ["StoreFull"]
    assert report["ballast"] >= SETTINGS["ballast_bytes"] - 256 * 1024
    assert report["erase"] == "complete"
    assert report["residue"] == 0
    assert report["wrote"] is None
    assert report["ballast_at_last"] == SETTINGS["ballast_bytes"]
    assert report["checkup"] == []
