"""The command line. It parses, asks the facade, and shows the answer; it decides nothing.

Hooks start it often, so nothing heavy is imported before it is known which command runs: the store, the policy's
patterns, signatures and rich all wait for the command that needs them.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress


def main() -> None:
    """The entry point of `memfort`."""
    # Imports make many objects and no garbage; at the usual threshold the collector looks sixty times for nothing.
    gc.set_threshold(100_000)
    # numpy starts a thread for each further core otherwise, which spins and is given nothing to do: embed/products.py.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        _run()
    except SystemExit as end:
        _end_process(end)


def _run() -> None:
    try:
        from memfort.surfaces.cli.root import root
    except KeyboardInterrupt as error:  # so early that nothing was under way
        from memfort.surfaces.cli.failure import interrupted

        raise SystemExit(interrupted(error, as_json="--json" in sys.argv)) from None
    try:
        root.main(prog_name="memfort")
    except KeyboardInterrupt:  # so late that all was said
        raise SystemExit(130) from None


def _end_process(end: SystemExit) -> None:
    """Leave at once. The store is closed and the answer is written; Python would take apart every module that was
    loaded, which takes longer than all that a command does. Who watches the process, or a thread of it that is still at
    work, sees the usual end."""
    import atexit
    import threading

    if threading.active_count() > 1 or sys.gettrace() or sys.getprofile() or not isinstance(end.code, int):
        raise end
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # it is closed, or whoever read it is gone
            stream.flush()
    os._exit(end.code)
