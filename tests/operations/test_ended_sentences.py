"""Endings reach the turns of a conversation that say what ends: the evidence, and the answer that says it again."""

from __future__ import annotations

import pytest

from memfort import Memory

SAID = [
    {"role": "user", "content": "I prefer whisky on Fridays. My cat is called Tom."},
    {"role": "assistant", "content": "Noted: whisky on Fridays. Tom is a nice name."},
]


@pytest.fixture
def alice(memory: Memory):
    return memory.as_user("alice")


@pytest.fixture
def statements(alice):
    observed = alice.observe(SAID)
    return {item.text: item for item in observed.kept if item.kind != "short_term"}


def window(bound) -> list[str]:
    return [turn.text for turn in bound.window()]


def test_erasing_a_statement_rewrites_the_turn_and_the_answer(alice, statements):
    whisky = statements["I prefer whisky on Fridays"]
    preview = alice.erase(whisky.id, dry_run=True)
    assert [one.words for one in preview.sentences] == ["I prefer whisky on Fridays.", "Noted: whisky on Fridays."]
    assert window(alice) == [one["content"] for one in SAID]
    receipt = alice.erase(whisky.id)
    assert (receipt.counts["sentences"], [one.words for one in receipt.sentences]) == (2, ["", ""])
    assert window(alice) == ["[erased] My cat is called Tom.", "[erased] Tom is a nice name."]
    assert alice.recall("whisky").texts == []
    assert alice.recall("cat").texts == ["My cat is called Tom"]
    assert alice.verify_erasure(receipt.id).ok


def test_forgetting_a_statement_hides_the_sentence(memory, alice, statements):
    done = alice.forget(statements["I prefer whisky on Fridays"].id)
    assert [one.words for one in done.sentences] == ["I prefer whisky on Fridays.", "Noted: whisky on Fridays."]
    assert window(alice) == ["[forgotten] My cat is called Tom.", "[forgotten] Tom is a nice name."]
    assert alice.recall("whisky").texts == []
    assert memory.trail.verify().ok


def test_ending_the_turn_ends_what_came_from_it_and_its_echo(alice, statements):
    turn, _ = alice.window()
    receipt = alice.erase(turn.id)
    assert receipt.counts["derived"] == 2
    assert window(alice) == ["[erased] [erased]"]
    assert alice.recall("whisky Tom").texts == []


@pytest.mark.parametrize("verb", ["forget", "erase"])
def test_ending_a_corrected_statement_reaches_what_the_old_turn_said(alice, statements, verb):
    gin = alice.correct(statements["I prefer whisky on Fridays"].id, "I prefer gin on Fridays")
    getattr(alice, verb)(gin.id)
    assert not any("whisky" in text for text in window(alice))
    assert alice.recall("whisky gin Fridays").texts == []


def test_a_correction_takes_what_the_old_turn_said_out_of_recall(alice, clock, statements):
    before = clock.now()
    clock.advance(60)
    gin = alice.correct(statements["I prefer whisky on Fridays"].id, "I prefer gin on Fridays")
    assert alice.recall("whisky gin Fridays").texts == ["I prefer gin on Fridays"]
    assert "whisky" not in str(alice.context("what do I drink on Fridays"))
    assert any("whisky" in text for text in alice.recall("whisky", as_of=before).texts)
    assert alice.history(gin.id)[0].text == "I prefer whisky on Fridays"


def test_a_sentence_that_another_memory_comes_from_stays_and_is_named(alice):
    observed = alice.observe(["My sister Ann lives in Oslo.", "The flat of my sister Ann in Oslo is very small."])
    first = next(item for item in observed.kept if item.kind != "short_term")
    receipt = alice.erase(first.id)
    turns = alice.window()
    assert [turn.text for turn in turns] == ["[erased]", "The flat of my sister Ann in Oslo is very small."]
    assert receipt.may_still_say == (turns[1].id,)


@pytest.mark.parametrize("ids", [False, True])
def test_a_conversation_that_is_sent_again_is_recognised(alice, ids):
    said = [{**one, "id": f"m{number}"} for number, one in enumerate(SAID)] if ids else SAID
    kept = [item for item in alice.observe(said).kept if item.kind != "short_term"]
    alice.erase(kept[0].id)
    more = {"role": "user", "content": "I moved to Rome.", **({"id": "m9"} if ids else {})}
    observed = alice.observe([*said, more])
    assert [one.already_observed for one in observed.messages] == [True, True, False]
    assert alice.recall("whisky").texts == []


def test_a_turn_that_was_erased_whole_is_recognised_too(alice):
    said = ["I prefer gin in the evening.", "My cat is called Tom.", "The sky over Oslo is grey."]
    turns = alice.observe(said).turns
    alice.erase(turns[1].id)
    alice.observe([*said, "I moved to Rome."])
    assert window(alice) == [said[0], said[2], "I moved to Rome."]
    alice.observe([*said, "I moved to Rome.", "My cat is called Tom."])  # said once more
    assert window(alice)[-1] == "My cat is called Tom."


@pytest.mark.parametrize("verb", ["forget", "erase"])
def test_a_turn_of_which_nothing_is_left_does_not_come_back(alice, verb):
    """Its neighbour in the conversation still has the word."""
    kept = alice.observe(["I have a motorbike and a cat called Tom.", "Please forget that I have a motorbike."]).kept
    assert alice.recall("motorbike").texts  # the control
    getattr(alice, verb)(next(item.id for item in kept if item.kind != "short_term"))
    assert alice.recall("motorbike").texts == []
    assert "[" not in str(alice.context("motorbike"))


def test_from_outside_the_chat_the_receipt_says_that_it_was_said_there(memory):
    memory.chat.register("team", kind="group", participants=["alice", "bob"])
    kept = memory.as_user("alice", chat="team").observe("I prefer whisky on Fridays.").kept
    statement = next(item for item in kept if item.kind != "short_term")
    assert statement.space.to_dict() == {"user": "alice"}
    there = memory.as_user("bob", chat="team")
    assert "stand there" in memory.as_user("alice").forget(statement.id, dry_run=True).notes[0]
    assert window(there) == ["I prefer whisky on Fridays."]
    memory.as_user("alice", chat="team").forget(statement.id)
    assert window(there) == ["[forgotten]"]


def test_no_byte_of_an_erased_sentence_is_left_in_the_files(tmp_path):
    memory = Memory.open(tmp_path / "memory.db")
    alice = memory.as_user("alice")
    kept = alice.observe(SAID).kept
    assert any(b"whisky" in path.read_bytes() for path in tmp_path.iterdir())  # the control
    alice.erase(next(item.id for item in kept if item.kind != "short_term"))
    memory.close()
    assert not any(b"whisky" in path.read_bytes().lower() for path in tmp_path.iterdir())
