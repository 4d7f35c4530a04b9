"""The trail in SQLite: chains of events, appended in the transaction of the change they tell of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import apsw

from memfort.model.moment import Moment
from memfort.store.sqlite.connection import rows
from memfort.store.sqlite.queries import QUERIES
from memfort.trace.checkpoint import CHECKPOINT_EVERY, Checkpoint, sign_checkpoint
from memfort.trace.event import GENESIS, ChainId, Event, Link, link_event
from memfort.trace.keys import Keys


def append(connection: apsw.Connection, events: Sequence[Event], keys: Keys) -> None:
    """Link the events on to their chains, signing a checkpoint where one is due."""
    heads: dict[ChainId, tuple[int, int, bytes]] = {}
    for event in events:
        no, number, head = heads.get(event.chain) or _head(connection, event.chain)
        link = link_event(event, number + 1, head)
        connection.execute(QUERIES["add_event"], (no, link.number, link.body, link.hash))
        heads[event.chain] = (no, link.number, link.hash)
        if link.number % CHECKPOINT_EVERY == 0:
            _sign(connection, no, sign_checkpoint(keys, event.chain, link.number, link.hash, event.at))
    for no, number, head in heads.values():
        connection.execute(QUERIES["grow_chain"], (no, number, head))


def sign_grown(connection: apsw.Connection, keys: Keys, at: Moment) -> int:
    """Sign every chain that has grown since it was last signed."""
    grown = rows(connection, QUERIES["chains_to_sign"])
    for no, kind, key, number, head in grown:
        _sign(connection, no, sign_checkpoint(keys, ChainId(kind, key), number, head, at))
    return len(grown)


def chains(connection: apsw.Connection) -> list[tuple[ChainId, int, bytes]]:
    found = rows(connection, QUERIES["all_chains"])
    return [(ChainId(kind, key), number, head) for kind, key, number, head in found]


def links(connection: apsw.Connection, chain: ChainId, after: int) -> Iterator[Link]:
    found = connection.execute(QUERIES["chain"], (chain.kind, chain.key)).fetchone()
    if found is None:
        return
    for number, body, hash in connection.execute(QUERIES["events"], (found[0], after)):
        yield Link(chain, number, body, hash)


def checkpoints(connection: apsw.Connection, chain: ChainId) -> list[Checkpoint]:
    found = connection.execute(QUERIES["chain"], (chain.kind, chain.key)).fetchone()
    if found is None:
        return []
    signed = rows(connection, QUERIES["checkpoints"], (found[0],))
    return [Checkpoint(chain, number, head, Moment(at), signature) for number, head, at, signature in signed]


def _head(connection: apsw.Connection, chain: ChainId) -> tuple[int, int, bytes]:
    for no, number, head in rows(connection, QUERIES["chain"], (chain.kind, chain.key)):
        return no, number, head
    added = rows(connection, QUERIES["add_chain"], (chain.kind, chain.key, GENESIS))
    return added[0][0], 0, GENESIS


def _sign(connection: apsw.Connection, no: int, signed: Checkpoint) -> None:
    values = (no, signed.number, signed.head, signed.at, signed.signature)
    connection.execute(QUERIES["add_checkpoint"], values)
