"""A statement that may replace an older one names it, and recall puts it first where both are found."""

from __future__ import annotations

import json

from memfort import Memory

DAY = 24 * 60 * 60


def linked(by):
    """The texts of the statements that may replace another one, with that one's."""
    texts = {item.id: item.text for item in by.list(kinds=["semantic"])}
    return {item.text: texts[item.may_replace] for item in by.list(kinds=["semantic"]) if item.may_replace}


def say(by, clock, *texts):
    for text in texts:
        clock.advance(DAY)
        by.observe(text)


def test_another_value_of_the_same_attribute_is_linked_and_comes_first(alice, clock):
    say(alice, clock, "I live in Hamburg.", "I live in Berlin.")
    assert linked(alice) == {"I live in Berlin": "I live in Hamburg"}
    found = alice.recall("Where do I live?").hits
    assert [hit.text for hit in found] == ["I live in Berlin.", "I live in Hamburg."]


def test_a_statement_about_something_else_is_not_linked(alice, clock):
    say(alice, clock, "I live in Hamburg.", "I collect stamps from Berlin.")
    assert linked(alice) == {}


def test_of_an_old_conversation_the_statement_that_was_said_later_comes_first(alice, clock):
    say(alice, clock, "I live in Hamburg.")
    alice.observe([{"role": "user", "content": "I live in Berlin.", "at": "2020-05-08T13:56:00Z"}], conversation="old")
    assert linked(alice) == {"I live in Berlin": "I live in Hamburg"}
    assert alice.recall("Where do I live?").texts[0] == "I live in Hamburg."


def test_what_is_replaced_for_sure_needs_no_link(alice, clock):
    say(alice, clock, "I live in Hamburg.", "I moved to Oslo.")
    assert linked(alice) == {}
    assert [item.text for item in alice.list(kinds=["semantic"])] == ["I moved to Oslo"]


def test_a_link_to_a_memory_that_is_gone_moves_nothing(alice, clock):
    say(alice, clock, "I live in Hamburg.", "I live in Berlin.")
    [old] = [item for item in alice.list(kinds=["semantic"]) if item.text == "I live in Hamburg"]
    alice.erase(old.id)
    assert not any("newer_value" in hit.features for hit in alice.recall("Where do I live?"))
    assert "I live in Berlin." in alice.recall("Where do I live?").texts


def test_statements_of_others_are_not_linked(memory: Memory, clock):
    alice, bob = memory.as_user("alice"), memory.as_user("bob")
    say(alice, clock, "I live in Hamburg.")
    say(bob, clock, "I live in Berlin.")
    assert linked(alice) == linked(bob) == {}


def test_a_viewer_is_not_told_of_a_memory_out_of_sight(memory: Memory, clock):
    memory.chat.register("c", kind="group", participants=["alice", "bob"])
    alice, bob = memory.as_user("alice", chat="c"), memory.as_user("bob", chat="c")
    here = {"chat": "c"}
    old = alice.remember("The standup is at nine", space=here, access={"users": ["alice"]}).item
    new = alice.remember("The standup is at ten", space=here).item
    shown = {item.id for item in bob.list()}
    assert new.id in shown
    assert old.id not in shown
    assert bob.get(new.id).may_replace is None
    assert not any("newer_value" in hit.features for hit in bob.recall("When is the standup?"))


def test_the_link_is_exported_and_imported(alice, clock, open_memory):
    say(alice, clock, "I live in Hamburg.", "I live in Berlin.")
    other = open_memory().as_user("alice")
    other.import_("\n".join(map(json.dumps, alice.export())).encode())
    texts = {item.id: item.text for item in other.list(statuses=["approved", "superseded"])}
    [new] = [item for item in other.list(kinds=["semantic"]) if item.text == "I live in Berlin"]
    assert texts[new.may_replace] == "I live in Hamburg"
