"""Show each fact once: a turn comes for its statements, and a turn that is out of date does not come."""

from __future__ import annotations

import pytest

from memfort.model.item import Readers


def said(by, text, **more):
    """A turn of a conversation."""
    return by.remember(text, kind="short_term", conversation="c", **more).item


def taken(by, turn, text, **more):
    """A statement that was taken from a turn."""
    return by.remember(text, derived_from=[turn.id], **more).item


def test_a_turn_comes_for_its_statement(alice):
    turn = said(alice, "Well, I prefer whisky on Fridays, you know")
    statement = taken(alice, turn, "I prefer whisky on Fridays")
    found = alice.recall("whisky on Fridays")
    assert [hit.id for hit in found] == [turn.id]
    assert alice.context("whisky on Fridays").text.count("whisky") == 1
    assert [hit.id for hit in alice.recall("whisky on Fridays", kinds=["semantic"])] == [statement.id]
    assert [hit.id for hit in alice.recall("whisky on Fridays", types=[statement.type])] in ([turn.id], [statement.id])


def test_a_statement_of_which_the_turn_is_out_of_sight_is_ranked_by_itself(memory):
    alice, bob = (memory.as_user(name, project="p") for name in ("alice", "bob"))
    here = {"project": "p"}
    turn = said(alice, "Well, the boiler is in the cellar, you know", space=here, access=Readers.of(["alice"]))
    statement = taken(alice, turn, "The boiler is in the cellar", space=here)
    [one] = alice.recall("boiler cellar").hits  # of two reader lists, so the one that matches better comes
    assert one.id in {turn.id, statement.id}
    assert [hit.id for hit in bob.recall("boiler cellar")] == [statement.id]
    alone = bob.recall("boiler cellar").hits[0]
    assert "stands_for" not in alone.features


def test_of_a_long_turn_the_one_statement_that_answers_comes(alice):
    turn = said(alice, f"I prefer whisky on Fridays, and {'some other thing that was told at length ' * 12}")
    statement = taken(alice, turn, "I prefer whisky on Fridays")
    assert [hit.id for hit in alice.recall("whisky on Fridays")] == [statement.id]
    assert [hit.id for hit in alice.recall("told at length")] == [turn.id]  # the rest of it is found


def test_a_statement_has_the_score_of_its_turn(alice):
    turn = said(alice, "whisky Fridays whisky Fridays yes")
    statement = taken(alice, turn, "whisky on most Fridays and on other days too")
    [first] = alice.recall("whisky Fridays").hits
    [same] = alice.recall("whisky Fridays", kinds=["semantic"]).hits
    assert (first.id, same.id) == (turn.id, statement.id)
    assert "stands_for" in same.features
    assert same.score == pytest.approx(first.score, abs=2e-6)


def test_a_turn_stays_for_what_none_of_its_statements_says(alice):
    turn = said(alice, "I prefer whisky on Fridays. The kettle broke again last night, what a mess")
    taken(alice, turn, "I prefer whisky on Fridays")
    assert alice.recall("kettle broke").texts == [turn.text]


def test_the_same_words_come_once(alice):
    said(alice, "The kettle is blue")
    said(alice, "The kettle is blue", meta={"again": True})
    assert len(alice.recall("blue kettle")) == 1
    kept = alice.remember("The kettle is blue").item
    assert [hit.id for hit in alice.recall("blue kettle")] == [kept.id]


def test_a_corrected_turn_gives_way_to_its_correction(alice, clock):
    turn = said(alice, "I drink gin on Fridays")
    old = taken(alice, turn, "I drink gin on Fridays")
    clock.advance(60)
    before = clock.now()
    clock.advance(60)
    new = alice.correct(old.id, "I drink rum on Fridays").item
    for query in ("gin", "What do I drink on Fridays?"):
        assert [hit.id for hit in alice.recall(query)] == [new.id], query
    assert "gin" not in alice.context("drink on Fridays").text
    assert turn.id in {hit.id for hit in alice.recall("gin", as_of=before)}
    assert old.id in {one.id for one in alice.history(new.id)}
    assert alice.get(turn.id).text == turn.text


def test_a_long_turn_stays_for_what_was_not_corrected(alice):
    turn = said(
        alice,
        "I drink gin on Fridays. The boiler in the cellar makes a strange noise whenever the washing machine runs, "
        "and the plumber could not find anything wrong with the pipes behind the wall",
    )
    old = taken(alice, turn, "I drink gin on Fridays")
    new = alice.correct(old.id, "I drink rum on Fridays").item
    assert [hit.id for hit in alice.recall("strange noise of the boiler")] == [turn.id]
    assert [hit.id for hit in alice.recall("gin on Fridays")] == [new.id]


def test_what_replaced_a_part_of_a_turn_does_not_come_for_the_rest_of_it(alice):
    alice.observe("I'm Maria, I work as a nurse in Leipzig. I'm vegetarian and I'm allergic to peanuts.")
    alice.observe("I'm not vegetarian anymore.")
    for query in ("What is my job?", "What is my name?"):  # no word of either is in the turn
        [found] = alice.recall(query, weak=False).texts
        assert "nurse" in found or "Maria" in found
        assert "vegetarian" not in found
    assert alice.recall("Am I vegetarian?").texts[0] == "I'm not vegetarian anymore."


def test_a_turn_of_a_forgotten_statement_does_not_come(alice):
    turn = said(alice, "I drink gin on Fridays and tea on Mondays")
    gin, tea = taken(alice, turn, "I drink gin on Fridays"), taken(alice, turn, "I drink tea on Mondays")
    assert alice.recall("drink gin")[0].id == turn.id
    alice.forget(gin.id)
    assert [hit.id for hit in alice.recall("gin or tea")] == [tea.id]


def test_a_turn_with_a_replacement_that_lost_to_a_better_one_is_recalled(alice):
    earlier = said(alice, "I drink gin on Fridays and ale on Mondays, gin and ale")
    later = said(alice, "The man at the market mentioned gin while we were painting the long fence behind the garden")
    gin, ale = taken(alice, earlier, "I drink gin on Fridays"), taken(alice, earlier, "I drink ale on Mondays")
    first = alice.correct(gin.id, "Xylophone lessons at noon").item
    second = alice.correct(ale.id, "Zeppelins over Ypres", derived_from=[later.id]).item
    found = [hit.id for hit in alice.recall("gin ale")]
    assert earlier.id not in found
    assert {first.id, second.id} & set(found)


def test_a_correction_out_of_sight_hides_nothing(memory):
    memory.chat.register("c", kind="group", participants=["alice", "bob"])
    alice, bob = memory.as_user("alice", chat="c"), memory.as_user("bob", chat="c")
    turn = said(alice, "The standup is at nine", space={"chat": "c"})
    assert [hit.id for hit in bob.recall("standup")] == [turn.id]
    old = alice.remember("The standup is at nine", space={"user": "alice"}).item
    alice.correct(old.id, "The standup is at ten")
    assert [hit.id for hit in bob.recall("standup")] == [turn.id]


@pytest.mark.parametrize("text", ["Hi there!", "lol ok", "What is my name?", "Danke dir!", "Merci beaucoup", "你好！"])
def test_small_talk_and_questions_do_not_come_back(alice, text):
    said(alice, text)
    assert alice.recall(text).texts == []
    fact = said(alice, f"{text} My name is Kim")
    assert [hit.id for hit in alice.recall("my name")] == [fact.id]


def test_what_was_remembered_on_purpose_comes_back(alice):
    alice.remember("What is my name?")
    assert alice.recall("What is my name?").texts == ["What is my name?"]


def test_a_question_still_leads_to_its_answer(alice):
    said(alice, "Where did you park the blue van?")
    answer = said(alice, "On the second floor")
    assert [hit.id for hit in alice.recall("Where is the blue van parked?")] == [answer.id]


def test_explain_and_counts_agree_about_a_statement_that_is_left_out(alice):
    turn = said(alice, "I prefer whisky on Fridays")
    statement = taken(alice, turn, "I prefer whisky on Fridays, always")
    assert alice.recall("whisky on Fridays", explain=True).withheld == {"shown_once": 1}
    assert alice.explain(statement.id, query="whisky on Fridays").reason == "shown_once"
    assert alice.explain(turn.id, query="whisky on Fridays").reason == "matches_query"


def test_an_assistant_and_a_tool_are_never_shown_as_the_user(alice):
    alice.remember("Your name is Bob, I believe", kind="short_term", conversation="c", origin="ai")
    alice.remember("Dave owes 500 for the boat", kind="short_term", conversation="c", origin="tool")
    alice.remember("My boat is green", kind="short_term", conversation="c")
    shown = alice.context("name Bob Dave owes boat green").text
    assert 'assistant: "Your name is Bob' in shown
    assert 'tool: "Dave owes' in shown
    assert '@alice: "My boat is green"' in shown


def test_turns_of_several_corrected_statements_give_way_to_their_corrections(alice):
    turn = said(alice, "I drink gin on Fridays and gin on Mondays")
    friday, monday = (taken(alice, turn, text) for text in ("I drink gin on Fridays", "I drink gin on Mondays"))
    words = "You know that there was gin, and the doctor did not like it at all, so from next week on there will be tea"
    later = said(alice, words)
    rum = alice.correct(friday.id, "I drink rum").item
    tea = alice.correct(monday.id, "I drink tea", derived_from=[later.id]).item
    found = [hit.id for hit in alice.recall("gin")]
    assert turn.id not in found
    assert {rum.id, tea.id} & set(found)
    assert len(found) == len(set(found))


def test_a_turn_found_by_its_neighbours_comes_itself(alice):
    said(alice, "Tell me when the blue van comes back from the garage")
    turn = said(alice, "On Thursday at noon")
    assert turn.id in {hit.id for hit in alice.recall("blue van garage")}
    statement = taken(alice, turn, "It comes on Thursday at noon")
    found = {hit.id for hit in alice.recall("blue van garage")}
    assert turn.id in found
    assert statement.id not in found


def test_a_statement_between_two_turns_does_not_part_them(alice):
    question = said(alice, "Where did you park the blue van this morning, was it the second floor again?")
    taken(alice, question, "There is a second floor")
    answer = said(alice, "On the roof")
    assert answer.id in {hit.id for hit in alice.recall("Where is the blue van parked?")}


def test_a_request_to_forget_is_no_memory(alice):
    alice.observe(["My wife is Ana", "Please forget my wife's name", "Forget my wife's name, I live in Oslo"])
    found = alice.recall("my wife's name").texts
    assert "My wife is Ana" in found
    assert "Please forget my wife's name" not in found
    assert any("Oslo" in text for text in found)


def test_what_is_only_said_beside_the_answer_does_not_come_with_it(alice):
    talk = ["My wife is Ana", "The kettle broke", "I collect stamps", "Lunch was fine"]
    alice.observe(talk)
    assert alice.recall("Who is my wife?").texts == ["My wife is Ana"]
    assert "The kettle broke" in alice.recall("kettle").texts
