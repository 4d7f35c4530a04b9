"""The trail in SQLite: chains of events, appended in the transaction of the change they tell of.

The head of each chain carries a seal made with the store's key. A head without it is one that somebody else put there:
it is never sealed nor signed again, so that what was forged cannot become the store's own by going on from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import apsw

from memfort.model.moment import Moment
from memfort.store.sqlite.connection import rows
from memfort.store.sqlite.counters import Counters, Head, head_seal
from memfort.store.sqlite.queries import QUERIES
from memfort.trace.checkpoint import CHECKPOINT_EVERY, Checkpoint, sign_checkpoint
from memfort.trace.event import ChainId, Event, Link, link_hash
from memfort.trace.keys import Keys
from memfort.trace.verify import NOT_OURS


def append(connection: apsw.Connection, counters: Counters, events: Sequence[Event], keys: Keys) -> None:
    """Link the events on to their chains, signing a checkpoint where one is due."""
    linked = []
    for event, body in [(event, event.record()) for event in events]:
        chain = event.chain
        no, length, previous, sealed_with = counters.head(connection, keys, chain)
        number = length + 1
        hash = link_hash(chain, number, previous, body)
        linked.append((no, number, body, hash))
        counters.set_head(chain, Head(no, number, hash, sealed_with))
        if sealed_with is not None and number % CHECKPOINT_EVERY == 0:
            _sign(connection, no, sign_checkpoint(keys, chain, number, hash, event.at))
    connection.executemany(QUERIES["add_event"], linked)


def sign_grown(connection: apsw.Connection, counters: Counters, keys: Keys, at: Moment) -> None:
    """Sign every chain that has grown since it was last signed."""
    counters.write_down(connection)
    for no, kind, key, number, head, mark in rows(connection, QUERIES["chains_to_sign"]):
        chain = ChainId(kind, key)
        if mark == head_seal(keys, chain, number, head):
            _sign(connection, no, sign_checkpoint(keys, chain, number, head, at))


def seal_anew(connection: apsw.Connection, keys: Keys) -> None:
    """Seal every chain as it is: the key that could tell which heads are the store's own is lost."""
    for no, kind, key, number, head, _ in rows(connection, QUERIES["all_chains"]):
        connection.execute(QUERIES["grow_chain"], (no, number, head, head_seal(keys, ChainId(kind, key), number, head)))


def chains(connection: apsw.Connection, keys: Keys) -> list[tuple[ChainId, int, bytes]]:
    found = [(ChainId(kind, key), *rest) for _, kind, key, *rest in rows(connection, QUERIES["all_chains"])]
    return [
        (chain, number, head if mark == head_seal(keys, chain, number, head) else NOT_OURS)
        for chain, number, head, mark in found
    ]


def links(connection: apsw.Connection, chain: ChainId, after: int) -> Iterator[Link]:
    found = connection.execute(QUERIES["chain"], (chain.kind, chain.key)).fetchone()
    if found is None:
        return
    for number, body, hash in connection.execute(QUERIES["events"], (found[0], after)):
        yield Link(
            chain, number, body if isinstance(body, bytes) else b"", hash
        )  # what is no body any more has no hash


def checkpoints(connection: apsw.Connection, chain: ChainId) -> list[Checkpoint]:
    found = connection.execute(QUERIES["chain"], (chain.kind, chain.key)).fetchone()
    if found is None:
        return []
    signed = rows(connection, QUERIES["checkpoints"], (found[0],))
    return [Checkpoint(chain, number, head, Moment(at), signature) for number, head, at, signature in signed]


def _sign(connection: apsw.Connection, no: int, signed: Checkpoint) -> None:
    values = (no, signed.number, signed.head, signed.at, signed.signature)
    connection.execute(QUERIES["add_checkpoint"], values)
