"""The examples run as they are, and show what they are for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name: str) -> str:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)], capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_agents_exchange_what_is_public_and_nothing_else():
    said = run("agents_ask_each_other.py")
    assert '"The bakery opens at seven"' in said
    assert '"The ferry leaves from pier four"' in said
    assert "landlord" not in said
    assert "another job" not in said


def test_a_poisoned_memory_gives_no_orders():
    said = run("poisoned_memory.py")
    assert "the order waits for review: instruction_like" in said
    assert "the assistant obeys" not in said
    assert said.count("</memories>") == 1
    assert "It waits for review by alice." in said
    assert "another user: invalid_input: user" in said
    assert "secret" not in said


def test_every_example_is_run_and_listed():
    named = {path.name for path in EXAMPLES.glob("*.py")}
    assert named == {"agents_ask_each_other.py", "poisoned_memory.py"}
    listed = (EXAMPLES / "README.md").read_text()
    assert all(f"`{name}`" in listed for name in named)
