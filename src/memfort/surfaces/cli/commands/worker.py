"""worker: hand-written, because it runs until it is stopped."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import TYPE_CHECKING

import click

from memfort.errors import StoreError
from memfort.model.value import count_noun
from memfort.surfaces.cli.failure import Exit
from memfort.surfaces.cli.options import Verb
from memfort.surfaces.cli.session import Session

if TYPE_CHECKING:
    from memfort.model.results import ExtractionRun


@click.command("worker", cls=Verb)
@click.option("--once", is_flag=True, help="Read what is due, and stop.")
@click.option(
    "--every",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to pause before looking at the queue again.",
)
@click.pass_obj
def worker_command(session: Session, once: bool, every: float) -> int:
    """Let the extractor read the turns that wait for it.

    It runs until it is stopped by SIGTERM or Ctrl+C: the request under way is finished first, and a second signal ends
    it at once. Whatever happens, turns stay in the queue until they have been read. The extractor is the setting
    `extractor`, and the policy's `extraction.send` says what may leave.
    """
    stopped = threading.Event()
    with session.memory(make=True) as memory, _Signals(stopped):
        while True:
            try:
                with session.output.progress("reading") as progress:
                    run = memory.extract_due(stop=stopped.is_set, progress=progress)
            except StoreError as error:  # it may be busy, or full for a while; the queue is in it
                if once:
                    raise
                session.output.note(str(error))
                code: int = Exit.FAILURE
            else:
                code = _show(session, run, is_last=once)
                if once or run.extractor == "none":
                    return code
            if stopped.wait(every):
                return code


def _show(session: Session, run: ExtractionRun, *, is_last: bool) -> int:
    """A line for each run that did something, or the whole answer of a single run."""
    line = (
        f"read {count_noun(run.read, 'turn')}, kept {count_noun(run.kept, 'statement')}, refused {run.refused}, "
        f"withheld {count_noun(run.withheld, 'turn')}, failed {run.failed}; {run.left} left, {run.given_up} given up"
    )
    problem = () if run.problem is None else (run.problem,)
    if is_last:
        session.output.answer(run.to_dict(), line, *problem)
    elif run.read or run.withheld or run.failed or run.problem:
        for one in (line, *problem):
            session.output.note(one)
    return Exit.OK if run.problem is None and not run.failed else Exit.FAILURE


class _Signals:
    """Let the first signal end the loop after the request under way, and the next one end the process."""

    def __init__(self, stopped: threading.Event) -> None:
        self._stopped = stopped
        self._before = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)}

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            for one in self._before:
                signal.signal(one, self._stop)

    def __exit__(self, *_: object) -> None:
        if threading.current_thread() is threading.main_thread():
            for one, handler in self._before.items():
                signal.signal(one, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  # as the library calls it
        self._stopped.set()
        signal.signal(number, self._before[signal.Signals(number)])
