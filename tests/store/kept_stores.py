"""A small store of each format, kept as a file, so that later versions are tested with what earlier ones wrote.

    python -m tests.store.kept_stores

writes one of the present format: once for each, when the format is about to be released. What is kept is never written
again.
"""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path

from memfort import FixedClock, Memory
from memfort.model.moment import Moment
from memfort.policy.settings.policy import Policy
from memfort.store.sqlite import SqliteStore
from memfort.store.sqlite.migrate import shipped_migrations

KEPT = Path(__file__).parents[1] / "data" / "stores"
NAME = "memory.db"
_WRITTEN_AT = Moment(1_767_225_600_000_000)


def kept_stores() -> list[Path]:
    return sorted(KEPT.glob("format-*.zip"), key=number_of)


def number_of(kept: Path) -> int:
    """The number of the last migration that the store had."""
    return int(kept.stem.removeprefix("format-"))


def unpack(kept: Path, folder: Path) -> Path:
    with zipfile.ZipFile(kept) as archive:
        archive.extractall(folder)
    return folder / NAME


def write(path: Path) -> None:
    """Something of everything: states, people, a chat, a share, a rejected value, a phase, an erasure."""
    clock = FixedClock(_WRITTEN_AT)
    store = SqliteStore(path, ballast_bytes=0)
    with Memory(store, clock=clock, policy=Policy(), classifier="none", judge="on_demand") as memory:
        memory.agent.register("helper", owner="alice")
        memory.chat.register("team", kind="group", participants=["alice", "bob"])
        memory.member.add({"project": "apollo"}, user="alice", trust="owner")
        alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob")
        tea = alice.remember("I like green tea", tags=["drinks"], sensitivity="public")
        clock.advance(60)
        alice.correct(tea.id, "I like black tea", sensitivity="public")
        alice.remember("Apollo launches on Friday", space={"project": "apollo"})
        alice.remember("my wife Anna is a doctor")
        alice.remember("Zurich", kind="profile", key="city")
        rejected = alice.remember("perhaps the moon is cheese", confidence=0.1)
        alice.review.reject(rejected.id)
        alice.forget(alice.remember("the code of the door is on the fridge").id)
        alice.erase(alice.remember("xylophones bore me").id)
        alice.share(user="bob")
        alice.phase.start("a new job", space={"project": "apollo"})
        alice.remember("Apollo has landed", space={"project": "apollo"})
        bob.remember("I play the cello")
        memory.as_user("alice", chat="team").observe("We meet on Tuesdays.")
        alice.recall("tea")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / NAME
        write(path)
        KEPT.mkdir(exist_ok=True)
        made = KEPT / f"format-{shipped_migrations()[-1].number}.zip"
        with zipfile.ZipFile(made, "w", zipfile.ZIP_LZMA) as archive:
            for file in (path, path.with_name(f"{NAME}.key"), path.with_name(f"{NAME}.erased")):
                archive.write(file, file.name)
        print(f"{made.name}: {made.stat().st_size} bytes")


if __name__ == "__main__":
    main()
