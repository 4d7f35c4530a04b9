"""What `doctor` checks outside the store: versions, settings, files, and why a store cannot be opened. The `doctor`
operation checks an open store."""

from __future__ import annotations

import os
import platform
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from memfort.errors import EngineTooOld, KeyMismatch, SchemaMismatch, StoreBroken, StoreError
from memfort.model.results import CheckResult
from memfort.operations.upkeep.checks.store_checks import SOUNDNESS
from memfort.surfaces.cli.input.settings import default_store, project_file, user_file

if TYPE_CHECKING:
    from memfort.client import Memory
    from memfort.surfaces.cli.session import Session

# In the order they are shown.
CHECKS = (
    "python",
    "engine",
    "config",
    "policy",
    "store",
    "directory",
    "files",
    "key",
    "schema",
    "pages",
    "rows",
    "index",
    "vectors",
    "sensitivity",
    "extraction",
    "trail",
    "reads",
    "erasures",
    "erased_list",
    "ballast",
    "provenance",
    "types",
    "subjects",
    "edges",
    "names",
    "duplicates",
    "contradictions",
)
_CHECK_OF_ERROR = {KeyMismatch: "key", SchemaMismatch: "schema", EngineTooOld: "engine", StoreBroken: "pages"}
_REMEDIES = {
    "directory": "chmod go-w the directory, or keep the store in one of your own",
    "files": "memfort doctor --fix",
    "key": "put the key file back from a copy; if it is lost for good: memfort doctor --new-key",
    "schema": "use the memfort that made the store, or a newer one",
    "engine": "install apsw 3.54.1 or newer",
    "pages": "restore the store from a copy",
    "store": "check that the directory exists and is yours",
}


def examine(session: Session) -> list[CheckResult]:
    """Run every check. Changes nothing, and creates no store."""
    found = {one.check: one for one in _surroundings(session)}
    for one in _store(session):
        found[one.check] = one
    return [found[name] for name in CHECKS if name in found]


def _result(check: str, found: str, *problems: str, remedy: str | None = None) -> CheckResult:
    return CheckResult(check, found, problems, remedy=(remedy or _REMEDIES.get(check)) if problems else None)


def loose_files(database: Path) -> list[Path]:
    """The store's files that other users can read or write. Only plain files owned by us: `--store` can name
    anything."""
    names = ("", "-wal", "-shm", ".key", ".key.new", ".lock", ".lock-queue", ".ballast", ".erased", ".run-token")
    paths = (database.with_name(database.name + suffix) for suffix in names)
    return [path for path in paths if _is_ours(path) and path.stat().st_mode & 0o077]


def loose_directory(database: Path) -> str | None:
    """What is wrong with the store's directory: our own must be closed to other users, any other must not be writable
    by them."""
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


def _surroundings(session: Session) -> Iterator[CheckResult]:
    from memfort.policy.settings.policy import Policy
    from memfort.store.opening import DEFAULT, engine_at, engine_named

    yield _result("python", f"Python {platform.python_version()}")
    engine = engine_named(DEFAULT) if session.database is None else engine_at(session.database)
    try:
        engine.check()
        yield _result("engine", engine.version())
    except EngineTooOld as error:
        yield _result("engine", engine.version(), str(error))
    files = [str(path) for path in (project_file(Path.cwd()), user_file()) if path is not None and path.is_file()]
    origins = ", ".join(f"{one.name} from {one.origin}" for one in session.settings.found.values() if _is_set(one.rank))
    yield _result("config", f"{', '.join(files) or 'no file'}; {origins or 'all defaults'}")
    policy = session.named_policy or Policy()
    yield _result("policy", f"{policy.name} {policy.digest}")


def _is_set(rank: int) -> bool:
    return rank < 4  # the last rank is the default


def _store(session: Session) -> Iterator[CheckResult]:
    if session.database is not None:
        yield from _inside(session)
        return
    database: Path = session.store_file
    if not database.exists():
        yield _result("store", f"there is no store yet at `{database}`")
        return
    if not database.is_file():
        yield _result("store", str(database), "it is not a file", remedy="name the file that memories are kept in")
        return
    yield _result("store", str(database))
    problem = loose_directory(database)
    yield _result("directory", str(database.parent), *(() if problem is None else (problem,)))
    loose = tuple(f"`{path}` is open to others" for path in loose_files(database))
    yield _result("files", "closed to others" if not loose else f"{len(loose)} open to others", *loose)
    yield from _inside(session)


def _inside(session: Session) -> Iterator[CheckResult]:
    """What the operation finds. The person who runs this has the store's file, so the store itself is always checked;
    memories are checked as far as the caller owns them."""
    import apsw

    from memfort.policy.settings.policy import Policy

    try:
        with session.memory(policy=session.named_policy or Policy()) as memory:
            checks = _opened(session, memory)
    except StoreError as error:
        name = _CHECK_OF_ERROR.get(type(error), "store")
        remedy = "run `memfort store check`" if session.database else _advice(name, session.store_file)
        yield _result(name, "the store cannot be used", str(error), remedy=remedy)
        return
    except apsw.Error as error:
        yield _result("pages", "the store cannot be read", f"SQLite says: {type(error).__name__}")
        return
    mine = {"files"} if session.named_policy is None else {"files", "policy"}  # checked before the store is opened
    yield from (one for one in checks if one.check not in mine)


def _opened(session: Session, memory: Memory) -> tuple[CheckResult, ...]:
    if session.settings["as"] is None:
        return memory.as_system().doctor().checks
    found = tuple(map(_without_totals, memory.as_system().doctor(checks=["store"]).checks))
    is_sound = all(one.ok for one in found if one.check in SOUNDNESS)
    return (*found, *session.patient(memory).doctor().checks) if is_sound else found


def _without_totals(check: CheckResult) -> CheckResult:
    """How much others keep is for the operator, who names nobody."""
    if check.check == "rows" and check.ok:
        return replace(check, found="every memory matches its seal")
    if check.check == "vectors" and check.notes:
        return replace(check, found="some are missing", notes=("some memories are found by words alone",))
    return check


def _advice(name: str, database: Path) -> str | None:
    """A new key is made only if there is no key file: a wrong key file must be moved away first."""
    key = database.with_name(database.name + ".key")
    if name != "key" or not key.exists():
        return None
    return f"put the right key file back; if it is lost for good: move `{key}` away, then memfort doctor --new-key"
