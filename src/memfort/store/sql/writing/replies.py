"""Answers that are kept so that a request has one effect."""

from __future__ import annotations

from memfort.store.port import Change, DropReply, PutReply
from memfort.store.sql.connection import Connection


def change(connection: Connection, change: Change) -> bool:
    """Make a change if it is one of an answer; says whether it was."""
    match change:
        case PutReply(reply, oldest):
            connection.run("drop_old_reply_names", oldest)
            connection.run("drop_old_replies", oldest)
            connection.run("put_reply", reply.key, reply.fingerprint, reply.at, reply.body)
            connection.many("put_reply_name", [(name, reply.key) for name in reply.names])
        case DropReply(key):
            connection.run("drop_reply_names", key)
            connection.run("drop_reply", key)
        case _:
            return False
    return True


def empty(connection: Connection, *names: str) -> None:
    """Remove the bodies of answers that name one of these memories or persons: nothing keeps what is erased."""
    listed = connection.array(names)
    connection.run("empty_replies", listed)
    connection.run("drop_reply_names_of", listed)
