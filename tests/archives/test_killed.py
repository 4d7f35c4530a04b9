"""A process that is killed while it imports leaves no record half done, and the next one goes on from there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from tests.archives.builders import as_json, chatgpt

from memfort import Memory

CHILD = """
import sys, time
from memfort import Memory
def progress(done, of):
    print(done, flush=True)
    if done > of / 2:
        time.sleep(600)  # it is killed before it is through, however busy the machine is
with Memory.open(sys.argv[1]) as memory:
    memory.as_user("alice").import_(path=sys.argv[2], progress=progress)
"""


def test_a_killed_import_goes_on_and_brings_nothing_twice(tmp_path):
    talks = [chatgpt(("user", f"I visited town number {n}."), ("assistant", "Good."), id=f"c-{n}") for n in range(300)]
    store, archive = tmp_path / "memory.db", tmp_path / "archive.json"
    archive.write_bytes(as_json(talks))
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(store), str(archive)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(0.05)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    with Memory.open(store) as memory:
        alice = memory.as_user("alice")
        [source] = alice.sources()
        assert 0 < source.counts["turns"] < 600
        report = alice.import_(path=str(archive))
        assert (report.counts["turns"], report.counts.get("duplicate", 0)) == (600, 0)
        assert len([item for item in alice.list(limit=1000) if item.kind == "short_term"]) == 600
        assert memory.trail.verify().ok
