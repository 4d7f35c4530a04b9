"""Seals are made with the store's key: who has only the file cannot write a row that is believed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from msgspec.structs import replace

from memfort.errors import StoreBroken
from memfort.model.item import EVERYONE, Authority, Kind
from memfort.model.people.actor import ActorKind
from memfort.model.people.directory import Principal
from memfort.model.phase import Phase
from memfort.model.results import Source
from memfort.model.space import Coordinate, Level
from memfort.store.port import (
    Erasure,
    PutErasure,
    PutMember,
    PutPhase,
    PutPolicy,
    PutRejectedValue,
    PutSource,
    Reindex,
    RejectedValue,
)
from memfort.store.sql.rows import is_undamaged, row_of
from memfort.store.sqlite import SqliteStore
from memfort.testing.conformance import ALICE, HOME, NEXT_DOOR, NOW, listed, memory, put, sight_on, texts, value_of
from memfort.testing.conformance.inspection import counted
from memfort.testing.conformance.samples import entry_of

SOURCE = Source("src_1", HOME, "paper", "a.json", "ab" * 32, NOW, {"kept": 2})
BAR = RejectedValue(HOME, EVERYONE, value_of("ink"), Authority.USER_ASSERTED)
ERASURE = Erasure("era_1", NOW, ALICE.key, ((HOME.id, "mem_1"),), {}, None)
PHASE = Phase(2, "new ways", 1)
POLICY = PutPolicy("p1", 'name = "strict"')


@pytest.fixture
def store(store: SqliteStore) -> SqliteStore:
    put(store, memory(text="likes tea", created_tick=1, expires_tick=9), memory(text="likes jam", number=2))
    put(store, memory(NEXT_DOOR))
    store.apply([PutSource(SOURCE), PutRejectedValue(BAR), PutErasure(ERASURE), PutPhase(HOME, PHASE), POLICY], [])
    return store


@pytest.fixture
def raw(store: SqliteStore, path: Path) -> Iterator[apsw.Connection]:
    connection = apsw.Connection(str(path))
    yield connection
    connection.close()


def used(store: SqliteStore) -> tuple[object, ...]:
    """What the store uses of its sealed records."""
    rejected_value = store.rejected_value(sight_on(HOME, NEXT_DOOR), HOME, EVERYONE, BAR.value)
    everywhere = sight_on(HOME, NEXT_DOOR)
    return (
        store.sources(everywhere),
        rejected_value,
        list(store.erasures()),
        store.phases(everywhere),
        store.policy("p1"),
    )


def test_a_forged_memory_with_a_valid_digest_is_not_served(store: SqliteStore, raw: apsw.Connection) -> None:
    """The digest in a seal needs no key, so whoever knows the format can make it; the other half they cannot."""
    columns = "space, id, partition, status, deleted, created_at, expires_at, source, value, indexed"
    no, record, seal, *known = raw.execute(
        f"select no, cast(record as blob), seal, {columns} from item where record like '%likes tea%'"
    ).fetchone()
    forged = record.replace(b"likes tea", b"hates tea")
    digest = hashlib.blake2b(repr(tuple(known)).encode() + b"\x00" + forged, digest_size=16).digest()
    raw.execute("update item set record = ?, seal = ? where no = ?", (forged.decode(), digest + seal[16:], no))
    row = row_of((no, *known, forged, digest + seal[16:]))
    assert is_undamaged(row)
    assert texts(listed(store, sight_on(HOME))) == ["likes jam"]
    assert list(store.all_damaged()) == [memory().id]


def test_a_seal_of_one_store_is_worth_nothing_in_another(
    store: SqliteStore, raw: apsw.Connection, tmp_path: Path
) -> None:
    other = SqliteStore(tmp_path / "other" / "memories.db", ballast_bytes=0)
    put(other, memory(text="likes tea"), memory(text="likes jam", number=2), memory(NEXT_DOOR))
    raw.execute("attach ? as other", (str(tmp_path / "other" / "memories.db"),))
    raw.execute("update item set seal = (select seal from other.item where other.item.no = item.no)")
    assert listed(store, sight_on(HOME)) == []
    assert len(listed(other, sight_on(HOME))) == 2
    other.close()


def test_sealed_records_are_used(store: SqliteStore) -> None:
    assert used(store) == ([SOURCE], BAR, [ERASURE], {HOME.id: (PHASE,)}, POLICY.document)
    assert store.policy() == POLICY.document
    assert store.checkup() == []


BARS = (
    "insert into rejected_value select (select max(no) from space), readers, value, authority, seal from rejected_value"
)
TOUCHED = {
    "rejected_value-changed": ("update rejected_value set authority = 'system_imposed'", 1, None, "a rejected value"),
    "rejected_value-inserted": (BARS, 1, BAR, "a rejected value"),
    "source-changed": ("update source set record = replace(record, 'paper', 'vapor')", 0, [], "`src_1`"),
    "source-to-nonsense": ("update source set record = 'x'", 0, [], "`src_1`"),
    "source-inserted": ("insert into source select space, 'src_2', record, seal from source", 0, [SOURCE], "`src_2`"),
    "erasure-changed": ("update erasure set record = replace(record, 'mem_1', 'mem_2')", 2, [], "`era_1`"),
    "erasure-reopened": ("update erasure set pending = 'later'", 2, [], "`era_1`"),
    "erasure-inserted": (
        "insert into erasure select 'era_2', at, pending, record, seal from erasure",
        2,
        [ERASURE],
        "`era_2`",
    ),
    "phase-changed": ("update phase set record = replace(record, 'new ways', 'old ways')", 3, {}, "phase 2 of space 1"),
    "phase-to-nonsense": ("update phase set record = 'x'", 3, {}, "phase 2 of space 1"),
    "phase-moved": ("update phase set place = 3", 3, {}, "phase 3 of space 1"),
    "phase-of-another-space": (
        "insert into phase select (select max(no) from space), place, record, seal from phase",
        3,
        {HOME.id: (PHASE,)},
        "phase 2 of space 2",
    ),
    "policy-changed": ("update policy set document = replace(document, 'strict', 'lax')", 4, None, "the policy `p1`"),
    "policy-inserted": (
        "insert into policy select 'p2', document, seal from policy",
        4,
        POLICY.document,
        "the policy `p2`",
    ),
}


@pytest.mark.parametrize("touch", TOUCHED)
def test_a_tampered_record_is_not_used_and_is_named(store: SqliteStore, raw: apsw.Connection, touch: str) -> None:
    statement, place, expected, name = TOUCHED[touch]
    raw.execute(statement)
    assert raw.changes() == 1
    assert used(store)[place] == expected
    assert store.rejected_value(sight_on(NEXT_DOOR), NEXT_DOOR, EVERYONE, BAR.value) is None
    ((what, problem),) = store.checkup()
    assert what == "damaged"
    assert name in problem
    assert "does not match its seal" in problem


def test_a_record_written_again_is_the_stores_own(store: SqliteStore, raw: apsw.Connection) -> None:
    raw.execute("update rejected_value set authority = 'system_imposed'")
    raw.execute("update erasure set at = 0")
    raw.execute("update source set record = 'x'")
    after = replace(SOURCE, counts={"kept": 3})
    raw.execute("update phase set record = 'x'")
    raw.execute("update policy set document = ''")
    store.apply([PutRejectedValue(BAR), PutSource(after), PutErasure(ERASURE), PutPhase(HOME, PHASE), POLICY], [])
    assert used(store) == ([after], BAR, [ERASURE], {HOME.id: (PHASE,)}, POLICY.document)
    assert store.policy() == POLICY.document
    assert store.checkup() == []


@pytest.mark.parametrize(
    "touch",
    ["update policy set document = ''", "delete from policy", "update meta set value = 'x' where name = 'policy'"],
)
def test_a_policy_that_cannot_be_believed_is_an_error_and_not_no_policy(
    store: SqliteStore, raw: apsw.Connection, touch: str
) -> None:
    raw.execute(touch)
    assert raw.changes() == 1
    with pytest.raises(StoreBroken, match="the policy in use"):
        store.policy()
    store.apply([POLICY], [])
    assert store.policy() == POLICY.document


def test_an_unknown_trust_value_is_an_error(store: SqliteStore, raw: apsw.Connection) -> None:
    apollo, alice = Coordinate(Level.PROJECT, "apollo"), Principal(ActorKind.USER, "alice")
    store.apply([PutMember(apollo, alice)], [])
    raw.execute("update member set trust = 'boundless' where name = 'alice'")
    with pytest.raises(StoreBroken, match="the record of a member is damaged"):
        store.trust(apollo, alice)


# -- counters carry no seal, but can be counted -----------------------------------------------------------------------

COUNTERS = {
    "live-raised": "update author_sequence set live = live + 1",
    "live-lowered": "update author_sequence set live = 0",
    "sequence-deleted": "delete from author_sequence",
    "sequence-inserted": "insert into author_sequence"
    " select partition, x'00', kind, next, 1 from author_sequence limit 1",
    "fading-deleted": "delete from tick_expiry",
    "fading-changed": "update tick_expiry set tick = 100",
    "fading-moved": "update tick_expiry set partition = partition + 1",
    "fading-inserted": "insert into tick_expiry select 2, partition, 1 from tick_expiry",
    "tick-lowered": "update partition set tick = 0",
}


@pytest.mark.parametrize("touch", COUNTERS)
def test_a_counter_that_is_off_is_named_and_mended_from_the_memories(
    store: SqliteStore, raw: apsw.Connection, touch: str
) -> None:
    before = counted(store, sight_on(HOME), HOME)
    raw.execute(COUNTERS[touch])
    assert raw.changes() >= 1
    ((what, problem),) = store.checkup()
    assert (what, problem.endswith("run `store.reindex()`")) == ("index", True)
    store.apply([Reindex(entry_of)], [])
    assert store.checkup() == []
    assert counted(store, sight_on(HOME), HOME) == before
    assert before[:3] == (1, ["likes tea"], {"semantic": 2})
    assert store.next_number(sight_on(HOME), HOME, EVERYONE, ALICE.key, Kind.SEMANTIC) == 3
