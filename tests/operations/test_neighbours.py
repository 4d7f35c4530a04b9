"""A found turn comes with the turns beside it, as far as the asker may see them and they still hold."""

from __future__ import annotations

from memfort import Memory
from memfort.model.item import Kind, Readers


def talk(by, *messages, conversation="c"):
    """A conversation of the user and the assistant, in turns."""
    roles = ("user", "assistant")
    given = [{"role": roles[place % 2], "content": text} for place, text in enumerate(messages)]
    return by.observe(given, conversation=conversation)


def around(by, query):
    return [[one.text for one in hit.around] for hit in by.recall(query) if hit.item.kind is Kind.SHORT_TERM]


def test_an_answer_comes_with_its_question_and_the_turn_after_it(alice):
    talk(alice, "which plaster for a damp cellar?", "A lime render breathes.", "and how thick?")
    assert around(alice, "lime render") == [["which plaster for a damp cellar?", "and how thick?"]]
    prompt = alice.context("lime render").text
    assert [part in prompt for part in ("damp cellar", "lime render", "how thick")] == [True, True, True]
    assert "assistant" in prompt  # who said it


def test_turns_of_another_conversation_are_no_neighbours(alice):
    talk(alice, "which plaster for a damp cellar?", conversation="one")
    talk(alice, "hello", "A lime render breathes.", conversation="two")
    assert around(alice, "lime render") == [["hello"]]


def test_a_neighbour_of_which_something_was_forgotten_does_not_come(alice):
    seen = talk(alice, "My sister Ana lives in Porto", "A lime render breathes.")
    before = alice.context("lime render", budget_tokens=400).text
    assert "Porto" in before  # the positive control
    for outcome in seen.messages[0].statements:
        alice.forget(outcome.item.id)
    assert not any("Porto" in one for texts in around(alice, "lime render") for one in texts)
    assert "Porto" not in alice.context("lime render").text


def test_a_request_to_forget_is_no_neighbour(alice):
    talk(alice, "please forget what I told you about Ana", "A lime render breathes.")
    assert around(alice, "lime render") == [[]]


def test_nobody_sees_a_neighbour_that_is_not_in_sight(open_memory):
    memory: Memory = open_memory()
    alice, bob = (memory.as_user(one, project="site") for one in ("alice", "bob"))
    for text, access in (("the attic key is under the mat", Readers.of(["alice"])), ("A lime render breathes.", None)):
        alice.remember(text, kind="short_term", conversation="c", space={"project": "site"}, access=access)
    assert around(alice, "lime render") == [["the attic key is under the mat"]]  # the positive control
    assert around(bob, "lime render") == [[]]
    assert "attic" not in bob.context("lime render").text


def test_a_prompt_leaves_out_neighbours_for_which_there_is_no_room(alice):
    talk(alice, "which plaster for a damp cellar, " + "please " * 200, "A lime render breathes.")
    small = alice.context("lime render", budget_tokens=80)
    assert ("lime render" in small.text, "damp cellar" in small.text) == (True, False)
    assert small.tokens <= 80


def test_the_trail_the_trace_and_an_explanation_name_the_neighbours_that_were_shown(alice, events):
    talk(alice, "which plaster for a damp cellar?", "A lime render breathes.", "and how thick?")
    answer = alice.recall("lime render")
    [hit] = [one for one in answer if one.around]
    shown = [turn.id for turn in hit.around]
    [recorded] = [one["detail"] for one in events() if one["action"] == "recall"]
    assert sorted(recorded["beside"]) == sorted([id, hit.id, hit.level, "beside_a_hit"] for id in shown)
    event = alice.trace.show(answer.trace).events[0]
    reasons = {view["id"]: view["meta"]["recall_reason"] for view in event["recalled"]}
    assert all("beside_a_hit" in reasons[id] for id in shown)
    lines = alice.explain(answer.trace).lines
    assert all(any(id in line and "turn before or after" in line for line in lines) for id in shown)


def test_a_turn_that_is_found_itself_is_recorded_once(alice, events):
    talk(alice, "which lime render for a cellar?", "A lime render breathes.")
    answer = alice.recall("lime render")
    [recorded] = [one["detail"] for one in events() if one["action"] == "recall"]
    named = [*(one[0] for one in recorded["recalled"]), *(one[0] for one in recorded.get("beside", ()))]
    assert len(named) == len(set(named)) == 2
    assert len(answer) == len(recorded["recalled"])
