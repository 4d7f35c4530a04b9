"""Whom a shared or published space mentions: a name there would say that there is a memory about them."""

from __future__ import annotations

from typing import Any

import pytest

from memfort import Memory, NotFound


def people_of(bound: Any) -> list[str]:
    return sorted(person.name for person in bound.people.list())


@pytest.fixture
def cleo(memory: Memory) -> Any:
    cleo = memory.as_user("cleo")
    cleo.share(user="bea")
    cleo.remember("Sarah prefers tea at the harbor", subjects=["Sarah"], sensitivity="sensitive")
    cleo.remember("Tom likes jam", subjects=["Tom"], sensitivity="public")
    return cleo


def test_a_holder_of_a_share_is_not_told_whom_hidden_memories_mention(memory: Memory, cleo: Any) -> None:
    bea = memory.as_user("bea")
    assert [item.text for item in bea.list()] == ["Tom likes jam"]  # the share works
    assert people_of(cleo) == ["Sarah", "Tom"]
    assert people_of(bea) == []
    assert bea.people.find("Sarah") == []
    assert cleo.people.find("Sarah")


def test_nor_are_readers_of_a_published_space(memory: Memory) -> None:
    memory.agent.register("bot", owner="cleo")
    memory.as_agent("bot").remember("Zoe has cancer", subjects=["Zoe"], sensitivity="sensitive", visibility="public")
    assert people_of(memory.as_user("bea", agent="bot")) == []
    assert people_of(memory.as_user("cleo", agent="bot")) == ["Zoe"]


def test_nor_is_anybody_else_there_shown_to_them(memory: Memory, cleo: Any) -> None:
    """The number in an id counts those before it."""
    added = cleo.people.add("Uma")
    bea = memory.as_user("bea")
    assert people_of(bea) == []
    assert [item.subjects for item in bea.list()] == [()]
    assert all(item.subjects for item in cleo.list())
    assert bea.people.get(added.id) is None
    assert cleo.people.get(added.id).name == "Uma"


def test_nor_does_an_id_or_a_name_mean_anybody_there(memory: Memory, cleo: Any) -> None:
    """Ids count up, so that they can be guessed: an answer would say who is known there, and their name."""
    bea, known = memory.as_user("bea"), {person.name: person.id for person in cleo.people.list()}
    for said, name in (("we meet at noon", "Sarah"), ("we meet at ten", "Tom")):
        with pytest.raises(NotFound):
            bea.remember(said, subjects=[known[name]])
        assert cleo.remember(said, subjects=[known[name]]).item.subjects == (known[name],)
    assert bea.remember("we meet at noon", subjects=["Sarah"]).item.subjects != (known["Sarah"],)
    assert people_of(bea) == ["Sarah"]  # whom she named herself
