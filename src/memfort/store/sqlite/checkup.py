"""What SQLite itself can check: the permissions of the files, and the pages of the database."""

from __future__ import annotations

from collections.abc import Iterator

import apsw

from memfort.store.sql.checkup import Problem
from memfort.store.sqlite.files import StoreFiles


def permissions(files: StoreFiles) -> Iterator[Problem]:
    for path in (files.database, files.key, files.wal, files.erased):
        if path.exists() and path.stat().st_mode & 0o077:
            yield "permissions", f"`{path}` can be read by others; run `chmod 600 {path}`"


def pages(connection: apsw.Connection) -> Iterator[Problem]:
    for (answer,) in connection.execute("pragma integrity_check"):
        if answer != "ok":
            yield "pages", str(answer)
