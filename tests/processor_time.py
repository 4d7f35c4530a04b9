"""What tests cost: the ten longest by processor time, with the processes they started, and what the whole run took.

Unlike what a clock on the wall shows, this is about the same on a busy machine and on a quiet one. The first test that
uses what several share pays for it; a process counts where it ends.
"""

from __future__ import annotations

import resource
from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest

SHOWN = 10


class ProcessorTime:
    """Notes on every report what its phase of a test took, and tells it at the end."""

    def __init__(self) -> None:
        self._until = 0.0

    def pytest_runtest_logstart(self) -> None:
        self._until = processor_seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        before, self._until = self._until, processor_seconds()
        report.processor_seconds = self._until - before
        return report

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        took: Counter[str] = Counter()
        for reports in terminalreporter.stats.values():
            for report in reports:
                took[getattr(report, "nodeid", "")] += getattr(report, "processor_seconds", 0)
        if not took.total():
            return
        terminalreporter.section(f"{SHOWN} longest tests, in seconds of processor time")
        for test, seconds in took.most_common(SHOWN):
            terminalreporter.write_line(f"{seconds:7.1f}  {test}")
        terminalreporter.write_line(f"{processor_seconds():7.1f}  all, with what it takes to start")


def processor_seconds() -> float:
    """The processor time of this process and of those that it has started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
