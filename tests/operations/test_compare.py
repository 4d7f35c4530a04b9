"""compare: what it says of others is what they get, and it says no more of them than the asker may know."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memfort import InvalidInput, Memory, NotFound
from memfort.surfaces.cli.demo_studio import add_launch

TEAM = ("alice", "bob", "carol")


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", memberships="registered") as made:
        add_launch(made)
        yield made


def test_in_the_room_as_it_is_each_gets_what_is_said(memory: Memory) -> None:
    alice = memory.as_user("alice", project="apollo")
    found = alice.compare(viewers=TEAM, chat="apollo-team", limit=100)
    told = 0
    for one in found:
        for verdict in one.verdicts:
            there = memory.as_user(verdict.viewer, project="apollo", chat="apollo-team")
            if verdict.shown is not None:
                told += 1
                assert verdict.shown == (there.get(one.id) is not None), (one.item.text, verdict)
    assert told > 20
    assert {verdict.shown for one in found for verdict in one.verdicts} >= {True, False}


def test_alone_each_gets_what_they_get_outside_any_chat(memory: Memory) -> None:
    alice = memory.as_user("alice", project="apollo")
    found = alice.compare(viewers=TEAM, limit=100)
    for one in found:
        for verdict in one.verdicts:
            if verdict.shown is not None:
                there = memory.as_user(verdict.viewer, project="apollo")
                assert verdict.shown == (there.get(one.id) is not None), (one.item.text, verdict)
    assert found.got_by("bob")
    assert len(found.got_by("bob")) < len(found.got_by("alice"))


@pytest.mark.parametrize("listeners", [["alice", "bob"], ["alice", "carol"], ["alice", "bob", "dave"]])
def test_a_new_room_is_answered_as_it_will_be(memory: Memory, listeners: list[str]) -> None:
    """What is promised of a chat that does not exist is so when it does."""
    alice = memory.as_user("alice", project="apollo")
    promised = alice.compare(viewers=listeners, listeners=listeners, limit=100)
    kind = "private" if len(listeners) < 3 else "group"
    memory.chat.register("the-new-one", kind=kind, participants=listeners)
    for one in promised:
        for verdict in one.verdicts:
            if verdict.shown is not None:
                there = memory.as_user(verdict.viewer, project="apollo", chat="the-new-one")
                assert verdict.shown == (there.get(one.id) is not None), (one.item.text, verdict)


def test_who_decides_and_what_would_change_it_were_tried(memory: Memory) -> None:
    alice = memory.as_user("alice", project="apollo")
    [budget] = [
        one for one in alice.compare("budget", viewers=["alice"], chat="apollo-team") if "18,000" in one.item.text
    ]
    [verdict] = budget.verdicts
    assert (verdict.shown, verdict.decided_by) == (False, ("bob",))
    [without] = alice.compare(
        viewers=["alice"], listeners=["alice", "carol"], chat="apollo-team", ids=[budget.id]
    ).memories
    assert without.verdicts[0].shown
    assert {str(one.name) for one in verdict.remedies} >= {"without_listener", "alone"}


def test_what_only_others_see_moves_nothing(memory: Memory) -> None:
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob")
    before = alice.compare("launch", viewers=TEAM, chat="apollo-team").to_dict()
    bob.remember("My surprise for the launch is a cake.")
    memory.as_user("bob", chat="apollo-team").recall("launch")
    assert alice.compare("launch", viewers=TEAM, chat="apollo-team").to_dict() == before


def test_who_may_only_read_a_memory_is_told_nothing_of_others(memory: Memory) -> None:
    memory.member.add({"project": "apollo"}, user="dave", trust="viewer")
    dave = memory.as_user("dave", project="apollo")
    found = dave.compare("launch", viewers=["dave", "bob"])
    assert found.got_by("dave")
    for one in found:
        assert one.verdicts[1].shown is None
        assert (one.verdicts[1].steps, one.verdicts[1].decided_by, one.verdicts[1].remedies) == ((), (), ())


def test_who_was_there_is_told_to_those_who_were(memory: Memory) -> None:
    """A memory that came from a chat tells who was in it only to those who were."""
    memory.member.add({"project": "apollo"}, user="erin", trust="contributor")
    carol = memory.as_user("carol", project="apollo", chat="apollo-team")
    said = carol.remember("The launch cake is chocolate.", space={"project": "apollo"}, sensitivity="public").item
    assert said is not None
    assert said.learned_with
    erin = memory.as_user("erin", project="apollo")
    [one] = erin.compare(viewers=["erin", "bob"], listeners=["erin", "bob"], ids=[said.id])
    assert one.were_there is None
    assert [verdict.shown for verdict in one.verdicts] == [None, None]
    [one] = memory.as_user("alice", project="apollo").compare(
        viewers=["alice", "bob"], listeners=["alice", "bob"], ids=[said.id]
    )
    assert one.were_there == ("alice", "bob")
    assert None not in [verdict.shown for verdict in one.verdicts]


def test_it_is_asked_from_outside_any_chat(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="outside any chat"):
        memory.as_user("alice", chat="apollo-team").compare()


def test_a_chat_of_others_is_like_none(memory: Memory) -> None:
    bob = memory.as_user("bob")
    errors = []
    for chat in ("alice-carol", "alice-carrl"):
        with pytest.raises(NotFound) as caught:
            bob.compare(chat=chat)
        errors.append(str(caught.value).replace(chat, "…"))
    assert errors[0] == errors[1]


def test_the_owner_of_an_agent_is_nobody_elses_business(memory: Memory) -> None:
    memory.agent.register("helper", owner="alice")
    memory.agent.register("other", owner="bob")
    alice = memory.as_user("alice")
    assert alice.compare(viewers=["agent:helper"]).viewers == ("agent:helper",)
    errors = []
    for agent in ("other", "nohow"):
        with pytest.raises(InvalidInput) as caught:
            alice.compare(listeners=["alice", f"agent:{agent}"])
        errors.append(str(caught.value).replace(agent, "…"))
    assert errors[0] == errors[1]


def test_a_memory_of_others_is_like_none(memory: Memory) -> None:
    theirs = memory.as_user("bob").remember("I like snacks.").item
    assert theirs is not None
    alice = memory.as_user("alice")
    errors = []
    for id in (theirs.id, "mem_" + "a" * 24):
        with pytest.raises(NotFound) as caught:
            alice.compare(ids=[id], viewers=["alice", "bob"])
        errors.append(str(caught.value).replace(id, "…"))
    assert errors[0] == errors[1]


def test_it_is_in_the_trail_of_who_asked_alone(memory: Memory) -> None:
    alice, bob = memory.as_user("alice"), memory.as_user("bob")
    before = len(bob.trail.list())
    alice.compare(viewers=["alice", "bob"])
    assert alice.trail.list(limit=1).events[0].action == "compare"
    assert len(bob.trail.list()) == before
