"""Every combination of sensitivity, chat, asker, place of learning, space and policy, through every read path, against
an oracle independent of the engine. The cells it allows are the positive controls."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import oracle
import pytest
from matrix import MISSING, ROLES, ROOMS, RULES, SENSITIVITIES, Scene, Stage, all_cells, cells, scenes
from oracle import Case, may_hear

from memfort import BoundMemory, FixedClock, Item, Memory, NotFound, Policy
from memfort.policy.settings.sections import Disclosure, DisclosureRule, Provenance
from memfort.store.memory import MemoryStore
from memfort.store.port import Store
from memfort.store.sqlite import SqliteStore

ALL_ON_SQLITE = os.environ.get("MEMFORT_TEST_DISCLOSURE") == "all"
SAMPLE = 7
PER_STORE = 32  # the dict store walks everything it has, so it is given little


POLICIES = {
    (rule, missing): Policy(disclosure=Disclosure(DisclosureRule(rule), Provenance(missing)))
    for rule in RULES
    for missing in MISSING
}


# -- the read paths ---------------------------------------------------------------------------------------------------


def through_each_path(asker: BoundMemory, scene: Scene, id: str) -> dict[str, bool]:
    """Whether each read path shows the memory."""
    return {
        "recall": scene.text in asker.recall(scene.word).texts,
        "context": scene.text in asker.context(scene.word).text,
        "get": getattr(asker.get(id), "text", None) == scene.text,
        "list": scene.text in [item.text for item in asker.list(limit=100)],
        "history": scene.text in [item.text for item in history(asker, id)],
        "explain": asker.explain(id).shown,
        "explain a query": asker.explain(id, query=scene.word).shown,
        "check": asker.check("get", id=id).verdict == "allowed",
        "export": scene.text in [line["memory"]["text"] for line in asker.export() if "memory" in line],
        "about": scene.text in [item.text for item in asker.about(scene.asked_about)],
    }


def history(asker: BoundMemory, id: str) -> list[Item]:
    try:
        return asker.history(id)
    except NotFound:
        return []


def expected(scene: Scene, rule: str, missing: str) -> dict[str, bool]:
    """The same, from the oracle. An export holds one's own space, and one's own statements elsewhere. A disclosed
    memory can be read by id, but is in no list and no export; and only `about` discloses memories about another
    participant."""
    heard = may_hear(scene.case(rule, missing))
    paths = dict.fromkeys(("recall", "context", "get", "history", "explain", "check"), heard)
    if not scene.is_in_sight:
        of_person = may_hear(scene.case(rule, missing, scene.asked_about))
        return {**paths, "list": False, "export": False, "about": of_person}
    is_mine = scene.asker in {scene.space.get("user"), scene.author}
    return {**paths, "list": heard, "export": heard and is_mine, "about": heard and bool(scene.subjects)}


# -- the matrix -------------------------------------------------------------------------------------------------------


def differences(store: Store, clock: FixedClock, played: list[Scene]) -> Iterator[str]:
    """Every read path that differs from the oracle."""
    stage = Stage(store, clock)
    ids = [stage.keep(scene).id for scene in played]
    for (rule, missing), policy in POLICIES.items():
        memory = Memory(store, clock=clock, audit_reads="off", policy=policy)
        for scene, id in zip(played, ids, strict=True):
            shown = through_each_path(memory.as_user(scene.asker, **scene.place), scene, id)
            meant = expected(scene, rule, missing)
            wrong = [f"{path} {'tells' if shown[path] else 'hides'}" for path in meant if shown[path] != meant[path]]
            if wrong:
                yield f"{' | '.join(scene.cell)} | {rule} | {missing}: {', '.join(wrong)}"


def parts(played: list[Scene]) -> Iterator[list[Scene]]:
    for start in range(0, len(played), PER_STORE):
        yield played[start : start + PER_STORE]


def listed(wrong: list[str]) -> str:
    return "\n".join([f"{len(wrong)} cells are not as the oracle says:", *wrong[:40]])


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
def test_every_read_path_matches_the_oracle(sensitivity: str, room: str, clock: FixedClock) -> None:
    played = scenes(cells(sensitivity, room))
    assert played
    wrong = [line for part in parts(played) for line in differences(MemoryStore(), clock, part)]
    assert not wrong, listed(wrong)


def test_a_store_in_a_file_does_the_same(tmp_path: Path, clock: FixedClock) -> None:
    played = scenes(all_cells())[:: 1 if ALL_ON_SQLITE else SAMPLE]
    assert {scene.cell.room for scene in played} == set(ROOMS)
    assert {scene.cell.asker for scene in played} == set(ROLES)
    wrong: list[str] = []
    for number, part in enumerate(parts(played)):
        store = SqliteStore(tmp_path / str(number) / "memory.db", ballast_bytes=0)
        wrong += differences(store, clock, part)
        store.close()
    assert not wrong, listed(wrong)


@pytest.mark.parametrize(("portable", "heard"), [(True, 41), (False, 0)])
def test_memories_that_are_not_portable_are_disclosed_under_no_policy(
    clock: FixedClock, portable: bool, heard: int
) -> None:
    apart = [cell for cell in all_cells() if cell.space == "another user's" and cell.asker == "subject"]
    loosest, crossed = POLICIES["participants", "open"], 0
    for part in parts(scenes(apart, portable=portable)):
        store = MemoryStore()
        stage = Stage(store, clock)
        ids = [stage.keep(scene).id for scene in part]
        memory = Memory(store, clock=clock, audit_reads="off", policy=loosest)
        for scene, id in zip(part, ids, strict=True):
            crossed += any(through_each_path(memory.as_user(scene.asker, **scene.place), scene, id).values())
    assert crossed == heard


# -- the matrix itself ------------------------------------------------------------------------------------------------


@cache
def cases() -> list[tuple[str, Case]]:
    """What the oracle is asked in the whole matrix, with the space that the memory lies in."""
    return [
        (scene.cell.space, scene.case(rule, missing, asked_about))
        for scene in scenes(all_cells())
        for rule, missing in POLICIES
        for asked_about in sorted({f"@{scene.asker}", scene.asked_about})
    ]


def verdicts() -> list[bool]:
    return [may_hear(case) for _, case in cases()]


def test_the_matrix_has_cells_that_allow_and_cells_that_deny_in_every_space() -> None:
    counted = Counter((space, may_hear(case)) for space, case in cases())
    assert counted == {
        ("the asker's own", True): 2214,
        ("the asker's own", False): 2766,
        ("the room's", True): 2066,
        ("the room's", False): 3106,
        ("another user's", True): 538,
        ("another user's", False): 4634,
        ("where it was learned", True): 384,
        ("where it was learned", False): 2808,
    }


def test_every_reason_to_disclose_is_the_only_one_somewhere() -> None:
    heard = [case for _, case in cases() if case.room == "private" and case.sensitivity == "public" and may_hear(case)]
    reasons = [[name for name, holds in oracle.reasons_to_disclose(case).items() if holds] for case in heard]
    never_alone = [name for name in oracle.reasons_to_disclose(heard[0]) if [name] not in reasons]
    assert never_alone == ["it was said here"]  # who is here takes part here, so that is another reason


TABLES = (
    *((oracle.ALONE, level) for level in SENSITIVITIES),
    *((oracle.PRIVATE, level) for level in SENSITIVITIES),
    *((oracle.GROUP[rule], level) for rule in RULES for level in SENSITIVITIES),
    *((oracle.UNKNOWN, level) for level in SENSITIVITIES),
    *((oracle.ABOUT_ME[room], level) for room in oracle.ABOUT_ME for level in SENSITIVITIES),
)


@pytest.mark.parametrize(("table", "level"), TABLES)
def test_every_cell_of_the_tables_affects_a_verdict(
    monkeypatch: pytest.MonkeyPatch, table: dict[str, str], level: str
) -> None:
    before = verdicts()
    for otherwise in {"always", "never"} - {table[level]}:
        monkeypatch.setitem(table, level, otherwise)
        assert verdicts() != before, otherwise


@pytest.mark.parametrize("table", [oracle.PROVENANCE, oracle.CROSSES])
def test_every_place_of_learning_affects_a_verdict(
    monkeypatch: pytest.MonkeyPatch, table: dict[str, bool | None]
) -> None:
    before = verdicts()
    for learned, counts in table.items():
        with monkeypatch.context() as patch:
            patch.setitem(table, learned, not counts)
            assert verdicts() != before, learned
