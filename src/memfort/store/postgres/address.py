"""The address of a database: what a URL says to PostgreSQL, and what it says to us.

Ours are `key_file`, `pool_size`, `wait_seconds`, `pgbouncer` and `partitions`; everything else is PostgreSQL's own. A
password may stand in the environment, a service file or `.pgpass`; nothing here shows one that stands in the URL.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

import psycopg
from msgspec import Struct
from psycopg.conninfo import conninfo_to_dict

from memfort.errors import InvalidInput

SCHEMES = ("postgresql", "postgres")
_CONNECT_SECONDS = 10
_OURS = frozenset({"key_file", "pool_size", "wait_seconds", "pgbouncer"})
_SWITCH = {"on": True, "off": False}


class Address(Struct, frozen=True):
    """Where a store is, and how to reach it. Its `repr` shows no password."""

    conninfo: str
    shown: str  # for people: host, port and database
    pool_size: int = 16
    wait_seconds: float = 30.0
    behind_pgbouncer: bool = False  # in transaction mode: nothing stays prepared there
    key_file: Path | None = None

    def __repr__(self) -> str:
        return f"Address({self.shown})"

    @property
    def options(self) -> Mapping[str, Any]:
        """What every connection is opened with."""
        return {"application_name": "memfort"}


def is_address(text: str) -> bool:
    return text.split("://", 1)[0] in SCHEMES and "://" in text


def read_address(url: str) -> Address:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise _bad("it is no URL", "write `postgresql://user@host/database`") from None
    if parts.scheme not in SCHEMES:
        raise _bad("it does not begin with `postgresql://`", "write `postgresql://user@host/database`")
    given = parse_qsl(parts.query, keep_blank_values=True)
    ours = {name: value for name, value in given if name in _OURS}
    rest = urlencode([(name, value) for name, value in given if name not in _OURS])
    conninfo = _address(parts, rest)
    if not parts.netloc and not parts.path.strip("/") and not rest:
        raise _bad("it names no database", "write `postgresql://user@host/database`")
    try:
        known = conninfo_to_dict(conninfo)
    except psycopg.ProgrammingError as error:
        raise _bad(
            _complaint(error, parts), "correct the URL; PostgreSQL's documentation lists what it may say"
        ) from None
    if "connect_timeout" not in known:
        conninfo = _with(conninfo, "connect_timeout", str(_CONNECT_SECONDS))
    return Address(
        conninfo,
        _shown(known),
        _number(ours, "pool_size", 16),
        float(_number(ours, "wait_seconds", 30)),
        _switch(ours, "pgbouncer"),
        Path(ours["key_file"]).absolute() if ours.get("key_file") else None,
    )


def _with(conninfo: str, name: str, value: str) -> str:
    parts = urlsplit(conninfo)
    return _address(parts, urlencode([*parse_qsl(parts.query), (name, value)]))


def _address(parts: SplitResult, query: str) -> str:
    """With both slashes also where no host and no database is named, which `geturl` leaves out."""
    return f"postgresql://{parts.netloc}{parts.path}{f'?{query}' if query else ''}"


def _shown(known: Mapping[str, Any]) -> str:
    host = known.get("host") or known.get("hostaddr") or "the default host"
    port = f":{known['port']}" if known.get("port") else ""
    return f"database `{known.get('dbname') or 'named in the environment'}` on {host}{port}"


def _complaint(error: Exception, parts: SplitResult) -> str:
    """What PostgreSQL's library says of a URL, unless it quotes what could be a password."""
    said = str(error).strip().split("\n", 1)[0]
    if (parts.password and parts.password in said) or "://" in said or "@" in said:
        return "PostgreSQL cannot read it"
    return said


def _number(ours: Mapping[str, str], name: str, default: int) -> int:
    if name not in ours:
        return default
    if not ours[name].isdecimal() or not 0 < int(ours[name]) <= 10_000:
        raise _bad(f"`{name}` is no number from 1 to 10000", f"write for example `{name}={default}`")
    return int(ours[name])


def _switch(ours: Mapping[str, str], name: str) -> bool:
    if ours.get(name, "off") not in _SWITCH:
        raise _bad(f"`{name}` is neither `on` nor `off`", f"write `{name}=on`")
    return _SWITCH[ours.get(name, "off")]


def _bad(problem: str, remedy: str) -> InvalidInput:
    return InvalidInput("store", problem, remedy)
