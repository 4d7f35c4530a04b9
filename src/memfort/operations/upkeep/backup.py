"""Back up the store into one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import Meta

from memfort.engine.call import Progress
from memfort.engine.transaction import Session
from memfort.errors import BackupFailed
from memfort.model.reason import Reason
from memfort.model.results import BackupReport
from memfort.operations.requests import FilePath, Request
from memfort.operations.upkeep.checks.copy_checks import problems_of
from memfort.store.port import Backup, Backups, Capability, refuse


class BackupRequest(Request, frozen=True):
    """Where to write the backup."""

    path: Annotated[
        FilePath, Meta(description="The file to write; it must not exist.", extra={"metavar": "FILE", "one_word": True})
    ]
    with_key: Annotated[
        bool, Meta(description="Put the store's key into the file too; then whoever has the file has everything.")
    ] = False


def handle(session: Session, request: BackupRequest) -> BackupReport:
    """Write one consistent state of the store into a file while others go on writing, check the copy, and only then
    give it its name: a file of that name is a whole backup."""
    engine = session.store.engine
    if engine is None or engine.backups is None:
        refuse(engine, Capability.BACKUP)
    path, at = Path(request.path).absolute(), session.now
    session.engine.flush_if_possible()
    with engine.backups.new_file(path, "backup") as file:
        made = session.store.backup(file.path, at, with_key=request.with_key, progress=_before_checks(session))
        _check(session, engine.backups, file.path, made)
        size = file.path.stat().st_size
        file.publish()
    if not session.store.is_read_only:
        detail = {"memories": made.memories, "events": made.events, "with_key": made.with_key}
        recorder = session.engine.recorder(session.actor, at, session.call.via)
        session.apply([], [recorder.directory_event("backup", Reason.BACKED_UP, detail=detail)])
    session.progress(1, 1)
    return BackupReport(str(path), at, size, made.memories, made.spaces, made.events, made.key, with_key=made.with_key)


def _before_checks(session: Session) -> Progress:
    """Progress while copying. The last step is the check of the copy."""
    return lambda done, total: session.progress(done, total + 1)


def _check(session: Session, backups: Backups, part: Path, made: Backup) -> None:
    with backups.opened(part, session.store.keys) as (note, copy):
        problems = problems_of(copy, session.engine)
        counts = copy.info()
    if note != made or (counts["memories"], counts["spaces"]) != (made.memories, made.spaces):
        problems.append("the copy holds something else than the store did")
    if problems:
        raise BackupFailed(f"the copy is not sound, so no backup was kept: {problems[0]}; run `doctor()` on the store")
