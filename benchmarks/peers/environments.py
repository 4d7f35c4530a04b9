"""The environments of the peers: each is built from its own requirements, and rebuilt when those change."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
REQUIREMENTS = Path(__file__).parent / "requirements"
OWN = "memfort"  # the project's own environment, which is running this

Progress = Callable[[str], None]


def python_of(environment: str, progress: Progress, folder: Path = ROOT / ".peers") -> Path:
    """The interpreter of an environment, which is built if it is missing or outdated."""
    if environment == OWN:
        return Path(sys.executable)
    place, wanted = folder / environment, REQUIREMENTS / f"{environment}.txt"
    made = place / ".made-from"
    digest = hashlib.sha256(wanted.read_bytes()).hexdigest()
    if not made.exists() or made.read_text() != digest:
        progress(f"making the environment of {environment}")
        _make(place, wanted)
        made.write_text(digest)
    return place / "bin" / "python"


def _make(place: Path, wanted: Path) -> None:
    """From nothing, so that no package of an earlier list stays behind."""
    shutil.rmtree(place, ignore_errors=True)
    _run(sys.executable, "-m", "venv", place)
    _run(place / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", wanted)


def _run(*command: str | Path) -> None:
    """Run a command; its output is shown only if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"`{' '.join(map(str, command))}` failed:\n{done.stderr[-2000:]}")
