"""Random workloads, erased in every way there is: no file that is there or is made afterwards has an erased word, in
any spelling, and neither an older export nor an older backup brings one back.

`MEMFORT_TEST_FAULTS=200` runs so many workloads.
"""

from __future__ import annotations

import json
import random
import subprocess
from collections import Counter
from pathlib import Path

from fault_support import ALL, count, seeded, sentence, sound, spellings, word

from memfort import Memory
from memfort.client.bound import BoundMemory
from memfort.model.moment import Moment
from memfort.model.results import Receipt
from memfort.store.sqlite import SqliteStore

DAY = 86_400_000_000
BEGINNING = 1_780_000_000_000_000
WORKLOADS = 14
WAYS = (
    "id", "ids", "turn", "words", "time", "author", "agent", "source", "person", "scope", "space", "subject",
    "undo", "forget",
)  # fmt: skip


class DailyClock:
    """A clock that the workload sets forward."""

    def __init__(self) -> None:
        self.at = BEGINNING

    def now(self) -> Moment:
        self.at += 1_000_000
        return Moment(self.at)


class Campaign:
    """One store that is written to and erased from, and all that was said in it."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.folder, self.rng, self.clock = folder, rng, DailyClock()
        self.path = folder / "store" / "memory.db"
        self.memory = Memory(SqliteStore(self.path, ballast_bytes=65_536), clock=self.clock)
        self.memory.agent.register("helper", owner="alice")
        self.alice = self.memory.as_user("alice", project="apollo", workspace="desk")
        self.helper = self.memory.as_agent("helper", owner="alice", acting_for="alice")
        self.canaries: list[str] = []
        self.sources: list[str] = []
        self.gone: list[str] = []

    def canary(self) -> str:
        self.canaries.append("Kanari" + word(self.rng, 6))
        return self.canaries[-1]

    def text(self) -> str:
        words = self.rng.choice([3, 8, 30, 300, 1500])  # up to several pages
        return f"{sentence(self.rng, words // 2)} {self.canary()} {sentence(self.rng, words // 2)}"

    # -- writing -----------------------------------------------------------------------------------------------------

    def write(self) -> None:
        for _ in range(self.rng.randint(6, 10)):
            self.clock.at += DAY
            place = self.rng.choice([None, None, {"project": "apollo"}, {"user": "alice", "workspace": "desk"}])
            subjects = self.rng.choice([[], [], ["@bob"]])
            self.alice.remember(self.text(), space=place, subjects=subjects)
        self.helper.remember(f"the helper noted {self.canary()} by the gate")
        self.alice.correct(self.rng.choice(list(self.alice.list())).id, self.text())
        self.talk()
        self.bring()

    def talk(self) -> None:
        """A conversation from which a statement is taken, and an answer that says it again."""
        drink, pet = self.canary(), self.canary()
        self.alice.observe(
            [
                {"role": "user", "content": f"I prefer {drink} on Fridays. My cat is called {pet}."},
                {"role": "assistant", "content": f"Noted: {drink} on Fridays. {pet} is a nice name."},
            ]
        )

    def bring(self) -> None:
        rows = [{"user_id": "alice", "content": self.text(), "kind": "fact"} for _ in range(self.rng.randint(1, 4))]
        report = self.alice.import_("\n".join(map(json.dumps, rows)).encode())
        assert report.source is not None
        self.sources.append(report.source)

    # -- erasing -----------------------------------------------------------------------------------------------------

    def erase(self, way: str) -> Receipt:
        alice, rng = self.alice, self.rng
        items = [item for item in alice.list(limit=200) if item.conversation is None]
        turns = [item for item in alice.list(limit=200) if item.conversation is not None]
        match way:
            case "id":
                return alice.erase(rng.choice(items).id)
            case "ids":
                return alice.erase(*(item.id for item in rng.sample(items, min(len(items), 4))))
            case "turn":
                return alice.erase(rng.choice(turns or items).id)
            case "words":
                said = [one for one in self.canaries if any(one in item.text for item in (*items, *turns))]
                return alice.erase(query=rng.choice(said))
            case "time":
                start = BEGINNING + rng.randint(0, 8) * DAY
                return alice.erase(since=start, until=start + rng.randint(1, 5) * DAY)
            case "author":
                return alice.erase(author="me")
            case "agent":
                return alice.erase(author="agent:helper")
            case "source":
                return alice.erase(source=self.sources.pop())
            case "person":
                return alice.erase(person="@bob")
            case "scope":
                return alice.erase(scope={"user": "alice"})
            case "space":
                return alice.erase(scope=rng.choice([{"project": "apollo"}, {"user": "alice", "workspace": "desk"}]))
            case "subject":
                return alice.subject.erase(rng.choice(["me", "@bob"]))
            case "undo":
                undone = alice.undo(source=self.sources[-1])
                return alice.erase(*(item.id for item in undone.items))
            case _:
                forgotten = rng.sample(items, min(len(items), 3))
                alice.forget(*(item.id for item in forgotten))
                return alice.erase(*(item.id for item in forgotten))

    def said(self) -> dict[str, str]:
        """Everything that is stored, in any state, by id."""
        whole = [self.alice, self.helper]
        return {item.id: item.text for bound in whole for item in _everything(bound)}

    def erase_and_search(self, way: str) -> None:
        before = self.said()
        export = _exported(self.alice)
        backup = self.folder / "older" / f"{len(self.gone)}-{way}.backup"
        backup.parent.mkdir(exist_ok=True)
        self.memory.store.backup(str(backup), with_key=True)
        receipt = self.erase(way)
        assert receipt.state == "complete", receipt.pending
        after = self.said()
        erased = [id for _, id in receipt.items]
        assert after.keys().isdisjoint(erased)
        lost = [one for one in self.canaries if any(one in before[id] for id in erased if id in before)]
        lost += [one for one in self.canaries if _is_said(one, before) and not _is_said(one, after)]
        unsure = {id for id in receipt.may_still_say if id in after}
        still = [
            one for one in dict.fromkeys(lost) if any(one in text for id, text in after.items() if id not in unsure)
        ]
        # A sentence from which another memory was taken stays; everything else that said it is rewritten.
        assert way == "turn" or still == [], (way, still)
        gone = [one for one in dict.fromkeys(lost) if not _is_said(one, after)]
        assert _found(backup.parent, gone) == gone, "the search finds what an older backup has"
        self.gone += gone
        self.search(way)
        assert receipt.dry_run or not receipt.items or self.alice.verify_erasure(receipt.id).ok
        self.bring_old_files(way, export, backup, gone)

    def search(self, way: str) -> None:
        """The store, and an export and a backup that are made now."""
        now = self.folder / "now"
        now.mkdir(exist_ok=True)
        (now / "export.jsonl").write_bytes(_exported(self.alice))
        (now / "one.backup").unlink(missing_ok=True)
        self.memory.store.backup(str(now / "one.backup"), with_key=True)
        assert _found(self.path.parent, self.gone) == [], way
        assert _found(now, self.gone) == [], way

    def bring_old_files(self, way: str, export: bytes, backup: Path, gone: list[str]) -> None:
        """An export that is imported again, and a backup that is restored with the list, bring back nothing."""
        self.clock.at += DAY
        self.alice.import_(export)
        said = self.said()
        assert [one for one in gone if _is_said(one, said)] == [], way
        self.search(f"{way}, imported again")
        new = self.folder / f"restored-{len(self.gone)}-{way}" / "memory.db"
        new.parent.mkdir()
        erased = self.path.with_name("memory.db.erased")
        Memory.restore(str(backup), str(new), erased=str(erased) if erased.exists() else None)
        assert _found(new.parent, gone) == [], f"{way}, restored"


def _everything(bound: BoundMemory) -> list[object]:
    return list(bound.list(limit=1000, statuses=ALL, deleted=True))


def _exported(bound: BoundMemory) -> bytes:
    return "\n".join(json.dumps(line) for line in bound.export()).encode()


def _is_said(canary: str, said: dict[str, str]) -> bool:
    return any(canary in text for text in said.values())


def _found(folder: Path, needles: list[str]) -> list[str]:
    """Which of the words are in any file of a folder, read by another process, as `contents_of` explains."""
    files = [str(file) for file in sorted(folder.iterdir()) if file.is_file()]
    content = subprocess.run(["cat", *files], capture_output=True, check=True).stdout
    return [needle for needle in needles if any(spelling in content for spelling in spellings(needle))]


def test_no_way_of_erasing_leaves_a_word_in_any_file(tmp_path: Path) -> None:
    ways: Counter[str] = Counter()
    erased = live = 0
    for workload in range(count(WORKLOADS)):
        rng = seeded("campaign", workload)
        campaign = Campaign(tmp_path / f"{workload}", rng)
        with campaign.memory as memory:
            campaign.write()
            for way in (WAYS[workload % len(WAYS)], rng.choice(WAYS[:12])):
                ways[way] += 1
                campaign.erase_and_search(way)
                campaign.write()
            campaign.search("written to afterwards")
            said = campaign.said()
            kept = [one for one in campaign.canaries if _is_said(one, said)]
            assert _found(campaign.path.parent, kept) == kept, "the control: what is kept is found"
            sound(memory)
        assert _found(campaign.path.parent, campaign.gone) == []
        erased, live = erased + len(campaign.gone), live + len(kept)
    print(f"{sum(ways.values())} erasures in {len(ways)} ways: {erased} erased words, 0 found; {live} kept, all found")
    assert len(ways) >= min(count(WORKLOADS), len(WAYS))
    assert erased > count(WORKLOADS)
    assert live > 0
