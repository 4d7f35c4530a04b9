"""The command line: it parses arguments, calls the facade and prints the answer. Decisions and store access never come
in.

Hooks start it often, so each command imports what it needs: the store, the policy's patterns, signatures and rich are
not imported before.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress


def main() -> None:
    """The entry point of `memfort`."""
    # Imports create many objects and no garbage; at the default threshold the collector would run sixty times for
    # nothing.
    gc.set_threshold(100_000)
    # Otherwise numpy starts a busy-waiting thread per core that has no work: see embed/products.py.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        _run()
    except SystemExit as end:
        _end_process(end)


def _run() -> None:
    try:
        from memfort.surfaces.cli.root import root
    except KeyboardInterrupt as error:  # interrupted before any work began
        from memfort.surfaces.cli.failure import interrupted

        raise SystemExit(interrupted(error, as_json="--json" in sys.argv)) from None
    try:
        root.main(prog_name="memfort")
    except KeyboardInterrupt:  # interrupted after the answer was printed
        raise SystemExit(130) from None


def _end_process(end: SystemExit) -> None:
    """Exit at once. The store is closed and the answer is written; tearing down every loaded module takes Python longer
    than the command itself. Under a debugger or coverage, or with a thread still running, the exit is the usual one."""
    import atexit
    import threading

    if threading.active_count() > 1 or sys.gettrace() or sys.getprofile() or not isinstance(end.code, int):
        raise end
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # it is closed, or its reader is gone
            stream.flush()
    os._exit(end.code)
