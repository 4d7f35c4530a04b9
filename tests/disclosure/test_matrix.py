"""Every read verb, from every standpoint, against the oracle: nothing leaks, and nothing is wrongly withheld.

By default few memories are played that cover every pair of dimensions, half of them fresh in every run (see
`tests/generated.py`); `MEMFORT_TEST_MATRIX=all` plays all of them, which takes hours.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.generated import fresh_number

from memfort import FixedClock, InvalidInput, Memory
from memfort.model.moment import Moment
from memfort.store.memory import MemoryStore
from memfort.store.sqlite import SqliteStore

from . import ask, matrix, oracle, play
from .matrix import Entry, Standpoint
from .oracle import Asker, Place, Rules

NOW = Moment(1_767_225_600_000_000)  # 2026-01-01T00:00:00Z
WHOLE = os.environ.get("MEMFORT_TEST_MATRIX") == "all"
AT_ONCE = 400  # memories in one store
BY_ID = 12  # every so many memories are asked for by their ids at one standpoint, others at the next

HALVES = [
    pytest.param((name, half), id=f"{name}-{half}", marks=[pytest.mark.fresh] if half == "fresh" else [])
    for name in play.POLICIES
    for half in ("recorded", "fresh")
]

OpenMemory = Callable[..., Memory]


@pytest.fixture
def make_memory(tmp_path: Path, clock: FixedClock) -> Iterator[OpenMemory]:
    """Make a fresh memory on the store that is asked for."""
    made: list[Memory] = []

    def make(store: str = "memory", **options: Any) -> Memory:
        path = tmp_path / f"{len(made)}.db"
        made.append(
            Memory(MemoryStore() if store == "memory" else SqliteStore(path, ballast_bytes=0), clock=clock, **options)
        )
        return made[-1]

    yield make
    for memory in made:
        memory.close()


@pytest.fixture(scope="module", params=HALVES)
def world(request: pytest.FixtureRequest) -> Iterator[play.World]:
    """Half of the chosen memories of the matrix, told once for each policy: the same in every run, or fresh ones."""
    name, half = request.param
    rules, policy = play.POLICIES[name]
    seed, first = (fresh_number(), 1) if half == "fresh" else (0, 0)
    clock = FixedClock(NOW)
    with closing(Memory(MemoryStore(), clock=clock, policy=policy)) as memory:
        yield play.tell(memory, clock, rules, matrix.chosen_specs(rules, seed=seed)[first::2])


def assert_as_the_oracle_says(world: play.World, standpoints: Sequence[Standpoint], by_id: int = BY_ID) -> None:
    """Put every read verb to every standpoint."""
    failures = []
    for number, standpoint in enumerate(standpoints):
        failures += ask.failures_at(world, standpoint, world.kept[number % by_id :: by_id])
    assert world.kept
    if failures:  # an assertion would spend its time on printing them
        pytest.fail(ask.report(failures, len(standpoints) * len(world.kept)), pytrace=False)


def column_of(standpoint: Standpoint) -> str:
    """The column of the table that a standpoint belongs to."""
    chat = standpoint.place.chat
    if chat is None:
        return "outside any chat"
    if not oracle.takes_part(standpoint.asker, chat):
        return "not taking part"
    persons = {1: "one person", 2: "two persons"}
    return f"private chat, {persons[len(chat.persons)]}" if chat.kind == "private" else chat.kind


COLUMNS = tuple(dict.fromkeys(column_of(standpoint) for standpoint in matrix.standpoints()))


@pytest.mark.parametrize("column", COLUMNS)
def test_every_read_verb_shows_what_the_oracle_says(world: play.World, column: str) -> None:
    assert_as_the_oracle_says(world, [one for one in matrix.standpoints() if column_of(one) == column])


def test_every_story_can_be_told(world: play.World) -> None:
    """A story that breaks off leaves no memory, and its cells would be missing."""
    assert not world.problems, "\n".join(world.problems)


if WHOLE:  # it takes hours

    @pytest.mark.parametrize("name", play.POLICIES)
    def test_the_whole_matrix(name: str, clock: FixedClock) -> None:
        rules, policy = play.POLICIES[name]
        specs = list(matrix.all_specs(rules))
        for first in range(0, len(specs), AT_ONCE):
            with closing(Memory(MemoryStore(), clock=clock, policy=policy)) as memory:
                world = play.tell(memory, clock, rules, specs[first : first + AT_ONCE])
                assert_as_the_oracle_says(world, matrix.standpoints(), by_id=1)
                assert not world.problems


def test_what_was_imported_is_shown_no_further(make_memory: OpenMemory, clock: FixedClock) -> None:
    rules, policy = play.POLICIES["strict"]
    specs = [spec for spec in matrix.chosen_specs(rules)[::2] if spec.space in ("own", "workspace")]
    first = play.tell(make_memory(policy=policy), clock, rules, specs)
    carried = play.carry_over(first, make_memory(policy=policy))
    assert not carried.problems
    assert len(carried.kept) > 40
    assert_as_the_oracle_says(carried, matrix.standpoints()[::2])


def test_registered_memberships_change_nothing_for_members(make_memory: OpenMemory, clock: FixedClock) -> None:
    rules, policy = play.POLICIES["strict"]
    specs = matrix.chosen_specs(rules, registered=True)[::5]
    outsider = Standpoint(
        Asker(matrix.THIRD), Place(), frozenset({matrix.PROJECT})
    )  # names a project, and is no member
    world = play.tell(make_memory(policy=policy, memberships="registered"), clock, rules, specs)
    assert_as_the_oracle_says(world, [*matrix.standpoints(registered=True)[::2], outsider])


@pytest.mark.parametrize("name", play.POLICIES)
def test_sqlite_shows_the_same(name: str, make_memory: OpenMemory, clock: FixedClock) -> None:
    rules, policy = play.POLICIES[name]
    world = play.tell(make_memory("sqlite", policy=policy), clock, rules, matrix.chosen_specs(rules)[::12])
    assert_as_the_oracle_says(world, matrix.standpoints()[::3])


# What the matrix cannot tell


def world_of_one(memory: Memory, rules: Rules, entry: Entry) -> play.World:
    """A world in which alice has one memory, which is there already."""
    [item] = memory.as_user("alice").list(limit=2)
    world = play.World(memory, rules)
    world.keep(entry, item.id, play.marker(0))
    return world


@pytest.mark.parametrize("name", play.POLICIES)
def test_without_provenance_it_is_said_only_where_the_policy_opens_it(name: str, make_memory: OpenMemory) -> None:
    rules, policy = play.POLICIES[name]
    memory = make_memory(policy=policy)
    play.register_people(memory, matrix.NOW.values())
    row = {"user_id": "alice", "kind": "preference", "content": play.wording(play.marker(0)), "scope_type": "global"}
    memory.as_user("alice").import_(json.dumps([row]).encode(), filename="rows.json")
    entry = matrix.single_entry(matrix.WITHOUT_PROVENANCE, "nobody knows which chat")
    world = world_of_one(memory, rules, entry)
    assert_as_the_oracle_says(world, [one for one in matrix.standpoints() if one.asker.user == "alice"], by_id=1)


@pytest.mark.fails_closed
@pytest.mark.parametrize("name", play.POLICIES)
def test_what_is_in_an_unsupported_language_is_said_as_what_is_personal(name: str, make_memory: OpenMemory) -> None:
    """It was said outside any chat, so nobody heard it: the row "unjudged" tells it as what is personal."""
    rules, _ = play.POLICIES[name]
    closed = {"unknown_language": "personal"}  # preset `chat` says public of what nobody labelled
    memory = make_memory(policy={"extends": {"strict": "default"}.get(name, name), "sensitivity": closed})
    play.register_people(memory, matrix.NOW.values())
    text = f"Jeg har kreft, og legen sier at det er alvorlig nå: {play.wording(play.marker(0))}"
    said = memory.as_user("alice").remember(text, subjects=["me"])
    assert said.item is not None
    assert said.item.judgement is not None
    assert said.item.judgement.reason == "language_not_supported"
    world = world_of_one(memory, rules, matrix.single_entry(matrix.NOT_UNDERSTOOD, "outside"))
    asked = [one for one in matrix.standpoints() if one.asker.user == "alice"]
    assert {column_of(one) for one in asked} >= {"outside any chat", "group"}
    assert_as_the_oracle_says(world, asked, by_id=1)


def test_a_private_chat_has_one_or_two_persons(make_memory: OpenMemory) -> None:
    memory = make_memory()
    memory.agent.register("helper", owner="host")
    memory.agent.register("butler", owner="alice")
    two = memory.chat.register("two", kind="private", participants=["alice", "bob"], agents=["helper", "butler"])
    assert len(two.participants) == 4  # agents are not counted
    for persons in (["alice", "bob", "carol"], list(matrix.EVERYBODY)):
        with pytest.raises(InvalidInput):
            memory.chat.register("three", kind="private", participants=persons)
    with pytest.raises(InvalidInput):
        memory.chat.register("two", kind="private", participants=["alice", "bob", "carol"])
    assert memory.chat.register("three", kind="group", participants=["alice", "bob", "carol"]).kind == "group"
