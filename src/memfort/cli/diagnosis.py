"""What `doctor` looks at: one named check after another, each with what was found and what to do about it."""

from __future__ import annotations

import os
import platform
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memfort.cli.plain import counted
from memfort.cli.settings import default_store, project_file, user_file
from memfort.errors import EngineTooOld, KeyMismatch, SchemaMismatch, StoreBroken, StoreError
from memfort.store.port import ANALYZER

if TYPE_CHECKING:
    from memfort.cli.session import Session
    from memfort.memory import Memory

# In the order they are shown.
CHECKS = ("python", "engine", "config", "policy", "store", "directory", "files", "key", "schema", "pages", "rows",
          "index", "vectors", "trail", "erasures", "ballast", "provenance", "types", "subjects", "edges", "names",
          "duplicates", "contradictions")  # fmt: skip
_CHECK_OF_PROBLEM = {"permissions": "files", "damaged": "rows", "erasure": "erasures"}
_CHECK_OF_ERROR = {KeyMismatch: "key", SchemaMismatch: "schema", EngineTooOld: "engine", StoreBroken: "pages"}
_REMEDIES = {
    "directory": "chmod go-w the directory, or keep the store in one of your own",
    "files": "memfort doctor --fix",
    "key": "put the key file back from a copy; if it is lost for good: memfort doctor --new-key",
    "schema": "use the memfort that made the store, or a newer one",
    "engine": "install apsw 3.54.1 or newer",
    "pages": "restore the store from a copy",
    "rows": "memfort doctor --fix takes them out of the index; then erase them by id, or restore the store from a copy",
    "index": "memfort doctor --fix",
    "trail": "find out who changed the store; memfort audit verify says where",
    "erasures": "memfort erasures --finish",
    "ballast": "free some disk space, then run memfort doctor again",
    "store": "check that the directory exists and is yours",
    "policy": "memfort policy use POLICY",
    "subjects": "memfort doctor --fix; somebody whom nobody knows can be entered again with memfort people add",
    "edges": "memfort doctor --fix cuts links that lead nowhere",
    "names": "memfort doctor --fix",
    "duplicates": "memfort doctor --fix lets the lighter one give way",
    "contradictions": "memfort doctor --fix settles them as a write would",
}
_ASKED_APART = {
    "provenance": "judge for yourself; memfort doctor --fix --also provenance forgets them",
    "types": "judge for yourself; memfort doctor --fix --also types gives them the type that their words show",
}
_SOUND = {
    "provenance": "of every memory it is known where it was learned",
    "types": "every type is as the words say",
    "subjects": "every memory is about somebody who is known",
    "edges": "every link leads somewhere",
    "names": "everybody has each name once",
    "duplicates": "nothing is said twice",
    "contradictions": "nothing is said otherwise",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    found: str
    problems: tuple[str, ...] = ()
    advice: str | None = None  # in place of what is usual
    notes: tuple[str, ...] = ()  # for a person to judge; they make no store unsound
    fixable: int = 0  # how much of it could be put right

    @property
    def ok(self) -> bool:
        return not self.problems

    @property
    def remedy(self) -> str | None:
        if self.notes:
            return self.advice or _ASKED_APART[self.name]
        return None if self.ok else self.advice or _REMEDIES.get(self.name)

    def as_dict(self) -> dict[str, object]:
        return {"check": self.name, "ok": self.ok, "found": self.found, "problems": list(self.problems),
                "notes": list(self.notes), "remedy": self.remedy}  # fmt: skip


def examine(session: Session) -> list[Check]:
    """Look everything over. Changes nothing, and makes no store where there is none."""
    found = {check.name: check for check in (*_surroundings(session), *_store(session))}
    return [found[name] for name in CHECKS if name in found]


def loose_files(database: Path) -> list[Path]:
    """The store's own files that others could read or write. Only plain files of ours: `--store` can name anything."""
    names = ("", "-wal", "-shm", ".key", ".key.new", ".lock", ".lock-queue", ".ballast")
    paths = (database.with_name(database.name + suffix) for suffix in names)
    return [path for path in paths if _is_ours(path) and path.stat().st_mode & 0o077]


def loose_directory(database: Path) -> str | None:
    """What is wrong with the store's directory. One of our own is closed; a borrowed one must not let others write."""
    directory = database.parent
    mode = stat.S_IMODE(directory.stat().st_mode)
    if is_own_directory(database):
        return f"`{directory}` is open to others ({mode:o})" if mode & 0o077 else None
    if mode & 0o022 and not mode & stat.S_ISVTX:
        return f"others can write in `{directory}` ({mode:o}) and could replace the store"
    return None


def is_own_directory(database: Path) -> bool:
    return database.parent == default_store().parent and database.parent.stat().st_uid == os.getuid()


def _is_ours(path: Path) -> bool:
    if not os.path.lexists(path):
        return False
    found = path.lstat()
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid()


def _surroundings(session: Session) -> Iterator[Check]:
    import apsw

    from memfort.policy.settings import Policy
    from memfort.store.sqlite.connection import check_engine

    yield Check("python", f"Python {platform.python_version()}")
    linked = apsw.sqlite_lib_version()
    try:
        check_engine(linked)
        yield Check("engine", f"SQLite {linked}, apsw {apsw.apsw_version()}")
    except EngineTooOld as error:
        yield Check("engine", f"SQLite {linked}", (str(error),))
    files = [str(path) for path in (project_file(Path.cwd()), user_file()) if path is not None and path.is_file()]
    origins = ", ".join(f"{one.name} from {one.origin}" for one in session.settings.found.values() if _is_set(one.rank))
    yield Check("config", f"{', '.join(files) or 'no file'}; {origins or 'all defaults'}")
    policy = session.named_policy or Policy()
    yield Check("policy", f"{policy.name} {policy.digest}")


def _is_set(rank: int) -> bool:
    return rank < 4  # the last rank is the default


def _store(session: Session) -> Iterator[Check]:
    database: Path = session.settings["store"]
    if not database.exists():
        yield Check("store", f"there is none yet at `{database}`")
        return
    if not database.is_file():
        yield Check("store", str(database), ("it is not a file",), "name the file that memories are kept in")
        return
    yield Check("store", str(database))
    problem = loose_directory(database)
    yield Check("directory", str(database.parent), () if problem is None else (problem,))
    loose = tuple(f"`{path}` is open to others" for path in loose_files(database))
    yield Check("files", "closed to others" if not loose else f"{len(loose)} open to others", loose)
    yield from _inside(session)


def _inside(session: Session) -> Iterator[Check]:
    import apsw

    from memfort.policy.settings import Policy
    from memfort.store.sqlite.files import BALLAST_BYTES

    try:
        with session.memory(policy=session.named_policy or Policy()) as memory:
            info = memory.info()
            problems = memory.checkup()
            in_use = _policy_in_use(memory)
            contents = [] if problems else list(_contents(session, memory))
    except StoreError as error:
        name = _CHECK_OF_ERROR.get(type(error), "store")
        yield Check(name, "the store cannot be used", (str(error),), _advice(name, session.settings["store"]))
        return
    except apsw.Error as error:
        yield Check("pages", "the store cannot be read", (f"SQLite says: {type(error).__name__}",))
        return
    if session.named_policy is None and in_use is not None:
        yield in_use
    yield Check("key", f"key {info['key']}")
    yield Check("schema", f"schema {info['schema']}")
    for name, sound in (
        ("pages", "every page is sound"),
        ("rows", _sound_rows(int(info["memories"]))),
        ("index", "every entry is where it belongs"),
        ("trail", "every link holds, and every memory is as it tells"),
        ("erasures", "none is pending"),
    ):
        here = tuple(problem for what, problem in problems if _CHECK_OF_PROBLEM.get(what, what) == name)
        if name == "index" and not here:
            yield _index(sound, str(info["words"]))
        else:
            yield Check(name, sound if not here else counted(len(here), "problem"), here)
    yield _vectors(str(info["embedder"]), int(info["without_vector"]))
    ballast = int(info["ballast_bytes"])
    missing = (f"{ballast} of {BALLAST_BYTES} bytes are set aside; a full disk could stop an erasure",)
    yield Check("ballast", f"{ballast} bytes for erasing on a full disk", () if ballast >= BALLAST_BYTES else missing)
    yield from contents


def _index(sound: str, words: str) -> Check:
    """That its words are those of an earlier version makes no store unsound: most are the same."""
    if words == ANALYZER:
        return Check("index", sound)
    note = f"it has the words of `{words}`, and a query asks for those of `{ANALYZER}`"
    return Check("index", sound, notes=(note,), advice="memfort reindex")


def _vectors(embedder: str, missing: int) -> Check:
    """That some are found by their words alone makes no store unsound."""
    if not missing:
        return Check("vectors", "none are in use" if embedder == "none" else f"every memory has one of `{embedder}`")
    note = f"{counted(missing, 'memory')} found by words alone: no vector of `{embedder}`"
    return Check("vectors", counted(missing, "finding"), notes=(note,), advice="memfort reembed")


def _contents(session: Session, memory: Memory) -> Iterator[Check]:
    """What is wrong with what is kept; not looked at in a store that is not sound, where nothing can be relied on."""
    from memfort.memory.upkeep.doctoring import NOTES

    for ailment in session.patient(memory).doctor().ailments:
        told = tuple(f"`{one.id}` ({', '.join(one.levels) or 'listed'}): {one.problem}" for one in ailment.findings)
        more = ailment.count - len(told)
        lines = (*told, f"and {counted(more, 'other')}") if more else told
        found = _SOUND[ailment.check] if not lines else counted(ailment.count, "finding")
        is_note = ailment.check in NOTES
        yield Check(ailment.check, found, () if is_note else lines, notes=lines if is_note else (),
                    fixable=ailment.fixable)  # fmt: skip


def _policy_in_use(memory: Memory) -> Check | None:
    """What the store says is in use, in place of the default that was named before."""
    try:
        policy = memory.policy_in_use()
    except StoreError as error:
        return Check("policy", "the one in use does not read", (str(error),))
    return None if policy is None else Check("policy", f"{policy.name} {policy.digest}, in use in the store")


def _advice(name: str, database: Path) -> str | None:
    """A new key is made only where there is none: a key file that does not fit has to be out of the way first."""
    key = database.with_name(database.name + ".key")
    if name != "key" or not key.exists():
        return None
    return f"put the right key file back; if it is lost for good: move `{key}` away, then memfort doctor --new-key"


def _sound_rows(count: int) -> str:
    return "1 memory matches its seal" if count == 1 else f"{count} memories match their seals"
