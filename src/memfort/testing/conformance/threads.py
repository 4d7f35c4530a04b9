"""Writes that fail half way, and several things at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from memfort.store.port import (
    Store,
)


class _Interrupted(Exception):
    """Something went wrong in the middle of a write."""


def interrupted(store: Store, work: Callable[[], None]) -> None:
    """Do some work in a write that then fails."""

    def write() -> None:
        with store.writing():
            work()
            raise _Interrupted

    with pytest.raises(_Interrupted):
        write()


def in_another_thread(work: Callable[[], Any]) -> Any:
    """Do something in a thread of its own, and wait for what comes of it."""
    answers: list[Any] = []
    together([lambda: answers.append(work())])
    return answers[0]


def together(works: Sequence[Callable[[], object]]) -> None:
    """Do several things at once; the first error of any of them is raised here."""
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
