"""Memories about a person are disclosed to a private chat only as far as all its participants may know them (the
private columns of DESIGN section 5, for memories out of another user's space)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memfort import BoundMemory, Item, Memory, NotFound

Say = Callable[..., Item]


@pytest.fixture(params=["strict", "participants"])
def memory(request: pytest.FixtureRequest, under: Callable[..., Memory]) -> Memory:
    """Under either rule for groups: private chats have one rule."""
    made = under(request.param)
    for chat, kind, participants in (
        ("hall", "group", ["alice", "bob", "carol"]),
        ("alice-bob", "private", ["alice", "bob"]),
        ("bob-carol", "private", ["bob", "carol"]),
        ("bob-bot", "private", ["bob"]),
    ):
        made.chat.register(chat, kind=kind, participants=participants)
    return made


def about_bob(reader: BoundMemory) -> list[str]:
    return [item.text for item in reader.about("@bob")]


def related_to(reader: BoundMemory, id: str) -> list[str]:
    return [item.text for item in reader.related(id)]


def test_a_sensitive_fact_is_withheld_when_anyone_but_its_subject_is_present(memory: Memory, say: Say) -> None:
    carol, text = memory.as_user("carol", chat="hall"), "@bob has anxiety and takes Zoloft"
    kept = say(carol, text)
    assert (kept.sensitivity, kept.subjects) == ("sensitive", ("@bob",))
    start = say(memory.as_user("alice", chat="hall"), "@bob plays the oboe")

    alice = memory.as_user("alice", chat="alice-bob")
    assert about_bob(alice) == ["@bob plays the oboe"]
    assert related_to(alice, start.id) == []
    assert alice.get(kept.id) is None
    bob = memory.as_user("bob", chat="alice-bob")  # alice listens to what bob asks for too
    assert text not in about_bob(bob)
    assert not bob.recall("Zoloft")

    bob = memory.as_user("bob", chat="bob-bot")
    assert text in about_bob(bob)
    assert text in related_to(bob, start.id)
    assert bob.recall("Zoloft").texts == [text]
    assert text in about_bob(memory.as_user("bob"))


def test_a_sensitive_fact_is_withheld_even_when_its_owner_is_present(memory: Memory, say: Say) -> None:
    say(memory.as_user("carol", chat="hall"), "@bob has anxiety")
    assert about_bob(memory.as_user("bob", chat="bob-carol")) == []
    assert about_bob(memory.as_user("bob", chat="bob-bot")) == ["@bob has anxiety"]


def test_a_personal_fact_is_disclosed_when_only_its_subject_and_owner_are_present(memory: Memory, say: Say) -> None:
    text = "@bob is looking for another job"
    kept = say(memory.as_user("carol", chat="hall"), text, sensitivity="personal")
    assert kept.space.to_dict() == {"user": "carol"}
    assert about_bob(memory.as_user("bob", chat="bob-carol")) == [text]
    assert memory.as_user("bob", chat="bob-carol").recall("job").texts == [text]
    assert about_bob(memory.as_user("bob", chat="bob-bot")) == [text]
    assert about_bob(memory.as_user("alice", chat="alice-bob")) == []
    assert about_bob(memory.as_user("bob", chat="alice-bob")) == []


def test_a_groups_memory_has_no_owner_to_disclose_to(memory: Memory, say: Say) -> None:
    text = "@bob is looking for another job"
    say(memory.as_user("carol", chat="hall"), text, sensitivity="personal", space={"chat": "hall"})
    assert about_bob(memory.as_user("bob", chat="bob-bot")) == [text]
    assert about_bob(memory.as_user("bob", chat="bob-carol")) == []
    assert about_bob(memory.as_user("bob", chat="alice-bob")) == []


def test_a_public_fact_is_disclosed_whoever_is_present(memory: Memory, say: Say) -> None:
    say(memory.as_user("carol", chat="hall"), "@bob loves pizza")
    for user, chat in (("alice", "alice-bob"), ("bob", "alice-bob"), ("bob", "bob-bot")):
        assert about_bob(memory.as_user(user, chat=chat)) == ["@bob loves pizza"]


def test_a_sensitive_fact_about_two_people_is_disclosed_to_neither(memory: Memory, say: Say) -> None:
    text = "@dave and @bob both have anxiety"
    kept = say(memory.as_user("carol", chat="hall"), text)
    assert set(kept.subjects) == {"@bob", "@dave"}
    bob = memory.as_user("bob", chat="bob-bot")
    assert about_bob(bob) == []
    assert about_bob(memory.as_user("bob")) == []
    with pytest.raises(NotFound):
        bob.history(kept.id)


def test_a_sensitive_fact_about_two_people_is_shown_to_its_speaker(memory: Memory, say: Say) -> None:
    text = "@dave and @bob both have anxiety"
    say(memory.as_user("bob", chat="hall"), text)
    assert about_bob(memory.as_user("bob", chat="bob-bot")) == [text]
    assert about_bob(memory.as_user("bob", chat="bob-carol")) == []


def test_a_personal_memory_about_two_people_is_about_neither_of_them_alone(memory: Memory, say: Say) -> None:
    say(memory.as_user("carol", chat="hall"), "@dave and @bob share a flat", sensitivity="personal")
    say(memory.as_user("carol", chat="hall"), "@bob rents a flat", sensitivity="personal")
    assert about_bob(memory.as_user("bob", chat="bob-bot")) == ["@bob rents a flat"]
