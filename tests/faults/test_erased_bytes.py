"""What is erased is in no file any more, in no spelling, and a receipt never says so too early (P10, P11)."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest
from fault_support import (
    contents_of,
    count,
    everything,
    files_of,
    reopened,
    seeded,
    sentence,
    sound,
    spellings,
    start_worker,
    word,
)

from memfort import Memory
from memfort.client.bound import BoundMemory
from memfort.store.sqlite import SqliteStore


def found(path: Path, needles: list[str]) -> list[str]:
    """Which of the needles are in any file of the store."""
    content = contents_of(path)
    return [needle for needle in needles if any(spelling in content for spelling in spellings(needle))]


class Workload:
    """A random history of one store, with a word in every text that occurs nowhere else."""

    def __init__(self, memory: Memory, rng: random.Random) -> None:
        self._memory, self._rng = memory, rng
        self.alice = memory.as_user("alice", project="apollo", workspace="desk")
        self.canaries: dict[str, str] = {}  # by memory id
        self.imported: dict[str, list[str]] = {}  # ids by source

    def text(self) -> str:
        words = self._rng.choices([3, 10, 50, 200, 700, 2500], [20, 20, 10, 5, 3, 1])[0]  # up to several pages
        before, after = sentence(self._rng, words // 2), sentence(self._rng, words // 2)
        return f'{before} {self.canary()} “ünïcode” "quoted" {after}'

    def canary(self) -> str:
        self._last = "Kanari" + word(self._rng, 6)
        return self._last

    def run(self, steps: int) -> None:
        for _ in range(steps):
            live = [item.id for item in self.alice.list(limit=200)]
            dice = self._rng.random()
            if dice < 0.55 or len(live) < 4:
                place = self._rng.choice([None, {"project": "apollo"}, {"user": "alice", "workspace": "desk"}])
                kept = self.alice.remember(self.text(), space=place, tags=[word(self._rng)]).item
            elif dice < 0.75:
                kept = self.alice.correct(self._rng.choice(live), self.text()).item
            elif dice < 0.9:
                self.alice.forget(self._rng.choice(live))
                continue
            else:
                self.import_()
                continue
            assert kept is not None
            self.canaries[kept.id] = self._last

    def import_(self) -> None:
        rows, canaries = [], []
        for _ in range(self._rng.randint(1, 6)):
            rows.append({"user_id": "alice", "content": self.text(), "kind": "fact", "confidence": 0.9})
            canaries.append(self._last)
        report = self.alice.import_("\n".join(map(json.dumps, rows)).encode())
        assert report.source is not None
        stored = {item.id: item.text for item in everything(self._memory, "alice").values()}
        ids = [id for canary in canaries for id, text in stored.items() if canary in text]
        assert len(ids) == len(rows), report
        self.imported[report.source] = ids
        self.canaries.update(zip(ids, canaries, strict=True))

    def erase(self) -> list[str]:
        """Erase by id, by scope or by source; says the words that must be gone."""
        choices = ["id", "id", "scope", *(["source"] if self.imported else [])]
        match self._rng.choice(choices):
            case "id":
                ids = [item.id for item in self.alice.list(limit=200)]
                receipt = self.alice.erase(*self._rng.sample(ids, min(len(ids), self._rng.randint(1, 5))))
            case "scope":
                place = self._rng.choice([{"project": "apollo"}, {"user": "alice", "workspace": "desk"}])
                receipt = self.alice.erase(scope=place)
            case _:
                source = self._rng.choice(list(self.imported))
                receipt = self.alice.erase(source=source)
                assert {id for _, id in receipt.items} >= set(self.imported.pop(source)) & self.canaries.keys()
        assert receipt.state == "complete", receipt.pending
        if receipt.items:  # an erase that found nothing leaves nothing on record
            assert self.alice.verify_erasure(receipt.id).ok
        gone = [id for _, id in receipt.items]
        self.imported = {source: [id for id in ids if id not in gone] for source, ids in self.imported.items()}
        return [self.canaries.pop(id) for id in gone]


def test_no_erased_word_is_left_in_any_file(tmp_path: Path) -> None:
    erased_words = live_words = forgotten_words = bytes_searched = 0
    for workload in range(count(12)):
        rng = seeded("canary", workload)
        path = tmp_path / f"{workload}" / "memory.db"
        with Memory(SqliteStore(path, ballast_bytes=65_536)) as memory:
            work = Workload(memory, rng)
            gone: list[str] = []
            for _ in range(rng.randint(1, 3)):
                work.run(rng.randint(5, 20))
                gone += work.erase()
                assert found(path, gone) == []
            work.run(3)  # what is written afterwards must not bring it back out of a cache
            assert found(path, gone) == []
            stored = {item.id: item for item in everything(memory, "alice").values()}
            live = [canary for id, canary in work.canaries.items() if id in stored and stored[id].deleted_at_us is None]
            forgotten = [canary for id, canary in work.canaries.items() if id in stored and stored[id].deleted_at_us]
            # The control: the same search finds what is kept, and what was only forgotten.
            assert found(path, live) == live
            assert found(path, forgotten) == forgotten
        assert found(path, gone) == []
        with reopened(path) as memory:
            sound(memory)
        erased_words, live_words = erased_words + len(gone), live_words + len(live)
        forgotten_words += len(forgotten)
        bytes_searched += sum(file.stat().st_size for file in files_of(path))
    print(f"{count(12)} workloads: {erased_words} erased words, 0 found; "
          f"{live_words} live and {forgotten_words} forgotten, all found; {bytes_searched} bytes searched")  # fmt: skip
    assert erased_words > count(12)
    assert live_words > 0
    assert forgotten_words > 0


def test_the_search_knows_every_spelling(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    text = 'Kanari “x” "y"'
    for number, spelling in enumerate(spellings(text)):
        path.write_bytes(b"before " + spelling + b" after")
        assert found(path, [text]) == [text], number
    path.write_bytes(b"before " + b"xx" + text.encode()[:-1])
    assert found(path, [text]) == []


def _erase_beside_a_reader(tmp: Path) -> tuple[Path, Memory, BoundMemory, str, str, Path]:
    path, until = tmp / "memory.db", tmp / "until"
    memory = Memory(SqliteStore(path, ballast_bytes=0))
    alice = memory.as_user("alice")
    alice.remember("note that stays")
    canary = "Kanari" + word(seeded("reader"), 6)
    item = alice.remember(f"note of the {canary}").item
    assert item is not None
    reader = start_worker("read_open", path, tmp / "notes", until=str(until))
    reader.wait_until("reading")
    receipt = alice.erase(item.id)
    assert receipt.state == "pending"
    assert "reader" in str(receipt.pending)
    assert alice.get(item.id) is None
    assert not alice.recall(canary)
    assert item.id not in everything(memory, "alice")
    check = alice.verify_erasure(receipt.id)
    assert not check.ok
    assert any("pending" in problem for problem in check.problems)
    assert found(path, [canary]) == [canary], "the reader still has it, which is why the erasure is pending"
    assert memory.finish_erasures().finished == ()
    until.touch()
    reader.finish()
    return path, memory, alice, receipt.id, canary, until


def test_an_erase_beside_a_reader_is_pending_until_the_reader_is_gone(tmp_path: Path) -> None:
    path, memory, alice, receipt, canary, _ = _erase_beside_a_reader(tmp_path)
    assert memory.finish_erasures().finished == (receipt,)
    assert alice.verify_erasure(receipt).ok
    assert found(path, [canary]) == []
    sound(memory)
    memory.close()


def test_reopening_finishes_a_pending_erasure(tmp_path: Path) -> None:
    path, memory, _, receipt, canary, _ = _erase_beside_a_reader(tmp_path)
    memory.close()
    with Memory.open(path) as memory:
        assert memory.as_user("alice").verify_erasure(receipt).ok
        assert found(path, [canary]) == []
        assert [item.text for item in memory.as_user("alice").list()] == ["note that stays"]
        sound(memory)


@pytest.mark.parametrize("is_alone", [True, False])
def test_what_those_who_listen_may_not_hear_is_gone_from_the_files_too(tmp_path: Path, is_alone: bool) -> None:
    path = tmp_path / "memory.db"
    with Memory(SqliteStore(path, ballast_bytes=0)) as memory:
        memory.chat.register("hall", kind="group", participants=["alice", "bob", "cleo"])
        alice, bob = memory.as_user("alice", chat="hall"), memory.as_user("bob", chat="hall")
        canary = "Kanari" + word(seeded("unlisted"), 6)
        bob.remember(f"Bob takes {canary} at night", space={"chat": "hall"}, sensitivity="sensitive")
        if not is_alone:
            alice.remember("our standup is at nine", space={"chat": "hall"})
        assert found(path, [canary]) == [canary]
        receipt = alice.erase(scope={"chat": "hall"})
        assert receipt.counts["memories"] == (0 if is_alone else 1), "nobody learns of what may not be heard"
        assert found(path, [canary]) == []
        sound(memory)


def test_a_large_erase_that_is_killed_is_finished_by_the_next_opening(tmp_path: Path) -> None:
    cut_short = 0
    for round in range(max(3, count(12) // 4)):
        rng = seeded("killed erase", round)
        path = tmp_path / f"{round}" / "memory.db"
        canaries = ["Kanari" + word(rng, 6) for _ in range(700)]  # more than one transaction removes
        with Memory(SqliteStore(path, ballast_bytes=0)) as memory:
            memory.as_user("alice").remember_many([f"note of the {canary}" for canary in canaries])
            memory.as_user("bob").remember("note of somebody else")
        assert found(path, canaries[::20]) == canaries[::20]
        worker = start_worker("erase_all", path, tmp_path / f"notes-{round}")
        worker.wait_until("progress")
        time.sleep(rng.uniform(0, 0.12) * round / 3)  # at once in the first round
        worker.kill()
        cut_short += not any("erased" in note for note in worker.read())
        with Memory.open(path) as memory:
            assert everything(memory, "alice") == {}
            assert [item.text for item in memory.as_user("bob").list()] == ["note of somebody else"]
            assert [one.pending for one in memory.as_system().erasures()] == [None]
            sound(memory)
        assert found(path, canaries[::20]) == []
    assert cut_short > 0, "no kill fell into the middle of the erase"


def test_two_processes_that_finish_the_same_erasure_do_not_trip_over_each_other(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(SqliteStore(path, ballast_bytes=0)) as memory:
        memory.as_user("alice").remember_many([f"note of {word(seeded('two', n), 6)}" for n in range(600)])
    workers = [start_worker("erase_all", path, tmp_path / f"notes-{n}") for n in range(2)]
    for worker in workers:
        assert worker.finish()[-1] == {"erased": True}
    with Memory.open(path) as memory:
        assert everything(memory, "alice") == {}
        assert all(one.pending is None for one in memory.as_system().erasures())
        sound(memory)
