"""mem0's client for JavaScript, unchanged: `make test-integrations NPM=1` installs it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from tests.integrations.conftest import Served

SECRET = "hunter2-Xk9Q"
PACKAGES = Path(os.environ.get("MEMFORT_TEST_NPM", ""))


def test_the_story_in_javascript(mem0: Served) -> None:
    library = next(PACKAGES.glob("node_modules/mem0ai/dist/index.mjs"))
    script = Path(__file__).with_name("mem0_story.mjs")
    command = ["node", str(script), str(library), mem0.address, mem0.alices, mem0.bobs]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    said = json.loads(run.stdout.splitlines()[-1])
    assert said["found"] == ["My favourite tea is Darjeeling"]
    assert said["leak"] == said["bobsLeft"] == ["My favourite tea is Assam"]
    assert "another user" in said["spoofed"]["error"]
    assert said["got"] == "My favourite tea is Sencha"
    assert "error" in said["others"]
    assert "never stored" in said["secret"]["error"]
    assert SECRET not in json.dumps(said)
    assert said["history"] == 2
    assert said["users"] == ["alice"]
    assert "Sencha" not in str(said["after"])
    assert said["left"] == []
