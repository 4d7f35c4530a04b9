"""The directory in SQLite: agents, chats, members, shares and API keys. No memories here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any

from memfort.errors import StoreBroken
from memfort.model.people.access_key import KeptKey, key_to_dict
from memfort.model.people.actor import Standpoint
from memfort.model.people.directory import (
    Agent,
    Chat,
    Entry,
    Facts,
    Principal,
    Share,
    Trust,
    is_held_by,
    is_in_force,
    principal_of,
    share_to_dict,
)
from memfort.model.space import GROUP_LEVELS, Coordinate, Level, Space
from memfort.store.port import Change, DropMember, DropShare, PutAgent, PutChat, PutMember, PutShare
from memfort.store.sql import records
from memfort.store.sql.connection import Connection
from memfort.store.sql.damage import RESTORE, required_number
from memfort.store.sql.pages import ROWS_PER_PAGE, pages
from memfort.trail.keys import Keys

_REGISTERED = ("", "")  # the row that says a group is known, whoever is in it
_GROUPS = GROUP_LEVELS | {Level.CHAT}


def version(connection: Connection) -> int:
    """Moves with every change of the directory, so that what was read from it can be kept until then."""
    return _meta(connection, "directory_version")


def _meta(connection: Connection, query: str) -> int:
    return required_number(connection, query, what="the version of the directory", remedy=RESTORE)


def facts(connection: Connection, standpoint: Standpoint) -> Facts:
    principal = principal_of(standpoint.actor)
    agents = [coordinate.id for coordinate in standpoint.coordinates if coordinate.level is Level.AGENT]
    owners = {id: owner for id in agents if (owner := connection.scalar("agent", id)) is not None}
    groups = [coordinate for coordinate in standpoint.coordinates if coordinate.level in _GROUPS]
    inside = {group: connection.rows("members", group.level, group.id) for group in groups}
    return Facts(
        owners=owners,
        registered=frozenset(group for group, members in inside.items() if members),
        joined={group: held for group in groups if (held := trust(connection, group, principal)) is not None},
        shares=tuple(_shares_held(connection, standpoint)),
        phases=_meta(connection, "phases_begun"),
        policy=connection.scalar("get_meta", "policy"),
        version=version(connection),
    )


def _shares_held(connection: Connection, standpoint: Standpoint) -> Iterator[Share]:
    """Shares in force that name the principal, a group that it is in, or one where it stands that nobody has
    registered."""
    principal = principal_of(standpoint.actor)
    groups = {(level, id) for level, id in connection.rows("groups_of", principal.kind, principal.id)}
    here = {(one.level.value, one.id) for one in standpoint.coordinates if one.level in GROUP_LEVELS}
    holders = sorted({(principal.kind.value, principal.id), *groups, *here})
    rows = [row for holder in holders for row in connection.rows("shares_with", *holder)]
    for share in sorted((records.read_share(record) for (record,) in rows), key=lambda one: one.id):
        is_held = is_held_by(share, principal, partial(_members_or_none, connection))
        if is_held and share.holder_names in holders and _is_in_force(connection, share):
            yield share


def _is_in_force(connection: Connection, share: Share) -> bool:
    look_up = partial(_members_or_none, connection), partial(trust, connection), partial(_share, connection)
    return is_in_force(share, *look_up)


def _members_or_none(connection: Connection, group: Coordinate) -> list[Principal] | None:
    """The members of a group; `None`, if it is not registered."""
    found = connection.rows("members", group.level, group.id)
    return [records.read_member(*row) for row in found if row != _REGISTERED] if found else None


def _share(connection: Connection, id: str) -> Share | None:
    record = connection.scalar("share", id)
    return None if record is None else records.read_share(record)


def agent(connection: Connection, id: str) -> Agent | None:
    owner = connection.scalar("agent", id)
    return None if owner is None else Agent(id, owner)


def agents_of(connection: Connection, owner: str, limit: int) -> list[str]:
    return [id for (id,) in connection.rows("agents_of", owner, limit)]


def chat(connection: Connection, id: str) -> Chat | None:
    kind = connection.scalar("chat", id)
    if kind is None:
        return None
    return Chat(id, records.read_chat_kind(kind), frozenset(members(connection, Coordinate(Level.CHAT, id))))


def members(connection: Connection, coordinate: Coordinate) -> list[Principal]:
    found = connection.rows("members", coordinate.level, coordinate.id)
    return sorted(records.read_member(kind, name) for kind, name in found if (kind, name) != _REGISTERED)


def trust(connection: Connection, coordinate: Coordinate, member: Principal) -> Trust | None:
    found = connection.scalar("trust", coordinate.level, coordinate.id, member.kind, member.id)
    return None if found is None else records.read_trust(found)


def shares_of(connection: Connection, spaces: Sequence[Space]) -> list[Share]:
    ids = connection.array(space.id for space in spaces)
    found = [records.read_share(record) for (record,) in connection.rows("shares_of_spaces", ids)]
    return [share for share in found if share.space in set(spaces)]


def access_key(connection: Connection, keys: Keys, id: str) -> KeptKey | None:
    found = records.read_access_keys(keys, connection.rows("access_key", id))
    return found[0] if found else None


def access_keys(connection: Connection, keys: Keys) -> list[KeptKey]:
    return records.read_access_keys(keys, connection.rows("access_keys"))


def lines(connection: Connection, keys: Keys) -> Iterator[tuple[Entry, Any]]:
    """Every line of the directory."""

    def all_rows(query: str, key_columns: int = 1) -> Iterator[tuple[Any, ...]]:
        first = ("",) * key_columns
        return pages(
            lambda last: connection.rows(query, *(last[:key_columns] if last else first), last is None, ROWS_PER_PAGE)
        )

    members, agents = all_rows("members_after", 4), all_rows("agents_after")
    chats, shares = all_rows("chats_after"), all_rows("shares_after")
    return chain(
        ((_entry(*row), trust or True) for *row, trust in members),
        ((("agent", id), owner) for id, owner in agents),
        ((("chat", id), kind) for id, kind in chats),
        ((("share", row[0]), _recorded_share(*row)) for row in shares),
        ((("key", kept.key.id), key_to_dict(kept)) for kept in access_keys(connection, keys)),
    )


def _entry(level: str, id: str, kind: str, name: str) -> Entry:
    return ("group", level, id) if (kind, name) == _REGISTERED else ("member", level, id, kind, name)


def _recorded_share(id: str, space: bytes, kind: str, reader: str, record: str) -> Any:
    """What a share's row says; nothing, if the columns it is looked up by are not those of its record."""
    try:
        share = records.read_share(record)
    except StoreBroken:
        return None
    columns = (share.id, share.space.id, *share.holder_names)
    return share_to_dict(share) if columns == (id, space, kind, reader) else None


def change(connection: Connection, change: Change) -> bool:
    """Make a change if it is one of the directory's; says whether it was."""
    match change:
        case PutAgent(agent):
            connection.run("put_agent", agent.id, agent.owner)
        case PutChat(chat):
            _put_chat(connection, chat)
        case PutMember(coordinate, member, trust):
            _put_members(connection, coordinate, [member], trust)
        case DropMember(coordinate, member):
            who = (coordinate.level, coordinate.id, member.kind, member.id)
            connection.run("drop_member", *who)
        case PutShare(share):
            values = (share.id, share.space.id, *share.holder_names, records.write_share(share))
            connection.run("put_share", *values)
        case DropShare(id):
            connection.run("drop_share", id)
        case _:
            return False
    connection.run("bump_directory")
    return True


def _put_chat(connection: Connection, chat: Chat) -> None:
    connection.run("put_chat", chat.id, chat.kind)
    connection.run("drop_members", Level.CHAT, chat.id)
    _put_members(connection, Coordinate(Level.CHAT, chat.id), sorted(chat.participants), Trust.CONTRIBUTOR)


def _put_members(connection: Connection, group: Coordinate, members: Sequence[Principal], trust: Trust) -> None:
    rows = [(*_REGISTERED, ""), *((member.kind.value, member.id, trust.value) for member in members)]
    connection.many("put_member", [(group.level, group.id, *row) for row in rows])
