"""Open a store by its address. What stands before `://` names the engine; a path alone is a file of SQLite.

Only the engine that is asked for is imported: each brings its own packages.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from memfort.errors import InvalidInput, a, did_you_mean
from memfort.store.port import Store, StoreEngine

DEFAULT = "sqlite"
# The module of each engine, which has it as `ENGINE`.
ENGINES = {
    "sqlite": "memfort.store.sqlite.engine",
    "postgresql": "memfort.store.postgres.engine",
    "postgres": "memfort.store.postgres.engine",
}


def open_store(address: Path | str, *, read_only: bool = False) -> Store:
    """The store at an address, made if it is not there."""
    text = check_address(address)
    return engine_at(text).open(text, read_only=read_only)


def open_temporary_store() -> Store:
    """A store that forgets everything when it is closed."""
    return cast(Store, import_module("memfort.store.sqlite.temporary").TemporaryStore())


def engine_at(address: str) -> StoreEngine:
    """The engine of the store at an address."""
    return engine_named(address.split("://", 1)[0] if is_url(address) else DEFAULT)


def engine_named(name: str) -> StoreEngine:
    if name not in ENGINES:
        known = " or ".join(f"`{one}://`" for one in ENGINES)
        remedy = did_you_mean(name, list(ENGINES)) if len(ENGINES) > 1 else ""
        raise InvalidInput("path", f"there is no engine `{name}://`", f"name a file, or begin with {known}{remedy}")
    return cast(StoreEngine, import_module(ENGINES[name]).ENGINE)


def is_url(address: str) -> bool:
    return "://" in address


def check_address(address: Any, field: str = "path") -> str:
    """The address as text, if it can name a store."""
    if not isinstance(address, str | Path):
        raise InvalidInput(field, f"{a(type(address).__name__)} is no path", "name the file that memories are kept in")
    if not str(address).strip() or "\0" in str(address):
        raise InvalidInput(field, "it names no file", "name the file that memories are kept in")
    return str(address)


def has_store_table(file: bytes | Path) -> bool:
    """Whether a file of another program is a database with the table of a LangGraph store."""
    return bool(_foreign().has_store_table(file))


def store_rows(file: bytes | Path) -> Iterator[dict[str, str | None]]:
    """The rows of that table, in the order of their names."""
    return cast(Iterator[dict[str, str | None]], _foreign().store_rows(file))


def _foreign() -> Any:
    return import_module("memfort.store.sqlite.foreign")
