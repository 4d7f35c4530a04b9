"""The command line. It parses, asks the facade, and shows the answer; it decides nothing.

Hooks start it often, so nothing heavy is imported before it is known which command runs: the store, the policy's
patterns, signatures and rich all wait for the command that needs them.
"""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """The entry point of `memfort`."""
    # Imports make many objects and no garbage; at the usual threshold the collector looks sixty times for nothing.
    gc.set_threshold(100_000)
    try:
        from memfort.surfaces.cli.root import root
    except KeyboardInterrupt as error:  # so early that nothing was under way
        from memfort.surfaces.cli.failure import interrupted

        raise SystemExit(interrupted(error, as_json="--json" in sys.argv)) from None
    try:
        root.main(prog_name="memfort")
    except KeyboardInterrupt:  # so late that all was said
        raise SystemExit(130) from None
