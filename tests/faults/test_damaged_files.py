"""A damaged file is noticed. Whatever is served is right; what is not right is named, or an error (fault F7)."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path

import pytest
from fault_support import contents_of, count, files_of, seeded, sentence, sound

from memfort import Memory
from memfort.clock import FixedClock
from memfort.errors import CorruptMemory, MemfortError
from memfort.model.moment import Moment
from memfort.store.port import Erasure, PutErasure
from memfort.store.sqlite import SqliteStore
from memfort.trail.keys import Keys

Healthy = tuple[Path, dict[str, dict[str, str]]]
USERS = ("alice", "bob")
PER_USER = 20
KEYS = Keys(secret=bytes(range(32)), signing=bytes(range(32, 64)))


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Healthy:
    """A store, closed so that all of it is in the database file, and what each user has in it."""
    path = tmp_path_factory.mktemp("healthy") / "memory.db"
    return path, _filled(path, None)


@pytest.fixture(scope="module")
def reproducible(tmp_path_factory: pytest.TempPathFactory) -> Healthy:
    """The same, with the same keys and the same time always, so that the same bit is the same damage again."""
    path = tmp_path_factory.mktemp("reproducible") / "memory.db"
    return path, _filled(path, KEYS)


def _filled(path: Path, keys: Keys | None) -> dict[str, dict[str, str]]:
    rng = seeded("damage")
    kept: dict[str, dict[str, str]] = {}
    with opened(path, keys) as memory:
        for user in USERS:
            texts = [sentence(rng, rng.choice([4, 10, 40, 300])) for _ in range(PER_USER)]
            outcomes = memory.as_user(user).remember_many(texts)
            kept[user] = {outcome.item.id: text for outcome, text in zip(outcomes, texts, strict=True)}
    return kept


def opened(path: Path, keys: Keys | None = None) -> Memory:
    return Memory(SqliteStore(path, keys=keys, ballast_bytes=0), clock=FixedClock(Moment(1_800_000_000_000_000)))


def copied(path: Path, folder: Path) -> Path:
    folder.mkdir()
    for file in files_of(path):
        shutil.copy(file, folder / file.name)
    return folder / path.name


def read_everything(path: Path, kept: dict[str, dict[str, str]], keys: Keys | None = None) -> str:
    """Read all there is as each user, every way there is. Says how a damage showed; a wrong text is a failed test."""
    try:
        with opened(path, keys) as memory:
            shown = "unharmed"
            for user, texts in kept.items():
                shown = max(shown, _read_as(memory, user, texts), key=_RANK.index)
            problems = memory.as_system().doctor(checks=["integrity"]).problems
    except MemfortError:
        return "error"
    if shown == "absent":
        assert problems, "memories are missing, and no check says so"
        return "named"
    return "named" if problems and shown == "unharmed" else shown


_RANK = ["unharmed", "absent", "named", "error"]


def _read_as(memory: Memory, user: str, texts: dict[str, str]) -> str:
    bound, shown = memory.as_user(user), "unharmed"
    listed = {item.id: item.text for item in bound.list(limit=1000)}
    assert listed.items() <= texts.items(), "a listing served something that was never written"
    if listed != texts:
        shown = "absent"
    for id, text in texts.items():
        try:
            item = bound.get(id)
            recall = bound.recall(text.split()[1])
        except CorruptMemory:
            shown = "named"
            continue
        assert item is None or item.text == text, "a wrong text was served"
        assert set(recall.texts) <= set(texts.values()), "a recall served a wrong text"
        if item is None or not recall:
            shown = max(shown, "named" if recall.damaged else "absent", key=_RANK.index)
    return shown


def test_no_flipped_bit_is_ever_served_as_truth(tmp_path: Path, reproducible: Healthy) -> None:
    path, kept = reproducible
    original = path.read_bytes()
    assert read_everything(copied(path, tmp_path / "control"), kept, KEYS) == "unharmed"
    found: Counter[str] = Counter()
    used = [place for place, byte in enumerate(original) if byte]  # the rest is room that nothing is kept in
    for flip in range(count(64)):
        rng = seeded("flip", flip)
        bit = rng.choice(used) * 8 + rng.randrange(8)
        print(f"bit {bit}")
        copy = copied(path, tmp_path / f"{flip}")
        damaged = bytearray(original)
        damaged[bit // 8] ^= 1 << bit % 8
        copy.write_bytes(damaged)
        found[read_everything(copy, kept, KEYS)] += 1
        shutil.rmtree(copy.parent)
    print(f"{count(64)} flips: {dict(found)}; 0 wrong texts")
    assert found["named"] + found["error"] > count(64) / 2, "unnoticed damage"


def test_a_damaged_memory_is_named_and_the_others_are_served(tmp_path: Path, healthy: Healthy) -> None:
    path, kept = healthy
    copy = copied(path, tmp_path / "one")
    id, text = next(iter(kept["alice"].items()))
    content = copy.read_bytes()
    assert content.count(text.encode()) == 1
    copy.write_bytes(content.replace(text.encode(), text.replace("note", "vote", 1).encode()))
    with opened(copy) as memory:
        alice = memory.as_user("alice")
        with pytest.raises(CorruptMemory, match=id):
            alice.get(id)
        recall = alice.recall(text.split()[1])
        assert recall.damaged == (id,)
        assert not any(text.split()[1] in found for found in recall.texts)
        assert len(alice.list(limit=1000)) == PER_USER - 1
        assert [what for what, problem in memory.as_system().doctor(checks=["integrity"]).problems if id in problem]
        other = list(kept["alice"].values())[1]
        assert alice.recall(other.split()[1]).texts[0] == other
        assert len(memory.as_user("bob").list(limit=1000)) == PER_USER


@pytest.mark.parametrize("by", ["id", "scope", "finishing"])
def test_a_damaged_memory_can_be_erased_and_is_never_left_behind(tmp_path: Path, healthy: Healthy, by: str) -> None:
    path, kept = healthy
    copy = copied(path, tmp_path / "one")
    id, text = next(iter(kept["alice"].items()))
    copy.write_bytes(copy.read_bytes().replace(text.encode(), text.replace("note", "vote", 1).encode()))
    canary = text.split()[1].encode()
    with opened(copy) as memory:
        alice = memory.as_user("alice")
        assert canary in contents_of(copy)
        if by == "finishing":
            (space,) = (one for one in memory._engine.store.spaces() if one.to_dict() == {"user": "alice"})
            record = Erasure("era_x", Moment(1), alice.actor.key, ((space.id, id),), {}, "not finished yet")
            memory._engine.store.apply([PutErasure(record)], [])
            assert memory.finish_erasures().finished == ("era_x",)
        else:
            receipt = alice.erase(id) if by == "id" else alice.erase(scope={"user": "alice"})
            assert id in {one for _, one in receipt.items}
            assert receipt.state == "complete"
            assert alice.verify_erasure(receipt.id).ok
        assert canary not in contents_of(copy)
        sound(memory)
        assert len(alice.list(limit=1000)) == (0 if by == "scope" else PER_USER - 1)


@pytest.mark.parametrize("left", [0, 100, 512, 4096, 3 * 4096, 0.5, 0.99])
def test_a_truncated_file_is_refused_or_names_the_missing_memories(
    tmp_path: Path, healthy: Healthy, left: float
) -> None:
    path, kept = healthy
    copy = copied(path, tmp_path / "short")
    content = copy.read_bytes()
    copy.write_bytes(content[: int(left * len(content)) if 0 < left < 1 else int(left)])
    assert read_everything(copy, kept) in ("error", "named")


def test_an_emptied_database_is_not_taken_for_a_new_one(tmp_path: Path, healthy: Healthy) -> None:
    copy = copied(healthy[0], tmp_path / "empty")
    copy.write_bytes(b"")
    with pytest.raises(MemfortError, match="restore it from a copy"):
        opened(copy)
    copy.unlink()
    with pytest.raises(MemfortError, match="restore it from a copy"):
        opened(copy)
    with opened(tmp_path / "fresh" / "memory.db") as memory:
        assert memory.as_user("alice").list().items == ()


@pytest.mark.parametrize("log_of", ["the first moments", "a moment between", "another store"])
def test_the_log_of_another_moment_is_never_mixed_in_unnoticed(tmp_path: Path, log_of: str) -> None:
    """An old log beside a newer file, which SQLite plays back over what is newer. Where that happens to give a state
    the store once had, whole, nothing inside the file can tell; anything else must be named."""
    path, texts, rng = tmp_path / "first" / "memory.db", {}, seeded("log", log_of)
    memory = opened(path)
    _write(memory, rng, texts, 30)
    if log_of == "a moment between":
        _write(memory, rng, texts, 120)
        memory._engine.store.scrub()  # which empties the log
        _write(memory, rng, texts, 2)
    log = path.with_name("memory.db-wal").read_bytes()
    if log_of == "another store":
        with opened(tmp_path / "second" / "memory.db") as stranger:
            _write(stranger, rng, {}, 30)
            log = (tmp_path / "second" / "memory.db-wal").read_bytes()
    _write(memory, rng, texts, 120)
    memory.close()
    assert read_everything(copied(path, tmp_path / "control"), {"alice": texts}) == "unharmed"
    copy = copied(path, tmp_path / "mixed")
    assert len(log) > 4096
    copy.with_name("memory.db-wal").write_bytes(log)
    earlier = dict(list(texts.items())[:30])
    shown = read_everything(copy, {"alice": earlier if log_of == "the first moments" else texts})
    print(f"log of {log_of}: {shown}")
    assert shown == ("unharmed" if log_of == "the first moments" else "error") or shown == "named"


def _write(memory: Memory, rng: random.Random, texts: dict[str, str], how_many: int) -> None:
    new = [sentence(rng) for _ in range(how_many)]
    outcomes = memory.as_user("alice").remember_many(new)
    texts.update({outcome.item.id: text for outcome, text in zip(outcomes, new, strict=True)})


def test_random_bytes_are_refused_as_a_store(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(seeded("noise").randbytes(50_000))
    with pytest.raises(MemfortError):
        opened(path)
