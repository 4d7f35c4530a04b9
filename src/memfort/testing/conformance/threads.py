"""Writes that fail half way, and concurrent calls."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from memfort.store.port import (
    Store,
)


class _Interrupted(Exception):
    """Raised in the middle of a write."""


def write_then_fail(store: Store, work: Callable[[], None]) -> None:
    """Do some work in a write that then fails."""

    def write() -> None:
        with store.writing():
            work()
            raise _Interrupted

    with pytest.raises(_Interrupted):
        write()


def in_another_thread(work: Callable[[], Any]) -> Any:
    """Call in another thread, and wait for the result."""
    answers: list[Any] = []
    run_concurrently([lambda: answers.append(work())])
    return answers[0]


def run_concurrently(works: Sequence[Callable[[], object]]) -> None:
    """Call all at once; the first error is raised here."""
    errors: list[BaseException] = []

    def run(work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001  # carried to the thread that waits
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
