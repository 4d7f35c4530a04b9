"""Whoever is spoken of by a name is found, listed and erased by it, in any language and script; what others say under
the same name waits for a decision."""

from __future__ import annotations

import pytest
from tests.operations.first_names import NAMES

from memfort import BoundMemory, Memory
from memfort.errors import InvalidInput, NotFound


def _said(language: str) -> list[tuple[str, str]]:
    """Each name of a language, with a statement about somebody called so."""
    names, *forms = NAMES[language]
    english = ["{} works at Google.", "{} has diabetes."]
    return [(name, form.format(name)) for name in names.split() for form in (*forms, *english)]


@pytest.mark.parametrize("language", NAMES)
def test_a_name_in_any_language_finds_lists_and_erases(memory: Memory, language: str):
    missed = []
    for number, (name, text) in enumerate(_said(language)):
        user = memory.as_user(f"user{number}")
        user.remember(text)
        user.remember("The gate code is on the fridge")
        found = [person.name for person in user.people.find(name)]
        listed = [item.text for item in user.about(name)]
        copied = [item.text for item in user.subject.export(name)]
        receipt = user.subject.erase(name)
        left = [item.text for item in user.list()]
        if (found, listed, copied, receipt.state) != ([name], [text], [text], "complete") or text in left:
            missed.append((name, text, found, listed, copied, left))
        assert "The gate code is on the fridge" in left
    assert missed == []


def test_two_statements_are_about_one_person(alice: BoundMemory):
    alice.remember("Bella works at Google.")
    alice.remember("Bella has diabetes.")
    assert {item.text for item in alice.about("Bella")} == {"Bella works at Google.", "Bella has diabetes."}
    assert [person.name for person in alice.people.find("Bella")] == ["Bella"]
    assert alice.subject.erase("Bella").counts["memories"] == 2
    assert list(alice.list()) == []


def test_another_name_is_another_person(alice: BoundMemory):
    kept = ["Annabel works at Google.", "Johanna has a cat.", "A savannah is a grassland", "I will call Will tomorrow"]
    for text in kept:
        alice.remember(text)
    alice.remember("Anna works at Google.")
    assert alice.subject.erase("Anna").counts["memories"] == 1
    assert sorted(item.text for item in alice.list()) == sorted(kept)
    with pytest.raises(NotFound):
        alice.subject.erase("Savannah")
    assert list(alice.about("Joy")) == []


def test_a_name_that_is_a_word_too_is_meant_only_as_a_name(alice: BoundMemory):
    alice.remember("Will lives in Rome")
    alice.remember("Will the parcel come on Monday")
    assert [item.text for item in alice.about("Will")] == ["Will lives in Rome"]


def test_a_name_in_another_case_is_the_same_name(alice: BoundMemory):
    alice.remember("У Екатерины диабет.")
    assert [item.text for item in alice.about("Екатерина")] == ["У Екатерины диабет."]


def test_nobody_is_told_of_names_that_others_say(alice: BoundMemory, bob: BoundMemory):
    alice.remember("Bella works at Google.")
    assert bob.people.find("Bella") == []
    assert list(bob.about("Bella")) == []
    with pytest.raises(NotFound):
        bob.subject.erase("Bella")
    assert len(list(alice.about("Bella"))) == 1


def test_a_sentence_with_the_name_goes_from_a_turn(alice: BoundMemory):
    alice.observe([{"role": "user", "content": "We won! Bella works at Google. I live in Ghent."}])
    assert alice.subject.erase("Bella").state == "complete"
    assert not any("Bella" in item.text for item in alice.list())
    assert any("Ghent" in item.text for item in alice.list())


# -- namesakes ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def annas(memory: Memory) -> Memory:
    """What Anna says of herself, and what others say of somebody called Anna."""
    memory.as_user("anna").remember("I am allergic to nuts")
    memory.as_user("ben").remember("Anna is allergic to peanuts")
    memory.as_user("carol").remember("Anna moved to Rome")
    return memory


def test_the_system_lists_namesakes_and_is_not_done(annas: Memory):
    system = annas.as_system()
    preview = system.subject.erase("@anna", dry_run=True)
    assert len(preview.namesakes) == 2
    assert all(one.text == "" and one.id in one.summary and one.kind in one.summary for one in preview.namesakes)
    assert all(preview.sample)
    assert "peanuts" not in repr(preview)
    receipt = system.subject.erase("@anna")
    assert (receipt.state, receipt.counts["namesakes"], len(receipt.items)) == ("undecided", 2, 1)
    assert any("namesakes" in note for note in receipt.notes)
    assert len(system.subject.export("@anna").namesakes) == 2
    assert [item.text for item in annas.as_user("ben").list()] == ["Anna is allergic to peanuts"]


def test_it_is_complete_when_somebody_has_decided(annas: Memory):
    system = annas.as_system()
    assert system.subject.erase("@anna", namesakes=["keep"]).state == "complete"
    assert len(annas.as_user("ben").list()) == 1
    [first, _] = sorted(system.subject.erase("@anna", dry_run=True).namesakes, key=lambda one: str(one.space))
    assert first.space.to_dict() == {"user": "ben"}
    receipt = system.subject.erase("@anna", namesakes=[first.id])
    assert (receipt.state, [id for _, id in receipt.items]) == ("complete", [first.id])
    assert list(annas.as_user("ben").list()) == []
    assert system.subject.erase("@anna", namesakes=["erase"]).counts["memories"] == 1
    assert list(annas.as_user("carol").list()) == []
    assert system.subject.erase("@anna").state == "complete"


def test_a_decision_says_one_thing(annas: Memory):
    with pytest.raises(InvalidInput, match="namesakes"):
        annas.as_system().subject.erase("@anna", namesakes=["keep", "erase"])
    with pytest.raises(InvalidInput, match="none of them"):
        annas.as_system().subject.erase("@anna", namesakes=["mem_nothing"])


def test_the_system_finds_whoever_is_only_named(memory: Memory):
    memory.as_user("ben").remember("지민은 구글에서 일해요.")
    memory.as_user("carol").remember("지민이 로마로 이사했어요.")
    memory.as_user("carol").remember("The gate code is on the fridge")
    receipt = memory.as_system().subject.erase("지민", namesakes=["erase"])
    assert (receipt.state, receipt.counts["memories"]) == ("complete", 2)
    assert "지민" not in str(receipt.selector)
    assert [item.text for item in memory.as_user("carol").list()] == ["The gate code is on the fridge"]


def test_the_system_is_told_of_all_who_are_called_so(annas: Memory):
    with pytest.raises(InvalidInput, match="more than one") as refused:
        annas.as_system().subject.erase("Anna")
    ids = [word.strip("`,") for word in str(refused.value).split() if word.startswith("`per_")]
    assert len(ids) == 2
    receipt = annas.as_system().subject.erase(ids[0])
    assert (receipt.state, len(receipt.items), len(receipt.namesakes)) == ("undecided", 1, 1)
