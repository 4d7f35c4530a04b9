"""Nothing is kept that nobody said: every statement of the rules is a stretch of one turn, or one of the three that
rest on two turns and say so. And nothing true is ended by a guess.

The check here knows nothing of the rules: it looks for the words of a statement in the messages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

import pytest
from benchmarks.capture import labels

from memfort import Kind, Memory, Status
from memfort.capture.extract import extract
from memfort.capture.extraction import Action, Proposal, SpokenTurn
from memfort.model.item import Origin
from memfort.model.moment import to_moment

_ORIGIN = {"user": Origin.USER, "assistant": Origin.AI, "tool": Origin.TOOL}
_CONVERSATIONS = 20  # of each set, and as many with their messages changed
_PIECES = (
    " no wait, ",
    " and ",
    "? ",
    ". ",
    ", ",
    " not ",
    " I ",
    " she ",
    " on Friday ",
    " 42 ",
    "，",
    " actually ",
    '"',
    " yes ",
)


def conversations() -> list[list[SpokenTurn]]:
    found = []
    for name in labels.DEVELOPMENT:
        talks = [talk for user in labels.conversations(labels.read(name)).values() for talk in user]
        found += [[_turn(one) for one in talk] for talk in talks[:_CONVERSATIONS]]
    return found


def _turn(message: labels.Message) -> SpokenTurn:
    return SpokenTurn(message.text, _ORIGIN[message.role], to_moment(message.at, "at"), message.speaker)


def mutated(turns: Sequence[SpokenTurn], random: Random) -> list[SpokenTurn]:
    """The same conversation with words put in, left out and exchanged, and its turns in another order."""
    changed = []
    for turn in turns:
        words = turn.text.split(" ")
        place = random.randrange(len(words))
        match random.randrange(4):
            case 0:
                words.insert(place, random.choice(_PIECES))
            case 1:
                del words[place]
            case 2:
                words[place:] = random.choice(turns).text.split(" ")
            case _:
                random.shuffle(words)
        changed.append(SpokenTurn(" ".join(words), turn.origin, turn.at, turn.speaker))
    if random.random() < 0.5:
        random.shuffle(changed)
    return changed


def words_of(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def is_said(one: Proposal, turns: Sequence[SpokenTurn]) -> bool:
    said = words_of(turns[one.turn].text)
    statement = words_of(one.text)
    if one.composed is None:
        if statement in said:
            return True
        subject = words_of(one.subject)
        return bool(subject) and statement.startswith(subject) and subject in said and statement[len(subject) :] in said
    other = words_of(turns[one.composed.turn].text)
    if one.composed.way == "answer":
        return statement == f"{words_of(one.composed.words)} {words_of(one.quote)}" and words_of(one.quote) in said
    if one.composed.way == "yes":
        return words_of(one.quote) in said and turns[one.composed.turn].origin is Origin.AI
    words = statement.split() if " " in statement else list(statement)
    glue = " " if " " in statement else ""
    return any(
        glue.join(words[:start]) in other
        and glue.join(words[end:]) in other
        and re.sub(r"[^\W\d]+$", "", words[start]) in said
        for start in range(len(words))
        for end in range(start + 1, min(start + 5, len(words)) + 1)
    )


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_every_statement_was_said_in_one_turn_or_is_marked_as_composed(seed):
    kept = composed = 0
    for place, given in enumerate(conversations()):
        turns = given if seed is None else mutated(given, Random(1_000 * seed + place))
        for one in extract(turns).proposals:
            if one.action in (Action.ADD, Action.UPDATE):
                kept += 1
                composed += one.composed is not None
                assert turns[one.turn].origin is Origin.USER
                assert is_said(one, turns), (one.text, turns[one.turn].text)
    assert kept > 100  # they do keep what is said
    assert composed < kept / 20


def test_no_word_of_negation_is_cut_from_in_front_of_a_statement():
    for said in (
        "No bebo alcohol",
        "No sugar in my coffee",
        "not in Rome any more, I live in Milan",
        "Nunca como carne",
    ):
        for one in extract([SpokenTurn(said, Origin.USER, to_moment("2026-05-01T12:00:00Z", "at"))]).proposals:
            assert not re.search(r"(?i)\b(no|not|nunca)\s+$", said[: said.casefold().find(one.text.casefold())])


# -- stories: what was said, and what is in force afterwards


@pytest.fixture
def bound(tmp_path):
    with Memory.open(tmp_path / "memory.db") as memory:
        yield memory.as_user("ada")


def say(bound, *texts):
    """Messages of one conversation, one call each; the assistant's begin with `A: `."""
    return [
        bound.observe(
            [{"role": "assistant" if text.startswith("A: ") else "user", "content": text.removeprefix("A: ")}],
            conversation="talk",
        ).messages[0]
        for text in texts
    ]


def in_force(bound):
    items = bound.list(limit=100).items
    return sorted(one.text for one in items if one.kind is not Kind.SHORT_TERM and one.status is Status.APPROVED)


STORIES = {
    ("I just started as a nurse at Kestrel Clinic", "A: Are you based in Leeds?", "nope, York."):
        ["I just started as a nurse at Kestrel Clinic"],
    ("Before that I lived in Kassel for eight years", "A: And now? In the centre?", "No, in Plauen"):
        ["Before that I lived in Kassel for eight years"],
    ("My driving test is on 3 May", "My mother is called Renate and turns 65 on 9 May"):
        ["My driving test is on 3 May", "My mother is called Renate and turns 65 on 9 May"],
    ("I'm vegetarian and I'm allergic to peanuts.", "I'm not vegetarian anymore."):
        ["I'm allergic to peanuts", "I'm not vegetarian anymore"],
    ("I'm Maria, I work as a nurse in Leipzig", "I no longer work as a nurse"):
        ["I no longer work as a nurse", "I work as a nurse in Leipzig", "I'm Maria"],
    ("I live in Hamburg with my wife Anna", "I moved to Berlin last week"):
        ["I live in Hamburg with my wife Anna", "I moved to Berlin last week"],
    ("I am allergic to nuts", "I'm not allergic to nuts"): ["I'm not allergic to nuts"],
    ("I am allergic to nuts", "Sorry, I'm actually not allergic to nuts"): ["I'm actually not allergic to nuts"],
    ("I live in Berlin", "I live in Rome"): ["I live in Berlin", "I live in Rome"],
    ("I live in Berlin", "I live in Rome now"): ["I live in Rome now"],
    ("My manager Tessa left and now I report to Bram Visser",):
        ["My manager Tessa left and now I report to Bram Visser"],
    ("我养了一只猫，叫年糕",): ["我养了一只猫，叫年糕"],
    ("A: What do you drink in the morning?", "coffee, always. black"):
        ["What do you drink in the morning? coffee, always. black"],
    ("coffee, always. black",): [],
    ("A: How old is your girl?", "nine"): ["How old is your girl? nine"],
    ("nine",): [],
    ("oh sure, I love working weekends", "Great, another meeting, just what I needed"): [],
    ("if I ever win the lottery I will live in Lisbon",): [],
    ("Write a cover letter for a data analyst. My name is John Doe and I have 5 years of experience",): [],
    ("Schreib mir eine Bewerbung. Ich heiße Max Muster und habe fünf Jahre Erfahrung",): [],
    ("My name is Jane Roe.", "Write a poem about rain."): ["My name is Jane Roe"],
    ("always answer in German",): ["Always answer in German"],
}  # fmt: skip


@pytest.mark.parametrize("said", STORIES, ids=lambda said: said[-1][:40])
def test_a_conversation_leaves_what_was_said_and_ends_only_what_is_denied(bound, said):
    say(bound, *said)
    assert in_force(bound) == STORIES[said]


def test_a_compound_that_is_not_ended_is_named_to_the_caller(bound):
    kept = bound.remember("I'm vegetarian and I'm allergic to peanuts.")
    [denial] = say(bound, "I'm not vegetarian anymore.")
    assert in_force(bound) == ["I'm not vegetarian anymore", "I'm vegetarian and I'm allergic to peanuts."]
    assert denial.may_replace == (kept.id,)


def test_two_remembered_statements_do_not_take_a_person_with_them(bound):
    bound.remember("I live in Hamburg with my wife Anna")
    bound.remember("I moved to Berlin last week")
    assert in_force(bound) == ["I live in Hamburg with my wife Anna", "I moved to Berlin last week"]
    bound.remember("I live in Oslo")
    bound.remember("I moved to Rome last week")
    assert "I live in Oslo" not in in_force(bound)  # the control: one claim is replaced


def test_a_denial_reaches_what_was_remembered_and_imported(bound):
    bound.remember("I have a sister")
    bound.remember("My sister Eva lives in Bonn and my brother in Ulm")
    bound.import_(b'["My sister is a vet in Derby", "My aunt paints houses"]')
    assert len(in_force(bound)) == 4
    say(bound, "I misspoke, I do not have a sister")
    assert in_force(bound) == [
        "I do not have a sister",
        "My aunt paints houses",
        "My sister Eva lives in Bonn and my brother in Ulm",
    ]


@pytest.mark.parametrize(
    ("older", "newer", "asked"),
    [
        ("My preferred airport is SFO", "My preferred airport is OAK", "What is my preferred airport?"),
        ("My editor is vim", "My editor is emacs", "What editor do I use?"),
        ("Mein Friseur ist Salon Nord", "Mein Friseur ist Haarwerk", "Wer ist mein Friseur?"),
    ],
)
@pytest.mark.parametrize("way", ["observe", "remember"])
def test_of_two_values_of_one_attribute_the_newer_ranks_first(bound, way, older, newer, asked):
    for text in (older, newer):
        getattr(bound, way)(text)
    found = bound.recall(asked).texts
    assert found[0] == newer


def test_a_yes_is_kept_as_composed_and_goes_with_the_question(bound):
    question, answer = say(bound, "A: So you live in Lyon?", "Yes")
    [kept] = [one for one in bound.list(limit=10) if one.text == "I live in Lyon"]
    assert kept.evidence.turns == (answer.turn.id, question.turn.id)
    assert kept.evidence.to_dict()["composed"] == {
        "way": "yes", "turn": question.turn.id, "words": "So you live in Lyon?",
    }  # fmt: skip
    bound.erase(question.turn.id)
    assert in_force(bound) == []
