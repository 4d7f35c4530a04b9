"""Copy a whole store to another address, of the same engine or another: ids, trail and receipts stay valid, because the
copy has the same key and every row of the source."""

from __future__ import annotations

from contextlib import closing
from typing import cast

from msgspec import Struct

from memfort.errors import InvalidInput
from memfort.store.opening import check_address, engine_at
from memfort.store.port import Progress
from memfort.store.sql.store import SqlStore


class CopiedStore(Struct, frozen=True):
    """What was copied and compared."""

    memories: int
    events: int


def copy_store(source: str, target: str, progress: Progress | None = None) -> CopiedStore:
    """Copy the store at `source` to `target`, where nothing may be. If it is interrupted, the same call goes on where
    it was, unless the source has changed; until every row has been compared, nobody can open the copy."""
    check_address(source, "source")
    check_address(target, "target")
    if source == target:
        raise InvalidInput("target", "it is the store to be copied", "name another place")
    engine = engine_at(target)
    with closing(engine_at(source).open_source(source)) as origin, engine.new_copy(target, origin) as copy:
        copied = cast(SqlStore, copy)
        copied.copy_from(cast(SqlStore, origin), progress)
        connection = copied.current_connection()
        return CopiedStore(int(connection.scalar("count_items")), int(connection.scalar("count_links")))
