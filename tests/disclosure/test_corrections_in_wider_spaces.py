"""A statement that names a wider space leaves the private chat it is made in. A correction names none: it stays.

What is about no person is not portable unless its caller says so; here the origin alone is to decide."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memfort import BoundMemory, Memory

ORG = {"org": "acme"}


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    memory = open_memory()
    memory.chat.register("alone", kind="private", participants=["alice"])
    memory.chat.register("group", kind="group", participants=["alice", "bob", "carol"])
    for user in ("alice", "bob"):
        memory.member.add(ORG, user=user, trust="owner")
    return memory


@pytest.fixture
def alone(memory: Memory) -> BoundMemory:
    return memory.as_user("alice", chat="alone", org="acme")


def texts(memory: Memory, user: str, **places: str) -> list[str]:
    return [item.text for item in memory.as_user(user, org="acme", **places).list()]


def test_a_correction_in_a_private_chat_is_said_in_no_group(memory: Memory, alone: BoundMemory) -> None:
    first = alone.remember("the office moves in May", space=ORG, sensitivity="public", portable=True)
    assert texts(memory, "alice", chat="group") == ["the office moves in May"], "it named the org on purpose"
    alone.correct(str(first.id), "the office moves in June", sensitivity="public")
    assert texts(memory, "alice", chat="group") == []
    assert texts(memory, "bob") == ["the office moves in June"], "outside any chat membership is the permission"
    assert texts(memory, "alice", chat="alone") == ["the office moves in June"]


def test_a_restored_wording_is_said_in_no_group(memory: Memory, alone: BoundMemory) -> None:
    outside = memory.as_user("alice", org="acme")
    first = outside.remember("the office moves in May", space=ORG, sensitivity="public")
    outside.correct(str(first.id), "the office moves in June", sensitivity="public")
    assert texts(memory, "bob", chat="group") == ["the office moves in June"]
    alone.restore(str(first.id))
    assert texts(memory, "bob", chat="group") == []
    assert texts(memory, "bob") == ["the office moves in May"]


def test_promoting_or_stating_it_there_again_releases_it(memory: Memory, alone: BoundMemory) -> None:
    first = alone.remember("the office moves in May", space=ORG, sensitivity="public", portable=True)
    alone.correct(str(first.id), "the office moves in June", sensitivity="public")
    alone.remember("our office moves in June", space=ORG, sensitivity="public", portable=True)
    assert texts(memory, "bob", chat="group") == ["our office moves in June"]
