"""The trail in SQLite: chains of events, appended in the transaction of the change they tell of.

The head of each chain carries a seal made with the store's key. A head without it is one that somebody else put there:
it is never sealed nor signed again, so that what was forged cannot become the store's own by going on from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from memfort.model.moment import Moment
from memfort.store.sql.connection import Connection
from memfort.store.sql.pages import ROWS_PER_PAGE, pages
from memfort.store.sql.writing.counters import Counters, Head, head_seal
from memfort.trail.checkpoint import CHECKPOINT_EVERY, Checkpoint, sign_checkpoint
from memfort.trail.event import ChainId, Event, Link, link_hash
from memfort.trail.keys import Keys
from memfort.trail.verify import NOT_OURS


def append(connection: Connection, counters: Counters, events: Sequence[Event], keys: Keys) -> None:
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
    connection.many("add_event", linked)


def sign_grown_chains(connection: Connection, counters: Counters, keys: Keys, at: Moment) -> None:
    """Sign every chain that has grown since it was last signed."""
    counters.write_down(connection)
    for no, kind, key, number, head, found in connection.rows("chains_to_sign"):
        chain = ChainId(kind, key)
        if found == head_seal(keys, chain, number, head):
            _sign(connection, no, sign_checkpoint(keys, chain, number, head, at))


def reseal_chains(connection: Connection, keys: Keys) -> None:
    """Seal every chain as it is: the key that could tell which heads are the store's own is lost."""
    for no, kind, key, number, head, _ in connection.rows("all_chains"):
        connection.run("set_chain_head", no, number, head, head_seal(keys, ChainId(kind, key), number, head))


def chain_state(keys: Keys, row: tuple[Any, ...]) -> tuple[ChainId, int, bytes]:
    """A chain with its length and head, from its row."""
    _, kind, key, length, head, seal = row
    chain = ChainId(kind, key)
    return chain, length, head if seal == head_seal(keys, chain, length, head) else NOT_OURS


def links(connection: Connection, chain: ChainId, after: int) -> Iterator[Link]:
    found = connection.row("chain", chain.kind, chain.key)
    if found is None:
        return
    for number, body, hash in connection.each("events", found[0], after):
        yield Link(
            chain, number, body if isinstance(body, bytes) else b"", hash
        )  # what is no body any more has no hash


def checkpoints(connection: Connection, chain: ChainId, after: int) -> Iterator[Checkpoint]:
    found = connection.row("chain", chain.kind, chain.key)
    if found is None:
        return iter(())
    no = found[0]
    rows = pages(lambda last: connection.rows("checkpoints_after", no, last[0] if last else after, ROWS_PER_PAGE))
    return (Checkpoint(chain, number, head, Moment(at), signature) for number, head, at, signature in rows)


def _sign(connection: Connection, no: int, signed: Checkpoint) -> None:
    values = (no, signed.number, signed.head, signed.at_us, signed.signature)
    connection.run("add_checkpoint", *values)
