"""A store without a file of its own: private, as SQLite everywhere else, and gone when it is closed or its process."""

from __future__ import annotations

import gc
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from memfort import Memory
from memfort.errors import StoreError
from memfort.store.sqlite import temporary
from memfort.store.sqlite.temporary import TemporaryStore
from memfort.testing.conformance import HOME, listed, memory, put, sight_on, texts

KEPT_OPEN = """
import sys
from memfort.store.sqlite.temporary import TemporaryStore
store = TemporaryStore()
print(store._files.database.parent, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place of this test's own, so that what others leave behind does not matter."""
    monkeypatch.setattr(temporary, "_IN_MEMORY", tmp_path)
    return tmp_path


def folders(base: Path) -> list[Path]:
    return sorted(base.glob("memfort-memory-*"))


def test_its_folder_is_private_and_goes_when_it_is_closed(base: Path) -> None:
    store = TemporaryStore()
    [folder] = folders(base)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    put(store, memory(text="kept"))
    assert texts(listed(store, sight_on(HOME))) == ["kept"]
    assert list(store.checkup()) == []
    store.close()
    assert folders(base) == []
    with pytest.raises(StoreError, match="closed"):
        listed(store, sight_on(HOME))


def test_every_one_is_a_store_of_its_own(base: Path) -> None:
    first, second = TemporaryStore(), TemporaryStore()
    put(first, memory(text="here"))
    assert listed(second, sight_on(HOME)) == []
    first.close()
    assert len(folders(base)) == 1
    second.close()


def test_one_that_nobody_closes_goes_with_its_object(base: Path) -> None:
    store = TemporaryStore()
    assert len(folders(base)) == 1
    del store
    gc.collect()
    assert folders(base) == []


def test_what_a_killed_process_left_goes_with_the_next_start(base: Path) -> None:
    code = KEPT_OPEN.replace(
        "store = ",
        f"from pathlib import Path\nfrom memfort.store.sqlite import temporary\n"
        f"temporary._IN_MEMORY = Path({str(base)!r})\nstore = ",
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as one:
        assert one.stdout is not None
        left = Path(one.stdout.readline().strip())
        store = TemporaryStore()
        assert left in folders(base)  # its process is alive
        one.send_signal(signal.SIGKILL)
        one.wait()
        assert left in folders(base)
        store.close()
        TemporaryStore().close()
        assert folders(base) == []


def test_a_child_of_the_process_takes_nothing_away(base: Path) -> None:
    store = TemporaryStore()
    put(store, memory(text="kept"))
    child = os.fork()
    if not child:
        store.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert len(folders(base)) == 1
    assert texts(listed(store, sight_on(HOME))) == ["kept"]
    store.close()


def test_memory_opens_it(base: Path) -> None:
    with Memory.open(":memory:") as opened:
        assert len(folders(base)) == 1
        alice = opened.as_user("alice")
        alice.remember("likes tea")
        assert [hit.item.text for hit in alice.recall("tea").hits] == ["likes tea"]
        assert opened.store.info().file == ":memory:"
    assert folders(base) == []
