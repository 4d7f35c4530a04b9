"""Hooks start the command line often. A command imports what it needs, and the process ends as soon as all is said."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from memfort import Memory

# Each of these takes milliseconds to import: for documents, tables on a terminal, signatures, servers, archives.
NEVER = {
    "asyncio", "concurrent.futures", "cryptography", "dataclasses", "difflib", "html.entities", "importlib.resources",
    "logging", "multiprocessing", "numpy.ma", "platformdirs", "rich", "sqlite3", "ssl", "subprocess", "tempfile",
    "tomllib", "urllib.request", "yaml", "zipfile",
}  # fmt: skip
ARRAYS = {"numpy", "simsimd"}
STORE = {"apsw", "re2", "Stemmer", "memfort.client", "memfort.policy"}


@pytest.mark.parametrize("command", [["--version"], ["--help"]])
def test_commands_without_a_store_load_no_store_modules(cli, command):
    loaded = cli.modules(*command)
    assert "memfort.surfaces.cli.root" in loaded  # it is this run that was looked at
    assert loaded & (NEVER | ARRAYS | STORE) == set()


@pytest.mark.parametrize(
    "command",
    [
        ["--as", "alice", "remember", "green tea in the afternoon"],
        ["--as", "alice", "remember", "she moved to Zürich in 2023; call +41 44 668 18 00"],
        ["--as", "alice", "list"],
        ["--as", "alice", "get", "ID"],
        ["--as", "alice", "forget", "ID", "--yes"],
        ["store", "info"],
    ],
)
def test_commands_that_do_not_rank_load_no_numpy(cli, command):
    id = cli.kept("alice", "tea")
    loaded = cli.modules(*(id if word == "ID" else word for word in command))
    assert loaded >= {"apsw", "memfort.client"}
    assert loaded & (NEVER | ARRAYS) == set()


@pytest.mark.parametrize("verb", ["recall", "context"])
def test_commands_that_rank_load_numpy_and_no_other_heavy_module(cli, verb):
    cli.kept("alice", "tea")
    loaded = cli.modules("--as", "alice", verb, "tea")
    assert loaded >= ARRAYS
    # numpy itself brings a few of them
    assert loaded & (NEVER - _modules_of("import numpy")) == set()


def test_numpy_starts_no_threads_in_a_command(cli):
    """Each would spin for as long as the command takes, and be given nothing to do."""
    cli.kept("alice", "tea")
    script = (
        "import atexit, os\nfrom memfort.surfaces.cli import main\n"
        "atexit.register(lambda: print('', len(os.listdir('/proc/self/task'))))\nmain()"
    )
    command = [sys.executable, "-c", script, "--as", "alice", "recall", "tea"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert "tea" in done.stdout
    assert done.stdout.split()[-1] == "1"


@pytest.mark.parametrize(
    ("command", "code"), [(["--as", "alice", "list"], 0), (["lst"], 2), (["--as", "alice", "get", "mem_nothing"], 4)]
)
def test_the_quick_end_keeps_the_exit_code_and_every_byte(cli, command, code):
    with Memory.open(cli.store) as memory:  # more than a pipe's buffer of Python holds
        memory.as_user("alice").remember_many([f"statement {number} " + "x" * 60 for number in range(300)])
    done = cli.process(*command)
    here = cli(*command)
    assert (done.returncode, here.code) == (code, code)
    assert (done.stdout, done.stderr) == (here.out, here.err)


def test_a_profiled_process_exits_normally(cli):
    script = (
        "import sys\nfrom memfort.surfaces.cli import main\nsys.setprofile(lambda *_: None)\n"
        "try:\n    main()\nexcept SystemExit as end:\n    sys.setprofile(None)\n    print('ended', end.code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "--version"], capture_output=True, text=True, env=dict(os.environ), check=True
    )
    assert done.stdout.splitlines()[-1] == "ended 0"


def _modules_of(statement: str) -> set[str]:
    script = f"import sys\n{statement}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())
